// Package inbox is the use case of candidates: facts, decisions and ideas that something found and nobody has vouched for yet.
// A candidate is a file below .sdd/inbox whose `status` decides, so that a pull request can approve it; what was
// approved becomes a record of its kind, and what was rejected stays, marked, and never comes back.
//
// What a hook or a watch finds in commits may not leave files behind, for a commit must not leave a dirty tree. It waits
// in .sdd/.local/extract (queue.go), counts in what is read at once, and is written by the next explicit call.
package inbox

import (
	"context"
	"strings"
	"sync"
	"time"

	"sdd/internal/git"
	"sdd/internal/index"
	"sdd/internal/record"
	"sdd/internal/secrets"
	"sdd/internal/store"
)

// Sure is the confidence from which a candidate needs nobody's approval.
const Sure = 0.85

// Inbox holds the candidates of one store. It is safe for concurrent use, by any number of processes.
type Inbox struct {
	st      *store.Store
	ix      *index.Index
	now     func() time.Time
	keepers map[record.Kind]Keeper
	extract Extractor
	units   func(ctx context.Context, repo *git.Repo, commits []string) ([]string, error)
	missing func(ctx context.Context, repo *git.Repo, files map[string]string) (map[string]bool, error)

	reading sync.Mutex // guards files
	files   *index.View[Candidate]
	queue   queue

	step func(point string) error // tests stop a call here
}

// Options say who knows what an Inbox does not: how records of a kind are stored, and what commits say.
type Options struct {
	// Keepers store what was approved, by its kind. A kind without one is stored as its candidate's file stands: see files.
	Keepers map[record.Kind]Keeper
	// Extract finds candidates in commits; nil finds none.
	Extract Extractor
	// Units leaves of commits, the newest first, those that are looked at; nil leaves all.
	Units func(ctx context.Context, repo *git.Repo, commits []string) ([]string, error)
	// Missing returns which of the keys of candidates the tree that is checked out does not have, by the file that each was found in; nil is none.
	Missing func(ctx context.Context, repo *git.Repo, files map[string]string) (map[string]bool, error)
}

// Keeper stores a candidate as a record of its kind. It is called again for one that it has stored, when a process died
// before it could say so: that must change nothing.
type Keeper interface {
	Keep(ctx context.Context, c Candidate, by By) (Kept, error)
}

// Kept is what became of a candidate.
type Kept struct {
	ID     string
	Action string // created, duplicate, or a word of the keeper's
	File   string // relative to the store's root
	Etag   string
}

// By is who does something, for the journal.
type By struct{ Tool, Session string }

// Range says which changes candidates are looked for in: one commit, the commits that one has and another lacks, or what is
// not committed yet. Commits are full ids.
type Range struct {
	Repo     *git.Repo
	From     string // "" is To alone
	To       string
	Staged   bool              // what the index has and the commit that is checked out has not
	Worktree bool              // what is on disk and not committed
	All      bool              // all of the history of To, in one pass
	Heard    func(commits int) // hears how many commits were read; nil for nobody
	Stored   func(n int)       // hears how many candidates were stored; nil for nobody
	Path     string            // slash path in the work tree: only what was found in that file; "" is everywhere
}

// Extractor finds candidates in changes. The same changes give the same candidates. Of a Candidate it fills in what it knows:
// Kind, Content, Confidence and Evidence at least.
type Extractor func(ctx context.Context, r Range) ([]Candidate, error)

// New returns the inbox of st. It reads nothing; ix is the index of st.
func New(st *store.Store, ix *index.Index, o Options) *Inbox {
	i := &Inbox{st: st, ix: ix, now: time.Now, extract: o.Extract, units: o.Units, missing: o.Missing, keepers: map[record.Kind]Keeper{}}
	i.queue.i = i
	i.files = index.NewView(ix, st, record.Candidate, parse, func(c *Candidate) string { return c.Etag }, nil)
	for _, k := range kinds {
		i.keepers[k] = files{i}
	}
	for k, keeper := range o.Keepers {
		i.keepers[k] = keeper
	}
	return i
}

// Close lets go of the index. It comes before that is closed.
func (i *Inbox) Close() { i.files.Close() }

// kinds are what a candidate may become.
var kinds = []record.Kind{record.Fact, record.Decision, record.Idea}

// guard refuses what may not be stored: secrets that were not there before.
func (i *Inbox) guard(before, after []byte) error {
	cfg, _ := i.st.Config()
	return secrets.New(before, after, secrets.Allowed(cfg.Sections["secrets"]))
}

// at tells the tests how far a call has come.
func (i *Inbox) at(point string) error {
	if i.step == nil {
		return nil
	}
	return i.step(point)
}

// save makes one durable change of the file of a candidate or record and tells the index.
func (i *Inbox) save(ctx context.Context, e store.Edit) (store.Saved, error) {
	e.Lock = record.LockOf(e.Record)
	done, err := i.st.Save(ctx, e)
	if err == nil && !done.Unchanged {
		i.ix.Put(done.Path, done.After)
	}
	return done, err
}

// brief is a value of a caller as it is told back.
func brief(s string) string {
	s = line(strings.ToValidUTF8(s, "\uFFFD"))
	if rs := []rune(s); len(rs) > 100 {
		return string(rs[:100]) + "…"
	}
	return s
}
