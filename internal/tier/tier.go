// Package tier tells from git how far a record has come: whether it is on the default branch, only on this branch, or not committed at
// all. Nothing of it is stored in a file, so that a record cannot claim a tier.
package tier

import (
	"cmp"
	"context"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"sdd/internal/git"
)

// Tier is where a text comes from. A higher one is nearer to what the project agreed on; a text made from several has the lowest.
type Tier uint8

const (
	Unknown     Tier = iota // there is no git, or git did not answer
	Foreign                 // the pull request of a fork, a web page
	Proposed                // a candidate, an import, a transcript: nobody has approved it
	Uncommitted             // only on this disk, or changed there
	Branch                  // committed here, and not on the default branch
	Behind                  // as it was on the default branch, which has changed it since
	Main                    // merged on the default branch
	Signed                  // merged, and signed by a key that the default branch lists
	Own                     // ignored by git, such as scope personal: the user's own
)

var names = [...]string{"", "foreign", "proposed", "uncommitted", "branch", "behind", "main", "signed", "own"}

// String says to a reader what the tier is, "" for Unknown. Branch may also be a default branch that nobody has pushed.
func (t Tier) String() string {
	if t == Branch {
		return "only committed"
	}
	return names[t]
}

// MarshalText writes the name in JSON and config.yaml.
func (t Tier) MarshalText() ([]byte, error) { return []byte(names[t]), nil }

// Warns reports whether readers are told about the tier: nobody else has agreed to the text yet.
func (t Tier) Warns() bool { return t != Unknown && t < Main }

// Tree tells the tiers of the records of one store. It is safe for concurrent use.
type Tree struct {
	dir     string // the store's root
	folder  string // of the records in it
	changes atomic.Int64

	mu   sync.Mutex
	last Standing
	of   state
	new  map[string]bool // paths of last that the commit does not have

	editing sync.Mutex
	edited  map[string]bool // paths since last

	keysAt string // the commit and path of keys, the allowed signers
	keys   []byte
}

// New returns the tiers of the records in a folder of a store's root. It reads nothing.
func New(dir, folder string) *Tree { return &Tree{dir: dir, folder: folder, edited: map[string]bool{}} }

// Changed says that a record was added or removed, or may have been.
func (t *Tree) Changed() { t.changes.Add(1) }

// Edited says that the text of the record at a path below the folder of records has changed.
func (t *Tree) Edited(path string) {
	t.editing.Lock()
	defer t.editing.Unlock()
	t.edited[path] = true
}

// onlyNew takes the edited paths, and reports whether the commit has none of them: whatever their text is, they are uncommitted.
func (t *Tree) onlyNew() bool {
	t.editing.Lock()
	defer t.editing.Unlock()
	only := true
	for path := range t.edited {
		only = only && t.new[path]
	}
	clear(t.edited)
	return only
}

// state is what the tiers depend on.
type state struct {
	changes    int64
	head, base string
	staged     int64 // modification time of git's index
	ignores    int64 // the same of .gitignore
	known      bool
}

const inbox = "inbox/" // the candidates

// patience is the longest wait for git.
const patience = 2 * time.Second

// Standing has the tiers at one moment. The zero value knows none.
type Standing struct {
	Commit string // that is checked out, "" outside git and before the first

	Elsewhere func(path string) (t Tier, ok bool) // the tier of another repository's record, ok is false for an own one; nil knows none

	known       bool
	merged      bool            // all are on a default branch
	uncommitted map[string]bool // paths below the folder of records
	branch      map[string]bool // that differ from the default branch
	behind      map[string]bool // those of branch that only the default branch has changed
	ignored     []string        // paths, and folders with a slash at their end
}

// Merged returns the tiers of records that were all read from default branches.
func Merged() Standing { return Standing{known: true, merged: true} }

