package markdown

import (
	"bytes"
	"cmp"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// TestPredicted makes several changes at once and one by one: what comes out says the same.
func TestPredicted(t *testing.T) {
	r := rand.New(rand.NewPCG(*seed, 7))
	foretold, several, differ := 0, 0, 0
	for range *rounds {
		src := page(r, 14)
		from := bodyStart(src)
		doc, err := Parse(src, from)
		if err != nil {
			continue
		}
		var changes []Change
		for range 2 + r.IntN(4) {
			text := string(page(r, 4))
			if r.IntN(2) == 0 {
				text = harmless[r.IntN(len(harmless))]
			}
			k := order[r.IntN(len(order))]
			if !slices.ContainsFunc(changes, func(c Change) bool { return c.Section == k }) {
				changes = append(changes, Change{Section: k, Text: text, Op: Op(r.IntN(3))})
			}
		}
		atOnce, oneByOne := *newUpdate(doc, order), *newUpdate(doc, order)
		slices.SortStableFunc(changes, func(a, b Change) int { return cmp.Compare(atOnce.rank(a.Section), atOnce.rank(b.Section)) })
		want, err := oneByOne.changed(changes)
		if err != nil {
			continue
		}
		several++
		got, ok := atOnce.predicted(changes)
		if !ok {
			continue
		}
		foretold++
		// What a change has to put before the next heading is another thing when, in the end, another heading stands between.
		same := bytes.Equal(atOnce.doc.Src, oneByOne.doc.Src) && codes(atOnce.warnings) == codes(oneByOne.warnings)
		alike := slices.EqualFunc(atOnce.doc.Headings, oneByOne.doc.Headings, func(a, b Heading) bool { return a.Level == b.Level && a.Text == b.Text }) &&
			slices.EqualFunc(atOnce.doc.Sections, oneByOne.doc.Sections, func(a, b Section) bool { return says(atOnce.doc, a) == says(oneByOne.doc, b) })
		if !slices.Equal(got, want) || !alike {
			t.Fatalf("%q with %+v is\n%q\none by one, and\n%q at once", src, changes, oneByOne.doc.Src, atOnce.doc.Src)
		}
		if !same {
			differ++
		}
		if proved := mustParse(t, atOnce.doc.Src, from); !slices.Equal(proved.Headings, atOnce.doc.Headings) || !slices.Equal(proved.Sections, atOnce.doc.Sections) {
			t.Fatalf("%q with %+v: what was foreseen is not what is there", src, changes)
		}
	}
	if foretold < several/4 || differ > foretold/100 {
		t.Errorf("%d of %d were foretold, %d of them otherwise", foretold, several, differ)
	}
}

// says is the text of a section without what only ends a list.
func says(d *Doc, s Section) string {
	return strings.TrimRight(strings.TrimSuffix(plain(d.Text(s)), listEnd), blank)
}

// FuzzMayHaveHeading: a text of which it says no has no heading.
func FuzzMayHaveHeading(f *testing.F) {
	for _, text := range append(slices.Clone(hostile), harmless...) {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if mayHaveHeading(text) {
			return
		}
		if d, err := parse([]byte(text), 0); err == nil && len(d.Headings) > 0 {
			t.Errorf("%q has the heading %q", text, d.Headings[0].Text)
		}
	})
}

// FuzzMayStayOpen: a text of which it says no, and that has no heading, needs no repair.
func FuzzMayStayOpen(f *testing.F) {
	for _, text := range append(slices.Clone(hostile), harmless...) {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if mayHaveHeading(text) || mayStayOpen([]byte(text)) {
			return
		}
		for _, newline := range []string{"\n", "\r\n"} {
			c := &containment{section: "Goals", limit: 2, newline: newline, text: []byte(text)}
			if edits, err := c.repairs(); err == nil && len(edits) > 0 {
				t.Errorf("%q is put right with %v", text, edits)
			}
		}
	})
}
