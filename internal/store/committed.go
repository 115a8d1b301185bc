package store

import (
	"bytes"
	"context"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash/maphash"
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
	mostTips      = 500            // branches and tags that fit into a command line
)

// commits caches git's data about the store. Git takes some 10 ms to read a commit in a folder of ten thousand records,
// and a change of branch asks for every file; so each call reads only the history since the last call.
type commits struct {
	mu       sync.Mutex
	index    Stat              // of git's index when staged was read
	staged   map[uint64]blob   // by hash of the path in the store
	asked    answer            // whether history was read after the index
	versions map[uint64][]blob // mostCommitted committed versions at most, the latest first, by hash of the path
	since    time.Time         // versions has the commits since this time
	tips     []string          // the commits of all branches and tags at that time, sorted
}

var hashSeed = maphash.MakeSeed()

func hash(path string) uint64 { return maphash.String(hashSeed, path) }

// blob is the id of an object of git, shorter ones padded with zeros. The process keeps it until it ends; git's own
// output would take some hundred bytes a file.
type blob [sha256.Size]byte

// blobOf reads an id as git writes it. ok is false for the id of no object.
func blobOf(id []byte) (b blob, ok bool) {
	if n := len(id); n != 2*sha1.Size && n != 2*sha256.Size {
		return b, false
	}
	_, err := hex.Decode(b[:], id)
	return b, err == nil && b != blob{}
}

func (b blob) String() string {
	if [sha256.Size - sha1.Size]byte(b[sha1.Size:]) == [sha256.Size - sha1.Size]byte{} {
		return hex.EncodeToString(b[:sha1.Size])
	}
	return hex.EncodeToString(b[:])
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
	id, ok := c.staged[hash(path)]
	if !ok {
		return lost
	}
	version, err := objects.Read(id.String())
	if err != nil {
		return lost
	}
	byEditor, byGit := s.parted(t, path, version, lost)
	byGit = slices.DeleteFunc(byGit, func(a journal.Loss) bool { return a.Entry.Op == journal.Undo })
	if len(byGit) > 0 && c.history(ctx, s.sdd, slices.MinFunc(byGit, earliest).Entry.Time.Add(-clockSlack)) {
		for _, id := range c.versions[hash(path)] {
			if version, err := objects.Read(id.String()); err == nil && len(byGit) > 0 {
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

// history brings versions up to date since that time. It returns false when git takes too long, and then until the index
// changes.
func (c *commits) history(ctx context.Context, sdd string, since time.Time) bool {
	if c.asked == yes && !since.Before(c.since) {
		return true
	}
	if c.asked == no { // so that other callers do not wait too
		return false
	}
	c.asked = no
	if c.follow(ctx, sdd, since) != nil {
		return false
	}
	c.asked = yes
	return true
}

// stage lists the staged files when git's index changed since the last call. The history is then
// read again too: a commit writes the index.
func (c *commits) stage(ctx context.Context, sdd string, repo *git.Repo) error {
	st, ok := statFile(filepath.Join(repo.Dir, "index"))
	if ok && st == c.index {
		return nil
	}
	c.index, c.staged, c.asked = Stat{}, map[uint64]blob{}, unknown
	out, err := git.Run(ctx, sdd, "ls-files", "--stage", "-z", "--", ".")
	if err != nil {
		return err
	}
	for entry := range bytes.SplitSeq(out, []byte{0}) {
		about, path, ok := bytes.Cut(entry, []byte{'\t'})
		if w := bytes.Fields(about); ok && len(w) == 3 && string(w[2]) == "0" {
			if id, ok := blobOf(w[1]); ok {
				c.staged[hash(string(path))] = id
			}
		}
	}
	c.index = st
	return nil
}

// follow brings versions up to date, from the commits that are new.
func (c *commits) follow(ctx context.Context, sdd string, since time.Time) error {
	out, err := git.Run(ctx, sdd, "rev-parse", "--all")
	if err != nil {
		return err
	}
	tips := strings.Fields(string(out))
	slices.Sort(tips)
	tips = slices.Compact(tips)
	from := c.tips
	if len(from) > mostTips || since.Before(c.since) || c.versions == nil {
		from = nil
	}
	if len(from) > 0 { // the versions of a branch that was deleted or recreated go
		gone, err := git.Run(ctx, sdd, slices.Concat([]string{"rev-list", "--max-count=1"}, from, []string{"--not", "--all", "--"})...)
		if err != nil || len(gone) > 0 {
			from = nil
		}
	}
	if from == nil {
		c.versions, c.tips, c.since = nil, nil, since
	}
	fresh, err := logged(ctx, sdd, c.since, from)
	if err != nil {
		return err
	}
	c.tips = tips
	if c.versions == nil {
		c.versions = fresh
		return nil
	}
	for path, ids := range fresh {
		for _, id := range c.versions[path] {
			if !slices.Contains(ids, id) {
				ids = append(ids, id)
			}
		}
		c.versions[path] = slices.Clone(ids[:min(len(ids), mostCommitted)])
	}
	return nil
}

// logged lists the blobs that all branches and tags had in the store since then, without the commits that the tips lead
// to: at most mostCommitted blobs for each hash of a path, the latest first.
func logged(ctx context.Context, sdd string, since time.Time, tips []string) (map[uint64][]blob, error) {
	args := []string{"log", "--all", "-m", "--raw", "--no-abbrev", "--no-renames", "--relative", "-z", "--format=",
		fmt.Sprintf("--since=@%d", since.Unix())}
	if len(tips) > 0 {
		args = append(append(args, "--not"), tips...)
	}
	out, err := git.Run(ctx, sdd, append(args, "--", ".")...)
	if err != nil {
		return nil, err
	}
	versions := map[uint64][]blob{}
	var about [][]byte // the fields before a path: modes, ids, status
	for field := range bytes.SplitSeq(out, []byte{0}) {
		if about == nil {
			if w := bytes.Fields(field); len(w) == 5 && w[0][0] == ':' {
				about = w
			}
			continue
		}
		path := hash(string(field))
		for _, w := range [][]byte{about[3], about[2]} { // after, before
			if id, ok := blobOf(w); ok && len(versions[path]) < mostCommitted && !slices.Contains(versions[path], id) {
				versions[path] = append(versions[path], id)
			}
		}
		about = nil
	}
	return versions, nil
}
