package git

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"path/filepath"
	"strings"
	"sync"

	"sdd/internal/fault"
)

// Repo is a work tree and its repository. Paths are relative to Top, have slashes, and are names of files, never patterns.
type Repo struct {
	Top    string // of the work tree
	Dir    string // the git folder of this work tree
	Common string // the git folder that all work trees share
}

// Open finds the work tree that contains dir. The fault is Unavailable if there is none.
func Open(dir string) (*Repo, error) {
	top, gitDir, commonDir, ok := Top(dir)
	if !ok {
		return nil, fault.New(fault.Unavailable, "%q is not in a git work tree", dir).With("run `git init` there first")
	}
	return &Repo{Top: top, Dir: gitDir, Common: commonDir}, nil
}

// onceKey is the key of the work trees that a context remembers, by folder.
type onceKey struct{}

// Once returns a context in which OpenIn looks for the work tree of a folder only once, also for one that is in none.
func Once(ctx context.Context) context.Context {
	return context.WithValue(ctx, onceKey{}, new(sync.Map))
}

// OpenIn is Open, but see Once.
func OpenIn(ctx context.Context, dir string) (*Repo, error) {
	type opened struct {
		repo *Repo
		err  error
	}
	known, _ := ctx.Value(onceKey{}).(*sync.Map)
	if known == nil {
		return Open(dir)
	}
	if was, ok := known.Load(dir); ok {
		return was.(opened).repo, was.(opened).err
	}
	repo, err := Open(dir)
	known.Store(dir, opened{repo, err})
	return repo, err
}

// Run runs git at the top of the work tree; see the function of that name.
func (r *Repo) Run(ctx context.Context, args ...string) ([]byte, error) {
	return Run(ctx, r.Top, args...)
}

// Head returns the id of the commit that is checked out, "" on a branch without commits.
func (r *Repo) Head(ctx context.Context) (string, error) {
	out, err := r.Run(ctx, "rev-parse", "--verify", "--quiet", "HEAD^{commit}")
	if exited(err, 1) {
		return "", nil
	}
	return line(out), err
}

// Resolve returns the id of the commit that rev names. The fault is NotFound if there is none.
func (r *Repo) Resolve(ctx context.Context, rev string) (string, error) {
	if err := checkRev(rev); err != nil {
		return "", err
	}
	out, err := r.Run(ctx, "rev-parse", "--verify", "--quiet", rev+"^{commit}")
	if exited(err, 1, 128) {
		return "", fault.New(fault.NotFound, "there is no commit %q", rev).
			With("name a commit, branch or tag; `git log --oneline` lists commits")
	}
	return line(out), err
}

// checkRev refuses a rev that git would read as an option or as several revisions.
func checkRev(rev string) error {
	if rev == "" || rev[0] == '-' || rev[0] == '^' || strings.ContainsAny(rev, "\x00\n") || strings.Contains(rev, "..") {
		return fault.New(fault.Invalid, "%q is not one revision", rev).With("name a commit, branch or tag")
	}
	return nil
}

// Show returns the bytes of the file at path in the commit that rev names, unfiltered. Without commit or file the fault is NotFound.
func (r *Repo) Show(ctx context.Context, rev, path string) ([]byte, error) {
	commit, err := r.Resolve(ctx, rev)
	if err != nil {
		return nil, err
	}
	return r.blob(ctx, commit+":"+path, fault.New(fault.NotFound, "there is no file %q in %s", path, rev).
		With("`git log --follow -- FILE` shows when it came and went"))
}

// ShowStaged returns the bytes of the file at path as staged. The fault is NotFound when there is none.
func (r *Repo) ShowStaged(ctx context.Context, path string) ([]byte, error) {
	return r.blob(ctx, ":0:"+path, fault.New(fault.NotFound, "no file %q is staged", path).With("stage it with `git add`"))
}

