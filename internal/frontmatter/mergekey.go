package frontmatter

import (
	"cmp"
	"reflect"
	"strings"
)

// key merges one key that ours or theirs has. kept is false if the result lacks it.
func (m *merger) key(name string, b, o, t *sideEntry) (r merged, kept bool) {
	if rule := m.rules[name]; rule != nil && o.differs(b) && t.differs(b) {
		if value, ok := rule(b.string(), o.string(), t.string()); ok {
			if r, ok := ruled(name, value, b, o, t); ok {
				return r, true
			}
		}
	}
	switch {
	case !o.differs(t), !t.differs(b):
		return taken(name, o, o, t), o != nil
	case !o.differs(b):
		return taken(name, t, o, t), t != nil
	case o == nil || t == nil:
		if cmp.Or(o, t).value.equal(b.value) { // only its form changed
			return merged{}, false
		}
	default:
		if r, ok := mergeList(name, b, o, t); ok {
			return r, true
		}
		if r, ok := mergeValue(name, b, o, t); ok {
			return r, true
		}
	}
	r.conflict = &Conflict{Key: name, Base: b.written(), Ours: o.written(), Theirs: t.written()}
	return r, true
}

func (e *sideEntry) differs(f *sideEntry) bool {
	if e == nil || f == nil {
		return e != f
	}
	return e.text != f.text
}

func (e *sideEntry) string() string {
	if e == nil {
		return ""
	}
	s, _ := e.value.read()
	return s
}

// written returns the value as the file has it.
func (e *sideEntry) written() string {
	if e == nil {
		return ""
	}
	if s, ok := e.value.read(); ok {
		return s
	}
	return string(e.doc.Src[e.at.Start:e.at.End])
}

// taken is an entry as one side wrote it. If it is an alias, its value may be the other side's in the result.
func taken(name string, e, o, t *sideEntry) merged {
	if e == nil {
		return merged{}
	}
	return merged{text: e.text, inResult: func(d *Doc) bool {
		value := d.Value(name)
		return o != nil && reflect.DeepEqual(value, o.value.value()) ||
			t != nil && reflect.DeepEqual(value, t.value.value())
	}}
}

// parts is a value on one line and what surrounds it: its key or dash, the gap, and the rest of the line.
type parts struct{ before, gap, value, after string }

// partsOf cuts entries; false if a value is no scalar on one line.
func partsOf(entries ...*sideEntry) (cut [3]parts, ok bool) {
	for i, e := range entries {
		if e == nil {
			continue
		}
		if e.value.kind == kindList || e.value.kind == kindTable || !e.doc.isInline(e.value, e.at) {
			return cut, false
		}
		src := string(e.doc.Src)
		cut[i] = parts{src[e.lines.Start : e.colon+1], src[e.colon+1 : e.at.Start], src[e.at.Start:e.at.End], src[e.at.End:e.lines.End]}
	}
	return cut, true
}

// mergeParts merges what surrounds a value in three versions, and fails if both sides changed the comment behind it.
func mergeParts(p [3]parts, value string) (string, bool) {
	before, gap := pick(p[0].before, p[1].before, p[2].before), pick(p[0].gap, p[1].gap, p[2].gap)
	switch {
	case value == "":
		gap = ""
	case gap == "":
		gap = " "
	}
	after, ok := three(p[0].after, p[1].after, p[2].after)
	if !ok {
		switch ours, theirs := p[1].after, p[2].after; {
		case strings.TrimSpace(ours) == strings.TrimSpace(theirs):
			after = max(ours, theirs)
		case strings.TrimSpace(ours) == "":
			after = theirs
		case strings.TrimSpace(theirs) == "":
			after = ours
		default:
			return "", false // two comments
		}
	}
	return before + gap + value + after, true
}

// pick merges two spellings of the same thing.
func pick(base, ours, theirs string) string {
	s, ok := three(base, ours, theirs)
	if !ok {
		s = max(ours, theirs)
	}
	return s
}

// ruled replaces the sides' values by the value that a rule returned.
func ruled(name, value string, b, o, t *sideEntry) (r merged, ok bool) {
	o, t = cmp.Or(o, t), cmp.Or(t, o)
	if o == nil {
		return r, false
	}
	p, ok := partsOf(b, o, t)
	if !ok {
		return r, false
	}
	text := value
	switch ours, theirs := value == o.string(), value == t.string(); {
	case ours && theirs:
		text = max(p[1].value, p[2].value)
	case ours: // as that side wrote it
		text = p[1].value
	case theirs:
		text = p[2].value
	case resolve(value) == typeString || o.value.typ() != resolve(value) && t.value.typ() != resolve(value):
		text = Quote(value)
		if o.value.style == t.value.style {
			text = spell(value, o.value.style, false)
		}
	}
	r.text, ok = mergeParts(p, text)
	r.inResult = func(d *Doc) bool { return d.String(name) == value }
	return r, ok
}

// mergeValue merges two versions of an entry that both changed how it is written, if only one changed the value or both have the same one.
func mergeValue(name string, b, o, t *sideEntry) (r merged, ok bool) {
	from, same := o, o.value.equal(t.value)
	switch {
	case same:
		if t.text > o.text {
			from = t
		}
	case b == nil:
		return r, false
	case o.value.equal(b.value):
		from = t
	case !t.value.equal(b.value):
		return r, false
	}
	r = taken(name, from, o, t)
	p, ok := partsOf(b, o, t)
	if !ok {
		return r, true
	}
	value := p[1].value
	if same {
		value = pick(p[0].value, p[1].value, p[2].value)
	} else if from == t {
		value = p[2].value
	}
	r.text, ok = mergeParts(p, value)
	return r, ok
}
