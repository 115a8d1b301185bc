package git

import (
	"context"
	"strconv"
	"strings"

	"sdd/internal/fault"
)

// Status says what became of a file: one of git's letters.
type Status byte

const (
	Added       Status = 'A'
	Modified    Status = 'M'
	Deleted     Status = 'D'
	Renamed     Status = 'R'
	Copied      Status = 'C'
	TypeChanged Status = 'T'
	Unmerged    Status = 'U'
	Untracked   Status = '?'
	Unchanged   Status = ' '
)

// Change is a file that differs between two states.
type Change struct {
	Status Status
	Path   string // in the newer state; of a deleted file in the older one
	From   string // its earlier path when Renamed or Copied
}

// Ends of a comparison besides commits.
const (
	WorkTree = ""  // the files on disk
	Index    = ":" // what is staged
)

// Diff returns the files that differ between the commit from and to (a commit, WorkTree or Index), at and under the paths
// (all when none are given), with renames found. Untracked files are not among them.
func (r *Repo) Diff(ctx context.Context, from, to string, paths ...string) ([]Change, error) {
	args := []string{"diff", "--name-status", "-z", "-M", "--no-ext-diff", "--no-textconv", "--no-relative", "--no-color"}
	base, err := r.Resolve(ctx, from)
	if err != nil {
		return nil, err
	}
	switch to {
	case WorkTree:
		args = append(args, base)
	case Index:
		args = append(args, "--cached", base)
	default:
		head, err := r.Resolve(ctx, to)
		if err != nil {
			return nil, err
		}
		args = append(args, base, head)
	}
	out, err := r.Run(ctx, append(append(args, "--"), paths...)...)
	if err != nil {
		return nil, err
	}
	changes, rest := parseChanges(fields(out))
	if len(rest) > 0 {
		return nil, fault.New(fault.Internal, "git diff said %q", rest[0])
	}
	return changes, nil
}

// parseChanges reads the fields of --name-status -z from their start on and returns those that are none.
func parseChanges(f []string) (changes []Change, rest []string) {
	for len(f) > 1 && f[0] != "" {
		c := Change{Status: Status(f[0][0]), Path: f[1]}
		n := 2
		if c.Status == Renamed || c.Status == Copied {
			if len(f) < 3 {
				break
			}
			c.From, c.Path, n = f[1], f[2], 3
		}
		changes, f = append(changes, c), f[n:]
	}
	return changes, f
}

// State is a file that is not as it was committed.
type State struct {
	Path   string
	Staged Status // what the index says of it
	OnDisk Status // what the work tree says of it, against the index
}

// Dirty returns the files at and under the paths (all when none are given) that are not as committed: staged, changed on disk,
// in conflict or untracked. Ignored files are not among them.
func (r *Repo) Dirty(ctx context.Context, paths ...string) ([]State, error) {
	out, err := r.Run(ctx, append([]string{"status", "--porcelain=v1", "-z", "--untracked-files=all", "--no-renames", "--"}, paths...)...)
	if err != nil {
		return nil, err
	}
	var states []State
	for _, f := range fields(out) {
		if len(f) < 4 || f[2] != ' ' {
			return nil, fault.New(fault.Internal, "git status said %q", f)
		}
		states = append(states, State{Path: f[3:], Staged: Status(f[0]), OnDisk: Status(f[1])})
	}
	return states, nil
}

// Commit is one commit of the log of a file.
type Commit struct {
	ID      string
	Author  string // by the mailmap
	Date    string // RFC 3339, of the author
	Subject string
	Change  // what it did to the file; zero for a merge
}

// Log returns the commits that changed the file at path, the newest first, through renames. limit 0 means all of
// them. A path that was never committed has none.
func (r *Repo) Log(ctx context.Context, rev, path string, limit int) ([]Commit, error) {
	commit, err := r.Resolve(ctx, rev)
	if err != nil {
		return nil, err
	}
	args := []string{"-c", "log.showSignature=false", "log", "-z", "--follow", "-M", "--name-status", "--no-color",
		"--no-ext-diff", "--no-textconv", "--encoding=UTF-8", "--format=" + strings.Join([]string{"%H", "%aN", "%aI", "%s"}, "%x1f")}
	if limit > 0 {
		args = append(args, "--max-count="+strconv.Itoa(limit))
	}
	out, err := r.Run(ctx, append(args, commit, "--", path)...)
	if err != nil {
		return nil, err
	}
	var all []Commit
	for f := fields(out); len(f) > 0; {
		head := strings.SplitN(f[0], "\x1f", 4)
		if len(head) < 4 {
			return nil, fault.New(fault.Internal, "git log said %q", f[0])
		}
		c := Commit{ID: head[0], Author: head[1], Date: head[2], Subject: head[3]}
		f = f[1:]
		if len(f) > 1 && strings.HasPrefix(f[0], "\n") { // its changes follow: one, as there is one path
			n := 2
			if s := Status(f[0][1]); s == Renamed || s == Copied {
				n = 3
			}
			n = min(n, len(f))
			changes, _ := parseChanges(append([]string{f[0][1:]}, f[1:n]...))
			if len(changes) == 1 {
				c.Change = changes[0]
			}
			f = f[n:]
		}
		all = append(all, c)
	}
	return all, nil
}
