package git

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
)

// CheckedOutCommit returns the commit that is checked out in the work tree that holds dir, "" outside git and before the
// first commit. It reads git's files in about fifty microseconds, and runs git only for a reftable.
func CheckedOutCommit(ctx context.Context, dir string) string {
	_, gitDir, common, ok := Top(dir)
	if !ok {
		return ""
	}
	src, err := os.ReadFile(filepath.Join(gitDir, "HEAD"))
	if err != nil {
		return ""
	}
	head := strings.TrimSpace(string(src))
	ref, symbolic := strings.CutPrefix(head, "ref: ")
	if !symbolic {
		return commitID(head)
	}
	for _, dir := range []string{gitDir, common} {
		if src, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(ref))); err == nil {
			if id := commitID(strings.TrimSpace(string(src))); id != "" {
				return id
			}
		}
	}
	packed, err := os.ReadFile(filepath.Join(common, "packed-refs"))
	if err == nil {
		for line := range bytes.Lines(packed) {
			if id, name, ok := strings.Cut(strings.TrimSpace(string(line)), " "); ok && name == ref {
				return commitID(id)
			}
		}
	}
	if _, err := os.Stat(filepath.Join(common, "reftable")); err != nil {
		return "" // no commit yet
	}
	repo, err := Open(dir)
	if err != nil {
		return ""
	}
	id, _ := repo.Head(ctx)
	return id
}

func commitID(s string) string {
	if n := len(s); (n == 40 || n == 64) && strings.Trim(s, "0123456789abcdef") == "" {
		return s
	}
	return ""
}
