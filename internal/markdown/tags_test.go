package markdown

import (
	"bytes"
	"testing"
)

func TestWithoutTags(t *testing.T) {
	for _, c := range []struct{ in, lines, paragraphs string }{
		{"No tag at all, 1 < 2.\n", "No tag at all, 1 < 2.\n", "No tag at all, 1 < 2.\n"},
		{"<p align=\"center\">A <b>server</b>.</p>\nNext\n", "A server.\nNext\n", "A server.\n\n\nNext\n"},
		{"<a\n href=\"x\">link</a> <!-- a\ncomment --> end\n", "\nlink \n end\n", "\nlink \n end\n"},
		{"<https://example.com> and Map<K, V> stay\n", "<https://example.com> and Map<K, V> stay\n", "<https://example.com> and Map<K, V> stay\n"},
		{"```html\n<p>code</p>\n```\n<p>text</p>\n", "```html\n<p>code</p>\n```\ntext\n", "```html\n<p>code</p>\n```\ntext\n\n\n"},
		{"<h3 name=\"a\">\nHow <b>so</b>?\n</h3>\n\nSo.\n", "\n### How so?\n\n\nSo.\n", "\nHow so?\n\n\n\n\nSo.\n"},
		{"<h1><img src=\"x\"></h1>\n", "\n", "\n\n\n"},
		{"option<sup>1.56</sup>, one<br>two\n", "option 1.56, one two\n", "option 1.56, one \n\ntwo\n"},
		{"open <!-- comment\nwithout end\n", "open <!-- comment\nwithout end\n", "open <!-- comment\nwithout end\n"},
	} {
		if got := string(WithoutTags([]byte(c.in), false)); got != c.lines {
			t.Errorf("%q becomes %q, want %q", c.in, got, c.lines)
		}
		if got := string(WithoutTags([]byte(c.in), true)); got != c.paragraphs {
			t.Errorf("%q with paragraphs becomes %q, want %q", c.in, got, c.paragraphs)
		}
	}
}

func FuzzWithoutTagsKeepsLines(f *testing.F) {
	f.Add([]byte("<p\n>a</p>\n```\n<b>\n"))
	f.Fuzz(func(t *testing.T, src []byte) {
		if got := WithoutTags(src, false); bytes.Count(got, []byte("\n")) != bytes.Count(src, []byte("\n")) {
			t.Errorf("%q becomes %q", src, got)
		}
	})
}
