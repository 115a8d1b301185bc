package git

import (
	"bytes"
	"context"
	"slices"
	"strings"
)

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

// Branches returns the branches of this clone and of its remotes that have commits that base lacks, the latest
// first. It excludes branches whose commits are all in head, and branches that contain head.
func (r *Repo) Branches(ctx context.Context, base, head string) ([]Branch, error) {
	list := func(args ...string) ([]Branch, error) {
		const format = "%(objectname)%00%(refname)%00%(committerdate:iso-strict)%00%(symref)"
		args = append([]string{"for-each-ref", "--sort=-committerdate", "--format=" + format}, args...)
		out, err := r.Run(ctx, append(args, "refs/heads", "refs/remotes")...)
		if err != nil {
			return nil, err
		}
		var found []Branch
		for l := range strings.Lines(string(out)) {
			f := strings.Split(strings.TrimSuffix(l, "\n"), "\x00")
			if len(f) != 4 {
				return nil, unexpected("for-each-ref", l)
			}
			if f[3] == "" {
				found = append(found, Branch{Commit: f[0], Ref: f[1], Date: f[2]})
			}
		}
		return found, nil
	}
	open, err := list("--no-merged="+base, "--no-contains="+head)
	if err != nil {
		return nil, err
	}
	within, err := list("--merged=" + head)
	if err != nil {
		return nil, err
	}
	known := map[string]bool{}
	for _, b := range within {
		known[b.Ref] = true
	}
	return slices.DeleteFunc(open, func(b Branch) bool { return known[b.Ref] }), nil
}

// CurrentBranch returns the full name of the branch that is checked out, "" when the head is detached.
func (r *Repo) CurrentBranch(ctx context.Context) (string, error) {
	out, err := r.Run(ctx, "symbolic-ref", "--quiet", "HEAD")
	if exited(err, 1) {
		return "", nil
	}
	return line(out), err
}

// Holding returns the text files of a commit, at and under the paths (all if none are given), that contain one of the
// texts.
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
