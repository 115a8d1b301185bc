package frontmatter

import (
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
		changed := o
		if o == nil {
			changed = t
		}
		if changed.value.equal(b.value) { // only its form changed
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

// taken is an entry as one side wrote it. If it is an alias, its value may be the other
// side's in the result.
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

// parts cuts an entry with a value on one line: up to the colon, the gap, the value, the rest.
func (e *sideEntry) parts() (p [4]string, ok bool) {
	if e.value.kind == kindList || e.value.kind == kindTable || !e.doc.isInline(e.value, e.at) {
		return p, false
	}
	src := string(e.doc.Src)
	return [4]string{src[e.lines.Start : e.colon+1], src[e.colon+1 : e.at.Start], src[e.at.Start:e.at.End], src[e.at.End:e.lines.End]}, true
}

// mergeParts merges what surrounds a value on one line and puts value there. It fails if
// both sides changed the comment behind the value.
func mergeParts(value string, b, o, t [4]string) (string, bool) {
	surround := func(i int) string {
		s, ok := three(b[i], o[i], t[i])
		if !ok {
			s = max(o[i], t[i])
		}
		return s
	}
	before, gap := surround(0), surround(1)
	switch {
	case value == "":
		gap = ""
	case gap == "":
		gap = " "
	}
	after, ok := three(b[3], o[3], t[3])
	if !ok {
		our, their := strings.TrimSpace(o[3]), strings.TrimSpace(t[3])
		switch {
		case our == their:
			after = max(o[3], t[3])
		case our == "":
			after = t[3]
		case their == "":
			after = o[3]
		default:
			return "", false // two comments
		}
	}
	return before + gap + value + after, true
}

// threeParts cuts the entries of a key that both sides have.
func threeParts(b, o, t *sideEntry) (pb, po, pt [4]string, ok bool) {
	po, ok = o.parts()
	pt, ok2 := t.parts()
	if b != nil {
		var ok3 bool
		if pb, ok3 = b.parts(); !ok3 {
			ok = false
		}
	}
	return pb, po, pt, ok && ok2
}

// ruled replaces the sides' values by the value that a rule returned.
func ruled(name, value string, b, o, t *sideEntry) (r merged, ok bool) {
	if o == nil {
		o = t
	}
	if t == nil {
		t = o
	}
	if o == nil {
		return r, false
	}
	pb, po, pt, ok := threeParts(b, o, t)
	if !ok {
		return r, false
	}
	text := value
	switch ours, theirs := value == o.string(), value == t.string(); {
	case ours && theirs:
		text = max(po[2], pt[2])
	case ours: // as that side wrote it
		text = po[2]
	case theirs:
		text = pt[2]
	default:
		if v := resolve(value); v == typeString || o.value.typ() != v && t.value.typ() != v {
			text = spell(value, o.value.style, false)
			if o.value.style != t.value.style {
				text = Quote(value)
			}
		}
	}
	r.text, ok = mergeParts(text, pb, po, pt)
	r.inResult = func(d *Doc) bool { return d.String(name) == value }
	return r, ok
}

// mergeValue merges two versions of an entry that both changed how it is written, if only one
// changed the value or both have the same one.
func mergeValue(name string, b, o, t *sideEntry) (r merged, ok bool) {
	from := o
	switch {
	case o.value.equal(t.value):
		if t.text > o.text {
			from = t
		}
	case b == nil:
		return r, false
	case o.value.equal(b.value):
		from = t
	case t.value.equal(b.value):
	default:
		return r, false
	}
	r = taken(name, from, o, t)
	pb, po, pt, ok := threeParts(b, o, t)
	if !ok {
		return r, true
	}
	value, _ := from.parts()
	if s, same := three(pb[2], po[2], pt[2]); same && o.value.equal(t.value) {
		value[2] = s
	} else if o.value.equal(t.value) {
		value[2] = max(po[2], pt[2])
	}
	r.text, ok = mergeParts(value[2], pb, po, pt)
	return r, ok
}
