package git

import (
	"context"
	"strconv"
	"strings"

	"sdd/internal/fault"
)

// Entry is a file of a commit.
type Entry struct {
	Path string
	ID   string // of its bytes
	Link bool   // a symbolic link or a submodule
}

// Tree returns the files that the commit rev has at and under the paths (all when none are given), by path.
func (r *Repo) Tree(ctx context.Context, rev string, paths ...string) ([]Entry, error) {
	commit, err := r.Resolve(ctx, rev)
	if err != nil {
		return nil, err
	}
	out, err := r.Run(ctx, append([]string{"ls-tree", "-r", "-z", "--full-tree", commit, "--"}, paths...)...)
	if err != nil {
		return nil, err
	}
	var all []Entry
	err = listed("ls-tree", out, func(w []string, path string) {
		all = append(all, Entry{Path: path, ID: w[2], Link: !isFile(w[0])})
	})
	return all, err
}

func isFile(mode string) bool { return strings.HasPrefix(mode, "100") }

// Delta is a file that differs between two states, or in a merge from every parent. A renamed file is a removed and an added file.
type Delta struct {
	Path string
	Old  []string // ids of the bytes before, "" where there was no file; more than one in a merge
	New  string   // "" when there is no file, or when it is on disk only
	Gone bool     // the file was removed
}

var rawDiff = []string{"diff", "--raw", "-z", "--no-abbrev", "--no-renames", "--no-ext-diff", "--no-textconv",
	"--no-color", "--ignore-submodules=all"}

// WorkTree stands for the files on disk in a comparison.
const WorkTree = ""

// Deltas returns the files at the paths (all if none) that differ between from ("" is empty) and to; WorkTree has untracked files too.
func (r *Repo) Deltas(ctx context.Context, from, to string, paths ...string) (all []Delta, err error) {
	defer fault.Caught(&err)
	args := append(rawDiff, fault.Must(r.treeish(ctx, from)))
	if to != WorkTree {
		args = append(args, fault.Must(r.treeish(ctx, to)))
	}
	all, err = changed("diff", fault.Must(r.Run(ctx, append(append(args, "--"), paths...)...)), parseDelta)
	if err == nil && to == WorkTree {
		return r.withUntracked(ctx, all, paths)
	}
	return all, err
}

// treeish returns the commit that rev names, a full id as it is, and for "" the id of the empty tree, which every repository has.
func (r *Repo) treeish(ctx context.Context, rev string) (string, error) {
	if id := commitID(rev); id != "" {
		return id, nil
	}
	if rev != "" {
		return r.Resolve(ctx, rev)
	}
	out, err := run(ctx, r.Top, nil, []byte{}, []string{"hash-object", "-t", "tree", "--stdin"})
	return line(out), err
}

// withUntracked adds the untracked files. An untracked file that the older state has was not removed.
func (r *Repo) withUntracked(ctx context.Context, all []Delta, paths []string) ([]Delta, error) {
	out, err := r.Run(ctx, append([]string{"ls-files", "--others", "--exclude-standard", "-z", "--"}, paths...)...)
	if err != nil {
		return nil, err
	}
	at := make(map[string]int, len(all))
	for i, d := range all {
		at[d.Path] = i
	}
	for _, path := range fields(out) {
		if i, ok := at[path]; ok {
			all[i].New, all[i].Gone = "", false
		} else if !strings.HasSuffix(path, "/") { // a nested repository ends with a slash
			all = append(all, Delta{Path: path, Old: []string{""}})
		}
	}
	return all, nil
}

// parseDelta reads `:mode mode id id letter`, in a merge with more, then the path. Only regular files count: a link gives no Delta.
func parseDelta(f []string) (d []Delta, rest []string, ok bool) {
	head := strings.TrimLeft(f[0], "\n")
	about := strings.TrimLeft(head, ":")
	parents := len(head) - len(about)
	w := strings.Fields(about)
	if parents == 0 || len(w) != 2*(parents+1)+1 || len(f) < 2 {
		return nil, nil, false
	}
	modes, ids := w[:parents+1], w[parents+1:]
	delta := Delta{Path: f[1], Gone: !isFile(modes[parents])}
	was := false
	for i := range parents {
		id := ""
		if isFile(modes[i]) {
			id, was = ids[i], true
		}
		delta.Old = append(delta.Old, id)
	}
	if !delta.Gone && strings.Trim(ids[parents], "0") != "" {
		delta.New = ids[parents]
	}
	if was || !delta.Gone {
		d = []Delta{delta}
	}
	return d, f[2:], true
}

// Step is a commit with what it changed.
type Step struct {
	ID      string
	Parents []string
	Author  string // by the mailmap
	Date    string // RFC 3339, of the author
	Subject string
	Email   string  // of the author
	Made    int64   // by the committer, in seconds since 1970
	Deltas  []Delta // for a merge only the files that differ from every parent
}

