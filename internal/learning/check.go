package learning

import (
	"cmp"
	"context"
	"slices"

	"sdd/internal/frontmatter"
	"sdd/internal/index/records"
	"sdd/internal/learning/classify"
	"sdd/internal/record"
)

// Check returns the learnings with a verdict, by id: from commits, from a finished parent, or from a newer learning that
// may contradict one. With write it writes the verdicts into the files, except those that only ask for a review: then
// Status is the new status in the file and Verdict is the written one.
func (l *Learnings) Check(ctx context.Context, write bool) ([]Idea, error) {
	if err := l.cache.sync(ctx); err != nil {
		return nil, err
	}
	set, err := l.settings()
	if err != nil {
		return nil, err
	}
	var all []*Idea
	for _, i := range l.cache.newest() {
		if i.Learning() && i.Status == active {
			all = append(all, i)
		}
	}
	taken := l.takenBack(set, all)
	out := []Idea{}
	for _, i := range all {
		verdict := cmp.Or(i.Verdict, taken[i])
		if verdict == nil {
			continue
		}
		shown := l.show(i)
		shown.Verdict = verdict
		if write && shown.Verdict.Status != check {
			if err := l.writeVerdict(ctx, &shown); err != nil {
				return out, err
			}
		}
		out = append(out, shown)
	}
	slices.SortFunc(out, func(a, b Idea) int { return cmp.Or(cmp.Compare(a.ID, b.ID), cmp.Compare(a.File, b.File)) })
	return out, nil
}

// takenBack finds the learnings that a newer one may contradict. Of several newer ones it names the oldest. It keeps the answer as
// long as the learnings stay the same: comparing thousands of them takes a while.
func (l *Learnings) takenBack(s settings, all []*Idea) map[*Idea]*Verdict {
	all = slices.DeleteFunc(slices.Clone(all), func(i *Idea) bool { return i.Effective() != active })
	slices.SortFunc(all, func(a, b *Idea) int { return cmp.Or(cmp.Compare(a.created, b.created), cmp.Compare(a.ID, b.ID)) })
	l.taken.Lock()
	defer l.taken.Unlock()
	if l.taken.match == s.match && l.taken.out != nil && slices.Equal(l.taken.all, all) {
		return l.taken.out
	}
	out := map[*Idea]*Verdict{}
	for _, p := range classify.Among(all, func(i *Idea) string { return i.Content }, func(older, newer *Idea) bool {
		return older.ID != newer.ID && record.Moment(older.confirmed()) < newer.created && s.reaches(newer, older)
	}) {
		e := evidence(p.Older, p.Contradiction)
		out[p.Older] = &Verdict{Status: check, Reason: contradicted, By: p.Newer.ID, Evidence: &e}
	}
	l.taken.all, l.taken.match, l.taken.out = all, s.match, out
	return out
}

// writeVerdict writes a verdict into the file.
func (l *Learnings) writeVerdict(ctx context.Context, i *Idea) error {
	v := i.Verdict
	sets := archive(record.Stamp(l.now()), parentDone)
	if v.Status == outdated {
		sets = records.Present([]frontmatter.Set{{Key: "status", Value: outdated}, {Key: "outdated_reason", Value: v.Reason},
			{Key: "outdated_commit", Value: v.Commit}, {Key: "superseded_by", Value: v.By}})
	}
	by := putting{op: "idea check", detail: map[string]string{"action": "check", "reason": v.Reason}}
	if v.Commit != "" {
		by.detail["commit"] = v.Commit
	}
	now, err := l.set(ctx, i.ID, by, func(now *Idea) []frontmatter.Set {
		if now.Status != active || now.Etag != i.Etag {
			return nil // another call decided in the meantime
		}
		return sets
	})
	if err != nil {
		return err
	}
	*i = l.show(now)
	i.Verdict = v
	return nil
}
