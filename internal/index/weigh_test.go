package index

import (
	"testing"

	"sdd/internal/analysis"
)

func TestOnlyLinks(t *testing.T) {
	for text, want := range map[string]bool{
		"- [Install](docs/install.md)\n- [Use it](docs/use.md)":                               true,
		"[![Build](https://example.com/b.svg)](https://example.com) [![Go](go.svg)](go.html)": true,
		"See [the guide](guide.md) before you change the port of the server.":                 false,
		"The range [0, n) is half open, so a loop over it ends before n and visits each.":     false,
		"[a": false,
		"":   false,
	} {
		if onlyLinks([]byte(text)) != want {
			t.Errorf("%q: %v", text, !want)
		}
	}
}

func TestPastLead(t *testing.T) {
	for line, want := range map[string]string{
		"Chosen option: Go, because it is fast.": "it is fast",
		"Chosen option: Go":                      "Go",
		"Chosen option:":                         "Chosen option:",
		"* Go":                                   "* Go",
	} {
		if got, _ := pastLead([]byte(line), analysis.Token{}); string(got) != want {
			t.Errorf("%q: %q", line, got)
		}
	}
}