func (r *Repo) blob(ctx context.Context, name string, missing error) ([]byte, error) {
	out, err := r.Run(ctx, "cat-file", "blob", name)
	if exited(err, 128) {
		err = missing
	}
	return out, err
}

// MergeBase returns the first of the best common ancestors of a and b, "" if they have none.
func (r *Repo) MergeBase(ctx context.Context, a, b string) (string, error) {
	bases, err := r.MergeBases(ctx, a, b)
	return cmp.Or(bases...), err
}

// MergeBases returns the best common ancestors of a and b: several where their histories cross.
func (r *Repo) MergeBases(ctx context.Context, a, b string) ([]string, error) {
	args := []string{"merge-base", "--all"}
	for _, rev := range []string{a, b} {
		if err := checkRev(rev); err != nil {
			return nil, err
		}
		id, err := r.treeish(ctx, rev)
		if err != nil {
			return nil, err
		}
		args = append(args, id)
	}
	out, err := r.Run(ctx, args...)
	switch {
	case exited(err, 1):
		err = nil
	case exited(err, 128):
		err = fault.New(fault.NotFound, "there is no commit %q or no commit %q", a, b).
			With("if the clone is shallow, git fetch --unshallow gets the rest")
	}
	return strings.Fields(string(out)), err
}

// Config returns the last value of a setting, with all files and includes that git reads. ok is false when it is not set.
func (r *Repo) Config(ctx context.Context, key string) (value string, ok bool, err error) {
	out, err := r.Run(ctx, "config", "--null", "--get", key)
	var e *Error
	if errors.As(err, &e) && e.Exit == 1 && e.Stderr == "" {
		return "", false, nil
	}
	return strings.TrimSuffix(string(out), "\x00"), err == nil, err
}

// SetConfig sets a setting of this repository, in place of all values that it has there.
func (r *Repo) SetConfig(ctx context.Context, key, value string) error {
	_, err := r.Run(ctx, "config", "--local", "--replace-all", key, value)
	return err
}

// UnsetConfig removes a setting of this repository; one that is not set there is left alone.
func (r *Repo) UnsetConfig(ctx context.Context, key string) error {
	_, err := r.Run(ctx, "config", "--local", "--unset-all", key)
	if exited(err, 5) {
		return nil
	}
	return err
}

// HooksPath returns the folder of the hooks that git runs, whether it exists or not.
func (r *Repo) HooksPath(ctx context.Context) (string, error) {
	out, err := r.Run(ctx, "rev-parse", "--git-path", "hooks")
	if err != nil {
		return "", err
	}
	return within(r.Top, filepath.FromSlash(line(out))), nil
}

// Worktree is one of the work trees of a repository.
type Worktree struct {
	Path   string
	Head   string // commit, "" when there is none
	Branch string // full name, "" when the head is detached
	Bare   bool
}

// Worktrees returns all work trees of the repository, the main one first.
func (r *Repo) Worktrees(ctx context.Context) ([]Worktree, error) {
	out, err := r.Run(ctx, "worktree", "list", "--porcelain", "-z")
	if exited(err, 129) { // git before 2.36
		out, err = r.Run(ctx, "worktree", "list", "--porcelain")
		out = bytes.ReplaceAll(out, []byte("\n"), []byte{0})
	}
	if err != nil {
		return nil, err
	}
	var all []Worktree
	for line := range strings.SplitSeq(string(out), "\x00") {
		key, value, _ := strings.Cut(line, " ")
		if key == "worktree" {
			all = append(all, Worktree{Path: filepath.FromSlash(value)})
		}
		if len(all) == 0 {
			continue
		}
		w := &all[len(all)-1]
		switch key {
		case "HEAD":
			if strings.Trim(value, "0") != "" {
				w.Head = value
			}
		case "branch":
			w.Branch = value
		case "bare":
			w.Bare = true
		}
	}
	return all, nil
}

