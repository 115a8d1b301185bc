// Package extract finds in the history of a repository the changes that matter to users of the program.
//
// People describe them in the subject of a commit, the title of a pull request, a line of the changelog or a release note. Those words
// become the candidate (message.go), one for each unit of work. Options, environment variables and routes come from the changed lines
// (structure.go); only these can be verified in the tree, and only a verified one is sure. The contents are one plain line without
// secrets. They quote other people's commits, so callers must show them as data.
package extract

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"sdd/internal/fault"
	"sdd/internal/git"
	"sdd/internal/pattern"
)

// Kinds of candidates.
const (
	Fact     = "fact"
	Decision = "decision"
)

// Sure is the confidence from which a candidate needs no review: the checked-out tree confirms it.
const Sure = 0.9

// Candidate is a change in commits that is worth storing.
type Candidate struct {
	Kind       string     // fact or decision
	Content    string     // one line
	Domain     string     // the part of the project, "" for the whole
	Confidence float64    // 0.5 to 1; from Sure on it needs no review
	Signal     string     // feature, fix, breaking, deprecation, change, decision, option, env or route
	Key        string     // its subject; "" for words alone
	CodeRef    string     // path#L10 in the checked-out tree, if found there
	Date       string     // of the commit, RFC 3339
	Evidence   []Evidence // at least one; the first has the commit

	Reasons, Alternatives []string // of a decision
}

// Evidence is the place where a candidate was found.
type Evidence struct{ Commit, Path, Lines, Text string }

const mostCommits = 20_000 // the newest, which are read

// From extracts from the commits that revs name, in the syntax of git log, the newest first. It leaves out what the checked-out commit
// no longer has: reverted changes, sentences that a later commit replaces, removed options. It calls read, unless nil, with the number of
// commits read, before it reads their changed lines.
func From(ctx context.Context, repo *git.Repo, read func(commits int), revs ...string) (list []Candidate, err error) {
	defer fault.Caught(&err)
	all := fault.Must(repo.Revisions(ctx, mostCommits, revs...))
	if read != nil {
		read(len(all))
	}
	work := Units(all)
	found, logs, err := readLines(ctx, repo, work)
	fault.Check(err)
	var reverted []string
	given := map[string]bool{}
	for _, u := range work {
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
			// Of two results that differ only in a version the newer sentence counts.
			about := cmp.Or(c.Key, version().ReplaceAllString(strings.ToLower(c.Content), "#"))
			if given[about] || !clean(&c) || found.untrue(&c) {
				continue
			}
			given[about] = true
			list = append(list, c)
		}
	}
	return list, ctx.Err()
}

var version = pattern.Late(`\bv?\d+(?:\.\d+)+\S*|\b\d+$`)

// Told returns the candidates in the words of a unit. It reads neither the changed lines nor the tree.
func Told(u git.Revision) []Candidate { return parse(u).candidates(u, nil) }

// Uncommitted extracts from the uncommitted changes, or only from the staged ones. None of the candidates is sure.
func Uncommitted(ctx context.Context, repo *git.Repo, staged bool) (list []Candidate, err error) {
	lines, err := repo.UncommittedLines(ctx, declares, staged)
	if err != nil {
		return nil, err
	}
	f := newFound()
	f.add(lines)
	for _, c := range f.of(unit{}) {
		if clean(&c) {
			list = append(list, c)
		}
	}
	return list, nil
}

// unit is one piece of work on the main line: a commit, or the merge of a pull request with its commits.
type unit = git.Revision

// pullRequest matches the subject of a merge that has the title of a pull request in its body.
var pullRequest = pattern.Late(`^(?:Merge pull request [#!]?\d+|Merged in .+ \(pull request #\d+\)|Auto merge of #\d+` +
	`|Merge branch '.+' into '?.+)`)

// titled returns the title and body of a pull request from the message of its merge. ok is false for any other merge.
func titled(message string) (title, body string, ok bool) {
	subject, rest, _ := strings.Cut(strings.TrimSpace(message), "\n")
	if !pullRequest().MatchString(subject) || strings.HasPrefix(subject, "Merge branch") && !strings.Contains(rest, "See merge request") {
		return "", "", false
	}
	title, body, _ = strings.Cut(strings.TrimSpace(rest), "\n")
	title = strings.TrimSpace(title)
	return title, body, title != "" && !strings.HasPrefix(title, "See merge request")
}

// Units returns the units of a history, the newest first. The merge of a pull request replaces its commits; any other
// merge is left out, and its commits count.
func Units(all []git.Revision) (list []unit) {
	at := make(map[string]int, len(all))
	for i, c := range all {
		at[c.ID] = i
	}
	seen, counts := make([]bool, len(all)), make([]bool, len(all))
	// follow walks a main line from its end, then the lines merged into it, from the first merge on. The commits of a
	// pull request are visited, and do not count.
	var follow func(id string, brought bool)
	follow = func(id string, brought bool) {
		var line []int
		for i, ok := at[id]; ok && !seen[i]; i, ok = at[all[i].Parents[0]] {
			seen[i] = true
			line = append(line, i)
			if len(all[i].Parents) == 0 {
				break
			}
		}
		for _, i := range slices.Backward(line) {
			c := &all[i]
			_, _, pr := titled(c.Message)
			counts[i] = !brought && (pr || len(c.Parents) < 2)
			for _, p := range c.Parents[min(1, len(c.Parents)):] {
				follow(p, brought || pr)
			}
		}
	}
	for i := range all {
		follow(all[i].ID, false)
	}
	for i := range all {
		if counts[i] {
			list = append(list, all[i])
		}
	}
	return list
}
