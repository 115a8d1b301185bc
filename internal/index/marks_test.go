package index

import (
	"strings"
	"testing"
)

func TestMarks(t *testing.T) {
	for _, c := range []struct{ query, text, want string }{
		{"token refresh", "Tokens are refreshed at night.", "[Tokens] are [refreshed] at night."},
		{"cafe", "The Café opens", "The [Café] opens"},
		{"ADR-016", "see ADR-016, not ADR-017", "see [ADR-016], not [ADR-017]"},
		{"中文", "这是中文文本", "这是[中文]文本"},
		{"", "nothing", "nothing"},
		{"<b>", "a <b>bold</b> text", "a <[b]>bold</[b]> text"},
		{"zzz", "", ""},
	} {
		got := ""
		at := 0
		for _, s := range NewMarker(c.query).Marks(c.text) {
			got += c.text[at:s.Start] + "[" + c.text[s.Start:s.End] + "]"
			at = s.End
		}
		if got += c.text[at:]; got != c.want {
			t.Errorf("%q in %q: %q, want %q", c.query, c.text, got, c.want)
		}
	}
}

// FuzzMarks: spans are in order, apart, inside the text and at the borders of its runes.
func FuzzMarks(f *testing.F) {
	f.Add("token 中文", "Tokens 中文 \xff tokenToken")
	f.Fuzz(func(t *testing.T, query, text string) {
		end := -1
		for _, s := range NewMarker(query).Marks(text) {
			if s.Start <= end || s.End <= s.Start || s.End > len(text) {
				t.Fatalf("%+v after %d in %q", s, end, text)
			}
			if valid := strings.ToValidUTF8(text, ""); valid == text && strings.ToValidUTF8(text[s.Start:s.End], "") != text[s.Start:s.End] {
				t.Fatalf("%+v cuts a rune of %q", s, text)
			}
			end = s.End
		}
	})
}
