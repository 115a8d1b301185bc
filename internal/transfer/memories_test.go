package transfer

import (
	"slices"
	"strings"
	"testing"
)

func TestRuleItems(t *testing.T) {
	for _, c := range []struct {
		name, text string
		want       []string
	}{
		{"nothing", "", nil},
		{"prose", "# Title\n\nA sentence.\n\n| a | b |\n", nil},
		{"markers", "- a b\n* c d\n+ e f\n1. g h\n2) i j\n", []string{"a b", "c d", "e f", "g h", "i j"}},
		{"lines below", "- a\n  b\n\n  c\n- d\nlazy\n\nprose\n", []string{"a\nb\n\nc", "d\nlazy"}},
		{"nested", "- a:\n  - b\n    - c\n- d\n", []string{"a:\n- b\n  - c", "d"}},
		{"code in an item", "- a\n  ```\n  - b\n  ```\n- c\n", []string{"a\n```\n- b\n```", "c"}},
		{"code between items", "- a\n```\n- b\n```\n~~~~\n- c\n~~~\n~~~~\n- d\n", []string{"a", "d"}},
		{"comments", "- a\n<!-- - b -->\n<!--\n  - c\n-->\n- d\n", []string{"a", "d"}},
		{"our own block", "- a\n<!-- sdd: put in -->\n- b\n```\n- c\n```\n<!-- /sdd -->\n- d\n", []string{"a", "d"}},
		{"a heading ends it", "- a\n# b\n- c\n---\n", []string{"a", "c"}},
		{"orders", "Use type hints.\n\n**Never** log\ntokens. They leak.\n\nWhen you add a flag, document it.\n",
			[]string{"Use type hints.", "**Never** log\ntokens. They leak."}},
		{"no orders", "Use it so:\n\nThe use of X is rare\n\nKeep-alive is on.\n\nRun a. Run b. Run c. Run d.\n", nil},
		{"emphasis is no item", "*a* b\n**c** d\n-e\n", nil},
	} {
		if got, _ := ruleItems(c.text); !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

// FuzzRuleItems requires that no rule is empty, and that a rule of one paragraph is read back from a list.
func FuzzRuleItems(f *testing.F) {
	f.Add("- a\n  b\n\n  ```\n  - c\n  ```\n<!-- sdd: x -->\n- d\n<!-- /sdd -->\n1. e\n")
	f.Add("---\npaths:\n  - \"a/{b,c}\"\n---\n- a b c\n")
	f.Add("---\nglobs: **/*.js\n---\n* a b c\nlazy\n")
	f.Fuzz(func(t *testing.T, text string) {
		_, body := cutFront(text)
		if scope, _, _ := rulesOf("a.mdc", text); strings.Contains(scope, "\n") {
			t.Fatalf("%q goes over lines", scope)
		}
		items, _ := ruleItems(body)
		for _, item := range items {
			if strings.TrimSpace(item) == "" {
				t.Fatalf("an empty rule in %q", body)
			}
			again, _ := ruleItems("- " + item + "\n")
			if plain := strings.Trim(item, "abcdefghijklmnopqrstuvwxyz ") == ""; plain && !slices.Equal(again, []string{item}) {
				t.Fatalf("%q is not read back", item)
			}
		}
	})
}
