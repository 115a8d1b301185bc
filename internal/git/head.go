package git

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// CheckedOutCommit returns the commit that is checked out in the work tree that holds dir, "" outside git and before the
// first commit. It reads git's files in about fifty microseconds, and runs git only for a reftable.
func CheckedOutCommit(ctx context.Context, dir string) string {
	repo, err := Open(dir)
	if err != nil {
		return ""
	}
	return repo.HeadCommit(ctx)
}

// HeadCommit is CheckedOutCommit of a repository that was found.
func (r *Repo) HeadCommit(ctx context.Context) string {
	id, symbolic := readRef(r.Dir, r.Common, "HEAD")
	if id != "" || !symbolic {
		return id
	}
	if _, err := os.Stat(filepath.Join(r.Common, "reftable")); err != nil {
		return "" // no commit yet
	}
	id, _ = r.Head(ctx)
	return id
}

// CheckedOutBranch returns the short name of the branch that is checked out in the work tree that holds dir, "" when HEAD
// is detached and outside git. It reads only git's file HEAD.
func CheckedOutBranch(dir string) string {
	_, gitDir, _, ok := Top(dir)
	if !ok {
		return ""
	}
	src, err := os.ReadFile(filepath.Join(gitDir, "HEAD"))
	name, symbolic := strings.CutPrefix(strings.TrimSpace(string(src)), "ref: refs/heads/")
	if err != nil || !symbolic || name == ".invalid" { // a reftable has its branch elsewhere
		return ""
	}
	return name
}

// DefaultBranches are the names of a repository's default branch, the surest first.
var DefaultBranches = []string{
	"refs/remotes/origin/HEAD", "refs/remotes/origin/main", "refs/remotes/origin/master", "refs/heads/main", "refs/heads/master",
}

// DefaultCommit returns the commit of the default branch of the repository that holds dir: of origin as this clone last
// fetched it, else of this clone, "" when there is none. It reads only git's files.
func DefaultCommit(dir string) string {
	repo, err := Open(dir)
	if err != nil {
		return ""
	}
	return repo.Default()
}

// Default is DefaultCommit of a repository that was found.
func (r *Repo) Default() string {
	for _, ref := range DefaultBranches {
		if id, _ := readRef(r.Dir, r.Common, ref); id != "" {
			return id
		}
	}
	return ""
}

const mostSymbolic = 5 // references that name the next one

// readRef returns the commit of a reference, "" for none, and whether it names another reference.
func readRef(gitDir, common, ref string) (id string, symbolic bool) {
	for range mostSymbolic {
		next := ""
		for _, dir := range []string{gitDir, common} {
			src, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(ref)))
			if err != nil {
				continue
			}
			text := strings.TrimSpace(string(src))
			if id := commitID(text); id != "" {
				return id, symbolic
			}
			if to, ok := strings.CutPrefix(text, "ref: "); ok {
				next, symbolic = to, true
				break
			}
		}
		if next == "" {
			return packedRef(common, ref), symbolic
		}
		ref = next
	}
	return "", symbolic
}

func packedRef(common, ref string) string {
	packed, err := os.ReadFile(filepath.Join(common, "packed-refs"))
	if err != nil {
		return ""
	}
	for line := range bytes.Lines(packed) {
		if id, name, ok := strings.Cut(strings.TrimSpace(string(line)), " "); ok && name == ref {
			return commitID(id)
		}
	}
	return ""
}

func commitID(s string) string {
	if n := len(s); (n == 40 || n == 64) && strings.Trim(s, "0123456789abcdef") == "" {
		return s
	}
	return ""
}

// Moved returns when git last moved HEAD and changed the work tree with it, by its reflog: a checkout, reset, rebase, pull or merge. It
// is in seconds since 1970, 0 if it never did.
func (r *Repo) Moved(ctx context.Context) int64 {
	out, err := r.Run(ctx, "log", "--walk-reflogs", "-1", "--extended-regexp", "--grep-reflog=^(checkout|reset|rebase|pull|merge)",
		"--date=unix", "--format=%gd", "HEAD")
	_, at, _ := strings.Cut(strings.TrimSuffix(strings.TrimSpace(string(out)), "}"), "@{")
	seconds, wrong := strconv.ParseInt(at, 10, 64)
	if err != nil || wrong != nil {
		return 0
	}
	return seconds
}
