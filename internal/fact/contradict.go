package fact

import (
	"cmp"
	"context"
	"slices"

	"sdd/internal/fault"
	"sdd/internal/learning/classify"
	"sdd/internal/record"
)

// Contradiction is two facts in force that may not both be true. It changes neither; superseding, editing or archiving
// one ends it.
type Contradiction struct {
	Older, Newer Fact
	Rule         string
}

// Contradictions returns the pairs of stored facts in force that may contradict each other, by the older one's day and id. It keeps the
// answer as long as the facts stay the same: comparing thousands of them takes a while. Callers must not change it.
func (f *Facts) Contradictions(ctx context.Context) ([]Contradiction, error) {
	all, err := f.All(ctx)
	if err != nil || len(all) == 0 {
		return nil, err
	}
	f.disputed.Lock()
	defer f.disputed.Unlock()
	of := &all[0] // All makes a new slice after a change
	if f.disputed.of == of {
		return f.disputed.out, nil
	}
	all = slices.DeleteFunc(slices.Clone(all), func(f Fact) bool { return f.File == "" || !f.Live() })
	slices.SortFunc(all, func(a, b Fact) int { return cmp.Or(record.CompareTimes(a.Created, b.Created), cmp.Compare(a.ID, b.ID)) })
	var out []Contradiction
	for _, p := range classify.Among(all, func(f Fact) string { return f.Content }, nil) {
		if OneSubject(&p.Older, &p.Newer) {
			out = append(out, Contradiction{p.Older, p.Newer, p.Rule})
		}
	}
	f.disputed.of, f.disputed.out = of, out
	return out, nil
}

// OneSubject reports whether two facts may have the same subject.
func OneSubject(a, b *Fact) bool {
	return (a.Module == "" || b.Module == "" || a.Module == b.Module) && (a.Domain == "" || b.Domain == "" || a.Domain == b.Domain)
}

// Against returns the stored facts in force that may contradict one, among those that the index finds near it.
func (f *Facts) Against(ctx context.Context, one *Fact) (_ []Fact, err error) {
	defer fault.Caught(&err)
	near := fault.Must(f.near(ctx, one.Content, true))
	all := fault.Must(f.All(ctx))
	var out []Fact
	for _, n := range near {
		if n.ID == one.ID || !OneSubject(n, one) || !classify.Disputed(n.Content, one.Content) {
			continue
		}
		if at, ok := find(all, n); ok && all[at].Live() {
			out = append(out, all[at])
		}
	}
	return out, nil
}
