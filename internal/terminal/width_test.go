package terminal

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"sdd/internal/tty"
)

func TestTextWidth(t *testing.T) {
	for text, want := range map[string]int{
		"": 0, "abc": 3, "日本語": 6, "ｱ": 1, "Ａ": 2, "e\u0301": 1, "한국": 4, "\u1112\u1161\u11ab": 2, "🎉": 2, "é": 1, "–…·": 3, "a\u200bb": 2,
	} {
		if got := textWidth(text); got != want {
			t.Errorf("%q takes %d cells, want %d", text, got, want)
		}
	}
}

func TestCut(t *testing.T) {
	for _, c := range []struct {
		text string
		most int
		want string
	}{
		{"abc", 3, "abc"}, {"abcd", 3, "ab…"}, {"abc", 1, "…"}, {"abc", 0, ""}, {"abc", -1, ""}, {"", 3, ""},
		{"日本語", 6, "日本語"}, {"日本語", 5, "日本…"}, {"日本語", 4, "日…"}, {"日本語", 1, "…"},
		{"e\u0301e\u0301e\u0301", 2, "e\u0301…"}, {"abe\u0301", 3, "abe\u0301"},
	} {
		if got := cut(c.text, c.most); got != c.want {
			t.Errorf("cut(%q, %d) = %q, want %q", c.text, c.most, got, c.want)
		}
	}
}

func TestWrap(t *testing.T) {
	for _, c := range []struct {
		text  string
		cells int
		want  []string
	}{
		{"one two three", 7, []string{"one two", "three"}},
		{"one two three", 8, []string{"one two", "three"}},
		{"abcdefghij", 4, []string{"abcd", "efgh", "ij"}},
		{"- item that is long", 10, []string{"- item", "  that is", "  long"}},
		{"12. item that is long", 12, []string{"12. item", "    that is", "    long"}},
		{"    code that goes on", 14, []string{"    code that", "    goes on"}},
		{"日本語のテキスト", 6, []string{"日本語", "のテキ", "スト"}},
		{"日本語のテキスト", 7, []string{"日本語", "のテキ", "スト"}},
		{"ab日本", 3, []string{"ab", "日", "本"}},
		{"a\tb", 80, []string{"a   b"}},
		{"one\n\ntwo\n", 80, []string{"one", "", "two"}},
		{"", 80, []string{""}},
		{"日", 1, []string{"日"}},
		{"x\x1b[31my\u202e", 80, []string{"x\uFFFD[31my\uFFFD"}},
		{"a    b", 4, []string{"a", "b"}},
	} {
		if d := cmp.Diff(c.want, wrap(c.text, c.cells)); d != "" {
			t.Errorf("wrap(%q, %d):\n%s", c.text, c.cells, d)
		}
	}
}

// FuzzWrap holds wrapping to losing no word and to staying within the width.
func FuzzWrap(f *testing.F) {
	for _, s := range []string{"one two three", "- 日本語のテキスト is e\u0301", "    12. x\ty", "\x1b]0;x\a \u202e \xff", "\u0301\u0301\u0301", " ト"} {
		f.Add(s, 5)
		f.Add(s, 0)
	}
	f.Fuzz(func(t *testing.T, text string, cells int) {
		cells = 2 + max(0, cells)%80
		lines := wrap(text, cells)
		for _, l := range lines {
			if textWidth(l) > cells {
				t.Errorf("%q takes %d cells of %d", l, textWidth(l), cells)
			}
			if strings.ContainsAny(l, "\x1b\n\t\r") || !utf8.ValidString(l) {
				t.Errorf("%q is not safe", l)
			}
		}
		words := func(s string) string { return strings.Join(strings.Fields(s), "") }
		if got, want := words(strings.Join(lines, "")), words(tty.Safe(text)); got != want {
			t.Errorf("%q became %q", want, got)
		}
		if c := cut(oneLine(text), cells); textWidth(c) > cells {
			t.Errorf("cut to %d: %q", cells, c)
		}
	})
}

func TestSafe(t *testing.T) {
	for text, want := range map[string]string{
		"plain\n\ttext": "plain\n\ttext", "\x1b[2J\a\x9b1m": "\uFFFD[2J\uFFFD\uFFFD1m", "a\u202eb\u2066": "a\uFFFDb\uFFFD", "\u009b": "\uFFFD", "\r": "\uFFFD", "é日": "é日",
	} {
		if got := tty.Safe(text); got != want {
			t.Errorf("Safe(%q) = %q, want %q", text, got, want)
		}
	}
}
