package anchor

import (
	"context"
	"fmt"
	"slices"
	"time"

	"sdd/internal/git"
	"sdd/internal/record"
)

const (
	mostMarked    = 50                     // files that the marks of one answer are about
	marksPatience = 100 * time.Millisecond // for the history that the marks of one answer need
)

// Alarms returns, for each of several lists of anchors, the verdict that a reader must know first, nil for none: a place that is
// gone, else one that drifted. It looks at the first fifty files, and calls nothing gone when the search for its new
// place takes too long. A nil tree has none.
func (t *Tree) Alarms(ctx context.Context, lists [][]Anchor) []*Verdict {
	var all []Anchor
	var of []int
	files := map[string]bool{}
	for n, list := range lists {
		for _, a := range list {
			if (Verdict{Anchor: a, State: Gone}).Alarm() && (files[a.Path] || len(files) < mostMarked) {
				files[a.Path] = true
				all, of = append(all, a), append(of, n)
			}
		}
	}
	out := make([]*Verdict, len(lists))
	if t == nil || len(all) == 0 {
		return out
	}
	soon, stop := context.WithTimeout(ctx, t.patience())
	defer stop()
	verdicts := t.Judge(soon, all)
	for i := range verdicts {
		v, worst := &verdicts[i], &out[of[i]]
		if v.Alarm() && (v.State != Gone || soon.Err() == nil) && (*worst == nil || (*worst).State == Drifted && v.State == Gone) {
			*worst = v
		}
	}
	return out
}

// Causes returns the commit that changed each drifted place, nil for other verdicts and for those whose history takes too
// long. It leaves out the lines, and remembers its results until another commit is checked out.
func (t *Tree) Causes(ctx context.Context, verdicts []*Verdict) []*Since {
	out := make([]*Since, len(verdicts))
	if !slices.ContainsFunc(verdicts, func(v *Verdict) bool { return v != nil && v.State == Drifted }) {
		return out
	}
	head := git.CheckedOutCommit(ctx, t.dir)
	soon, stop := context.WithTimeout(ctx, t.patience())
	defer stop()
	asked := 0
	for i, v := range verdicts {
		if v == nil || v.State != Drifted {
			continue
		}
		key := fmt.Sprint(v.Ref, v.Seen, v.Now)
		t.mu.Lock()
		if t.causes == nil || t.causesOf != head {
			t.causes, t.causesOf = map[string]*Since{}, head
		}
		since, known := t.causes[key]
		t.mu.Unlock()
		if !known && soon.Err() == nil {
			if since = t.Since(soon, *v); since != nil {
				since.Was, since.Is, since.First = "", "", 0
			}
			if asked++; soon.Err() == nil || asked == 1 && ctx.Err() == nil { // it had all of the time
				t.mu.Lock()
				t.causes[key] = since
				t.mu.Unlock()
			}
		}
		out[i] = since
	}
	return out
}

func (t *Tree) patience() time.Duration {
	if t.Patience > 0 {
		return t.Patience
	}
	return marksPatience
}

// Mark returns in a few words what a reader must know of a place, "" for nothing: "auth.go#Sign drifted since 3f2a1c0: auth: Sign
// takes a context". since may be nil.
func (v *Verdict) Mark(since *Since) string {
	switch {
	case v == nil || !v.Alarm():
		return ""
	case v.State == Gone:
		return record.Inline(v.Ref.String()) + " is gone"
	case since == nil:
		return record.Inline(v.Ref.String()) + " changed"
	case since.Commit == "":
		return record.Inline(v.Ref.String()) + " changed, not committed"
	}
	return fmt.Sprintf("%s drifted since %.7s: %s", record.Inline(v.Ref.String()), since.Commit, record.Brief(since.Subject))
}
