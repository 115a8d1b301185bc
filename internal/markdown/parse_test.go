package markdown

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// outlined writes down headings and sections in one line each.
func outlined(d *Doc) string {
	var b strings.Builder
	for _, h := range d.Headings {
		fmt.Fprintf(&b, "%d %q line %d: %q\n", h.Level, h.Text, h.Line, d.Src[h.Span.Start:h.Span.End])
	}
	for _, s := range d.Sections {
		fmt.Fprintf(&b, "%q line %d: %q\n", s.Name, s.Line, d.Text(s))
	}
	return b.String()
}

func TestParse(t *testing.T) {
	tests := []struct{ name, src, want string }{
		{"nothing", "", ""},
		{"atx", "# T\n\n## A\ntext\n", "1 \"T\" line 1: \"# T\\n\"\n2 \"A\" line 3: \"## A\\n\"\n\"A\" line 3: \"text\"\n"},
		{"setext", "A\n---\n\ntext\n", "2 \"A\" line 1: \"A\\n---\\n\"\n\"A\" line 1: \"text\"\n"},
		{"setext of two lines", "x\n\nA\n b  \r\n -- \r\nt", "2 \"A b\" line 3: \"A\\n b  \\r\\n -- \\r\\n\"\n\"A b\" line 3: \"t\"\n"},
		{"setext that begins like a heading", "#A\n---\n", "2 \"#A\" line 1: \"#A\\n---\\n\"\n\"#A\" line 1: \"\"\n"},
		{"setext after definitions", "[a]: /b\nA\n---\n", "2 \"A\" line 2: \"A\\n---\\n\"\n\"A\" line 2: \"\"\n"},
		{"attributes", "## A {#a .b c=\"d\"}\n", "2 \"A\" line 1: \"## A {#a .b c=\\\"d\\\"}\\n\"\n\"A\" line 1: \"\"\n"},
		{"attributes after hashes", "## A ## {#a}\n", "2 \"A\" line 1: \"## A ## {#a}\\n\"\n\"A\" line 1: \"\"\n"},
		{"no attributes", "## A {a b}\n## \\{#b}", "2 \"A {a b}\" line 1: \"## A {a b}\\n\"\n2 \"\\\\{#b}\" line 2: \"## \\\\{#b}\"\n\"A {a b}\" line 1: \"\"\n\"\\\\{#b}\" line 2: \"\"\n"},
		{"setext attributes", "A {#a}\n---", "2 \"A\" line 1: \"A {#a}\\n---\"\n\"A\" line 1: \"\"\n"},
		{"closing hashes", "## A # b ##  \n## ###\n## C#\n## \\#\n", "2 \"A # b\" line 1: \"## A # b ##  \\n\"\n2 \"\" line 2: \"## ###\\n\"\n2 \"C#\" line 3: \"## C#\\n\"\n" +
			"2 \"\\\\#\" line 4: \"## \\\\#\\n\"\n\"A # b\" line 1: \"\"\n\"\" line 2: \"\"\n\"C#\" line 3: \"\"\n\"\\\\#\" line 4: \"\"\n"},
		{"byte order mark", "\ufeff## A\n", "2 \"A\" line 1: \"## A\\n\"\n\"A\" line 1: \"\"\n"},
		{"not at the top", "- # A\n\n> ## B\n\n    ## C\n\n```\n## D\n```\n", ""},
		{"deeper levels stay inside", "## A\n### B\n# C\n", "2 \"A\" line 1: \"## A\\n\"\n3 \"B\" line 2: \"### B\\n\"\n1 \"C\" line 3: \"# C\\n\"\n\"A\" line 1: \"### B\"\n"},
		{"blank lines and indent", "## A\n\n \t\n  text  \n\n", "2 \"A\" line 1: \"## A\\n\"\n\"A\" line 1: \"  text  \"\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := outlined(mustParse(t, []byte(tt.src), 0)); got != tt.want {
				t.Errorf("got\n%s\nwant\n%s", got, tt.want)
			}
		})
	}
}

