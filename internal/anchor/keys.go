package anchor

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"sdd/internal/fault"
	"sdd/internal/frontmatter"
	"sdd/internal/markdown"
	"sdd/internal/record"
)

// Places are values of code_ref as a caller gives them: in JSON a text for one place, a list for several.
type Places []string

func (p Places) MarshalJSON() ([]byte, error) { return json.Marshal(one(p)) }

// File returns the file of the first place, "" for none.
func (p Places) File() string {
	if len(p) == 0 {
		return ""
	}
	file, _, _ := strings.Cut(p[0], "#")
	return file
}

// UnmarshalJSON reads a list, or a text with places that a comma and a blank part.
func (p *Places) UnmarshalJSON(data []byte) error {
	var v any
	err := json.Unmarshal(data, &v)
	if s, ok := v.(string); ok {
		*p = strings.Split(s, ", ")
		return err
	}
	*p = Strings(v)
	return err
}

// Pinned are the anchors that a caller gave for a record, as its front matter keeps them.
type Pinned struct {
	Refs     Places   // of the key code_ref
	Seen     []string // entries of the key seen
	Warnings []string // of places that are not there: they are kept without a fingerprint
}

const mostPlaces = 50 // of one call

// PinAll pins places of the tree below dir. It is Invalid for a text that names no place, and for a name that several symbols have.
func PinAll(dir string, places []string) (p Pinned, err error) {
	if len(places) == 0 {
		return p, nil
	}
	if len(places) > mostPlaces {
		return p, fault.New(fault.Invalid, "code_ref has %d places, at most %d are allowed", len(places), mostPlaces).For(RefKey).
			With("name those that the statement depends on")
	}
	t := New(dir)
	defer t.Close()
	for _, text := range places {
		if err := record.CheckLine(RefKey, text, maxPlace); err != nil {
			return p, err
		}
		r, err := ParseRef(text)
		if err != nil {
			return p, err
		}
		entry, whole, err := t.Pin(r)
		switch {
		case err == nil:
			r = whole
			if hasNoCode(entry) {
				p.Warnings = append(p.Warnings, fmt.Sprintf("code_ref %s: these lines have no code, so no change of them will be noticed", r))
			} else if entry != "" && !slices.Contains(p.Seen, entry) {
				p.Seen = append(p.Seen, entry)
			}
		case fault.Is(err, fault.NotFound, fault.Unavailable):
			p.Warnings = append(p.Warnings, fmt.Sprintf("code_ref %s: %s", r, strings.TrimPrefix(fault.Of(err).Message, r.Path+": ")))
		default:
			return p, err
		}
		p.Refs = record.Union(p.Refs, r.String())
	}
	return p, nil
}

// Sets returns the changes of front matter that add the places and vouch for them as they are now; nil when the record has
// all of it. front is nil for a new record.
func (p Pinned) Sets(front *frontmatter.Doc) (sets []frontmatter.Set) {
	var refs, entries []string
	if front != nil {
		refs, entries = front.Strings(RefKey), front.Strings(SeenKey)
	}
	if all := record.Union(refs, p.Refs...); len(all) > len(refs) {
		sets = append(sets, frontmatter.Set{Key: RefKey, Value: one(all)})
	}
	if now := withSeen(entries, p.Seen); !slices.Equal(now, entries) {
		sets = append(sets, frontmatter.Set{Key: SeenKey, Value: seenValue(now)})
	}
	return sets
}

// seenValue returns entries as the value of seen. A single place is a list too: git merges what two branches affirm as a set.
func seenValue(entries []string) any {
	if _, places := SplitSeen(entries); len(places) > 0 {
		return entries
	}
	return one(entries)
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

// withSeen puts fresh entries in the places of those that they replace, or at the end.
func withSeen(entries, fresh []string) []string {
	entries = slices.Clone(entries)
	for _, e := range fresh {
		place, _, _ := parseSeen(e)
		same := func(old string) bool {
			at, _, ok := parseSeen(old)
			return ok && at == place
		}
		at := slices.IndexFunc(entries, same)
		if at < 0 {
			at = len(entries)
		}
		entries = slices.Insert(slices.DeleteFunc(entries, same), at, e)
	}
	return entries
}

// SplitSeen separates the entries of the key seen: hash is the first one that is not about a place, "" for none.
func SplitSeen(entries []string) (hash string, places []string) {
	for _, e := range entries {
		if _, _, ok := parseSeen(e); ok {
			places = append(places, e)
		} else if hash == "" {
			hash = e
		}
	}
	return hash, places
}

// WithHash returns the change that puts another hash before the entries of places.
func WithHash(hash string, places []string) frontmatter.Set {
	if hash != "" {
		places = append([]string{hash}, places...)
	}
	return frontmatter.Set{Key: SeenKey, Value: seenValue(places)}
}

// OfDoc returns the anchors of a parsed record.
func OfDoc(d *record.Doc) []Anchor {
	var spans []Span
	f, _ := d.Front()
	for _, s := range markdown.CodeSpans(d.Src, f.Body) {
		spans = append(spans, Span{Text: s.Raw, Line: s.Line})
	}
	return In(map[string]any{RefKey: f.Value(RefKey), SeenKey: f.Value(SeenKey)}, spans)
}

// Affirm returns the version of a record that vouches for its places as they are now; done lists them. With moved, only those that moved
// change, and the record names the new ones. Nothing changes for a place that is gone, cannot be read or had no code.
func (t *Tree) Affirm(kind record.Kind, d *record.Doc, verdicts []Verdict, moved bool) (_ *record.Doc, done []Verdict, err error) {
	f, err := d.Front()
	if err != nil {
		return nil, nil, err
	}
	refs, entries := Strings(f.Value(RefKey)), Strings(f.Value(SeenKey))
	spans := map[string]string{} // the new text of code spans
	for _, v := range verdicts {
		if v.State == Gone || v.State == Unknown || moved && v.State != Moved {
			continue
		}
		entry, now, err := t.Pin(v.Now)
		if _, is, _ := parseSeen(entry); err != nil || entry == "" || hasNoCode(entry) || v.State == Fresh && slices.Equal(v.Seen, []Seen{is}) {
			continue // it changed since it was judged, has comments alone, or is as it was
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
	sets := []frontmatter.Set{{Key: SeenKey, Value: seenValue(entries)}}
	if len(refs) > 0 {
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

// AffirmAll is Affirm for code_ref and the mentions that were affirmed before. left names the places that it leaves as they are.
func AffirmAll(ctx context.Context, dir string, kind record.Kind, d *record.Doc) (_ *record.Doc, left string, err error) {
	f, err := d.Front()
	if err != nil || !f.Has(RefKey) && !f.Has(SeenKey) {
		return d, "", err
	}
	t := New(dir)
	defer t.Close()
	anchors := slices.DeleteFunc(OfDoc(d), func(a Anchor) bool { return a.Mention && len(a.Seen) == 0 })
	var not []string
	verdicts := slices.DeleteFunc(t.Judge(ctx, anchors), func(v Verdict) bool {
		leave := v.Alarm() && v.Why != ""
		if leave {
			not = append(not, fmt.Sprintf("%s is not affirmed: %s", v.Ref, v.Why))
		}
		return leave
	})
	d, _, err = t.Affirm(kind, d, verdicts, false)
	return d, strings.Join(not, "; "), err
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
