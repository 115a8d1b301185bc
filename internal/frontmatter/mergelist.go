package frontmatter

import (
	"slices"
	"strings"
)

// mergeList merges lists of scalars as ordered sets: with the items that either side added, without
// the items that either removed. If another version has a list, a scalar counts as a list of one item.
func mergeList(name string, b, o, t *sideEntry) (r merged, ok bool) {
	if o.value.deref().kind != kindList && t.value.deref().kind != kindList {
		return r, false
	}
	views := [3]listView{}
	for i, e := range []*sideEntry{b, o, t} {
		if e == nil {
			continue
		}
		if views[i], ok = e.view(); !ok {
			return r, false
		}
	}
	var ids [3][]string
	for i := range views {
		for _, item := range views[i].items {
			ids[i] = append(ids[i], item.id)
		}
	}
	if len(ids[1])+len(ids[2]) > maxMerged {
		return r, false
	}
	l := listMerge{views: views, order: mergeOrder(ids[0], ids[1], ids[2], keepMerged(ids[0], ids[1], ids[2]))}
	if l.like, ok = shape(&views[0], &views[1], &views[2]); !ok {
		return r, false
	}
	switch {
	case len(l.order) == 0:
		r.text, ok = l.empty()
	case l.like.flow:
		r.text, ok = l.flow()
	default:
		r.text, ok = l.block()
	}
	want := make([]string, len(l.order))
	for i, id := range l.order {
		for _, item := range l.each(id) {
			if item != nil {
				want[i] = item.node.deref().text
			}
		}
	}
	r.inResult = func(d *Doc) bool {
		n := d.find(name).deref()
		return n.kind == kindList && slices.EqualFunc(n.items, want, func(item node, s string) bool { return item.deref().text == s })
	}
	return r, ok
}

// view cuts the entry's list; a scalar gives a view without shape.
func (e *sideEntry) view() (v listView, ok bool) {
	if e.value.kind == kindList {
		return e.doc.list(e.entry)
	}
	if e.value.kind != kindScalar || !e.doc.isInline(e.value, e.at) {
		return v, false
	}
	if e.value.typ() != typeNull {
		v.items = []listItem{{node: e.value, id: itemID(e.value) + "\x001",
			src: string(e.doc.Src[e.at.Start:e.at.End])}}
	}
	return v, true
}

type listMerge struct {
	views [3]listView
	order []string
	like  *listView // whose shape the result has
}

func (v *listView) kind() string {
	switch {
	case v.flow:
		return "["
	case v.head != "":
		return v.indent + "-"
	}
	return ""
}

// shape returns the list whose form the merged list gets: that of the side that changed the form. A
// list with comments stays a block.
func shape(b, o, t *listView) (*listView, bool) {
	k, ok := three(b.kind(), o.kind(), t.kind())
	if !ok || k == "" {
		k = max(o.kind(), t.kind())
	}
	if k == "[" && (o.commented() || t.commented()) {
		k = min(o.kind(), t.kind())
	}
	switch k {
	case o.kind():
		return o, true
	case t.kind():
		return t, true
	}
	return nil, false
}

// commented reports whether a block list has comments, which a flow list could not hold.
func (v *listView) commented() bool {
	if v.flow || v.head == "" {
		return false
	}
	text := v.tail
	for _, item := range v.items {
		text += item.lead + strings.Replace(item.line, item.src, "", 1)
	}
	return strings.Contains(text, "#")
}

// like3 returns a part of each of the three lists. A side in another form than the result counts as
// unchanged.
func (l *listMerge) like3(part func(*listView) string) (b, o, t string) {
	var s [3]string
	for i := range l.views {
		if v := &l.views[i]; v.kind() == l.like.kind() {
			s[i] = part(v)
		} else if i > 0 {
			s[i] = part(l.like)
		}
	}
	return s[0], s[1], s[2]
}

// around merges the text before the first item or after the last one.
func (l *listMerge) around(part func(*listView) string) (string, bool) {
	b, o, t := l.like3(part)
	merged, ok := three(b, o, t)
	if !ok && slices.Equal(strings.Fields(o), strings.Fields(t)) {
		return max(o, t), true
	}
	return merged, ok
}

// each returns the versions of an item, nil where a list lacks it.
func (l *listMerge) each(id string) (versions [3]*listItem) {
	for i := range l.views {
		for j := range l.views[i].items {
			if l.views[i].items[j].id == id {
				versions[i] = &l.views[i].items[j]
			}
		}
	}
	return versions
}

func (l *listMerge) flow() (string, bool) {
	head, ok := l.around(func(v *listView) string { return v.head })
	tail, ok2 := l.around(func(v *listView) string { return v.tail })
	parts := make([]string, len(l.order))
	for i, id := range l.order {
		v := l.each(id)
		src := func(k int) string {
			if v[k] == nil {
				return ""
			}
			if n := v[k].node; !l.views[k].flow && n.kind == kindScalar && n.typ() == typeString {
				return spell(n.text, n.style, true)
			}
			return v[k].src
		}
		parts[i] = pick(src(0), src(1), src(2))
	}
	return head + strings.Join(parts, ", ") + tail, ok && ok2
}

// pick merges two spellings of the same thing.
func pick(base, ours, theirs string) string {
	if ours == "" || theirs == "" {
		return ours + theirs
	}
	if s, ok := three(base, ours, theirs); ok {
		return s
	}
	return max(ours, theirs)
}

func (l *listMerge) block() (string, bool) {
	head, ok := l.around(func(v *listView) string { return v.head })
	if !ok {
		return "", false
	}
	newline := "\n"
	if strings.HasSuffix(head, "\r\n") {
		newline = "\r\n"
	}
	var out strings.Builder
	out.WriteString(head)
	for _, id := range l.order {
		v := l.each(id)
		var leads, lines [3]string
		for k := range v {
			switch {
			case v[k] == nil:
			case l.views[k].head == "" || l.views[k].flow:
				lines[k] = l.like.indent + "- " + v[k].src + newline
			default:
				leads[k] = reindent(v[k].lead, l.views[k].indent, l.like.indent)
				lines[k] = reindent(v[k].line, l.views[k].indent, l.like.indent)
			}
		}
		switch {
		case v[1] == nil:
			out.WriteString(leads[2] + lines[2])
			continue
		case v[2] == nil:
			out.WriteString(leads[1] + lines[1])
			continue
		}
		line, ok := three(lines[0], lines[1], lines[2])
		if !ok {
			return "", false
		}
		out.WriteString(mergeLines(leads[0], leads[1], leads[2]) + line)
	}
	out.WriteString(mergeLines(l.like3(func(v *listView) string { return v.tail })))
	return out.String(), true
}

func reindent(lines, from, to string) string {
	if from == to {
		return lines
	}
	var out strings.Builder
	for line := range strings.Lines(lines) {
		if rest, ok := strings.CutPrefix(line, from); ok {
			line = to + rest
		}
		out.WriteString(line)
	}
	return out.String()
}

// empty writes a list without items.
func (l *listMerge) empty() (string, bool) {
	head, ok := l.around(func(v *listView) string { return v.head })
	if !ok {
		return "", false
	}
	if l.like.flow {
		tail, ok := l.around(func(v *listView) string { return v.tail })
		return head + tail, ok
	}
	return head[:l.like.key] + " []" + head[l.like.key:], true
}
