package frontmatter

import (
	"slices"
	"strconv"
	"strings"
)

// listView is a list of scalars, cut so that items can be kept, dropped and added without
// touching the others: a block list with one item a line, or a flow list on one line.
type listView struct {
	flow   bool
	indent string // block: before the dash
	head   string // up to the first item: the key's line, or `key: [`
	key    int    // how much of head is the key with its colon
	items  []listItem
	tail   string // after the last item's line, or `]` and the rest of the line
}

type listItem struct {
	node *node
	id   string // the item's type and text, and its number among equal items
	src  string // the value as written
	lead string // block: comments and blank lines above
	line string // block: the item's line
}

// list cuts the value of e; false if it is no list of scalars.
func (d *Doc) list(e entry) (v listView, ok bool) {
	n := e.value
	if n.kind != kindList || n.anchor != "" || n.tag != "" {
		return v, false
	}
	v.key = e.colon + 1 - e.lines.Start
	if len(n.items) == 0 { // []
		v.flow = true
		v.head = string(d.Src[e.lines.Start : n.content+1])
		v.tail = string(d.Src[n.span.End-1 : e.lines.End])
		return v, d.isInline(n)
	}
	seen := map[string]int{}
	for i := range n.items {
		item := &n.items[i]
		if item.kind != kindScalar && item.kind != kindAlias || item.deref().kind != kindScalar || !d.isInline(item) {
			return v, false
		}
		id := itemID(item)
		seen[id]++
		v.items = append(v.items, listItem{node: item, src: string(d.Src[item.span.Start:item.span.End]),
			id: id + "\x00" + strconv.Itoa(seen[id])})
	}
	if n.style == styleFlow {
		if !d.isInline(n) {
			return v, false
		}
		v.flow = true
		v.head = string(d.Src[e.lines.Start:v.items[0].node.span.Start])
		v.tail = string(d.Src[v.items[len(v.items)-1].node.span.End:e.lines.End])
		return v, !strings.HasPrefix(strings.TrimLeft(v.tail, " "), ",")
	}
	at := lineAfter(d.Src[:e.lines.End], e.colon)
	v.head = string(d.Src[e.lines.Start:at])
	for i := range v.items {
		item := &v.items[i]
		dash := item.node.span.Start - 1
		for dash > at && (d.Src[dash] == ' ' || d.Src[dash] == '\t') {
			dash--
		}
		if dash < at || d.Src[dash] != '-' {
			return v, false
		}
		start := lineStart(d.Src, at, dash)
		indent := string(d.Src[start:dash])
		if i == 0 {
			v.indent = indent
		}
		if strings.Trim(indent, " ") != "" || indent != v.indent {
			return v, false
		}
		item.lead = string(d.Src[at:start])
		at = lineAfter(d.Src[:e.lines.End], item.node.span.End)
		item.line = string(d.Src[start:at])
	}
	v.tail = string(d.Src[at:e.lines.End])
	return v, true
}

func itemID(n *node) string {
	n = n.deref()
	return string('0'+rune(n.typ())) + n.text
}

// with returns the entry's lines with the wanted items. Items that it already has in that order
// keep their bytes. Comments above dropped items stay.
func (v *listView) with(wanted []node, newline string) string {
	kept := v.align(wanted)
	if v.flow {
		var parts []string
		for i := range wanted {
			if kept[i] >= 0 {
				parts = append(parts, v.items[kept[i]].src)
			} else {
				parts = append(parts, wanted[i].inline(stylePlain, true))
			}
		}
		return v.head + strings.Join(parts, ", ") + v.tail
	}
	var b strings.Builder
	b.WriteString(v.head)
	next := 0
	for i := range wanted {
		if kept[i] < 0 {
			b.WriteString(v.indent + "- " + wanted[i].inline(stylePlain, false) + newline)
			continue
		}
		for ; next < kept[i]; next++ {
			b.WriteString(v.items[next].lead)
		}
		b.WriteString(v.items[next].lead + v.items[next].line)
		next++
	}
	for ; next < len(v.items); next++ {
		b.WriteString(v.items[next].lead)
	}
	b.WriteString(v.tail)
	return b.String()
}

// align returns for each wanted item the index of the same old item, -1 if it is new. It matches the
// longest common subsequence, or the common start of very long lists.
func (v *listView) align(wanted []node) []int {
	kept := slices.Repeat([]int{-1}, len(wanted))
	start := 0
	for start < min(len(v.items), len(wanted)) && v.items[start].node.holds(&wanted[start]) {
		kept[start] = start
		start++
	}
	old, wanted := v.items[start:], wanted[start:]
	if len(old)*len(wanted) > 1<<20 {
		return kept
	}
	// best[a][b] is the length of the common part of old[a:] and wanted[b:].
	best := make([][]int, len(old)+1)
	for a := range best {
		best[a] = make([]int, len(wanted)+1)
	}
	for a, item := range slices.Backward(old) {
		for b := range slices.Backward(wanted) {
			if item.node.holds(&wanted[b]) {
				best[a][b] = best[a+1][b+1] + 1
			} else {
				best[a][b] = max(best[a+1][b], best[a][b+1])
			}
		}
	}
	for a, b := 0, 0; a < len(old) && b < len(wanted); {
		switch {
		case old[a].node.holds(&wanted[b]):
			kept[start+b] = start + a
			a, b = a+1, b+1
		case best[a+1][b] >= best[a][b+1]:
			a++
		default:
			b++
		}
	}
	return kept
}