// Steps returns the latest commits up to rev that changed files at the paths, at most limit (0 is all), the newest first, in one pass over
// the history. It leaves out branches of which a merge took nothing: see Drops.
func (r *Repo) Steps(ctx context.Context, rev string, limit int, paths ...string) ([]Step, error) {
	args := []string{"-c"}
	if limit > 0 {
		args = append(args, "--max-count="+strconv.Itoa(limit))
	}
	return r.steps(ctx, rev, args, paths)
}

// AllSteps is Steps with the branches of which a merge took nothing.
func (r *Repo) AllSteps(ctx context.Context, rev string, paths ...string) ([]Step, error) {
	return r.steps(ctx, rev, []string{"-c", "--full-history"}, paths)
}

// Drops returns the merges up to rev and after since ("" for all) with the files at and under the paths that a parent has and they lack.
// The newest comes first.
func (r *Repo) Drops(ctx context.Context, since, rev string, paths ...string) ([]Step, error) {
	args := []string{"--merges", "-m", "--full-history", "--diff-filter=D"}
	if since != "" {
		args = append(args, "--ancestry-path", "^"+since)
	}
	return r.steps(ctx, rev, args, paths)
}

func (r *Repo) steps(ctx context.Context, rev string, args, paths []string) (all []Step, err error) {
	commit, err := r.Resolve(ctx, rev)
	if err != nil {
		return nil, err
	}
	args = append(append(args, "--raw", "--no-abbrev", "--no-renames", commit, "--"), paths...)
	err = r.Log(ctx, []string{"%H", "%P", "%aN", "%aI", "%ae", "%ct", "%s"}, args, func(w []string) {
		made, _ := strconv.ParseInt(w[5], 10, 64)
		all = append(all, Step{ID: w[0], Parents: strings.Fields(w[1]), Author: w[2], Date: w[3], Email: w[4], Made: made, Subject: w[6]})
	}, func(f []string) ([]string, bool) {
		d, rest, ok := parseDelta(f)
		if ok {
			all[len(all)-1].Deltas = append(all[len(all)-1].Deltas, d...)
		}
		return rest, ok
	})
	return all, err
}

// Log runs git log, and calls commit with the values of format for each commit, then file with the fields of its changed files: it takes
// those of one and returns the others. It may be nil if args list none.
func (r *Repo) Log(ctx context.Context, format, args []string, commit func(values []string), file func(f []string) (rest []string, ok bool),
) error {
	args = append([]string{"log", "-z", "--no-color", "--no-ext-diff", "--no-textconv", "--no-notes", "--encoding=UTF-8",
		"--format=%x01" + strings.Join(format, "%x00")}, args...)
	out, err := r.Run(ctx, args...)
	if err != nil {
		return err
	}
	any := false
	for f := fields(out); len(f) > 0; {
		f[0] = strings.TrimLeft(f[0], "\n")
		head, starts := strings.CutPrefix(f[0], "\x01")
		ok := true
		switch {
		case starts && len(f) >= len(format):
			any, f[0] = true, head
			commit(f[:len(format)])
			f = f[len(format):]
		case f[0] == "":
			f = f[1:]
		case !any || starts || file == nil:
			ok = false
		default:
			f, ok = file(f)
		}
		if !ok {
			return unexpected("log", strings.Join(f, " "))
		}
	}
	return nil
}

// Shallow reports whether the clone lacks commits before its oldest commits.
func (r *Repo) Shallow(ctx context.Context) (bool, error) {
	out, err := r.Run(ctx, "rev-parse", "--is-shallow-repository")
	return line(out) == "true", err
}

// Status is the kind of a file's change: one of git's letters.
type Status byte

const (
	Added     Status = 'A'
	Modified  Status = 'M'
	Deleted   Status = 'D'
	Renamed   Status = 'R'
	Copied    Status = 'C'
	Unmerged  Status = 'U'
	Untracked Status = '?'
	Ignored   Status = '!'
)

// Change is a file that differs between two states.
type Change struct {
	Status Status
	Path   string // in the newer state; of a deleted file in the older one
	From   string // its earlier path when Renamed or Copied
}

// Diff returns the files that differ between two commits, at and under the paths (all if none are given). It detects renames.
func (r *Repo) Diff(ctx context.Context, from, to string, paths ...string) (_ []Change, err error) {
	defer fault.Caught(&err)
	args := []string{"diff", "--name-status", "-z", "-M", "--no-ext-diff", "--no-textconv", "--no-color"}
	for _, rev := range []string{from, to} {
		args = append(args, fault.Must(r.Resolve(ctx, rev)))
	}
	out := fault.Must(r.Run(ctx, append(append(args, "--"), paths...)...))
	return changed("diff", out, func(f []string) ([]Change, []string, bool) {
		c, rest, ok := parseChange(f)
		return []Change{c}, rest, ok
	})
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

// Dirty returns the files at and under the paths (all if none) that are staged, changed on disk, in conflict or untracked, not ignored.
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
