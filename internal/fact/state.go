package fact

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"sdd/internal/fact/extract"
	"sdd/internal/git"
	"sdd/internal/record"
)

// The state of a fact is its present status. It is the status in its file, except that an active fact is stale when
//
//   - valid_until has passed or valid_from has not come,
//   - its days are over (days), counted from refreshed, else created, else valid_from; not what discovery found, which looks itself, nor a
//     fact with the fingerprint of a place in code, which is compared with it, or
//   - a file that refresh_on matches is not as it was when the fact was refreshed (changed.go).
//
// A declaration in the code (an option, a route) that the tree no longer has makes its fact superseded, and of several
// facts about one declaration the newest counts.
//
// If a clock jumped and a fact's times are in the future, the fact is as fresh as one of now.

// judge sets State and Why as of now, in seconds since 1970; touched reports whether its files have changed.
func (f *Fact) judge(now int64, touched bool) {
	f.State, f.Why = f.Status, ""
	if f.Status != active {
		return
	}
	switch {
	case f.expires > 0 && now >= f.expires:
		f.State = stale
		if f.until > 0 && now >= f.until {
			f.Why = "it was valid until " + f.ValidUntil
		} else {
			f.Why = fmt.Sprintf("its %s were over on %s", plural(f.days(), "day"), time.Unix(f.expires, 0).UTC().Format(time.DateOnly))
		}
	case f.from > now && f.from > f.created:
		f.State, f.Why = stale, "it is valid from "+f.ValidFrom+" only"
	case touched:
		f.State, f.Why = stale, "files that "+record.OneLine(f.TTL.RefreshOn)+" matches have changed since it was refreshed"
	}
}

// judgeNow sets State and Why as of now.
func (f *Facts) judgeNow(ctx context.Context, one *Fact) {
	touched, _ := f.touched(ctx, []*Fact{one})
	one.judge(f.now().Unix(), touched[one.path])
}

// declared reports whether the fact is active and about a declaration in the code.
func (f *Fact) declared() bool { return f.Status == active && f.shownByTree() }

// judgeDeclared sets State of a fact about a declaration: missing are keys that the tree lacks, newest the fact in force by parent.
func (f *Fact) judgeDeclared(missing map[string]bool, newest map[string]*Fact) {
	if !f.shownByTree() || f.State != active {
		return
	}
	if key := strings.TrimPrefix(f.Parent, record.FromCommit); missing[key] {
		f.State, f.Why = superseded, "the code does not have it any more"
	} else if now := newest[f.Parent]; now != nil && now.ID != f.ID {
		f.State, f.Why, f.SupersededBy = superseded, "a newer one says it", now.ID
	}
}

// declared caches which declarations of facts one commit lacks.
type declared struct {
	at      string // commit and keys
	missing map[string]bool
}

// undeclared returns the keys of facts that the checked-out commit lacks, none if git fails; same: they equal those of the last call.
// The caller holds the cache's state.
func (f *Facts) undeclared(ctx context.Context, list []*Fact) (keys map[string]bool, same bool) {
	files, at := map[string]string{}, ""
	for _, one := range list {
		if one.declared() {
			key := strings.TrimPrefix(one.Parent, record.FromCommit)
			files[key] = one.CodeRef.File()
			at += " " + key
		}
	}
	if len(files) > 0 {
		at = git.CheckedOutCommit(ctx, f.st.Home()) + at
	}
	if at == f.head.at {
		return f.head.missing, true
	}
	f.head = declared{at: at}
	if repo, err := git.Open(f.st.Home()); err == nil && len(files) > 0 {
		f.head.missing, _ = extract.Missing(ctx, repo, files)
	}
	return f.head.missing, false
}

// turns returns the next moment at which the state changes by itself, 0 for never.
func (f *Fact) turns(now int64) int64 {
	if f.Status != active {
		return 0
	}
	next := slices.DeleteFunc([]int64{f.expires, f.from}, func(t int64) bool { return t <= now })
	slices.Sort(next)
	return append(next, 0)[0]
}

func plural(n float64, word string) string {
	if n != 1 {
		word += "s"
	}
	return strconv.FormatFloat(n, 'f', -1, 64) + " " + word
}

// Issue is a defect of a fact's file that its schema does not find.
type Issue struct {
	Key     string // of the front matter
	Expired bool   // its time is over; otherwise the value is invalid
	Message string
	Fix     string
}

// Check returns the defects of a fact's file as of now. A fact that is stale only by the default of its level has none: its file does
// not ask for a refresh.
func Check(path string, doc *record.Doc, now time.Time) []Issue {
	f := read(path, doc)
	var out []Issue
	if text := f.refreshOn(); text != "" {
		if _, err := compileGlob(text); err != nil {
			out = append(out, Issue{Key: "ttl", Message: fmt.Sprintf("refresh_on %q is no pattern of paths", text),
				Fix: "give paths from the project's folder, such as api/** or go.mod"})
		}
	}
	if f.Status != active {
		return out
	}
	switch {
	case f.until > 0 && f.until <= now.Unix():
		out = append(out, Issue{"valid_until", true, "the fact was valid until " + f.ValidUntil, "refresh it, or archive it"})
	case f.TTL != nil && f.TTL.Days > 0 && f.expires > 0 && f.expires <= now.Unix():
		f.judge(now.Unix(), false)
		out = append(out, Issue{"ttl", true, "the fact is stale: " + f.Why, "refresh it; sdd fact gc --write does what on_expire says"})
	}
	return out
}
