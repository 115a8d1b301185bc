package frontmatter

import (
	"slices"
	"strings"
)

// listView is a list of scalars, cut so that items can change alone: a block list with one item a line, or a flow list on one line.
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
	lead string // block: comments and blank lines above
	parts
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
		v.head = string(d.Src[e.lines.Start : e.content+1])
		v.tail = string(d.Src[e.at.End-1 : e.lines.End])
		return v, d.isInline(n, e.at)
	}
	if v.flow = n.style == styleFlow; v.flow && !d.isInline(n, e.at) {
		return v, false
	}
	src := source(d.Src[:e.lines.End])
	at, before := e.content+1, "[,"
	if !v.flow {
		at, before = lineAfter(src, e.colon), "-"
		v.head = string(src[e.lines.Start:at])
	}
	for i := range n.items {
		item := listItem{node: &n.items[i]}
		start, mark := at, src.skipBlank(at)
		if v.flow && i == 0 {
			mark = e.content
		}
		if item.node.deref().kind != kindScalar || mark == len(src) || strings.IndexByte(before, src[mark]) < 0 {
			return v, false
		}
		from := mark + 1
		for from < len(src) && (src[from] == ' ' || src[from] == '\t') {
			from++
		}
		place, _, ok := src.value(item.node, from, 0)
		if !ok || !d.isInline(item.node, place) {
			return v, false
		}
		item.value = string(src[from:place.End])
		if at = place.End; v.flow && i == 0 {
			v.head = string(src[e.lines.Start:from])
		} else if !v.flow {
			line := lineStart(src, start, mark)
			if i == 0 {
				v.indent = string(src[line:mark])
			}
			at = lineAfter(src, at)
			item.lead = string(src[start:line])
			item.before, item.gap, item.after = string(src[line:mark+1]), string(src[mark+1:from]), string(src[place.End:at])
			if strings.Trim(v.indent, " ") != "" || item.before != v.indent+"-" {
				return v, false
			}
		}
		v.items = append(v.items, item)
	}
	v.tail = string(src[at:])
	return v, !v.flow || !strings.HasPrefix(strings.TrimLeft(v.tail, " "), ",")
}

// with returns the entry's lines with the wanted items. Items that it has keep their bytes; comments above dropped ones stay.
func (v *listView) with(wanted []node, newline string) string {
	kept, used := v.find(wanted)
	items, tail := slices.Clone(v.items), ""
	for i, item := range v.items {
		if items[i].lead, tail = tail+item.lead, ""; !used[i] {
			tail = items[i].lead
		}
	}
	var b strings.Builder
	b.WriteString(v.head)
	for i, k := range kept {
		item := listItem{parts: parts{v.indent + "-", " ", wanted[i].inline(stylePlain, v.flow), newline}}
		if k >= 0 {
			item = items[k]
		}
		switch {
		case !v.flow:
			b.WriteString(item.lead + item.before + item.gap + item.value + item.after)
		case i > 0:
			b.WriteString(", " + item.value)
		default:
			b.WriteString(item.value)
		}
	}
	b.WriteString(tail + v.tail)
	return b.String()
}

// find returns for each wanted item the index of the same item in v, -1 if new, and which are used. It does not look far in long lists.
func (v *listView) find(wanted []node) (at []int, used []bool) {
	at, used = slices.Repeat([]int{-1}, len(wanted)), make([]bool, len(v.items))
	next := 0
	for i := range wanted {
		for n := 0; n < min(len(v.items), maxMerged) && at[i] < 0; n++ {
			if k := (next + n) % len(v.items); !used[k] && v.items[k].node.holds(&wanted[i]) {
				at[i], used[k], next = k, true, k+1
			}
		}
	}
	return at, used
}
