package git

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// MergeLabels are the labels of conflict markers and their length. The zero value means ours, base, theirs and 7.
type MergeLabels struct {
	Ours, Base, Theirs string
	MarkerSize         int
}

// Styles of conflict markers: values of merge.conflictStyle.
const (
	PlainStyle = "merge"
	Diff3Style = "diff3" // with the base
)

// MergeFile merges three versions by lines, as git does without a driver. ok is false if out has conflict markers. Binary data is an error.
func MergeFile(ctx context.Context, base, ours, theirs []byte, l MergeLabels, style string) (out []byte, ok bool, err error) {
	dir, err := os.MkdirTemp("", "sdd-merge-")
	if err != nil {
		return nil, false, err
	}
	defer os.RemoveAll(dir)
	for name, src := range map[string][]byte{"base": base, "ours": ours, "theirs": theirs} {
		if err := os.WriteFile(filepath.Join(dir, name), src, 0o600); err != nil {
			return nil, false, err
		}
	}
	size := strconv.Itoa(cmp.Or(max(0, l.MarkerSize), 7))
	args := []string{"-c", "merge.conflictStyle=" + style, "merge-file", "-q", "--marker-size=" + size}
	if style == Diff3Style {
		args = append(args, "--diff3") // dir is outside a repository, so settings do not apply
	}
	_, err = Run(ctx, dir, append(args, "-L", cmp.Or(l.Ours, "ours"), "-L", cmp.Or(l.Base, "base"), "-L", cmp.Or(l.Theirs, "theirs"),
		"ours", "base", "theirs")...)
	var e *Error
	if err != nil && (!errors.As(err, &e) || e.Exit > 127) {
		return nil, false, err
	}
	out, readErr := os.ReadFile(filepath.Join(dir, "ours"))
	return out, err == nil, readErr
}

// Conflicted is a file in conflict: the index has up to three versions of it.
type Conflicted struct {
	Path               string
	Base, Ours, Theirs string // ids, "" where that version has no such file
	Link               bool   // a version is no regular file
}

// Conflicts returns the files in conflict at and under the paths (all when none are given), by path.
func (r *Repo) Conflicts(ctx context.Context, paths ...string) ([]Conflicted, error) {
	out, err := r.Run(ctx, append([]string{"ls-files", "--unmerged", "-z", "--full-name", "--"}, paths...)...)
	if err != nil {
		return nil, err
	}
	var all []Conflicted
	err = listed("ls-files", out, func(w []string, path string) {
		if len(all) == 0 || all[len(all)-1].Path != path {
			all = append(all, Conflicted{Path: path})
		}
		u := &all[len(all)-1]
		u.Link = u.Link || !isFile(w[0])
		switch w[2] {
		case "1":
			u.Base = w[1]
		case "2":
			u.Ours = w[1]
		case "3":
			u.Theirs = w[1]
		}
	})
	return all, err
}

// InIndex reports whether the index has a file, relative to dir. Most forms of the index have the bytes of each path, so git seldom runs.
// Without its answer it has not.
func InIndex(ctx context.Context, dir, path string) bool {
	_, gitDir, _, ok := Top(dir)
	if !ok {
		return false
	}
	index, err := os.ReadFile(filepath.Join(gitDir, "index"))
	may := func(part string) bool { return bytes.Contains(index, []byte(part)) } // link: a split index, sdir: a sparse one
	if errors.Is(err, fs.ErrNotExist) || len(index) > 8 && index[7] < 4 && !may(path) && !may("link") && !may("sdir") {
		return false
	}
	out, _ := Run(ctx, dir, "ls-files", "-z", "--", path)
	return len(out) > 0
}

// InConflict returns which of the paths (all under dir if none) are in conflict, relative to dir. Without git there are none.
func InConflict(ctx context.Context, dir string, paths ...string) (all []string) {
	out, _ := Run(ctx, dir, append([]string{"ls-files", "--unmerged", "-z", "--"}, paths...)...)
	for _, f := range fields(out) {
		_, path, _ := strings.Cut(f, "\t")
		all = append(all, path)
	}
	return slices.Compact(all)
}

// CheckedOut returns the bytes of a blob as git writes them to path, with the line ends of this clone's settings and attributes.
func (r *Repo) CheckedOut(ctx context.Context, blob, path string) ([]byte, error) {
	return r.Run(ctx, "cat-file", "--filters", "--path="+path, blob)
}

