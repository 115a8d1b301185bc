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
		{"1. a\n2. b\n", "2. b\n3. c", "3. c"},
		{"1. a\n2. b\n", "1. c\n2. a\n3. d\n   more", "3. c\n4. d\n   more"},
		{"1. a\n2. b\n", "- b\n* c", "* c"},
		{"- a\n", "1) a\n2) b", "2) b"},
		{"8) a\n9) b\n", "1) c\n   more\n2) d", "1) c\n   more\n11) d"},
		{"In 2019. a\n", "1. a", "1. a"},
	} {
		if got := unsaid(c.section, c.text); got != c.want {
			t.Errorf("%q to %q: %q, want %q", c.text, c.section, got, c.want)
		}
	}
}
