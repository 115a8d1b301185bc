package fact

import (
	"cmp"
	"context"
	"slices"

	"sdd/internal/learning/classify"
)

// Contradiction is two facts in force that may not both be true. Nothing is changed by it: superseding, editing or archiving one ends it.
type Contradiction struct {
	Older, Newer Fact
	Rule         string
}

// Contradictions returns the pairs of stored facts in force that may contradict each other, by the older one's day and id. Facts of
// different modules or domains speak of different things.
func (f *Facts) Contradictions(ctx context.Context) ([]Contradiction, error) {
	all, err := f.All(ctx)
	if err != nil {
		return nil, err
	}
	all = slices.DeleteFunc(slices.Clone(all), func(f Fact) bool { return f.File == "" || f.State != "active" && f.State != "stale" })
	slices.SortFunc(all, func(a, b Fact) int { return cmp.Or(cmp.Compare(a.Created, b.Created), cmp.Compare(a.ID, b.ID)) })
	texts := make([]string, len(all))
	for n := range all {
		texts[n] = all[n].Content
	}
	var out []Contradiction
	for _, p := range classify.Among(texts) {
		a, b := all[p.Older], all[p.Newer]
		if a.Module != "" && b.Module != "" && a.Module != b.Module || a.Domain != "" && b.Domain != "" && a.Domain != b.Domain {
			continue
		}
		out = append(out, Contradiction{a, b, p.Rule})
	}
	return out, nil
}