// Stage puts files as they are on disk into the index.
func (r *Repo) Stage(ctx context.Context, paths ...string) error {
	_, err := r.Run(ctx, append([]string{"add", "--"}, paths...)...)
	return err
}

// Staged returns the files whose staged version is not that of the commit that is checked out.
func (r *Repo) Staged(ctx context.Context, paths ...string) ([]string, error) {
	args := []string{"diff", "--cached", "--name-only", "-z", "--no-renames", "--no-ext-diff", "--"}
	out, err := r.Run(ctx, append(args, paths...)...)
	return fields(out), err
}

// Attributes returns the value of an attribute for each of the paths, "unspecified" without one.
func (r *Repo) Attributes(ctx context.Context, name string, paths ...string) ([]string, error) {
	out, err := r.Run(ctx, append([]string{"check-attr", "-z", name, "--"}, paths...)...)
	if err != nil {
		return nil, err
	}
	f := fields(out)
	if len(f) != 3*len(paths) {
		return nil, unexpected("check-attr", string(out))
	}
	values := make([]string, len(paths))
	for i := range paths {
		values[i] = f[3*i+2]
	}
	return values, nil
}

// Bringing returns the last commit on first parents up to rev that changed how often text is in a file, with its parents; "" for none.
func (r *Repo) Bringing(ctx context.Context, rev, path, text string) (commit string, parents []string, err error) {
	id, err := r.Resolve(ctx, rev)
	if err != nil {
		return "", nil, err
	}
	out, err := r.Run(ctx, "log", "-m", "--first-parent", "--max-count=1", "--no-patch", "--no-renames",
		"--no-textconv", "--format=%H %P", "-S"+text, id, "--", path)
	if w := strings.Fields(string(out)); err == nil && len(w) > 0 {
		return w[0], w[1:], nil
	}
	return "", nil, err
}

// Operation is something that git has begun and not finished.
type Operation string

const (
	NoOperation Operation = ""
	Merging     Operation = "merge"
	Rebasing    Operation = "rebase"
	Applying    Operation = "am"
	Picking     Operation = "cherry-pick"
	Reverting   Operation = "revert"
)

// Underway returns the unfinished operation of git in this work tree, and the name of the revision that it merges or applies, "" for none.
func (r *Repo) Underway() (op Operation, bringing string) {
	has := func(name string) bool {
		_, err := os.Stat(filepath.Join(r.Dir, name))
		return err == nil
	}
	for _, u := range []struct {
		mark string
		op   Operation
		head string
	}{
		{"rebase-merge", Rebasing, "REBASE_HEAD"}, {"rebase-apply/applying", Applying, ""}, {"rebase-apply", Rebasing, "REBASE_HEAD"},
		{"MERGE_HEAD", Merging, "MERGE_HEAD"}, {"CHERRY_PICK_HEAD", Picking, "CHERRY_PICK_HEAD"}, {"REVERT_HEAD", Reverting, "REVERT_HEAD"},
	} {
		switch {
		case has(u.mark) && has(u.head):
			return u.op, u.head
		case has(u.mark):
			return u.op, ""
		}
	}
	return NoOperation, ""
}

// Setting is a line of git's configuration.
type Setting struct {
	Key   string `json:"key"`
	Value string `json:"value"`
}

// Merge runs git merge of a revision with settings for this run. output has both streams; the error is an *Error without a commit.
// Hooks run; Underway and Conflicts tell what is left.
func (r *Repo) Merge(ctx context.Context, rev string, settings []Setting) (output string, err error) {
	if err := checkRev(rev); err != nil {
		return "", err
	}
	var args []string
	for _, s := range settings {
		args = append(args, "-c", s.Key+"="+s.Value)
	}
	args = append(args, "merge", "--no-edit", "--commit", "--no-squash", "--no-stat", rev)
	cmd := command(ctx, r.Top, nil, args)
	cmd.Env = ownEnvironment(os.Environ())
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	var both bytes.Buffer
	cmd.Stdout, cmd.Stderr = &both, &both
	if err = cmd.Run(); err != nil {
		err = failure(ctx, r.Top, []string{"merge"}, err, both.String())
	}
	return strings.TrimRight(both.String(), "\n"), err
}
