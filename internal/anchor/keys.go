package anchor

import (
	"fmt"
	"slices"

	"sdd/internal/fault"
	"sdd/internal/frontmatter"
	"sdd/internal/markdown"
	"sdd/internal/record"
)

// Pinned are the anchors that a caller gave for a record, as its front matter keeps them.
type Pinned struct {
	Refs     []string // of the key code_ref
	Seen     []string // entries of the key seen
	Warnings []string // of places that are not there: they are kept without a fingerprint
}

// PinAll pins places of the tree below dir. It is Invalid for a text that names no place, and where several symbols of
// the file have the name.
func PinAll(dir string, places []string) (p Pinned, err error) {
	if len(places) == 0 {
		return p, nil
	}
	t := New(dir)
	defer t.Close()
	for _, text := range places {
		r, err := ParseRef(text)
		if err != nil {
			return p, err
		}
		entry, whole, err := t.Pin(r)
		switch {
		case err == nil:
			r = whole
			if !slices.Contains(p.Seen, entry) {
				p.Seen = append(p.Seen, entry)
			}
		case fault.Is(err, fault.NotFound) || fault.Is(err, fault.Unavailable):
			p.Warnings = append(p.Warnings, fmt.Sprintf("code_ref %s: %s", r, fault.Of(err).Message))
		default:
			return p, err
		}
		if !slices.Contains(p.Refs, r.String()) {
			p.Refs = append(p.Refs, r.String())
		}
	}
	return p, nil
}

// Sets returns the changes of front matter that add the places to those that a record has already; nil for none.
func (p Pinned) Sets(front map[string]any) []frontmatter.Set {
	if len(p.Refs) == 0 {
		return nil
	}
	refs := Strings(front[RefKey])
	for _, r := range p.Refs {
		if !slices.Contains(refs, r) {
			refs = append(refs, r)
		}
	}
	return []frontmatter.Set{{Key: RefKey, Value: one(refs)}, {Key: SeenKey, Value: one(withSeen(Strings(front[SeenKey]), p.Seen))}}
}

// one returns a list as a front-matter value: a list of one text is that text, an empty one removes the key.
func one(list []string) any {
	switch len(list) {
	case 0:
		return nil
	case 1:
		return list[0]
	}
	return list
}

// withSeen replaces the entries of the places that fresh has entries for.
func withSeen(entries, fresh []string) []string {
	places := map[string]bool{}
	for _, e := range fresh {
		place, _, _ := parseSeen(e)
		places[place] = true
	}
	entries = slices.DeleteFunc(slices.Clone(entries), func(e string) bool {
		place, _, ok := parseSeen(e)
		return ok && places[place]
	})
	return append(entries, fresh...)
}

// OfDoc returns the anchors of a parsed record.
func OfDoc(d *record.Doc, front map[string]any) []Anchor {
	var spans []Span
	f, _ := d.Front()
	for _, s := range markdown.CodeSpans(d.Src, f.Body) {
		spans = append(spans, Span{Text: s.Raw, Line: s.Line})
	}
	return In(front, spans)
}

// Affirm returns the version of a record that vouches for its places as they are now: each anchor of verdicts gets its
// present fingerprint. With moved, only the places that moved change, and the record names the new ones. done lists
// the changed anchors. Nothing changes for a place that is gone or cannot be read.
func (t *Tree) Affirm(kind record.Kind, d *record.Doc, front map[string]any, verdicts []Verdict, moved bool) (_ *record.Doc, done []Verdict, err error) {
	refs := Strings(front[RefKey])
	entries := Strings(front[SeenKey])
	spans := map[string]string{} // the new text of code spans
	for _, v := range verdicts {
		if v.State == Gone || v.State == Unknown || moved && v.State != Moved || v.State == Fresh && len(v.Seen) == 1 {
			continue
		}
		entry, now, err := t.Pin(v.Now)
		if err != nil {
			continue // it changed since it was judged
		}
		old := v.Ref.String()
		entries = slices.DeleteFunc(slices.Clone(entries), func(e string) bool {
			place, _, ok := parseSeen(e)
			return ok && place == old
		})
		if entries = append(entries, entry); old != now.String() {
			spans[v.Text] = now.String()
		}
		for i, r := range refs {
			if r == v.Text {
				refs[i] = now.String()
			}
		}
		done = append(done, v)
	}
	if len(done) == 0 {
		return d, nil, nil
	}
	sets := []frontmatter.Set{{Key: SeenKey, Value: one(entries)}}
	if front[RefKey] != nil {
		sets = append(sets, frontmatter.Set{Key: RefKey, Value: one(refs)})
	}
	if kind == record.Exploration {
		sets = append(sets, frontmatter.Set{Key: "revision", Value: max(1, d.Revision()) + 1})
	}
	u, err := d.Edit(kind, sets, nil)
	if err != nil {
		return nil, nil, err
	}
	return withSpans(u.Doc, spans), done, nil
}

// withSpans replaces the texts of code spans.
func withSpans(d *record.Doc, texts map[string]string) *record.Doc {
	if len(texts) == 0 {
		return d
	}
	f, _ := d.Front()
	var out []byte
	at := 0
	for _, s := range markdown.CodeSpans(d.Src, f.Body) {
		if to, ok := texts[s.Raw]; ok {
			out = append(append(out, d.Src[at:s.Start]...), to...)
			at = s.End
		}
	}
	return record.Open(append(out, d.Src[at:]...))
}
