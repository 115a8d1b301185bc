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

// hostile are texts that end their section, swallow what follows, or look as if they would.
var hostile = []string{
	// headings
	"## Constraints\n\nstolen", "# Title", "a\n\n## Goals\n\nb\n\n## Goals\n\nc", "##", "#", "## ", "##\t", "   ## x", "## x ##", "## x {#id}",
	"a\n## b", "### three\n## two\n# one\n#### four", "> quote\n## x", "- item\n## x", "- item\n\n ## x", "```\ncode\n```\n## x", "<div>\n\n## x",
	"<!-- c -->\n## x", "| a |\n|---|\n## x", "[a]: /b\n## x", "\u00a0\n## x", "## x\r\n## y", "# " + strings.Repeat("#", 100),
	// setext
	"Goals\n---", "Goals\n===", "Goals\n-", "a\nb\n---", "a\nb\n===\nc\n===", "  Goals\n   ---  ", "---\n===\n---", "a\n---\n---\nb\n---", "x\n=\ny\n-\nz\n==",
	"a #\n---", "a \\#\n---", "#\n---", "#a\n---", "a {#b}\n---", "[a]: /b\n---", "[a]: /b\nc\n---", "[a]: /b\n\"open\n[c]: /d\n---", "a  \n---", "a\\\n---",
	"a\n---\n---\n---", "text\n\n---\n\nkey: value\n---", "1.\n---", "- a\n---", "> a\n---", "a\n--- -", "\\---\n---", "a\n=\n=\n=\n=\n=",
	// fences
	"```", "~~~", "```go\nx := 1", "`````\n```", "~~~ md\n```\n~~~~x", "   ```\n## inside", "a\n```\nb\n```\n```", "- ```\n  open", "> ```\n> open",
	"```\n## x\n```\n## y\n```", "```\n    ```", "``` a`b", "~~~ a`b", "```\n\n\n```x", "````\n```\n## x",
	// HTML
	"<!-- open", "<!--", "a\n<!-- open\n## x", "<!-- a -->\n<!-- b", "<pre>", "<pre>\n## x\n", "<script>\nlet a", "<style>", "<TEXTAREA>\n\na", "<?php", "<!DOCTYPE",
	"<!X\n## y", "<![CDATA[", "<div>", "<div>\n## x", "</div>", "<x-y>\n## z", "<a>\n# b", "  <!-- in\n  - a", "- <!-- open", "> <!-- open", "<!-- 1\n<!-- 2\n<!-- 3\nx",
	"<!-->", "<!--->", "<pre>\n</pre>\n<pre>", "<!-- open\n```\n-- >\n```\n## x", "<!-- a\n```\n## b", "```\n<!--\n```\n<!--\n```", "<?\n<!--\n<pre>\n<![CDATA[\n<!A",
	// lists, code, definitions
	"- a\n- b", "1. a\n   - b\n\n     c", "-", "- ", "*", "1)", "    ## code", "\t## code", "[a]:", "[a]: /b", "[a]: /b \"open", "[a", "[a]: <", "[^1]: note",
	"a\nb", "a\\", "a  ", "\\", "\\## x", "---", "***", "- - -", "===", "--", "=", "+++\na\n+++", "---\ntitle: x\n---\n\n## Goals",
	// characters
	"\ufeff## x", "\u200b## x", "＃＃ x", "\x00## x", "a\x00\n## x\x00", "\xff\n## \xfe\n", "\f## x", "\v## x", "a\r## b\r# c", "\r## x", "a\r\r\n## x", "\u0085## x", "\u2028## x",
	"<<<<<<< ours\na\n=======\nb\n>>>>>>> theirs", "{{ x }}\n{% y %}", "%%\n:::\n## x\n:::", "$$\n## x\n$$",
	strings.Repeat("## x\n", 200), strings.Repeat("<!--\n", 100), strings.Repeat("a\nb\n---\n===\n", 40), strings.Repeat("> ", 40) + "## x", strings.Repeat("- ", 30) + "## x",
}

