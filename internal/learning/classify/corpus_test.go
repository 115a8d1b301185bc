package classify

import (
	"slices"
	"testing"
)

// TestCorpora holds the answers to labelled texts of many stacks and styles: those that the weights were fitted to
// (tuned), and others of the same kind that only the counts were seen of (held). The floors are what was measured, less a
// little: they stop a change that is good for one part alone. No text of the held part is printed.
func TestCorpora(t *testing.T) {
	for _, c := range []struct {
		name        string
		model       *model
		tuned, held int // per cent
		verdict     func(string) Verdict
	}{
		{"impact", impactModel, 97, 86, Impact},
		{"category", categoryModel, 97, 79, func(s string) Verdict { return Category(s, nil) }},
	} {
		right, of := map[string]int{}, map[string]int{}
		for _, file := range corpora {
			ids := map[string]bool{}
			r, n := map[string]int{}, map[string]int{}
			for _, l := range readCorpus(t, file) {
				label := l.label(c.name)
				if l.Part != "tuned" && l.Part != "held" || l.ID == "" || ids[l.ID] || label != "" && !slices.Contains(c.model.values, label) {
					t.Errorf("%s: %s: part %q, label %q, or twice the same id", file, l.ID, l.Part, label)
				}
				ids[l.ID] = true
				if label == "" {
					continue
				}
				n[l.Part]++
				if c.verdict(l.Content).Value == label {
					r[l.Part]++
				}
			}
			for part := range n {
				right[part] += r[part]
				of[part] += n[part]
			}
			if n["held"] > 0 {
				t.Logf("%s, %s: tuned %d of %d, held %d of %d: %.1f %%", c.name, file, r["tuned"], n["tuned"], r["held"], n["held"], 100*float64(r["held"])/float64(n["held"]))
			}
		}
		for part, floor := range map[string]int{"tuned": c.tuned, "held": c.held} {
			t.Logf("%s: %s %d of %d: %.1f %%", c.name, part, right[part], of[part], 100*float64(right[part])/float64(of[part]))
			if of[part] == 0 || 100*right[part] < floor*of[part] {
				t.Errorf("%s, %s: %d of %d right, less than %d %%", c.name, part, right[part], of[part], floor)
			}
		}
	}
}
