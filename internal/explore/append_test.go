package explore

import "testing"

func TestUnsaid(t *testing.T) {
	for _, c := range []struct{ section, text, want string }{
		{"- a\n- b\n", "- b\n- c", "- c"},
		{"- a\n- b\n", "- a\n- b", ""},
		{"- a\n  more\n- b", "- a", "- a"},
		{"- a\n  more\n- b", "- a\n  more\n- b2", "- b2"},
		{"one line\n", "one line", ""},
		{"", "- a\n- a2", "- a\n- a2"},
		{"```\n- a\n```", "- a", "- a"},
	} {
		if got := unsaid(c.section, c.text); got != c.want {
			t.Errorf("%q to %q: %q, want %q", c.text, c.section, got, c.want)
		}
	}
}
