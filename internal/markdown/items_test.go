package markdown

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// whole writes an outline back.
func (o *outline) whole() string {
	var b strings.Builder
	for _, u := range o.all {
		b.WriteString(u.gap)
		b.WriteString(u.own)
	}
	return b.String() + o.tail
}

// sketch shows an outline's units, one a line.
func sketch(t *testing.T, text string) string {
	t.Helper()
	o, err := outlineOf(text, inBase)
	if err != nil {
		t.Fatal(err)
	}
	names := []string{"whole", "section", "heading", "item", "prose", "quote", "rule", "fence", "code", "html", "table", "reference"}
	var b strings.Builder
	for _, u := range o.all[1:] {
		fmt.Fprintf(&b, "%s%s %d %q\n", strings.Repeat("  ", u.depth()), names[u.kind], u.line, u.content())
	}
	return b.String()
}

func TestOutline(t *testing.T) {
	for _, test := range []struct{ name, text, want string }{
		{"empty", "", "section 1 \" \"\n"},
		{
			"sections", "intro\n\n# Title\n\ntext\n\n## A ##\n\nSetext\n---\n\n### Sub\n",
			"section 1 \" \"\n  prose 1 \"intro\"\nsection 3 \"# Title\"\n  prose 5 \"text\"\nsection 7 \"## A\"\nsection 9 \"## Setext\"\n  heading 12 \"### Sub\"\n",
		},
		{
			"items", "- a\n  more\n  - b\n\n    under b\n- [ ] c\n\n  under c\n\n1. one\n2. two\n-\n  - q\n-\n- - x\n  - y\n",
			"section 1 \" \"\n  item 1 \"a more\"\n    item 3 \"b\"\n      prose 5 \"under b\"\n  item 6 \"c\"\n    prose 8 \"under c\"\n" +
				"  item 10 \"one\"\n  item 11 \"two\"\n  item 12 \"\"\n    item 13 \"q\"\n  item 14 \"\"\n  item 15 \"- x - y\"\n",
		},
		{
			"code", "- c\n\n  ```\n  x\n\n\n  ```\n\n* ```\n  y\n  ```\n\npara\n\n    code\n\n    code\n",
			"section 1 \" \"\n  item 1 \"c\"\n    fence 3 \"```\\nx\\n\\n\\n```\\n\"\n  item 9 \"```\\ny\\n```\\n\"\n  prose 13 \"para\"\n  code 15 \"code\\n\\ncode\\n\"\n",
		},
		{
			"others", "| a | b |\n|---|:--|\n| 1 | 2 |\n\n> quote\n> more\n\n***\n\n[a]: b\n[c]: d\n  'title'\n\n<!-- c\n\n## no\n-->\n",
			"section 1 \" \"\n  table 1 \"a|b\\n-|:-\\n1|2\\n\"\n  quote 5 \"quote more\"\n  rule 8 \"---\"\n  reference 10 \"[a]: b\"\n  reference 11 \"[c]: d 'title'\"\n  html 14 \"<!-- c\\n\\n## no\\n-->\\n\"\n",
		},
		{"open fence", "## A\n```\n## B\n\n\n", "section 1 \" \"\nsection 1 \"## A\"\n  fence 2 \"```\\n## B\\n\"\n"},
	} {
		t.Run(test.name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, sketch(t, test.text)); diff != "" {
				t.Error(diff)
			}
			if o, _ := outlineOf(test.text, inBase); o.whole() != test.text {
				t.Errorf("reads as %q", o.whole())
			}
		})
	}
}

func TestContentIgnoresForm(t *testing.T) {
	for _, test := range []struct {
		name, a, b string
		same       bool
	}{
		{"wrapping", "- one two\n", "* one\n  two\n", true},
		{"number", "1. one\n", "7) one\n", true},
		{"box", "- [ ] one\n", "- [x] one\n", true},
		{"words", "- one\n", "- two\n", false},
		{"table padding", "| a |\n|---|\n", "|  a  |\n| ----- |\n", true},
		{"quote wrapping", "> a b\n", "> a\n> b\n", true},
		{"fence indented", "```\na\n```\n", "  ```\n  a\n  ```\n", true},
		{"space in a fence", "```\na b\n```\n", "```\na  b\n```\n", false},
		{"kind", "a\n", "- a\n", false},
		{"heading level", "### a\n", "#### a\n", false},
	} {
		t.Run(test.name, func(t *testing.T) {
			a, err := outlineOf(test.a, inBase)
			if err != nil {
				t.Fatal(err)
			}
			b, err := outlineOf(test.b, inBase)
			if err != nil {
				t.Fatal(err)
			}
			x, y := a.all[2], b.all[2]
			if same := x.kind == y.kind && x.content() == y.content(); same != test.same {
				t.Errorf("%q and %q say the same: %v", x.content(), y.content(), same)
			}
		})
	}
}

func TestAlign(t *testing.T) {
	for _, test := range []struct{ a, b, want string }{
		{"abc", "abc", "0 1 2"},
		{"abc", "axc", "0 - 2"},
		{"abc", "cab", "1 2 -"},
		{"aaab", "aab", "0 1 - 2"},
		{"xaxbx", "axbxx", "- 0 1 2 4"},
		{"abab", "baba", "- 0 1 2"},
		{"", "a", ""},
	} {
		ids := map[string]int32{}
		number := func(s string) []int32 {
			return numbered(ids, strings.Split(s, ""), func(s string) string { return s })
		}
		var got []string
		for _, j := range align(number(test.a), number(test.b)) {
			if j < 0 {
				got = append(got, "-")
			} else {
				got = append(got, fmt.Sprint(j))
			}
		}
		if s := strings.Join(got, " "); s != test.want {
			t.Errorf("%q and %q align as %q, want %q", test.a, test.b, s, test.want)
		}
	}
}
