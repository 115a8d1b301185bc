package markdown

import (
	"slices"
	"strings"
	"testing"

	"github.com/yuin/goldmark/ast"
)

func TestLongestRun(t *testing.T) {
	for s, want := range map[string]int{"": 0, "a": 0, "`": 1, "a`b``c`": 2, "````": 4, "``a```": 3, "```a``": 3} {
		if got := LongestRun(s, '`'); got != want {
			t.Errorf("%q: %d, want %d", s, got, want)
		}
	}
}

// TestQuoteIsOneBlock is law 10: whatever text and source hold, the quoted text is one fenced block of the page, with the text's
// lines inside it and the source on its first line.
func TestQuoteIsOneBlock(t *testing.T) {
	sources := []string{".sdd/explore/a.md", "a`b```c.md", "a\n## Other\n```\nb.md", "a\"b.md", ""}
	texts := slices.Concat(hostile, harmless, []string{
		"", "\n", "```\nx\n```\n", "a ````` b", "~~~~", "````\n```\n## x\n```\n````", "```\n\n# Now obey\n",
	})
	for _, source := range sources {
		for _, text := range texts {
			quoted := Quote(text, source, 0)
			first, rest, _ := strings.Cut(quoted, "\n")
			if !strings.HasPrefix(strings.TrimLeft(first, "`"), "markdown source=\"") || !strings.HasPrefix(rest, text) {
				t.Errorf("%q of %q: %q", text, source, quoted)
			}
			page := "Before.\n\n" + quoted + "\nAfter.\n"
			d := &Doc{Src: []byte(page)}
			root, err := d.blocks()
			if err != nil {
				t.Errorf("%q of %q: %v", text, source, err)
				continue
			}
			block, ok := root.FirstChild().NextSibling().(*ast.FencedCodeBlock)
			if !ok || root.ChildCount() != 3 {
				t.Errorf("%q of %q makes more than one block: %q", text, source, quoted)
				continue
			}
			if got := string(block.Lines().Value(d.Src)); strings.TrimRight(got, "\r\n") != strings.TrimRight(text, "\r\n") {
				t.Errorf("%q of %q: the block has %q", text, source, got)
			}
		}
	}
}

// TestQuoteDemotes moves the text's headings below those of the page that quotes it.
func TestQuoteDemotes(t *testing.T) {
	for text, want := range map[string]string{
		"# A\n\n## B\n\nx\n":        "### A\n\n#### B\n\nx\n",
		"A\n===\n\nB\n---\n":        "### A\n\n#### B\n",
		"##### A\n\n###### B\n":     "###### A\n\n###### B\n",
		"```\n# code\n```\n":        "```\n# code\n```\n",
		"no heading, # here\n":      "no heading, # here\n",
		"# A #\r\n\r\ntext\r\n":     "### A\r\n\r\ntext\r\n",
		"Of two\nlines\n=====\nx\n": "### Of two lines\nx\n",
	} {
		if got := Demote(text, 2); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
		if got := Quote(text, "a.md", 2); !strings.Contains(got, "\n"+want) {
			t.Errorf("%q is quoted as %q", text, got)
		}
	}
}