// stages are the files that hostile texts are put into: each has a section before, and after, and
// what stands there is easily disturbed.
func stages(t testing.TB) []file {
	names := []string{
		"all-sections", "all-headings-no-text", "all-headings-no-newline", "atx-indented", "atx-indented-after-list", "bom", "comments-around", "crlf", "crlf-fence-and-setext",
		"duplicate-sections", "empty", "fence-left-open", "front-matter-and-sections", "front-matter-bom", "front-matter-no-blank-after", "h1-ends-section", "lazy-continuation",
		"link-definitions", "list-before-indented-heading", "mixed-newlines", "no-blank-lines", "no-final-newline-list", "only-heading-no-newline", "only-title", "order-reversed",
		"setext-empty-body", "setext-indented", "setext-multi-line", "setext-no-blank-before", "setext-section", "unknown-sections", "comment-left-open",
	}
	var out []file
	for _, f := range corpus(t) {
		if slices.Contains(names, f.name) {
			out = append(out, f)
		}
	}
	if len(out) != len(names) {
		t.Fatalf("%d of %d stages found", len(out), len(names))
	}
	return out
}

// staysInside says, without asking contain, whether text given for a section stays in it: when
// what is written after it is still a section of its own.
func staysInside(text, newline string) bool {
	text = strings.ReplaceAll(text, "\n", newline)
	page := strings.Join([]string{"## A", "", text, "", "## B", "", "b", ""}, newline)
	d, err := parse([]byte(page), 0)
	return err == nil && len(d.Sections) == 2 && d.Sections[1].Name == "B" && d.Text(d.Sections[0]) == text && d.Title() == ""
}

// TestContained puts every hostile text into every section of every stage.
func TestContained(t *testing.T) {
	if len(hostile) < 60 {
		t.Fatalf("%d hostile texts", len(hostile))
	}
	for n, f := range stages(t) {
		for i, text := range hostile {
			sections := []Known{order[0], order[1], order[3], order[5]}
			if !longtest.Set() {
				sections = sections[(i+n)%4:][:1]
			}
			for _, k := range sections {
				contained(t, f.name, f.src, f.from, k, text)
				if t.Failed() {
					return
				}
			}
		}
	}
}

// contained saves one text, hostile or not, into one section and checks the law of containment.
func contained(t *testing.T, name string, src []byte, from int, k Known, text string) {
	t.Helper()
	fail := func(format string, args ...any) {
		t.Helper()
		t.Errorf("%s, %s, text %q:\n"+format, append([]any{name, k.Name, text}, args...)...)
	}
	u := exact(t, order, src, from, Change{Section: k, Text: text})
	if u == nil {
		return // no place for the section in this file
	}
	want := plain(text)
	d := mustParse(t, u.Out, from)
	found := d.Find(k)
	if len(found) == 0 {
		if want != "" {
			fail("the section is missing in\n%s", u.Out)
		}
		return
	}
	stored := d.Text(found[0])
	converted := strings.ReplaceAll(want, "\n", lines.Newline(src))
	var repaired []string
	for _, w := range u.Warnings {
		if w.Section != k.Name || w.Code == "" || w.Text == "" {
			fail("warning %+v lacks something", w)
		}
		if slices.Contains([]string{"heading_demoted", "fence_closed", "line_escaped", "list_ended"}, w.Code) {
			repaired = append(repaired, w.Code)
		}
	}
	if staysInside(want, lines.Newline(src)) && len(repaired) > 0 && !slices.Equal(repaired, []string{"list_ended"}) {
		fail("stays inside, but: %+v", u.Warnings)
	}
	if len(repaired) == 0 && stored != converted && plain(stored) != want {
		fail("reads back as %q without a warning", stored)
	}
	if len(repaired) == 0 && want != "" && !bytes.Contains(u.Out, []byte(converted)) && plain(stored) != want {
		fail("is not in\n%s", u.Out)
	}
	if len(repaired) > 0 && stored == converted {
		fail("is stored as given, with warnings %+v", u.Warnings)
	}
	if !staysInside(plain(stored), lines.Newline(src)) && !bytes.Equal(u.Out, src) {
		fail("stored %q would not stay inside", stored)
	}
	for _, again := range []string{text, stored} {
		v, err := Update(u.Out, from, order, []Change{{Section: k, Text: again}})
		if err != nil || !bytes.Equal(v.Out, u.Out) {
			fail("saving %q again: %v\n%s\nbecomes\n%s", again, err, u.Out, v.Out)
		}
	}
}

