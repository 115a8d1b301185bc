package markdown

import "testing"

func TestLongestRun(t *testing.T) {
	for s, want := range map[string]int{"": 0, "a": 0, "`": 1, "a`b``c`": 2, "````": 4, "``a```": 3, "```a``": 3} {
		if got := LongestRun(s, '`'); got != want {
			t.Errorf("%q: %d, want %d", s, got, want)
		}
	}
}
