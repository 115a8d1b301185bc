package learning

import (
	"cmp"
	"context"
	"slices"

	"sdd/internal/fault"
	"sdd/internal/frontmatter"
	"sdd/internal/git"
	"sdd/internal/index"
	"sdd/internal/index/records"
	"sdd/internal/learning/classify"
	"sdd/internal/record"
)

// Check returns the learnings with a verdict, by id: from commits, from a finished parent, or from a newer learning that
// may contradict one. With write it writes the verdicts into the files, except those that only ask for a review: then
// Status is the new status in the file and Verdict is the written one.
func (l *Learnings) Check(ctx context.Context, write bool) (out []Idea, err error) {
	defer fault.Caught(&err)
	fault.Check(l.cache.sync(ctx))
	set := fault.Must(l.settings())
	all := slices.DeleteFunc(slices.Clone(l.cache.newest()), func(i *Idea) bool { return !i.Learning() || i.Status != active })
	taken := l.takenBack(set, all)
	out = []Idea{}
	for _, i := range all {
		verdict := cmp.Or(i.Verdict, taken[i])
		if verdict == nil {
			continue
		}
		shown := l.show(i)
		shown.Verdict = verdict
		if write && shown.Verdict.Status != check {
			fault.Check(l.writeVerdict(ctx, &shown))
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

// A verdict is derived, never stored in the file by reading: from the parent's file, from superseded_by, and from the commits up to
// the one that is checked out. It applies to a learning whose file is active.

// judge brings the verdicts up to date; changed reports whether a file changed since. Its caller has the turn.
func (b *cache) judge(ctx context.Context, changed bool) (err error) {
	defer fault.Caught(&err)
	set := fault.Must(b.l.settings())
	head := git.CheckedOutCommit(ctx, b.l.st.Home())
	if b.judged && !changed && head == b.head && set.onParentDone == b.policy {
		return nil
	}
	complete := fault.Must(b.judgeCommits(ctx, head))
	b.state.Lock()
	defer b.state.Unlock()
	b.policy, b.judged = set.onParentDone, complete // else the next call tries again
	var judged []index.Update[Idea]
	for path, i := range b.All {
		was, v := cmp.Or(i.Verdict, &Verdict{}), b.verdict(i, set)
		if *was != *cmp.Or(v, &Verdict{}) {
			fresh := *i // readers may hold the old one
			fresh.Verdict = v
			judged = append(judged, index.Update[Idea]{Path: path, Was: i, Now: &fresh})
		}
	}
	b.take(judged)
	return nil
}

// verdict derives the verdict on an idea. It needs the lock.
func (b *cache) verdict(i *Idea, set settings) *Verdict {
	if !i.Learning() || i.Status != active {
		return nil
	}
	if i.Parent != "" && set.followsParent(i) {
		for _, p := range b.namedLocked(i.Parent) {
			// A parent that was set to done by hand has no time; what was resurrected stays.
			survives := after(i, p.DoneAt) || p.DoneAt == "" && i.ResurrectedAt != ""
			if !p.Learning() && p.Status == done && !survives {
				return &Verdict{Status: archived, Reason: parentDone, By: p.ID}
			}
		}
	}
	if i.SupersededBy != "" {
		return &Verdict{Status: outdated, Reason: newerLearning, By: i.SupersededBy}
	}
	if v, ok := b.commits[i.path]; ok && v.Commit != "" {
		return &Verdict{Status: check, Reason: filesModified + ": " + v.File, Commit: v.Commit}
	}
	return nil
}

// verdictOf returns the verdict on an idea as it was read; nil where there can be none without looking.
func (l *Learnings) verdictOf(ctx context.Context, i *Idea) *Verdict {
	if i.Status != active || i.SupersededBy == "" && i.Parent == "" && len(i.files) == 0 {
		return nil
	}
	if l.cache.sync(ctx) != nil {
		return nil // a call that needs verdicts fails on its own
	}
	if known := l.cache.known(i.path, i.Etag); known != nil {
		return known.Verdict
	}
	return nil
}
