package answer

import "testing"

func TestAsksForCode(t *testing.T) {
	for question, want := range map[string]bool{
		"Where is the lexer?":                      true,
		"Which file parses the front matter?":      true,
		"Which function is called by Save?":        true,
		"Which files have the routes?":             true,
		"Which package installer do we use?":       false,
		"Where is the format described?":           false,
		"Which module system is the code built on": false,
	} {
		if got := asksForCode(question); got != want {
			t.Errorf("%q: %v, want %v", question, got, want)
		}
	}
}
