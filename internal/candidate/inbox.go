// Package candidate implements candidates: facts, decisions and ideas that were found and wait for approval. A candidate
// is a file below .sdd/inbox whose `status` decides, so that a pull request can approve it. An approved candidate
// becomes a record of its kind; a rejected one stays, marked, and is never proposed again.
//
// A hook or a watch must not leave files, because a commit must not leave a dirty tree: it puts its candidates into the
// queue in .sdd/.local/extract (queue.go). Every read includes the queue at once, and the next explicit call writes it.
package candidate

import (
	"context"
	"maps"
	"sync"
	"time"

	"sdd/internal/git"
	"sdd/internal/index"
	"sdd/internal/index/records"
	"sdd/internal/record"
	"sdd/internal/store"
)

// Sure is the confidence from which a candidate is stored without approval.
const Sure = 0.85

// Inbox holds the candidates of one store. It is safe for concurrent use, by any number of processes.
type Inbox struct {
	st      *store.Store
	ix      *index.Index
	now     func() time.Time
	opt     Options
	keepers map[record.Kind]Keeper

	reading sync.Mutex // guards files
	files   records.Kind[Candidate]
	queue   queue

	step func(point string) error // tests stop a call here
}

// Options are functions of other packages: storing records of a kind, and finding candidates in commits.
type Options struct {
	// Keepers store approved candidates, by kind. The default is keep.
	Keepers map[record.Kind]Keeper
	// Extract finds candidates in commits; nil finds none.
	Extract Extractor
	// Units selects the commits to look at, newest first; nil selects all.
	Units func([]git.Revision) []git.Revision
	// Missing returns the keys of candidates that the checked-out tree lacks; files maps each key to its file.
	Missing func(ctx context.Context, repo *git.Repo, files map[string]string) (map[string]bool, error)
}

// Keeper stores a candidate as a record of its kind. After a crash it may get a candidate that it has stored already:
// then it must change nothing.
type Keeper func(ctx context.Context, c Candidate, by By) (Kept, error)

// Kept is the record that a Keeper stored.
type Kept struct {
	ID     string
	Action string // created, duplicate, or an action of the keeper
	File   string // relative to the store's root
	Etag   string
	Did    string // of a proposal: what its approval did, in the past tense
	Of     string // and the id of the record that it did it to
}

// By is the caller, for the journal.
type By struct{ Tool, Session string }

// Range selects the changes to search for candidates: one commit, the commits that To has and From lacks, or uncommitted
// changes. Commits are full ids.
type Range struct {
	Repo     *git.Repo
	From     string // "" is To alone
	To       string
	Staged   bool              // the staged changes
	Worktree bool              // all changes that are not committed
	All      bool              // the whole history of To, in one pass
	Read     func(commits int) // reports how many commits were read; may be nil
	Stored   func(n int)       // reports how many candidates were stored; may be nil
	Path     string            // slash path in the work tree: only candidates found in that file; "" is all
}

// Extractor finds candidates in changes; the same changes give the same candidates. It fills in Kind, Content, Confidence and
// Evidence at least.
type Extractor func(ctx context.Context, r Range) ([]Candidate, error)

// New returns the inbox of st. It reads nothing; ix is the index of st.
func New(st *store.Store, ix *index.Index, o Options) *Inbox {
	i := &Inbox{st: st, ix: ix, now: time.Now, opt: o, keepers: map[record.Kind]Keeper{}}
	i.queue.i = i
	i.files = records.New(st, ix, records.About[Candidate]{
		Kind: record.Candidate, Noun: "candidate", Hint: "list the candidates: sdd review list --kind candidate", Read: read,
		ID:   func(c *Candidate) string { return c.ID },
		Etag: func(c *Candidate) string { return c.Etag }, File: func(c *Candidate) string { return c.File },
	})
	for _, k := range kinds {
		i.keepers[k] = i.keep
	}
	maps.Copy(i.keepers, o.Keepers)
	return i
}

// Close stops following the index; it comes before the index is closed.
func (i *Inbox) Close() { i.files.Close() }

// kinds are the kinds that a candidate may have.
var kinds = []record.Kind{record.Fact, record.Decision, record.Idea, Tidy}

// Tidy is the kind of a proposal to archive or supersede a record. Its approval does that; no record of this kind exists.
const Tidy record.Kind = "tidy"

// at is where a test stops a call.
func (i *Inbox) at(point string) error {
	if i.step == nil {
		return nil
	}
	return i.step(point)
}
