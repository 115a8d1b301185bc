package app

import (
	"context"
	"slices"
	"time"

	"sdd/internal/decision"
)

// Coverage is the share of one kind of records that say why, where or that they were looked at, at the end of each month: among the
// records begun until then, as their files are now.
type Coverage struct {
	Name    string
	has, of []int // of each month alone
}

// Coverages returns the coverage of decisions, facts and learnings in force, in months such as 2026-11, the oldest first.
func (w *App) Coverages(ctx context.Context, months []string) ([]Coverage, error) {
	all := make([]Coverage, 3)
	for n, name := range []string{"decisions say why", "facts name evidence or code", "learnings are validated"} {
		all[n] = Coverage{name, make([]int, len(months)), make([]int, len(months))}
	}
	add := func(kind int, begun string, has bool) {
		at, _ := slices.BinarySearch(months, begun[:min(len(begun), len("2006-01"))])
		if at == len(months) { // a clock was wrong
			at--
		}
		all[kind].of[at]++
		if has {
			all[kind].has[at]++
		}
	}
	decisions, err := w.Decisions.All(ctx)
	if err != nil {
		return nil, err
	}
	says := caused(decisions)
	for n := range decisions {
		add(0, decisions[n].When(), says(&decisions[n]))
	}
	facts, err := w.Facts.All(ctx)
	if err != nil {
		return nil, err
	}
	for n := range facts {
		if f := &facts[n]; f.Live() {
			add(1, f.Created, f.Evidence != "" || len(f.CodeRef) > 0)
		}
	}
	learnings, err := w.Learnings.Newest(ctx)
	for _, i := range learnings {
		if i.Learning() {
			add(2, i.Created, i.Validated)
		}
	}
	return all, err
}

// Share is the coverage at the end of a month, 0 to 1.
func (c Coverage) Share(month int) float64 {
	has, of := 0, 0
	for n := range month + 1 {
		has, of = has+c.has[n], of+c.of[n]
	}
	return float64(has) / float64(max(1, of))
}

// caused returns whether a decision of a list has a reason, or a link to or from another one.
func caused(all []decision.Decision) func(*decision.Decision) bool {
	linked := map[string]bool{}
	for n := range all {
		d := &all[n]
		for _, other := range slices.Concat(d.Supersedes, d.DependsOn, d.RelatesTo) {
			linked[d.ID], linked[other] = true, true
		}
	}
	return func(d *decision.Decision) bool { return len(d.Because)+len(d.Drivers) > 0 || linked[d.ID] }
}

// Months returns the last n months until a time, the oldest first.
func Months(n int, now time.Time) (all []string) {
	for ; n > 0; n-- {
		all = append(all, time.Date(now.Year(), now.Month()-time.Month(n-1), 1, 0, 0, 0, 0, time.UTC).Format("2006-01"))
	}
	return all
}