// Now returns the tiers of this moment. It runs git only when one of state, or a committed record, has changed since the last call.
func (t *Tree) Now(ctx context.Context) Standing {
	repo, err := git.OpenIn(ctx, t.dir)
	if err != nil {
		return Standing{}
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	ctx, stop := context.WithTimeout(ctx, patience)
	defer stop()
	now := state{changes: t.changes.Load(), head: repo.HeadCommit(ctx), base: repo.Default(), known: true}
	if st, err := os.Stat(filepath.Join(repo.Dir, "index")); err == nil {
		now.staged = st.ModTime().UnixNano()
	}
	if st, err := os.Stat(filepath.Join(repo.Top, ".gitignore")); err == nil {
		now.ignores = st.ModTime().UnixNano()
	}
	if t.onlyNew() && now == t.of {
		return t.last
	}
	t.of, t.new = state{}, map[string]bool{} // an error lets the next call ask again
	s := Standing{Commit: now.head, uncommitted: map[string]bool{}, branch: map[string]bool{}, behind: map[string]bool{}}
	within := t.within(repo.Top)
	states, err := repo.DirtyAndIgnored(ctx, within)
	if err != nil {
		return s
	}
	for _, f := range states {
		path, ok := strings.CutPrefix(f.Path, within+"/")
		switch {
		case f.Path == within+"/" && f.OnDisk == git.Ignored:
			s.ignored = append(s.ignored, "")
		case ok && f.OnDisk == git.Ignored:
			s.ignored = append(s.ignored, path)
		case ok:
			s.uncommitted[path] = true
			t.new[path] = f.OnDisk == git.Untracked || f.Staged == git.Added
		}
	}
	if now.head != "" && now.base != "" && now.head != now.base {
		changed, err := repo.Deltas(ctx, now.base, now.head, within)
		here := changed
		if fork, _ := repo.MergeBase(ctx, now.base, now.head); err == nil && fork != now.base {
			here, err = repo.Deltas(ctx, fork, now.head, within)
		}
		if err != nil {
			return s
		}
		for _, d := range changed {
			if path, ok := strings.CutPrefix(d.Path, within+"/"); ok {
				s.branch[path], s.behind[path] = true, true
			}
		}
		for _, d := range here {
			delete(s.behind, strings.TrimPrefix(d.Path, within+"/"))
		}
	}
	s.known = true
	t.last, t.of = s, now
	return s
}

// within is the folder of records in git's spelling.
func (t *Tree) within(top string) string {
	real, _ := filepath.EvalSymlinks(t.dir)
	realTop, _ := filepath.EvalSymlinks(top)
	rel, err := filepath.Rel(cmp.Or(realTop, top), filepath.Join(cmp.Or(real, t.dir), t.folder))
	if err != nil {
		return t.folder
	}
	return filepath.ToSlash(rel)
}

// Dirty counts the files with uncommitted changes for which is returns true.
func (s Standing) Dirty(is func(path string) bool) (n int) {
	for path := range s.uncommitted {
		if is(path) {
			n++
		}
	}
	return n
}

// Below returns the paths of records that are changed and have not come to a tier yet: uncommitted, or on a branch for tiers above it.
func (s Standing) Below(least Tier) map[string]bool {
	if least < Branch {
		return nil
	}
	out := maps.Clone(s.uncommitted)
	if least > Branch {
		maps.Copy(out, s.branch)
	}
	return out
}

// Of returns the tier of the file at a path below the folder of records.
func (s Standing) Of(path string) Tier {
	if s.Elsewhere != nil && !strings.HasPrefix(path, inbox) {
		if t, ok := s.Elsewhere(path); ok {
			return t
		}
	}
	switch {
	case !s.known, strings.HasPrefix(path, "../"): // outside the store
		return Unknown
	case strings.HasPrefix(path, inbox):
		return Proposed
	case s.merged:
		return Main
	case s.uncommitted[path]:
		return Uncommitted
	case s.behind[path]:
		return Behind
	case s.branch[path]:
		return Branch
	}
	for _, under := range s.ignored {
		if path == under || strings.HasPrefix(path, under) && (under == "" || strings.HasSuffix(under, "/")) {
			return Own
		}
	}
	if s.Commit == "" {
		return Uncommitted
	}
	return Main
}