// listed calls file for each line of the output of a command that lists files as "about TAB path".
func listed(command string, out []byte, file func(about []string, path string)) error {
	for _, f := range fields(out) {
		about, path, _ := strings.Cut(f, "\t")
		w := strings.Fields(about)
		if len(w) != 3 {
			return unexpected(command, f)
		}
		file(w, path)
	}
	return nil
}

// changed reads the changes of NUL-separated output; parse reads the first of the fields.
func changed[T any](command string, out []byte, parse func(f []string) (c []T, rest []string, ok bool)) (all []T, err error) {
	for f := fields(out); len(f) > 0; {
		c, rest, ok := parse(f)
		if !ok {
			return nil, unexpected(command, f[0])
		}
		all, f = append(all, c...), rest
	}
	return all, nil
}

// fields splits NUL-terminated output.
func fields(out []byte) []string {
	if len(out) == 0 {
		return nil
	}
	return strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00")
}

// line returns output of one line without its end.
func line(out []byte) string { return strings.TrimSuffix(string(out), "\n") }

// Branch is a local branch, or a remote's branch as this clone last fetched it.
type Branch struct {
	Ref    string // full name
	Commit string
	Date   string // RFC 3339, of the committer
}

// Name is the branch as git shows it: feature, origin/feature.
func (b Branch) Name() string {
	return strings.TrimPrefix(strings.TrimPrefix(b.Ref, "refs/heads/"), "refs/remotes/")
}

// Short is the branch without its remote.
func (b Branch) Short() string {
	name := strings.TrimPrefix(b.Ref, "refs/heads/")
	if remote, ok := strings.CutPrefix(b.Ref, "refs/remotes/"); ok {
		_, name, _ = strings.Cut(remote, "/")
	}
	return name
}

// Branches returns the branches of this clone and its remotes with commits that base lacks, without those in head or around it.
func (r *Repo) Branches(ctx context.Context, base, head string) ([]Branch, error) {
	out, err := r.Run(ctx, "for-each-ref", "--sort=-committerdate", "--no-merged="+base, "--no-merged="+head, "--no-contains="+head,
		"--format=%(objectname)%00%(refname)%00%(committerdate:iso-strict)%00%(symref)", "refs/heads", "refs/remotes")
	if err != nil {
		return nil, err
	}
	var all []Branch
	for l := range strings.Lines(string(out)) {
		f := strings.Split(strings.TrimSuffix(l, "\n"), "\x00")
		if len(f) != 4 {
			return nil, unexpected("for-each-ref", l)
		}
		if f[3] == "" {
			all = append(all, Branch{Commit: f[0], Ref: f[1], Date: f[2]})
		}
	}
	return all, nil
}

// CurrentBranch returns the full name of the branch that is checked out, "" when the head is detached.
func (r *Repo) CurrentBranch(ctx context.Context) (string, error) {
	out, err := r.Run(ctx, "symbolic-ref", "--quiet", "HEAD")
	if exited(err, 1) {
		return "", nil
	}
	return line(out), err
}

// Holding returns the text files of a commit, at and under the paths (all if none are given), that contain one of the texts.
func (r *Repo) Holding(ctx context.Context, rev string, texts []string, paths ...string) ([]string, error) {
	commit, err := r.Resolve(ctx, rev)
	if err != nil || len(texts) == 0 {
		return nil, err
	}
	var patterns bytes.Buffer
	for _, t := range texts {
		if t != "" && !strings.ContainsAny(t, "\n\x00") {
			patterns.WriteString(t + "\n")
		}
	}
	args := []string{"grep", "-l", "-z", "-F", "-I", "--full-name", "--no-recurse-submodules", "--no-color", "-f", "-", commit, "--"}
	out, err := run(ctx, r.Top, nil, patterns.Bytes(), append(args, paths...))
	if exited(err, 1) {
		return nil, nil
	}
	files := fields(out)
	for i, f := range files {
		files[i] = strings.TrimPrefix(f, commit+":")
	}
	return files, err
}
