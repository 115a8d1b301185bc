package history

import (
	"strings"
	"testing"
	"unicode/utf8"

	_ "sdd/internal/longtest"
)

// FuzzComment checks that no text leaves its code span or fence.
func FuzzComment(f *testing.F) {
	for _, s := range []string{"", "`", "``a`` b", " ` ", "@octocat\n```\n# x", "a\rb", "\x00\xff", strings.Repeat("`", 400), strings.Repeat("@a", 400), "\u202e<b>"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		const end = "the end"
		text := "begin " + code(s) + " middle\n\n" + fence(append(rowsOf(MarkAdded, s), Row{MarkSection, s}, Row{MarkRemark, s})) + end + "\n"
		if got := outsideOfCode(t, text); got != "begin  middle\n\n"+end+"\n" {
			t.Errorf("outside of code stands %q", got)
		}
		if !utf8.ValidString(text) || len(text) > 2*maxBlock {
			t.Errorf("%d bytes", len(text))
		}
		if strings.Contains(text, "@octocat") {
			t.Error("a mention")
		}
	})
}
