package markdown

import (
	"strings"
	"sync"
	"testing"

	"sdd/internal/fault"
	"sdd/internal/longtest"
)

// TestHostileShapes parses a quarter of a mebibyte, or a whole one, of each shape that costs a block parser more than its size.
// None may hang or end the process: a shape beyond the limits is refused with its line.
func TestHostileShapes(t *testing.T) {
	size := longtest.Of(1<<18, 1<<20)
	fill := func(s string) string { return strings.Repeat(s, size/len(s)) }
	list := strings.Repeat("- ", 45)
	for _, tt := range []struct {
		name, src string
		refused   string
	}{
		{"quotes", fill(">"), "nested"},
		{"quotes with tabs", fill(">\t"), "nested"},
		{"lists in one line", fill("- ") + "a", "nested"},
		{"numbered lists in one line", fill("1) "), "nested"},
		{"lists and quotes", fill("> - "), "nested"},
		{"lists, one deeper each line", stairs(size), "nested"},
		{"blank lines in a deep list", list + "a\n" + fill("\n"), "too many lines"},
		{"link definitions", fill("[a]:b\n"), "link definitions"},
		{"link definitions with titles", fill("[a]: b (\n"), "link definitions"},
		{"paragraphs of link definitions", strings.Repeat(strings.Repeat("[a]:b\n", 5000)+"\n", 34), "link definitions"}, // a mebibyte
		{"open brackets", fill("[\n"), ""},
		{"brackets", fill("[a]\n"), ""},
		{"reading list", strings.Repeat("[1]: https://example.org \"title\"\n", 5000), ""},
		{"deep quotes", fill(strings.Repeat("> ", 90) + "a\n"), ""},
		{"long line in a deep list", list + fill("x "), ""},
		{"tags", fill("<a\n"), ""},
		{"one long tag", "<a " + fill("b=c "), ""},
		{"comment", "<!--\n" + fill("-\n"), ""},
		{"script", "<script>\n" + fill("</scrip\n"), ""},
		{"headings", fill("## a\n"), ""},
		{"setext headings", fill("a\n-\n"), ""},
		{"attributes", "## " + fill("{a={") + "}", ""},
		{"nested attributes", fill("## " + strings.Repeat("{a=", 170) + "}\n"), ""},
		{"hashes", "## " + fill(" #"), ""},
		{"fences", fill("```\n"), ""},
		{"emphasis", fill("*a_ "), ""},
		{"tabs", fill("\t"), ""},
		{"no character at all", fill("\x00"), ""},
		{"not UTF-8", fill("\xff\n"), ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d, err := Parse([]byte(tt.src), 0)
			if tt.refused == "" {
				if err != nil {
					t.Fatal(err)
				}
				d.Duplicates()
				d.Find(Known{Name: "a", Under: "a"})
				return
			}
			if f := fault.Of(err); f.Code != fault.Broken || f.Line == 0 || !strings.Contains(f.Message, tt.refused) {
				t.Errorf("line %d: %v, want %q", f.Line, err, tt.refused)
			}
		})
	}
}

func stairs(size int) string {
	var b strings.Builder
	for i := 0; b.Len() < size; i++ {
		b.WriteString(strings.Repeat("  ", i%60) + "- a\n")
	}
	return b.String()
}

// TestHostileSections saves texts that make every repair uncover the next one.
func TestHostileSections(t *testing.T) {
	size := longtest.Of(1<<15, 1<<17)
	for _, s := range []string{"<!--\n", "# a\n", "a\nb\n---\n===\n", "a\n===\n", "```\n", "<pre>\n~~~\n", "<?\n<!A\n<![CDATA[\n", "- <!--\n", "<!--\n```\n"} {
		text := strings.Repeat(s, size/len(s)) + "<!--"
		u, err := Update([]byte("## Goals\n\na\n\n## Context\n\nf\n"), 0, order, []Change{replace("Goals", text)})
		if err != nil {
			t.Errorf("%q: %v", s, err)
			continue
		}
		d := mustParse(t, u.Out, 0)
		if len(d.Sections) != 2 || d.Text(d.Sections[1]) != "f" || len(u.Warnings) == 0 {
			t.Errorf("%q: %d sections, warnings %v", s, len(d.Sections), codes(u.Warnings))
		}
	}
}

// TestTogether parses good and refused texts at the same time: parser state is used again, and nothing
// of one text may show in another.
func TestTogether(t *testing.T) {
	files := corpus(t)
	want := make([]string, len(files))
	for i, f := range files {
		want[i] = outlined(mustParse(t, f.src, f.from))
	}
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for i, f := range files {
				if _, err := Parse([]byte("- ```\n"+strings.Repeat("> ", 2*maxDepth)+"```"), 0); err == nil {
					t.Error("nesting beyond the limit is parsed")
				}
				if got := outlined(mustParse(t, f.src, f.from)); got != want[i] {
					t.Errorf("%s: got\n%s\nwant\n%s", f.name, got, want[i])
				}
			}
		})
	}
	all.Wait()
}
