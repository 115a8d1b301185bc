// Package extract finds out what commits change that a reader would keep: facts about dependencies, toolchains,
// configuration, routes, schemas, public symbols, modules, build and CI, and the decisions that messages and decision
// records tell.
//
// It does not read diffs. Each file that says something is read as it was before and as it is after, by a reader of its
// format (readers.go), into items: a thing, a key that tells what it is about, and a value. What differs between the items
// is what changed (change.go), so that white space, order and moves within and between files give nothing. The changes
// of several commits are folded by their keys: what was added, upgraded and taken out again gives nothing, what a
// revert takes back neither. Only then sentences are made (say.go).
//
// It reads the repository and nothing else, and writes nothing. What commits say was written by others: contents are
// one plain line, of bounded length, without control characters and secrets, and still data for whoever shows them.
package extract

import (
	"context"
	"strings"

	"sdd/internal/fault"
	"sdd/internal/git"
)

// Sure is the confidence from which a candidate needs no second look.
const Sure = 0.85

// Kinds of candidates.
const (
	Fact     = "fact"
	Decision = "decision"
)

// Candidate is something that commits say and a reader would keep.
type Candidate struct {
	Kind       string     `json:"kind"`    // fact or decision
	Content    string     `json:"content"` // one line
	Level      int        `json:"level"`   // as of facts: 0 project, 1 domain, 2 module
	Domain     string     `json:"domain,omitempty"`
	Module     string     `json:"module,omitempty"` // folder, of level 2 always
	Confidence float64    `json:"confidence"`       // 0.5 to 1; from Sure on it needs no second look
	Signal     string     `json:"signal"`           // what told it: dependency, route, …
	Key        string     `json:"key"`              // what it is about; a later candidate of the same key says what is true now
	Evidence   []Evidence `json:"evidence"`         // at least one, the latest last

	// Of decisions.
	Reasons      []string `json:"reasons,omitempty"`
	Alternatives []string `json:"alternatives,omitempty"`
	Consequences []string `json:"consequences,omitempty"`
	Constraints  []string `json:"constraints,omitempty"`
	Assumptions  []string `json:"assumptions,omitempty"`
	Status       string   `json:"status,omitempty"` // accepted, proposed, superseded, rejected or deprecated
}

// Evidence is where a candidate comes from.
type Evidence struct {
	Commit string `json:"commit,omitempty"` // "" of what is not committed yet
	Path   string `json:"path,omitempty"`   // "" of a message; quoted as in Go where it is not plain text
	Lines  string `json:"lines,omitempty"`  // L10, of the version that the commit made, else of the one before
	Text   string `json:"text,omitempty"`   // one line, what stands there in the words of a reader of the format
}

// Skipped is what gave nothing, and why.
type Skipped struct {
	Commit string `json:"commit,omitempty"`
	Path   string `json:"path,omitempty"` // "" of a whole commit
	Why    string `json:"why"`
}

// Result is what a range of commits says.
type Result struct {
	Candidates []Candidate `json:"candidates"`
	Skipped    []Skipped   `json:"skipped"`   // at most maxSkipped
	Commits    int         `json:"commits"`   // that were looked at
	Truncated  bool        `json:"truncated"` // there were more commits, files or candidates than the limits: Skipped says which
}

// Options limit an extraction. The zero value is meant for use.
type Options struct {
	Commits int      // 2,000 if 0; of more the newest are looked at
	Domains []string // of the project; without any they are told from paths
}

// Ends of what is not committed.
const (
	Staged   = "--staged"
	WorkTree = "--worktree"
)

// From extracts from what: a range A..B, one commit, Staged, or WorkTree, which is everything that is not committed,
// untracked files included. An empty end of a range is HEAD. The same commits give the same result. A range without
// commits, and nothing staged, give an empty result; the error is a fault: NotFound for a commit that is not there, Invalid
// for what is no range.
func From(ctx context.Context, repo *git.Repo, what string, o Options) (Result, error) {
	if o.Commits <= 0 {
		o.Commits = 2000
	}
	a := newAnalysis(o.Domains)
	s := &source{ctx: ctx, repo: repo, analysis: a}
	var err error
	switch from, to, isRange := strings.Cut(what, ".."); {
	case what == Staged:
		err = s.staged()
	case what == WorkTree:
		err = s.workTree()
	case strings.Contains(what, "..."):
		return Result{}, fault.New(fault.Invalid, "%q is no range", what).For("range").With("name it A..B, one commit, --staged or --worktree")
	case isRange:
		err = s.commits(or(from, "HEAD"), or(to, "HEAD"), o.Commits)
	default:
		err = s.commits("", what, 1)
		a.more = false // one was asked for
	}
	if err == nil {
		err = ctx.Err()
	}
	if err != nil {
		return Result{}, err
	}
	return a.result(), nil
}

func or(a, b string) string {
	if a == "" {
		return b
	}
	return a
}
