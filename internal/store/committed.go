package store

import (
	"context"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"sdd/internal/git"
)

// When git puts another version of a record in place (a checkout, a pull, a reset), the changes
// of tools that this version has not are no loss: they are in the commits they were made in,
// and nobody wants to hear of them at every change of branch. Git did it when the file is exactly
// what is staged; and the change is safe when it is there in a version of the file that some branch
// or tag leads to. Both are asked for only when something seems lost.

const (
	gitPatience   = 3 * time.Second
	mostCommitted = 32 // committed versions of a file that are looked at, the latest first
)

// commits is what git was last heard to have of the store.
type commits struct {
	mu       sync.Mutex
	index    Stat                // of git's index when staged was read
	staged   map[string]string   // blob ids, by path in the store
	versions map[string][]string // of what was ever committed, the latest first; nil when not asked for
}

// committed reports whether git put now at path, and has a version of that file for which
// has is true.
func (s *Store) committed(path string, now []byte, has func(version []byte) bool) bool {
	repo, err := git.Open(s.dir)
	if err != nil {
		return false
	}
	c := &s.commits
	c.mu.Lock()
	defer c.mu.Unlock()
	ctx, cancel := context.WithTimeout(context.Background(), gitPatience)
	defer cancel()
	if c.stage(ctx, s.sdd, repo) != nil {
		return false
	}
	if id := c.staged[path]; id == "" || id != blobID(now, len(id)) {
		return false
	}
	if c.versions == nil && c.log(ctx, s.sdd) != nil {
		return false
	}
	objects := repo.Objects(ctx)
	defer objects.Close()
	ids := c.versions[path]
	for _, id := range ids[:min(len(ids), mostCommitted)] {
		if version, err := objects.Read(id); err == nil && has(version) {
			return true
		}
	}
	return false
}

// stage lists the staged files, when git's index is another one than last time. What was
// committed is then asked for anew too: a commit writes the index.
func (c *commits) stage(ctx context.Context, sdd string, repo *git.Repo) error {
	st, ok := statFile(filepath.Join(repo.Dir, "index"))
	if ok && st == c.index {
		return nil
	}
	c.index, c.staged, c.versions = Stat{}, map[string]string{}, nil
	out, err := git.Run(ctx, sdd, "ls-files", "--stage", "-z", "--", ".")
	if err != nil {
		return err
	}
	for entry := range strings.SplitSeq(string(out), "\x00") {
		about, path, ok := strings.Cut(entry, "\t")
		if w := strings.Fields(about); ok && len(w) == 3 && w[2] == "0" {
			c.staged[path] = w[1]
		}
	}
	c.index = st
	return nil
}

// log lists what all branches and tags ever had in the store.
func (c *commits) log(ctx context.Context, sdd string) error {
	out, err := git.Run(ctx, sdd, "log", "--all", "-m", "--raw", "--no-abbrev", "--no-renames", "--relative", "-z", "--format=", "--", ".")
	if err != nil {
		return err
	}
	c.versions = map[string][]string{}
	seen := map[[2]string]bool{}
	fields := strings.Split(string(out), "\x00")
	for i := 0; i+1 < len(fields); i++ {
		w := strings.Fields(fields[i])
		if len(w) != 5 || !strings.HasPrefix(w[0], ":") {
			continue
		}
		i++
		path := fields[i]
		for _, id := range []string{w[3], w[2]} { // after, before
			if key := [2]string{path, id}; strings.Trim(id, "0") != "" && !seen[key] {
				seen[key] = true
				c.versions[path] = append(c.versions[path], id)
			}
		}
	}
	return nil
}

// blobID is git's id of a file's bytes, in a repository whose ids have so many digits.
func blobID(data []byte, digits int) string {
	whole := append(fmt.Appendf(nil, "blob %d\x00", len(data)), data...)
	if digits == hex.EncodedLen(sha256.Size) {
		sum := sha256.Sum256(whole)
		return hex.EncodeToString(sum[:])
	}
	sum := sha1.Sum(whole)
	return hex.EncodeToString(sum[:])
}
