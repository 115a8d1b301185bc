package record

import (
	"strings"
	"testing"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

func TestSlug(t *testing.T) {
	for _, c := range []struct{ title, want string }{
		{"User auth system", "user-auth-system"},
		{"  User   Auth: System!  ", "user-auth-system"},
		{"C++", "c-plus-plus"},
		{"C#", "c-sharp"},
		{"C", "c"},
		{"R&D @ work", "r-and-d-at-work"},
		{"a+b", "a-plus-b"},
		{"#1 priority", "sharp-1-priority"},
		{"Ｃ＋＋", "ｃ-plus-plus"},
		{"Café", "café"},
		{"Cafe\u0301", "café"},
		{"Caf", "caf"},
		{"CAFÉ", "café"},
		{"日本語", "日本語"},
		{"中文", "中文"},
		{"日本語 の 設計", "日本語-の-設計"},
		{"Straße", "straße"},
		{"STRAẞE", "straße"},
		{"İstanbul", "istanbul"},
		{"I\u0307stanbul", "istanbul"},
		{"i\u0307stanbul", "istanbul"},
		{"ısı", "ısı"},
		{"ΟΔΟΣ ΣΟΦΟΣ", "οδος-σοφος"},
		{"Οδος σοφος", "οδος-σοφος"},
		{"Привет, мир", "привет-мир"},
		{"العَرَبِيَّة", "العَرَبِيَّة"},
		{"हिन्दी में", "हिन्दी-में"},
		{"می\u200cخواهم", "می-خواهم"},
		{"٣ أشياء", "٣-أشياء"},
		{"x²", "x²"},
		{"x³", "x³"},
		{"Ⅷ", "ⅷ"},
		{"snake_case/and.dots", "snake-case-and-dots"},
		{"..", "x-" + hashHex("..", 8)},
		{"../../etc/passwd", "etc-passwd"},
		{"🎉", "x-" + hashHex("🎉", 8)},
		{"❤️", "x-" + hashHex("❤️", 8)},
		{"👩‍👩‍👧", "x-" + hashHex("👩‍👩‍👧", 8)},
		{"ship it 🚀", "ship-it"},
		{"\u0301", "x-" + hashHex("\u0301", 8)},
		{"a \u0301b", "a-b"},
		{"\u3164", "x-" + hashHex("\u3164", 8)},
		{"", "x-" + hashHex("", 8)},
		{"CON", "con-x"},
		{"con.", "con-x"},
		{"Nul", "nul-x"},
		{"COM1", "com1-x"},
		{"com0", "com0-x"},
		{"LPT³", "lpt³-x"},
		{"com10", "com10"},
		{"Console", "console"},
		{"CONIN$", "conin"},
		{"line\nbreak\ttab", "line-break-tab"},
		{"bad \xff\xfe bytes", "bad-bytes"},
	} {
		if got := Slug(c.title); got != c.want {
			t.Errorf("Slug(%q) = %q, want %q", c.title, got, c.want)
		}
	}
}

func TestSlugLong(t *testing.T) {
	words := strings.Repeat("word ", 60) // 300 characters
	got := Slug(words)
	full := strings.TrimSuffix(strings.Repeat("word-", 60), "-")
	want := strings.TrimSuffix(strings.Repeat("word-", 14), "-") + "-" + hashHex(full, 6)
	if got != want {
		t.Errorf("Slug of words = %q, want %q", got, want)
	}
	if a, b := Slug(words+"one"), Slug(words+"two"); a == b || len(a) > 80 || len(b) > 80 {
		t.Errorf("titles that differ after the cut: %q, %q", a, b)
	}
	if a, b := Slug(words+"ONE!"), Slug(strings.ToUpper(words)+"- one"); a != b {
		t.Errorf("titles that differ in case and punctuation after the cut: %q, %q", a, b)
	}
	if got := Slug(strings.Repeat("x", 300)); got != strings.Repeat("x", 73)+"-"+hashHex(strings.Repeat("x", 300), 6) {
		t.Errorf("Slug of one long word = %q", got)
	}
	han := strings.Repeat("語", 100)
	if got := Slug(han); got != strings.Repeat("語", 24)+"-"+hashHex(han, 6) {
		t.Errorf("Slug of long Japanese = %q", got)
	}
	if s := strings.Repeat("y", 80); Slug(s) != s {
		t.Errorf("80 bytes are cut")
	}
}

// FuzzSlug attacks what every caller takes for granted of a slug.
func FuzzSlug(f *testing.F) {
	for _, s := range []string{
		"User auth system", "C++", "C#", "Cafe\u0301", "日本語", "Straße", "İstanbul", "हिन्दी", "👩‍👩‍👧", "❤️", "CON", "com¹",
		strings.Repeat("word ", 60), strings.Repeat("語", 100), "a\xffb", "\u0301", "1️⃣", "ΟΔΟΣ", "\u1e9b\u0323", "가\u11a8", "K\u0345", "0 \u06dfΣ",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, title string) {
		s := Slug(title)
		if again := Slug(s); again != s {
			t.Errorf("Slug(%q) = %q, but its own slug is %q", title, s, again)
		}
		if s == "" || len(s) > 80 {
			t.Errorf("Slug(%q) = %q, %d bytes", title, s, len(s))
		}
		if !utf8.ValidString(s) || !norm.NFC.IsNormalString(s) {
			t.Errorf("Slug(%q) = %q: not UTF-8 in NFC", title, s)
		}
		if strings.ToLower(s) != s {
			t.Errorf("Slug(%q) = %q: upper case", title, s)
		}
		if strings.Trim(s, "-. ") != s || strings.Contains(s, "--") || strings.ContainsAny(s, "\x00<>:\"/\\|?*@.~ ") {
			t.Errorf("Slug(%q) = %q: not a name for every system", title, s)
		}
		if IsDevice(s) {
			t.Errorf("Slug(%q) = %q: reserved on Windows", title, s)
		}
		if nfd := Slug(norm.NFD.String(title)); utf8.ValidString(title) && nfd != s {
			t.Errorf("Slug(%q) = %q in NFC, %q in NFD", title, s, nfd)
		}
		if spaced := Slug("  " + title + " ? "); !strings.HasPrefix(s, emptyPrefix) && spaced != s {
			t.Errorf("Slug(%q) = %q, but %q with spaces around", title, s, spaced)
		}
	})
}

func BenchmarkSlug(b *testing.B) {
	for name, title := range map[string]string{
		"ascii":   "Session tokens: rotate, revoke and store them (part 2)",
		"unicode": "Проверка токенов сессии — café 日本語",
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				Slug(title)
			}
		})
	}
}
