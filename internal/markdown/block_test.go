package markdown

import (
	"slices"
	"strings"
	"testing"
)

func TestBlocks(t *testing.T) {
	text := "Lead,\nwrapped.\n\n- one\n- two\n  goes on\n\n  second paragraph\n  - inner\n- [x] three\n\n### Below ###\n\n1. first\n2. second\n\n> quote\n\n```\n- code\n```\nend"
	got, err := Blocks(text)
	if err != nil {
		t.Fatal(err)
	}
	want := []struct {
		kind         BlockKind
		marker, text string
	}{
		{Paragraph, "", "Lead,\nwrapped."}, {Item, "- ", "one"}, {Item, "- ", "two\ngoes on\n\nsecond paragraph\n- inner"}, {Item, "- ", "[x] three"},
		{Title, "", "Below"}, {Item, "1. ", "first"}, {Item, "2. ", "second"}, {Other, "", "> quote"}, {Other, "", "```\n- code\n```"}, {Paragraph, "", "end"},
	}
	for i, w := range want {
		if i >= len(got) || got[i].Kind != w.kind || got[i].Marker != w.marker || got[i].Text != w.text {
			t.Fatalf("block %d: %+v\nwant %+v", i, got[min(i, len(got)-1)], w)
		}
	}
	if len(got) != len(want) {
		t.Errorf("%d blocks, want %d", len(got), len(want))
	}
	for i, b := range got {
		if lines := text[b.Span.Start:b.Span.End]; !strings.Contains(lines, b.Marker) || i > 0 && b.Span.Start < got[i-1].Span.End {
			t.Errorf("block %d has the lines %q", i, lines)
		}
	}
	crlf, err := Blocks(strings.ReplaceAll(text, "\n", "\r\n"))
	if err != nil || len(crlf) != len(want) || crlf[2].Text != want[2].text {
		t.Errorf("with CRLF: %v %+v", err, crlf)
	}
}

func TestNextMarker(t *testing.T) {
	for in, want := range map[string]string{"- ": "- ", "  * ": "  * ", "1. ": "2. ", "9) ": "10) ", "099. ": "100. ", "999999999. ": "999999999. "} {
		if got := NextMarker(in); got != want {
			t.Errorf("NextMarker(%q) = %q, want %q", in, got, want)
		}
	}
}

// FuzzItemText holds that items read back as they are stored, whatever stands in them, and that text which can be stored as
// it is given is.
func FuzzItemText(f *testing.F) {
	for _, s := range []string{"a", "---", "- -", "# h", "a\nb", "a\n\n\n    b", "```\nopen", "<!-- open", "[a]: b", "1. x", "> q\nlazy", "a\n\tb", "* * *", "===", "[ ] box", "a\n***", "|a|\n|-|", "- ```\n  x", "*\n\n0"} {
		f.Add(s, "next")
	}
	f.Fuzz(func(t *testing.T, first, second string) {
		a, changed := ItemText(first)
		b, _ := ItemText(second)
		if a == "" || b == "" || len(a) > 1<<12 || len(b) > 1<<12 {
			return
		}
		if again, more := ItemText(a); again != a || more {
			t.Errorf("%q is stored as %q, and that as %q", first, a, again)
		}
		if !changed && strings.Join(strings.Fields(a), " ") != strings.Join(strings.Fields(first), " ") {
			t.Errorf("%q became %q", first, a)
		}
		text := "Lead\n\n" + ItemLines("- ", a) + ItemLines("- ", b)
		blocks, err := Blocks(text)
		if err != nil {
			t.Fatal(err)
		}
		var items []string
		for _, b := range blocks {
			if b.Kind == Item {
				items = append(items, b.Text)
			}
		}
		if !slices.Equal(items, []string{a, b}) {
			t.Errorf("%q and %q read back as %q\n%s", a, b, items, text)
		}
	})
}
