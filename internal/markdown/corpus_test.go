package markdown

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sdd/internal/lines"
)

// order is the sections of an exploration.
var order = []Known{{Name: "Goals"}, {Name: "Constraints"}, {Name: "Preferences"}, {Name: "Unknowns"}, {Name: "Decisions"}, {Name: "Context"}}

// madr is the sections of a decision, one of them inside another.
var madr = []Known{
	{Name: "Context and Problem Statement"}, {Name: "Decision Drivers"}, {Name: "Considered Options"},
	{Name: "Decision Outcome"}, {Name: "Consequences", Under: "Decision Outcome"},
}

// file is one of the odd files in testdata/fidelity, each written for one phenomenon.
type file struct {
	name string
	src  []byte
	from int // where the body starts
}

func corpus(t testing.TB) []file {
	t.Helper()
	paths, err := filepath.Glob("testdata/fidelity/*.md")
	if err != nil || len(paths) < 100 {
		t.Fatalf("corpus has %d files (%v), at least 100 are wanted", len(paths), err)
	}
	var files []file
	for _, p := range paths {
		src, err := os.ReadFile(p)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, file{strings.TrimSuffix(filepath.Base(p), ".md"), src, bodyStart(src)})
	}
	return files
}

// bodyStart is where the front matter ends: the line after the second --- at column 0.
func bodyStart(src []byte) int {
	at := 0
	if bytes.HasPrefix(src, bom) {
		at = len(bom)
	}
	dashes := func(line []byte) bool { return string(bytes.TrimRight(line, "\r\n")) == "---" }
	end := lines.End(src, at)
	if !dashes(src[at:end]) {
		return 0
	}
	for at = end; at < len(src); at = end {
		if end = lines.End(src, at); dashes(src[at:end]) {
			return end
		}
	}
	return 0
}

func mustParse(t testing.TB, src []byte, from int) *Doc {
	t.Helper()
	d, err := Parse(src, from)
	if err != nil {
		t.Fatalf("Parse: %v", err)
	}
	return d
}

// stands is a heading or section as it stands in a file, for comparing two files.
type stands struct{ name, text string }

// others lists what a change of one section must leave as it is: all other headings of the document
// with their bytes, and all other sections with their texts. Those inside target are left out, and so
// are those named under, which it may be in.
func others(d *Doc, target *Section, under string) []stands {
	var out []stands
	inside := func(at int) bool {
		return target != nil && at >= target.Heading.Start && at < target.Body.End
	}
	for _, h := range d.Headings {
		if !inside(h.Span.Start) && (under == "" || !sameName(h.Text, under)) {
			out = append(out, stands{"heading", strings.TrimRight(string(d.Src[h.Span.Start:h.Span.End]), "\r\n")})
		}
	}
	for _, s := range d.Sections {
		if !inside(s.Heading.Start) && (under == "" || !sameName(s.Name, under)) {
			out = append(out, stands{s.Name, d.Text(s)})
		}
	}
	return out
}

// preamble is the text before the first section.
func preamble(d *Doc) string {
	at := d.Preamble()
	return string(bytes.Trim(d.Src[at.Start:at.End], blank))
}

// kept reports whether out is src with the bytes of at replaced, and nothing else touched.
func kept(src, out []byte, at Span) bool {
	return len(out) >= len(src)-(at.End-at.Start) && bytes.HasPrefix(out, src[:at.Start]) && bytes.HasSuffix(out, src[at.End:])
}

// inserted reports whether out is src with bytes added at one place.
func inserted(src, out []byte) bool {
	if len(out) < len(src) {
		return false
	}
	prefix := 0
	for prefix < len(src) && src[prefix] == out[prefix] {
		prefix++
	}
	return bytes.HasSuffix(out, src[prefix:])
}

func codes(warnings []Warning) string {
	var out []string
	for _, w := range warnings {
		out = append(out, w.Code)
	}
	return strings.Join(out, " ")
}
