package learning

import (
	"context"

	"sdd/internal/git"
	"sdd/internal/index"
)

// A verdict is derived, never stored in the file by reading: from the parent's file, from superseded_by, and from the commits up to
// the one that is checked out. It applies to a learning whose file is active.

// judge brings the verdicts up to date; changed reports whether a file changed since. Its caller has the turn.
func (b *cache) judge(ctx context.Context, changed bool) error {
	set, err := b.l.settings()
	if err != nil {
		return err
	}
	head := git.CheckedOutCommit(ctx, b.l.st.Home())
	if b.judged && !changed && head == b.head && set.onParentDone == b.policy {
		return nil
	}
	complete, err := b.judgeCommits(ctx, head)
	if err != nil {
		return err
	}
	b.state.Lock()
	defer b.state.Unlock()
	b.policy, b.judged = set.onParentDone, complete // else the next call tries again
	var judged []index.Update[Idea]
	for path, i := range b.All {
		if v := b.verdict(i, set); !sameVerdict(i.Verdict, v) {
			fresh := *i // readers may hold the old one
			fresh.Verdict = v
			judged = append(judged, index.Update[Idea]{Path: path, Was: i, Now: &fresh})
		}
	}
	b.take(judged)
	return nil
}

func sameVerdict(a, b *Verdict) bool { return a == b || a != nil && b != nil && *a == *b }

// verdict derives the verdict on an idea. It needs the lock.
func (b *cache) verdict(i *Idea, set settings) *Verdict {
	if !i.Learning() || i.Status != active {
		return nil
	}
	if i.Parent != "" && set.followsParent(i) {
		for _, p := range b.namedLocked(i.Parent) {
			if !p.Learning() && p.Status == done && !survives(i, p) {
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

// survives reports whether a learning of a finished parent stays active: it came after, or was resurrected. A
// parent that was set to done by hand has no time; what was resurrected stays.
func survives(i, parent *Idea) bool {
	if parent.DoneAt == "" {
		return i.ResurrectedAt != ""
	}
	return after(i, parent.DoneAt)
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
