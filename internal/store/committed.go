package store

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"sdd/internal/git"
	"sdd/internal/journal"
	"sdd/internal/record"
)

// When git puts another version of a record in place (a checkout, a pull, a reset), this version may lack changes of
// tools. Those are not lost while a commit has them. The store does not report them at a change of branch, nor at the
// first edit by hand after it. Git removed a change when the staged file lacks it; the change is safe when some branch
// or tag leads to a version that has it. The store asks git for both only when a change seems lost.

const (
	gitPatience   = 3 * time.Second
	mostCommitted = 32             // committed versions of a file that are compared, the latest first
	clockSlack    = 24 * time.Hour // by which the clocks of committers may differ
)

// commits caches git's data about the store until git's index changes, since a change of branch asks for every file.
type commits struct {
	mu       sync.Mutex
	index    Stat                // of git's index when the rest was read
	staged   map[string]string   // the ids of the staged files, by path in the store
	versions map[string][]string // mostCommitted committed versions at most, the latest first, by path in the store
	since    time.Time           // versions has the commits since this time
	failed   bool                // git took too long for versions
}

// uncommitted returns the changes that are really lost. It leaves out a change that the staged file lacks, when a branch
// or tag leads to a version committed since that has it. Where git put the file in place it also leaves out changes that
// an undo had brought back: a user who restores a version after an undo wants that version.
func (s *Store) uncommitted(t *tree, path string, lost []journal.Loss) []journal.Loss {
	repo, err := git.Open(s.dir)
	if err != nil {
		return lost
	}
	c := &s.commits
	c.mu.Lock()
	defer c.mu.Unlock()
	ctx, cancel := context.WithTimeout(context.Background(), gitPatience)
	defer cancel()
	if c.stage(ctx, s.sdd, repo) != nil {
		return lost
	}
	objects := repo.Objects(ctx)
	defer objects.Close()
	version, err := objects.Read(c.staged[path])
	if err != nil {
		return lost
	}
	byEditor, byGit := s.parted(t, path, version, lost)
	byGit = slices.DeleteFunc(byGit, func(a journal.Loss) bool { return a.Entry.Op == journal.Undo })
	if len(byGit) > 0 && c.history(ctx, s.sdd, slices.MinFunc(byGit, earliest).Entry.Time.Add(-clockSlack)) {
		for _, id := range c.versions[path] {
			if version, err := objects.Read(id); err == nil && len(byGit) > 0 {
				_, byGit = s.parted(t, path, version, byGit)
			}
		}
	}
	return slices.SortedFunc(slices.Values(append(byEditor, byGit...)), journal.Older)
}

// parted divides changes into those that a version of the file has and the others.
func (s *Store) parted(t *tree, path string, version []byte, all []journal.Loss) (there, gone []journal.Loss) {
	return t.journal.Part(path, s.opt.Describe(path, record.Open(version)), all)
}

func earliest(a, b journal.Loss) int { return a.Entry.Time.Compare(b.Entry.Time) }

// history reads the versions since that time. It returns false when git takes too long, and then until the index changes, so that
// other callers do not wait too.
func (c *commits) history(ctx context.Context, sdd string, since time.Time) bool {
	if c.failed || c.versions != nil && !since.Before(c.since) {
		return !c.failed
	}
	var err error
	c.versions, err = logged(ctx, sdd, since)
	c.since, c.failed = since, err != nil
	return err == nil
}

// stage lists the staged files when git's index changed since the last call. The history is then
// read again too: a commit writes the index.
func (c *commits) stage(ctx context.Context, sdd string, repo *git.Repo) error {
	st, ok := statFile(filepath.Join(repo.Dir, "index"))
	if ok && st == c.index {
		return nil
	}
	c.index, c.staged, c.versions, c.failed = Stat{}, map[string]string{}, nil, false
	out, err := git.Run(ctx, sdd, "ls-files", "--stage", "-z", "--", ".")
	if err != nil {
		return err
	}
	for entry := range strings.SplitSeq(string(out), "\x00") {
		about, path, ok := strings.Cut(entry, "\t")
		if w := strings.Fields(about); ok && len(w) == 3 && w[2] == "0" {
			c.staged[strings.Clone(path)] = strings.Clone(w[1])
		}
	}
	c.index = st
	return nil
}

// logged lists the ids of the versions that all branches and tags had in the store since then: at most mostCommitted for each path,
// the latest first.
func logged(ctx context.Context, sdd string, since time.Time) (map[string][]string, error) {
	out, err := git.Run(ctx, sdd, "log", "--all", "-m", "--raw", "--no-abbrev", "--no-renames", "--relative", "-z", "--format=",
		fmt.Sprintf("--since=@%d", since.Unix()), "--", ".")
	if err != nil {
		return nil, err
	}
	versions := map[string][]string{}
	var about []string // the fields before a path: modes, ids, status
	for field := range strings.SplitSeq(string(out), "\x00") {
		if about == nil {
			if w := strings.Fields(field); len(w) == 5 && w[0][0] == ':' {
				about = w
			}
			continue
		}
		for _, id := range []string{about[3], about[2]} { // after, before
			all := versions[field]
			if strings.Trim(id, "0") != "" && len(all) < mostCommitted && !slices.Contains(all, id) {
				versions[strings.Clone(field)] = append(all, strings.Clone(id))
			}
		}
		about = nil
	}
	return versions, nil
}
