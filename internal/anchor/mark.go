package anchor

import (
	"cmp"
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
	return t.alarms(lists, func(all []Anchor) []Verdict { return t.judgeSoon(ctx, all) })
}

// AlarmsInPlace is Alarms without a search, so that the same files give the same verdicts: what it calls gone may have moved.
func (t *Tree) AlarmsInPlace(lists [][]Anchor) []*Verdict {
	return t.alarms(lists, func(all []Anchor) []Verdict {
		out, _ := t.inPlaces(all)
		return out
	})
}

func (t *Tree) alarms(lists [][]Anchor, judge func([]Anchor) []Verdict) []*Verdict {
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
	verdicts := judge(all)
	for i := range verdicts {
		v, worst := &verdicts[i], &out[of[i]]
		if v.Alarm() && (*worst == nil || (*worst).State == Drifted && v.State == Gone) {
			*worst = v
		}
	}
	return out
}

const (
	searchEvery = 10 * time.Second // after which lost places are looked for again
	longSearch  = time.Minute
)

// searched is the result of the search for a lost place.
type searched struct {
	verdict Verdict
	at      time.Time
}

// judgeSoon is Judge for an answer that cannot wait. A longer search goes on in the background; the next answer has its result, which
// counts until another commit is checked out or a later search ends. A place without a result is Unknown.
func (t *Tree) judgeSoon(ctx context.Context, anchors []Anchor) []Verdict {
	out, lost := t.inPlaces(anchors)
	if len(lost) == 0 {
		return out
	}
	head := git.CheckedOutCommit(ctx, t.dir)
	key := func(i int) string { return fmt.Sprint(anchors[i].Ref, anchors[i].Seen) }
	var ask []int
	t.mu.Lock()
	before := t.found.at(head)
	for _, i := range lost {
		s, known := before[key(i)]
		if out[i].State = Unknown; known {
			out[i] = s.verdict
		}
		if !known || time.Since(s.at) > searchEvery {
			ask = append(ask, i)
		}
	}
	start := len(ask) > 0 && !t.searching
	t.searching = t.searching || start
	t.mu.Unlock()
	if !start {
		return out
	}
	done := make(chan []Verdict, 1)
	go func() {
		some := make([]Anchor, len(ask))
		for n, i := range ask {
			some[n] = anchors[i]
		}
		long, stop := context.WithTimeout(t.life, longSearch)
		defer stop()
		found := t.Judge(long, some)
		t.mu.Lock()
		defer t.mu.Unlock()
		t.searching = false
		if long.Err() == nil {
			for n, i := range ask {
				before[key(i)] = searched{found[n], time.Now()}
			}
			done <- found
		}
	}()
	select {
	case found := <-done:
		for n, i := range ask {
			out[i] = found[n]
		}
	case <-time.After(t.patience()):
	case <-ctx.Done():
	}
	return out
}

// Causes returns the commit that changed each drifted place, without lines; nil for other verdicts and when history takes too long.
func (t *Tree) Causes(ctx context.Context, verdicts []*Verdict) []*Since {
	out := make([]*Since, len(verdicts))
	if !slices.ContainsFunc(verdicts, func(v *Verdict) bool { return v != nil && v.State == Drifted }) {
		return out
	}
	head := git.CheckedOutCommit(ctx, t.dir)
	soon, stop := t.Soon(ctx)
	defer stop()
	asked := 0
	for i, v := range verdicts {
		if v == nil || v.State != Drifted {
			continue
		}
		key := fmt.Sprint(v.Ref, v.Seen, v.Now)
		t.mu.Lock()
		since, known := t.causes.at(head)[key]
		t.mu.Unlock()
		if !known && soon.Err() == nil {
			if since = t.Since(soon, *v); since != nil {
				since.Was, since.Is, since.First = "", "", 0
			}
			if asked++; soon.Err() == nil || asked == 1 && ctx.Err() == nil { // it had all of the time
				t.mu.Lock()
				t.causes.at(head)[key] = since
				t.mu.Unlock()
			}
		}
		out[i] = since
	}
	return out
}

// Soon returns a context that ends after t.Patience.
func (t *Tree) Soon(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(ctx, t.patience())
}

func (t *Tree) patience() time.Duration { return cmp.Or(t.Patience, marksPatience) }

// Mark returns what a reader must know of a place, "" for nothing: "auth.go#Sign drifted since 3f2a1c0: ...". since may be nil.
func (v *Verdict) Mark(since *Since) string {
	if v == nil || !v.Alarm() {
		return ""
	}
	place := record.Inline(v.Ref.String())
	switch {
	case v.State == Gone:
		return place + " is gone"
	case since == nil:
		return place + " changed"
	case since.Commit == "":
		return place + " changed, not committed"
	}
	return fmt.Sprintf("%s drifted since %.7s: %s", place, since.Commit, record.Brief(since.Subject))
}
