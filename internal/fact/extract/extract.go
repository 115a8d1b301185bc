// Package extract finds in the history of a repository what a commit changes for those who use the program.
//
// People write it down: in the subject of a commit, the title of a pull request, a line of the changelog, a release note.
// Those words are the candidate (message.go), one for each unit of work (units.go). What people often do not write is
// read from the changed lines (structure.go): options, environment variables, routes. Only the latter can be looked up in the
// tree, and only what was found there is sure.
//
// It reads the repository and nothing else, and writes nothing. Commits were written by others: contents are one plain
// line, of bounded length, without control characters and secrets, and still data for those who show them.
package extract

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"sdd/internal/git"
	"sdd/internal/pattern"
)

// Kinds of candidates.
const (
	Fact     = "fact"
	Decision = "decision"
)

// Sure is the confidence from which a candidate needs no second look: the tree that is checked out shows it.
const Sure = 0.9

// Candidate is something from commits that a reader would keep.
type Candidate struct {
	Kind       string     // fact or decision
	Content    string     // one line
	Domain     string     // the part of the project that it is about, "" for the whole
	Confidence float64    // 0.5 to 1; from Sure on it needs no second look
	Signal     string     // feature, fix, breaking, deprecation, change, decision, option, env or route
	Key        string     // what it is about; "" for words alone
	CodeRef    string     // path#L10 in the tree that is checked out, of what was found there
	Date       string     // of the commit, RFC 3339
	Evidence   []Evidence // at least one; the first has the commit

	Reasons, Alternatives []string // of a decision
}

// Evidence is where a candidate comes from.
type Evidence struct{ Commit, Path, Lines, Text string }

// Result is what a range of commits contains, the newest first.
type Result struct {
	Candidates []Candidate
	Commits    int  // that were looked at
	Truncated  bool // there were more commits than the limit
}

// Options limit an extraction. The zero value is meant for use.
type Options struct {
	Commits int               // the newest that are looked at; 20,000 if 0
	Read    func(commits int) // hears how many commits were read, before their changed lines are looked at
}

// From extracts from the commits that revs name, as git's log takes them. What is not true any more at the commit that is
// checked out is left out: what was reverted, what a later commit replaces, an option that is gone.
func From(ctx context.Context, repo *git.Repo, o Options, revs ...string) (Result, error) {
	all, more, err := repo.Revisions(ctx, cmp.Or(o.Commits, 20_000), revs...)
	if err != nil {
		return Result{}, err
	}
	if o.Read != nil {
		o.Read(len(all))
	}
	list := units(all)
	found, logs, err := readLines(ctx, repo, list)
	if err != nil {
		return Result{}, err
	}
	r := Result{Commits: len(all), Truncated: more}
	var reverted []string
	given := map[string]bool{}
	for _, u := range list {
		m := parse(u)
		if m.reverts != "" {
			reverted = append(reverted, m.reverts)
			continue
		}
		if slices.ContainsFunc(reverted, func(r string) bool { return strings.HasPrefix(u.ID, r) || r == m.subject }) {
			continue
		}
		for _, c := range append(m.candidates(u, logs[u.ID]), found.of(u)...) {
			found.vouch(&c)
			about := cmp.Or(c.Key, sameThing(c.Content))
			if given[about] || !clean(&c) || found.untrue(&c) {
				continue
			}
			given[about] = true
			r.Candidates = append(r.Candidates, c)
		}
	}
	return r, ctx.Err()
}

// sameThing is what two sentences have in common of which the newer one replaces the older: all but the versions.
func sameThing(content string) string {
	return version().ReplaceAllString(strings.ToLower(content), "#")
}

var version = pattern.Late(`\bv?\d+(?:\.\d+)+\S*|\b\d+$`)

// Told returns the candidates in the words of a unit, without its changed lines and without a look at the tree.
func Told(u git.Revision) []Candidate { return parse(u).candidates(u, nil) }

// Uncommitted extracts from what is not committed, or only from what is staged. Nothing of it is sure.
func Uncommitted(ctx context.Context, repo *git.Repo, staged bool) (Result, error) {
	lines, err := repo.UncommittedLines(ctx, declares, staged)
	if err != nil {
		return Result{}, err
	}
	f, r := newFound(), Result{}
	f.add(lines)
	for _, c := range f.of(unit{}) {
		if clean(&c) {
			r.Candidates = append(r.Candidates, c)
		}
	}
	return r, nil
}
