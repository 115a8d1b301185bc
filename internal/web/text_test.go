package web

import "testing"

func TestVisible(t *testing.T) {
	for in, want := range map[string]string{
		"plain\n\ttext": "plain\n\ttext", "a\u202eb": "a[U+202E]b", "\u2066x\u2069": "[U+2066]x[U+2069]", "\x1b[31m": "[U+001B][31m", "\x00": "[U+0000]",
		"שלום\u200f 1": "שלום\u200f 1", "\u061cعربي": "\u061cعربي", "日本語": "日本語", "\xff": "\ufffd",
	} {
		if got := visible(in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}

func TestNameOf(t *testing.T) {
	for in, want := range map[string]string{
		"The token **expires** in `1 h`; refresh": "The token expires in 1 h; refresh",
		"# Title\n\n- one\n- two":                 "Title one two",
		"<script>a</script> & b":                  "<script>a</script> & b",
		"a\u202eb":                                "a[U+202E]b",
		"one two three four five six":             "one two three four…",
		"":                                        "",
	} {
		most := 60
		if len(in) > 20 && in[:3] == "one" {
			most = 20
		}
		if got := nameOf(in, most); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}

func TestParseTime(t *testing.T) {
	for in, want := range map[string]when{
		"2026-11-20":                {"2026-11-20", "20 Nov 2026"},
		"2026-11-20T09:14:00+02:00": {"2026-11-20T07:14:00Z", "20 Nov 2026, 07:14 UTC"},
		"2026-11-20 09:14:00":       {"2026-11-20T09:14:00Z", "20 Nov 2026, 09:14 UTC"},
		"yesterday":                 {"", "yesterday"},
		"":                          {"", ""},
	} {
		if got := parseTime(in); got != want {
			t.Errorf("%q: %+v, want %+v", in, got, want)
		}
	}
}
