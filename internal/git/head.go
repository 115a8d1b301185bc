package git

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// CheckedOutCommit returns the commit checked out at dir, "" for none, from git's files; git runs for a reftable only.
func CheckedOutCommit(ctx context.Context, dir string) string {
	repo, err := OpenIn(ctx, dir)
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

// CheckedOutBranch returns the short name of the branch checked out at dir, "" for none. It reads only git's file HEAD.
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

// DefaultCommit returns the commit of the default branch, of origin as last fetched, else of this clone, "" for none, from git's files.
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

// Move is a step of HEAD in which git also wrote the files that differ: a checkout, reset, rebase, pull or merge.
type Move struct {
	From, To string // the commits
	At       int64  // in seconds since 1970
}

// Moves returns the moves of HEAD since a time, by the last 100 entries of its reflog.
func (r *Repo) Moves(ctx context.Context, since int64) (all []Move) {
	out, _ := r.Run(ctx, "log", "--walk-reflogs", "--max-count=100", "--date=unix", "--format=%H %gd %gs", "HEAD")
	entries := strings.Split(string(out), "\n")
	for n, entry := range entries[:len(entries)-1] {
		f := strings.FieldsFunc(entry, func(c rune) bool { return strings.ContainsRune(" @{}:", c) }) // commit, HEAD, time, what moved it
		if len(f) < 4 || !slices.Contains([]string{"checkout", "reset", "rebase", "pull", "merge"}, f[3]) {
			continue
		}
		from, _, _ := strings.Cut(entries[n+1], " ")
		if at, err := strconv.ParseInt(f[2], 10, 64); err == nil && at >= since && from != "" && from != f[0] {
			all = append(all, Move{from, f[0], at})
		}
	}
	return all
}