// TestRepairs pins what is stored for the ordinary cases.
func TestRepairs(t *testing.T) {
	tests := []struct{ name, text, want, codes string }{
		{"level two", "## Foo", "### Foo", "heading_demoted"},
		{"level one", "# Foo", "### Foo", "heading_demoted"},
		{"only those that matter", "### A\n## B\n#### C", "### A\n### B\n#### C", "heading_demoted"},
		{"markers stay", "  ## Foo ##  {#id}\ntext", "  ### Foo ##  {#id}\ntext", "heading_demoted"},
		{"empty", "##", "###", "heading_demoted"},
		{"in code", "```\n## Foo\n```", "```\n## Foo\n```", ""},
		{"in a list", "- ## Foo", "- ## Foo", ""},
		{"setext", "Foo\n---\ntext", "### Foo\ntext", "heading_demoted"},
		{"setext one", "Foo\n===", "### Foo", "heading_demoted"},
		{"setext with closing hash", "Foo #\n---", "### Foo \\#", "heading_demoted"},
		{"setext of two lines", "Foo\nbar\n---\ntext", "Foo\nbar\n\\---\ntext", "line_escaped"},
		{"rule", "a\n\n---\n\nb", "a\n\n---\n\nb", ""},
		{"fence", "```go\nx := 1", "```go\nx := 1\n```", "fence_closed"},
		{"long fence", "~~~~~ md\n```\n~~~", "~~~~~ md\n```\n~~~\n~~~~~", "fence_closed"},
		{"fence in a list", "- ```\n  x", "- ```\n  x", ""},
		{"comment", "<!-- todo", "\\<!-- todo", "line_escaped"},
		{"closed comment", "<!-- todo\n\n## x -->", "<!-- todo\n\n## x -->", ""},
		{"comment over a heading", "<!-- todo\n## x", "\\<!-- todo\n### x", "heading_demoted line_escaped"},
		{"div", "<div>", "<div>", ""},
		{"pre", "a\n<pre>\nb", "a\n\\<pre>\nb", "line_escaped"},
		{"definition", "[a]: /b\n---", "[a]: /b\n---", ""},
		{"heading and fence", "# a\n```", "### a\n```\n```", "heading_demoted fence_closed"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			u, err := Update([]byte("## Constraints\n\nc\n"), 0, order, []Change{{Section: order[0], Text: tt.text}})
			if err != nil {
				t.Fatal(err)
			}
			if want := "## Goals\n\n" + tt.want + "\n\n## Constraints\n\nc\n"; string(u.Out) != want {
				t.Errorf("stored\n%s\nwant\n%s", u.Out, want)
			}
			if got := codes(u.Warnings); got != tt.codes {
				t.Errorf("warnings %q, want %q", got, tt.codes)
			}
		})
	}
}

// TestDeep refuses text that is nested without end, naming section and reason.
func TestDeep(t *testing.T) {
	for _, text := range []string{strings.Repeat(">", 10_000), strings.Repeat("- ", 10_000) + "x", "a\n" + strings.Repeat("> - ", 5_000)} {
		_, err := Update([]byte("## Goals\n\na\n"), 0, order, []Change{{Section: order[0], Text: text}})
		f := fault.Of(err)
		if f.Code != fault.Invalid || f.Arg != "Goals" || !strings.Contains(f.Message, "nested") || f.Hint == "" {
			t.Errorf("%.10q: %v", text, err)
		}
	}
}

// TestTextThatLeavesItsSection gives write and insert a text that nobody contained: the check of the parsed result refuses it by
// itself, whatever a repair has missed.
func TestTextThatLeavesItsSection(t *testing.T) {
	const src = "## Goals\n\na\n\n## Context\n\nb\n"
	for _, text := range []string{"x\n\n## Other\n\ny", "# Other", "Other\n---", "```\nx"} {
		doc, err := Parse([]byte(src), 0)
		if err != nil {
			t.Fatal(err)
		}
		goals, unknowns := Known{Name: "Goals"}, Known{Name: "Unknowns"}
		for name, change := range map[string]func(u *update) error{
			"write":  func(u *update) error { return u.write(goals, doc.Find(goals)[0].Body, text) },
			"insert": func(u *update) error { return u.insert(unknowns, text) },
		} {
			u := &update{given: doc, doc: doc, order: order, newline: lines.Newline(doc.Src)}
			if err := change(u); err == nil || string(u.doc.Src) != src {
				t.Errorf("%s of %q: %v, the file is %q", name, text, err, u.doc.Src)
			}
		}
	}
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
