package learning

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"unicode"

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
		shown := l.show(i)
		if shown.Verdict == nil {
			shown.Verdict = taken[i]
		}
		if shown.Verdict == nil {
			continue
		}
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

// takenBack finds the learnings that a newer one takes back. Of several the oldest of them is named.
func (s settings) takenBack(all []*Idea) map[*Idea]*Verdict {
	all = slices.DeleteFunc(slices.Clone(all), func(i *Idea) bool { return i.Effective() != active })
	slices.SortFunc(all, func(a, b *Idea) int { return cmp.Or(cmp.Compare(a.created, b.created), cmp.Compare(a.ID, b.ID)) })
	claims := make([]*classify.Claim, len(all))
	for n, i := range all {
		claims[n] = classify.Prepare(i.Content)
	}
	out := map[*Idea]*Verdict{}
	newerNear(all, func(n, k int) bool {
		older, newer := all[n], all[k]
		if older.ID == newer.ID || record.Moment(older.confirmed()) >= newer.created {
			return true // the older one was confirmed since
		}
		c, ok := claims[k].Contradicts(claims[n])
		if !ok && newer.created == older.created { // which is the newer one is not known
			older, newer = newer, older
			c, ok = claims[n].Contradicts(claims[k])
		}
		if !ok || !s.reaches(newer, older) {
			return true
		}
		e := evidence(older, c)
		out[older] = &Verdict{Status: check, Reason: contradicted, By: newer.ID, Evidence: &e}
		return false
	})
	return out
}

// newerNear calls f for each learning with those behind it that share most of its words, in the order in which
// they stand, until f returns false. A word that a twentieth of all have does not tell what a learning is about.
func newerNear(all []*Idea, f func(n, k int) bool) {
	words := make([][]string, len(all))
	holders := map[string][]int{}
	for n, i := range all {
		seen := map[string]bool{}
		for _, w := range strings.FieldsFunc(strings.ToLower(i.Content), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
			if !seen[w] {
				seen[w] = true
				words[n] = append(words[n], w)
				holders[w] = append(holders[w], n)
			}
		}
	}
	most := max(200, len(all)/20)
	score := make([]float64, len(all))
	for n := range all {
		var found []int
		for _, w := range words[n] {
			same := holders[w]
			if len(same) > most {
				continue
			}
			at, _ := slices.BinarySearch(same, n+1)
			for _, k := range same[at:] {
				if score[k] == 0 {
					found = append(found, k)
				}
				score[k] += 1 / float64(len(same))
			}
		}
		slices.SortFunc(found, func(a, b int) int { return cmp.Or(cmp.Compare(score[b], score[a]), a-b) })
		near := slices.Clone(found[:min(len(found), nearest)])
		slices.Sort(near)
		for _, k := range near {
			if !f(n, k) {
				break
			}
		}
		for _, k := range found {
			score[k] = 0
		}
	}
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