// TestAfterFrontMatter does not look at what stands before the body, but counts its lines.
func TestAfterFrontMatter(t *testing.T) {
	src := "---\nkey: v\n---\n## A\n"
	d := mustParse(t, []byte(src), len("---\nkey: v\n---\n"))
	if got, want := outlined(d), "2 \"A\" line 4: \"## A\\n\"\n\"A\" line 4: \"\"\n"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestFind(t *testing.T) {
	d := mustParse(t, []byte("# One\n\nx\n\n## goals\n\na\n\n### More\n\nb\n\n## Other\n\n### More\n\nc\n\n## GOALS {#g}\n\nd\n\n### more\n"), 0)
	if got := d.Title(); got != "One" {
		t.Errorf("title %q", got)
	}
	if got := preamble(d); got != "# One\n\nx" {
		t.Errorf("preamble %q", got)
	}
	lines := func(k Known) (out []int) {
		for _, s := range d.Find(k) {
			out = append(out, s.Line)
		}
		return out
	}
	for _, tt := range []struct {
		k    Known
		want string
	}{
		{Known{Name: "Goals"}, "[5 19]"}, {Known{Name: " OTHER "}, "[13]"}, {Known{Name: "More"}, "[]"},
		{Known{Name: "More", Under: "Goals"}, "[9 23]"}, {Known{Name: "More", Under: "Other"}, "[15]"}, {Known{Name: "Goals", Under: "Goals"}, "[]"},
	} {
		if got := fmt.Sprint(lines(tt.k)); got != tt.want {
			t.Errorf("%+v in lines %s, want %s", tt.k, got, tt.want)
		}
	}
	if dups := d.Duplicates(); len(dups) != 1 || dups[0].Name != "goals" || fmt.Sprint(dups[0].Lines) != "[5 19]" {
		t.Errorf("duplicates %+v", dups)
	}
	if title := mustParse(t, []byte("> # A\n\n## B\n"), 0).Title(); title != "" {
		t.Errorf("title %q", title)
	}
}

// TestNames folds as strings.EqualFold does.
func TestNames(t *testing.T) {
	names := []string{"Goals", " GOALS\t", "ſ", "s", "S", "K", "\u212a", "ß", "SS", "ı", "i", "İ", "Σ", "ς", "σ", "É", "é", "e\u0301", ""}
	for _, a := range names {
		for _, b := range names {
			if sameName(a, b) != (nameKey(a) == nameKey(b)) {
				t.Errorf("%q and %q: same %v, keys %q and %q", a, b, sameName(a, b), nameKey(a), nameKey(b))
			}
		}
	}
}

// TestJoin puts preamble, headings and bodies together: they are the file, but for what a level-1
// heading keeps out of every section.
func TestJoin(t *testing.T) {
	for _, f := range corpus(t) {
		d := mustParse(t, f.src, f.from)
		at := d.Preamble()
		joined := string(d.Src[:d.From]) + string(d.Src[at.Start:at.End])
		for i, s := range d.Sections {
			joined += string(d.Src[s.Heading.Start:s.Heading.End]) + string(d.Src[s.Body.Start:s.Body.End])
			next := len(d.Src)
			if i+1 < len(d.Sections) {
				next = d.Sections[i+1].Heading.Start
			}
			if between := d.Src[s.Body.End:next]; len(between) > 0 {
				if h := mustParse(t, between, 0).Headings; len(h) == 0 || h[0].Level != 1 || h[0].Span.Start != 0 {
					t.Errorf("%s: %q is in no section", f.name, between)
				}
				joined += string(between)
			}
		}
		if joined != string(f.src) {
			t.Errorf("%s: joined\n%q\nis not\n%q", f.name, joined, f.src)
		}
	}
}

// TestParseRemembers: a body that was parsed before has the same headings, wherever it stands in a file.
func TestParseRemembers(t *testing.T) {
	for _, file := range corpus(t) {
		body := file.src[bodyStart(file.src):]
		for _, head := range []string{"", "---\ntitle: a\n---\n", "---\r\n---\r\n", "---\nrevision: 10\n\n---\n"} {
			src := append([]byte(head), body...)
			fresh := &Doc{Src: src, From: len(head)}
			root, err := fresh.blocks()
			if err != nil {
				continue
			}
			fresh.index(root)
			for range 2 {
				got, err := parse(src, len(head))
				if err != nil || !slices.Equal(got.Headings, fresh.Headings) || !slices.Equal(got.Sections, fresh.Sections) {
					t.Fatalf("%s behind %q: %+v, %v instead of %+v", file.name, head, got, err, fresh)
				}
				for i := range got.Headings { // who changes what he got harms nobody else
					got.Headings[i].Text, got.Headings[i].Span = "spoiled", Span{}
				}
			}
		}
	}
}
