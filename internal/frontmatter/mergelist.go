package frontmatter

import (
	"slices"
	"strings"
)

// mergeList merges lists of scalars as ordered sets. If another version has a list, a scalar counts as a list of one item.
func mergeList(name string, b, o, t *sideEntry) (r merged, ok bool) {
	if o.value.deref().kind != kindList && t.value.deref().kind != kindList {
		return r, false
	}
	var views [3]listView
	for i, e := range []*sideEntry{b, o, t} {
		if e == nil {
			continue
		}
		if views[i], ok = e.view(); !ok {
			return r, false
		}
	}
	form, ok := shape(&views[0], &views[1], &views[2])
	if !ok || len(views[1].items)+len(views[2].items) > maxMerged {
		return r, false
	}
	l := listMerge{form: form, items: map[unit][3]*listItem{}}
	var units [3][]unit
	for i := range views {
		l.views[i] = views[i].as(form, i == 0)
		units[i] = l.unitsOf(i)
	}
	order := mergeUnits(units[0], units[1], units[2], nil)
	r.text, ok = l.write(order)
	var want []string
	for _, u := range order {
		if !u.isLine {
			want = append(want, u.text[1:])
		}
	}
	r.inResult = func(d *Doc) bool {
		n := d.find(name).deref()
		return n.kind == kindList && slices.EqualFunc(n.items, want, func(item node, s string) bool { return item.deref().text == s })
	}
	return r, ok
}

// view cuts the entry's list; a scalar gives a view without form.
func (e *sideEntry) view() (v listView, ok bool) {
	if e.value.kind == kindList {
		return e.doc.list(e.entry)
	}
	if e.value.kind != kindScalar || !e.doc.isInline(e.value, e.at) {
		return v, false
	}
	if e.value.typ() != typeNull {
		v.items = []listItem{{node: e.value, parts: parts{value: string(e.doc.Src[e.at.Start:e.at.End])}}}
	}
	return v, true
}

// listMerge merges three versions of a list in one form.
type listMerge struct {
	form  *listView
	views [3]listView
	items map[unit][3]*listItem
}

// kind is the form of a list: in brackets, or indented so far; "" for a scalar.
func (v *listView) kind() string {
	switch {
	case v.flow:
		return "["
	case v.head != "":
		return v.indent + "-"
	}
	return ""
}

// shape returns the list whose form the merged list gets: that of the side that changed the form. A list with comments stays a block.
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
	text := v.tail
	for _, item := range v.items {
		text += item.lead + item.after
	}
	return !v.flow && strings.Contains(text, "#")
}

// as returns the list in another form. What surrounds its items counts as unchanged then.
func (v listView) as(form *listView, isBase bool) listView {
	if v.kind() == form.kind() {
		return v
	}
	out := listView{flow: form.flow, indent: form.indent}
	if !isBase {
		out.head, out.tail, out.key = form.head, form.tail, form.key
	}
	for _, item := range v.items {
		switch n := item.node; {
		case form.flow:
			if n.kind == kindScalar && n.typ() == typeString {
				item.value = spell(n.text, n.style, true)
			}
		case v.flow || v.head == "":
			item.parts = parts{"", " ", item.value, "\n"}
			if strings.HasSuffix(form.head, "\r\n") {
				item.after = "\r\n"
			}
			fallthrough
		default:
			item.lead, item.before = reindent(item.lead, v.indent, form.indent), form.indent+"-"
		}
		out.items = append(out.items, item)
	}
	return out
}

func reindent(lines, from, to string) string {
	var out strings.Builder
	for line := range strings.Lines(lines) {
		if rest, ok := strings.CutPrefix(line, from); ok {
			line = to + rest
		}
		out.WriteString(line)
	}
	return out.String()
}

// unitsOf returns the items of a version, named by type and text, and the lines between them.
func (l *listMerge) unitsOf(version int) []unit {
	v := &l.views[version]
	var units []unit
	for i := range v.items {
		n := v.items[i].node.deref()
		units = append(append(units, linesOf(v.items[i].lead)...), unit{text: string('0'+rune(n.typ())) + n.text})
	}
	if !v.flow {
		units = append(units, linesOf(v.tail)...)
	}
	at := 0
	for _, u := range numbered(units) {
		if !u.isLine {
			versions := l.items[u]
			versions[version] = &v.items[at]
			l.items[u] = versions
			at++
		}
	}
	return units
}

func (l *listMerge) write(order []unit) (string, bool) {
	head, ok := l.around(func(v *listView) string { return v.head })
	tail := ""
	if ok && l.form.flow {
		tail, ok = l.around(func(v *listView) string { return v.tail })
	}
	if !l.form.flow && !slices.ContainsFunc(order, func(u unit) bool { return !u.isLine }) {
		return head[:l.form.key] + " []" + head[l.form.key:], ok
	}
	var out strings.Builder
	out.WriteString(head)
	for i, u := range order {
		if u.isLine {
			out.WriteString(u.text)
			continue
		}
		var p [3]parts
		for k, item := range l.items[u] {
			if item != nil {
				p[k] = item.parts
			}
		}
		if l.items[u][1] == nil {
			p[1] = p[2]
		} else if l.items[u][2] == nil {
			p[2] = p[1]
		}
		value := pick(p[0].value, p[1].value, p[2].value)
		switch {
		case !l.form.flow:
			line, lineOK := mergeParts(p, value)
			ok = ok && lineOK
			out.WriteString(line)
		case i > 0:
			out.WriteString(", " + value)
		default:
			out.WriteString(value)
		}
	}
	return out.String() + tail, ok
}

// around merges the text before the first item or after the last one.
func (l *listMerge) around(part func(*listView) string) (string, bool) {
	b, o, t := part(&l.views[0]), part(&l.views[1]), part(&l.views[2])
	merged, ok := three(b, o, t)
	if !ok && slices.Equal(strings.Fields(o), strings.Fields(t)) {
		return max(o, t), true
	}
	return merged, ok
}
