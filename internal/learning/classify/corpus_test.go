package classify

import (
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"
)

// TestMoreTexts holds the rules to texts of many stacks and styles that they were widened with (tuned), and to others of
// the same kind that only the counts were seen of (held). The floors are what was measured, less a little: they stop a
// change that is good for one part alone. No text of the held part is printed.
func TestMoreTexts(t *testing.T) {
	for _, c := range []struct {
		name        string
		values      []string
		tuned, held int // per cent
		verdict     func(string) Verdict
	}{
		{"impact", impacts, 88, 77, Impact},
		{"category", Categories, 80, 68, func(s string) Verdict { return Category(s, nil) }},
	} {
		src, err := os.ReadFile("testdata/" + c.name + "_more.jsonl")
		if err != nil {
			t.Fatal(err)
		}
		right, of, seen := map[string]int{}, map[string]int{}, map[string]bool{}
		for line := range strings.Lines(string(src)) {
			var one map[string]string
			if err := json.Unmarshal([]byte(line), &one); err != nil {
				t.Fatalf("%s: %v", c.name, err)
			}
			part, label, content := one["part"], one[c.name], one["content"]
			if part != "tuned" && part != "held" || !slices.Contains(c.values, label) || one["why"] == "" || seen[content] || seen[one["id"]] {
				t.Errorf("%s: %s: part %q, label %q, why %q, or twice the same", c.name, one["id"], part, label, one["why"])
			}
			seen[content], seen[one["id"]] = true, true
			of[part]++
			if c.verdict(content).Value == label {
				right[part]++
			}
		}
		t.Logf("%s: tuned %d of %d, held %d of %d", c.name, right["tuned"], of["tuned"], right["held"], of["held"])
		for part, floor := range map[string]int{"tuned": c.tuned, "held": c.held} {
			if of[part] == 0 || 100*right[part] < floor*of[part] {
				t.Errorf("%s, %s: %d of %d right, less than %d %%", c.name, part, right[part], of[part], floor)
			}
		}
	}
}
