package learning

import (
	"cmp"
	"context"
	"slices"

	"sdd/internal/frontmatter"
	"sdd/internal/learning/classify"
	"sdd/internal/record"
)

// Check returns the learnings that something says more of than their files, by id: commits, a finished parent, and
// a newer learning that may contradict one: each is compared with those that share most of its words. With write it puts the verdicts
// but for those that only ask for a look into the files: then Status is what the file says now and Verdict what was said before.
func (l *Learnings) Check(ctx context.Context, write bool) ([]Idea, error) {
	if write {
		if err := l.finish(ctx); err != nil {
			return nil, err
		}
	}
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
	taken := set.takenBack(all)
	out := []Idea{}
	for _, i := range all {
		verdict := cmp.Or(i.Verdict, taken[i])
		if verdict == nil {
			continue
		}
		shown := l.show(i)
		shown.Verdict = verdict
		if write && shown.Verdict.Status != check {
			if err := l.settle(ctx, &shown); err != nil {
				return out, err
			}
		}
		out = append(out, shown)
	}
	slices.SortFunc(out, func(a, b Idea) int { return cmp.Or(cmp.Compare(a.ID, b.ID), cmp.Compare(a.File, b.File)) })
	return out, nil
}

// takenBack finds the learnings that a newer one may contradict. Of several the oldest of them is named.
func (s settings) takenBack(all []*Idea) map[*Idea]*Verdict {
	all = slices.DeleteFunc(slices.Clone(all), func(i *Idea) bool { return i.Effective() != active })
	slices.SortFunc(all, func(a, b *Idea) int { return cmp.Or(cmp.Compare(a.created, b.created), cmp.Compare(a.ID, b.ID)) })
	texts := make([]string, len(all))
	for n, i := range all {
		texts[n] = i.Content
	}
	out := map[*Idea]*Verdict{}
	for _, p := range classify.Among(texts, func(n, k int) bool {
		older, newer := all[n], all[k]
		return older.ID != newer.ID && record.Moment(older.confirmed()) < newer.created && s.reaches(newer, older)
	}) {
		e := evidence(all[p.Older], p.Contradiction)
		out[all[p.Older]] = &Verdict{Status: check, Reason: contradicted, By: all[p.Newer].ID, Evidence: &e}
	}
	return out
}

// settle writes a verdict into the file.
func (l *Learnings) settle(ctx context.Context, i *Idea) error {
	v := i.Verdict
	sets := archivedWith(record.Stamp(l.now()))
	if v.Status == outdated {
		sets = []frontmatter.Set{{Key: "status", Value: outdated}, {Key: "outdated_reason", Value: v.Reason}}
		if v.Commit != "" {
			sets = append(sets, frontmatter.Set{Key: "outdated_commit", Value: v.Commit})
		}
		if v.By != "" {
			sets = append(sets, frontmatter.Set{Key: "superseded_by", Value: v.By})
		}
	}
	detail := map[string]string{"action": "check", "reason": v.Reason}
	if v.Commit != "" {
		detail["commit"] = v.Commit
	}
	_, now, err := l.change(ctx, i.ID, "idea check", "", "", func(before []byte, now *Idea) ([]byte, error) {
		if now.Status != active || now.Etag != i.Etag {
			return before, nil // somebody decided meanwhile
		}
		return frontmatter.Apply(before, record.Keys(record.Idea), sets)
	}, detail)
	if err != nil {
		return err
	}
	written := l.show(now)
	written.Verdict = v
	*i = written
	return nil
}
