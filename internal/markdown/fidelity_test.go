package markdown

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"sdd/internal/fault"
	"sdd/internal/lines"
	"sdd/internal/longtest"
)

// harmless are texts that stay inside any section.
var harmless = []string{
	"one line",
	"- first\n- second\n  - nested",
	"A paragraph\nof two lines.\n\n```go\n## not a heading\n```\n\n### A smaller heading\n\n> quote",
	"    indented code\n\n| a | b |\n|---|---|\n| 1 | 2 |",
}

// TestExact changes every section of every file in every way, and compares all other bytes.
func TestExact(t *testing.T) {
	for n, f := range corpus(t) {
		t.Run(f.name, func(t *testing.T) {
			for i, text := range harmless {
				for j, k := range order {
					if (n+i+j)%3 != 0 && !longtest.Set() { // each text and each section, in turn
						continue
					}
					exact(t, order, f.src, f.from, Change{Section: k, Text: text})
					exact(t, order, f.src, f.from, Change{Section: k, Text: text, Op: Append})
				}
			}
			for _, k := range order {
				exact(t, order, f.src, f.from, Change{Section: k, Op: Clear})
				exact(t, order, f.src, f.from, Change{Section: k, Text: " \n"})
			}
		})
	}
}

// exact makes one change and checks the laws on its result without looking at how Update
// checks itself. It returns the result, nil if the change was refused for a block left open.
func exact(t *testing.T, order []Known, src []byte, from int, c Change) *Updated {
	t.Helper()
	before := bytes.Clone(src)
	was := mustParse(t, src, from)
	found := was.Find(c.Section)
	u, err := Update(src, from, order, []Change{c})
	if !bytes.Equal(src, before) {
		t.Fatalf("%v: the source itself was written to", c)
	}
	if err != nil {
		f := fault.Of(err)
		// A block that is never closed, with no heading before it to stand before.
		if f.Code == fault.Broken && f.Line > 0 && f.Hint != "" && len(found) == 0 && (len(was.Sections) == 0 || c.Section.Under != "") {
			return nil
		}
		if afterDefinition(was) || c.Op == Clear && f.Code == fault.Broken && indented(was) {
			return nil
		}
		t.Fatalf("%v: %v in\n%q", c, err, src)
	}
	is := mustParse(t, u.Out, from)
	now := is.Find(c.Section)
	var target *Section
	if len(now) > 0 {
		target = &now[0]
	}
	switch {
	case c.Op == Clear && len(found) > 0:
		target = nil
		if !kept(src, u.Out, Span{found[0].Heading.Start, found[0].Body.End}) {
			t.Fatalf("%v: bytes outside the section changed\n%q\n%q", c, src, u.Out)
		}
		if len(now) != len(found)-1 {
			t.Fatalf("%v: %d sections of that name, were %d", c, len(now), len(found))
		}
	case len(found) > 0:
		if !kept(src, u.Out, found[0].Body) {
			t.Fatalf("%v: bytes outside the section changed\n%q\n%q", c, src, u.Out)
		}
		if len(now) != len(found) {
			t.Fatalf("%v: %d sections of that name, were %d", c, len(now), len(found))
		}
	default:
		if !inserted(src, u.Out) {
			t.Fatalf("%v: more than an insertion\n%q\n%q", c, src, u.Out)
		}
	}
	var old *Section
	if len(found) > 0 {
		old = &found[0]
	}
	if a, b := others(was, old, c.Section.Under), others(is, target, c.Section.Under); !slices.Equal(a, b) {
		t.Fatalf("%v: another section changed\n%q\n%q\nin\n%s", c, a, b, u.Out)
	}
	// Without the first section, more of the file stands before the first one.
	clearedFirst := c.Op == Clear && old != nil && old.Heading == was.Sections[0].Heading
	if a, b := preamble(was), preamble(is); a != b && !clearedFirst {
		t.Fatalf("%v: the text before the first section changed\n%q\n%q", c, a, b)
	}
	if target == nil {
		return &u
	}
	// Saving what is there is the identity, also when read with other line ends.
	for _, text := range []string{is.Text(*target), strings.ReplaceAll(plain(is.Text(*target)), "\n", "\r\n")} {
		for _, op := range []Op{Replace, Append} {
			again, err := Update(u.Out, from, order, []Change{{Section: c.Section, Text: text, Op: op}})
			if err != nil || !bytes.Equal(again.Out, u.Out) {
				t.Fatalf("%v: saving what is there is no identity: %v\n%q\n%q", c, err, u.Out, again.Out)
			}
		}
	}
	return &u
}

// afterDefinition reports whether a setext heading stands only because the line before it is a link
// definition: alone, its text would begin a list or code. Next to such a heading a change may be refused.
func afterDefinition(d *Doc) bool {
	return slices.ContainsFunc(d.Headings, func(h Heading) bool {
		alone, err := parse(d.Src, h.Span.Start)
		return err != nil || len(alone.Headings) == 0 || alone.Headings[0].Span != h.Span
	})
}

// indented reports whether there are headings that would become part of a list before them.
func indented(d *Doc) bool {
	return slices.ContainsFunc(d.Headings, func(h Heading) bool { return d.Src[h.Span.Start] == ' ' })
}

// TestReadsBack saves texts that need no change and reads them.
func TestReadsBack(t *testing.T) {
	for _, f := range corpus(t) {
		newline := lines.Newline(f.src)
		for _, text := range harmless {
			for _, k := range order {
				u, err := Update(f.src, f.from, order, []Change{{Section: k, Text: "\n\n" + text + "\n \n"}})
				if err != nil {
					continue // TestExact knows when that is right
				}
				d := mustParse(t, u.Out, f.from)
				got := d.Text(d.Find(k)[0])
				if want := strings.ReplaceAll(text, "\n", newline); got != want && plain(got) != text && !strings.Contains(codes(u.Warnings), "list_ended") {
					t.Errorf("%s: %s reads back as %q, want %q", f.name, k.Name, got, want)
				}
				for _, w := range u.Warnings {
					if !slices.Contains([]string{"newlines_converted", "duplicate_section", "block_left_open", "list_ended"}, w.Code) {
						t.Errorf("%s: %v for text that stays inside", f.name, w)
					}
				}
			}
		}
	}
}

// TestEverySection adds all known sections to every file, then changes them together.
func TestEverySection(t *testing.T) {
	for _, f := range corpus(t) {
		var changes []Change
		for i, k := range order {
			changes = append(changes, Change{Section: k, Text: strings.Repeat("x", i+1)})
		}
		u, err := Update(f.src, f.from, order, changes)
		if err != nil {
			if !strings.Contains(f.name, "left-open-preamble") && f.name != "fence-left-open-after-title" {
				t.Errorf("%s: %v", f.name, err)
			}
			continue
		}
		d := mustParse(t, u.Out, f.from)
		for i, k := range order {
			if s := d.Find(k); len(s) == 0 || d.Text(s[0]) != strings.Repeat("x", i+1) {
				t.Errorf("%s: %s does not read back in\n%s", f.name, k.Name, u.Out)
			}
		}
		if again, err := Update(u.Out, f.from, order, changes); err != nil || !bytes.Equal(again.Out, u.Out) {
			t.Errorf("%s: the same again changes something: %v", f.name, err)
		}
	}
}
