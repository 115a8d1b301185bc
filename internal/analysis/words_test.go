package analysis

import (
	"strings"
	"testing"
)

func TestWords(t *testing.T) {
	for text, want := range map[string]string{
		"Use C++, not C#, here":  "use c++ not c# here",
		"read-only a.b/C_d v1.2": "read only a b c d v1 2",
		"Ещё ЁЖ, naïve":          "ещё ёж naïve",
		"使用 Redis 缓存层。库":         "使用 redis 缓存 存层 库",
		"--- ...":                "",
	} {
		if got := strings.Join(Words(text), " "); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

func TestStem(t *testing.T) {
	for word, want := range map[string]string{
		"caches": "cach", "ещё": "ещ", "ошибок": "ошибк", "naïve": "naiv", "sha256s": "sha256s", "is": "is", "sent": "send", "overridden": "overrid",
	} {
		if got := Stem(word, English); got != want {
			t.Errorf("%q: %q, want %q", word, got, want)
		}
	}
}

func TestDice(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want float64
	}{{"", "", 0}, {"a b", "B a.", 1}, {"a b c", "a", 0.5}, {"a", "b", 0}} {
		if got := Dice(Set(c.a), Set(c.b)); got != c.want {
			t.Errorf("%q and %q: %v", c.a, c.b, got)
		}
	}
}
