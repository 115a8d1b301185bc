package git

import (
	"context"
)

// Status is the kind of a file's change: one of git's letters.
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
	Ignored     Status = '!'
	Unchanged   Status = ' '
)

// Change is a file that differs between two states.
type Change struct {
	Status Status
	Path   string // in the newer state; of a deleted file in the older one
	From   string // its earlier path when Renamed or Copied
}

// Diff returns the files that differ between two commits, at and under the paths (all if none are given). It detects renames.
func (r *Repo) Diff(ctx context.Context, from, to string, paths ...string) ([]Change, error) {
	args := []string{"diff", "--name-status", "-z", "-M", "--no-ext-diff", "--no-textconv", "--no-relative", "--no-color"}
	for _, rev := range []string{from, to} {
		commit, err := r.Resolve(ctx, rev)
		if err != nil {
			return nil, err
		}
		args = append(args, commit)
	}
	out, err := r.Run(ctx, append(append(args, "--"), paths...)...)
	if err != nil {
		return nil, err
	}
	var changes []Change
	for f := fields(out); len(f) > 0; {
		c, rest, ok := parseChange(f)
		if !ok {
			return nil, unexpected("diff", f[0])
		}
		changes, f = append(changes, c), rest
	}
	return changes, nil
}

// parseChange reads one change from the fields of --name-status -z.
func parseChange(f []string) (c Change, rest []string, ok bool) {
	if len(f) < 2 || f[0] == "" {
		return c, f, false
	}
	c = Change{Status: Status(f[0][0]), Path: f[1]}
	if c.Status != Renamed && c.Status != Copied {
		return c, f[2:], true
	}
	if len(f) < 3 {
		return c, f, false
	}
	c.From, c.Path = f[1], f[2]
	return c, f[3:], true
}

// State is a file that differs from the last commit.
type State struct {
	Path   string
	Staged Status // in the index, against the last commit
	OnDisk Status // in the work tree, against the index
}

// Dirty returns the files at and under the paths (all if none are given) that differ from the last commit: staged, changed on
// disk, in conflict or untracked. It excludes ignored files.
func (r *Repo) Dirty(ctx context.Context, paths ...string) ([]State, error) {
	return r.status(ctx, paths, "--ignored=no")
}

// DirtyAndIgnored returns the ignored files and folders too, a folder with a slash at its end.
func (r *Repo) DirtyAndIgnored(ctx context.Context, paths ...string) ([]State, error) {
	return r.status(ctx, paths, "--ignored=matching")
}

func (r *Repo) status(ctx context.Context, paths []string, ignored string) ([]State, error) {
	out, err := r.Run(ctx, append([]string{"status", "--porcelain=v1", "-z", "--untracked-files=all", "--no-renames",
		ignored, "--"}, paths...)...)
	if err != nil {
		return nil, err
	}
	var states []State
	for _, f := range fields(out) {
		if len(f) < 4 || f[2] != ' ' {
			return nil, unexpected("status", f)
		}
		states = append(states, State{Path: f[3:], Staged: Status(f[0]), OnDisk: Status(f[1])})
	}
	return states, nil
}
