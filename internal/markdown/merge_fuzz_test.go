package markdown

import (
	"bytes"
	"slices"
	"testing"
)

// FuzzMerge tests the laws that hold for any three texts: no panic, a side that alone changed something is
// taken whole, swapping the sides swaps the result, a clean result stays itself when a side is merged into it
// as far as it can be told what changed, and every section of it has one of the names that were there.
func FuzzMerge(f *testing.F) {
	for _, c := range mergeCases(f) {
		f.Add(c.base, c.ours, c.theirs)
	}
	f.Fuzz(func(t *testing.T, base, ours, theirs []byte) {
		m := Merge(base, ours, theirs, nil, MergeLabels{})
		swapped := Merge(base, theirs, ours, nil, MergeLabels{})
		if len(m.Conflicts) == 0 && !bytes.Equal(m.Out, swapped.Out) {
			t.Errorf("not symmetric: %q and %q", m.Out, swapped.Out)
		}
		if !slices.Equal(withoutLines(m.Conflicts), mirrored(swapped.Conflicts)) {
			t.Errorf("conflicts are not mirrored: %q and %q", m.Out, swapped.Out)
		}
		checkConflicts(t, m)
		for _, side := range [][]byte{ours, theirs} {
			for _, got := range []Merged{
				Merge(base, base, side, nil, MergeLabels{}),
				Merge(base, side, base, nil, MergeLabels{}),
				Merge(base, side, side, nil, MergeLabels{}),
			} {
				if !bytes.Equal(got.Out, side) || len(got.Conflicts) > 0 {
					t.Errorf("%q is not taken whole: %q", side, got.Out)
				}
			}
		}
		if len(m.Conflicts) == 0 {
			known := map[string]bool{}
			for _, text := range [][]byte{base, ours, theirs} {
				for _, name := range sectionNames(text) {
					known[name] = true
				}
			}
			for _, name := range sectionNames(m.Out) {
				if !known[name] {
					t.Errorf("section %q comes from nowhere: %q", name, m.Out)
				}
			}
		}
	})
}

func sectionNames(text []byte) []string {
	d, err := Parse(text, 0)
	if err != nil {
		return nil
	}
	var names []string
	for _, s := range d.Sections {
		names = append(names, s.Name)
	}
	return names
}

// FuzzOutline tests that every byte of a text is in its outline, in order.
func FuzzOutline(f *testing.F) {
	f.Add([]byte("- a\n  - b\n\n    c\n> q\n\n[a]: b\n\n```\nx"))
	f.Add([]byte("a\r\r\nb\r\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		form := formOf(text)
		if got := form.write(form.text, false); !bytes.Equal(got, text) && !bytes.HasSuffix(text, []byte("\r")) {
			t.Errorf("form of %q gives %q", text, got)
		}
		o, err := outlineOf(form.text, inBase)
		if err != nil {
			return
		}
		if got := o.whole(); got != form.text {
			t.Errorf("%q reads as %q", form.text, got)
		}
		for i, u := range o.all {
			if u.place != i || i > 0 && (u.parent == nil || u.parent.kids[u.index] != u || u.parent.place >= i) {
				t.Errorf("unit %d of %q is out of place", i, form.text)
			}
		}
	})
}
