// Package decision records decisions with their causes as MADR 4 files, once each, links them, and finds the chains of decisions
// that answer a question.
//
// Only the files below .sdd/decisions are truth, and the decision records that a project keeps in folders of its own,
// which are read where they are. What this package keeps in memory is derived from them.
package decision

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"sdd/internal/decision/capture"
	"sdd/internal/fault"
	"sdd/internal/index"
	"sdd/internal/index/records"
	"sdd/internal/record"
	"sdd/internal/store"
)

// Statuses of decisions.
const (
	proposed   = "proposed"
	accepted   = "accepted"
	superseded = "superseded"
)

// Decision is the content of a decision's file, and the decision that supersedes it.
type Decision struct {
	ID           string   `json:"id"`
	Title        string   `json:"title"`
	Chosen       string   `json:"chosen,omitempty"` // the option that the outcome names, where that is not the title
	Status       string   `json:"status"`           // in the file; see Effective
	Date         string   `json:"date,omitempty"`   // when it was last decided, YYYY-MM-DD
	Created      string   `json:"created,omitempty"`
	Scope        string   `json:"scope"`
	Because      []string `json:"because,omitempty"`
	Drivers      []string `json:"drivers,omitempty"`
	Alternatives []string `json:"alternatives,omitempty"`
	Consequences []string `json:"consequences,omitempty"`
	Constraints  []string `json:"constraints,omitempty"`
	Assumptions  []string `json:"assumptions,omitempty"`
	Supersedes   []string `json:"supersedes,omitempty"` // ids; a link that leads nowhere is as in the file
	DependsOn    []string `json:"depends_on,omitempty"`
	RelatesTo    []string `json:"relates_to,omitempty"`
	SupersededBy string   `json:"superseded_by,omitempty"` // the accepted decision that supersedes it
	Source       string   `json:"source,omitempty"`
	File         string   `json:"file"` // relative to the store's root
	Etag         string   `json:"etag"`
	InPlace      bool     `json:"in_place,omitempty"` // in a folder of the project's own: it is never written to

	path   string // relative to .sdd; "" of one in place
	body   string // the text of its sections
	terms  func() *terms
	status string // of one in place: the text about its status, which may name other records
}

// Effective is the status in force: a decision that an accepted one supersedes is superseded, also before its own file says so.
func (d Decision) Effective() string {
	if d.SupersededBy != "" {
		return superseded
	}
	return d.Status
}

// Standing is Effective with the decision that supersedes it.
func (d Decision) Standing() string {
	if d.SupersededBy != "" {
		return d.Effective() + " by " + d.SupersededBy
	}
	return d.Effective()
}

// Choice is what was decided.
func (d Decision) Choice() string { return cmp.Or(d.Chosen, d.Title) }

// When is the day of the decision, "" when its file has none.
func (d Decision) When() string {
	day := cmp.Or(d.Date, d.Created)
	return day[:min(len(day), len(time.DateOnly))]
}

// Decisions are the decisions of one store. They are safe for concurrent use, by any number of processes.
type Decisions struct {
	st    *store.Store
	ix    *index.Index
	now   func() time.Time
	inbox Inbox
	cache cache

	recorded func() error // called between the two writes of a recording; tests stop it there
}

// New returns the decisions of st. It reads nothing; ix is the index of st.
func New(st *store.Store, ix *index.Index) *Decisions {
	d := &Decisions{st: st, ix: ix, now: time.Now}
	d.cache.root = st.Home()
	d.cache.Kind = records.New(st, ix, records.About[Decision]{
		Kind: record.Decision, Noun: "decision", Hint: "sdd decide list shows the ids", Read: readDoc,
		ID:   func(d *Decision) string { return d.ID },
		Etag: func(d *Decision) string { return d.Etag }, File: func(d *Decision) string { return d.File },
	})
	return d
}

// Inbox stores the decisions that were found in the text of in and are not sure as candidates, each once and none that was
// rejected before. It returns the place of each.
type Inbox func(ctx context.Context, found []capture.Decision, in Input) ([]Placed, error)

// Placed is the place of a candidate; File is "" when it was not stored.
type Placed struct{ ID, File string }

// WithInbox makes d store candidates in i, and returns d. Without an inbox they are reported and not stored.
func (d *Decisions) WithInbox(i Inbox) *Decisions {
	d.inbox = i
	return d
}

// Close stops following the index; it comes before the index is closed.
func (d *Decisions) Close() { d.cache.Close() }

// All returns every decision, the newest first, those of the project's own folders among them. The list and what it holds
// are shared: they must not be changed.
func (d *Decisions) All(ctx context.Context) ([]Decision, error) {
	s, err := d.cache.sync(ctx)
	if err != nil {
		return nil, err
	}
	return slices.Clip(s.list), nil
}

// Get returns the one decision that has that id, slug, title or file. Faults: NotFound with the nearest, Ambiguous.
func (d *Decisions) Get(ctx context.Context, ref string) (_ Decision, err error) {
	defer fault.Caught(&err)
	s := fault.Must(d.cache.sync(ctx))
	if strings.TrimSpace(ref) == "" {
		return Decision{}, fault.New(fault.Invalid, "id is required").For("id").With("sdd decide list shows the ids")
	}
	i := fault.Must(d.one(s, "id", ref))
	return s.list[i], nil
}

// Filter selects decisions. Empty fields select all.
type Filter struct {
	Status string // the effective one
	Text   string // every word of it is in the decision
	Scope  string
	Limit  int // 1 to 500, default 50
	Cursor string
}

// List returns the decisions that match, the newest first: a page of them, the cursor of the next page ("" when this is the last),
// and how many there are in all.
func (d *Decisions) List(ctx context.Context, f Filter) (list []Decision, next string, total int, err error) {
	defer fault.Caught(&err)
	fault.Check(records.Limit(&f.Limit))
	fault.Check(records.OneOf("status", &f.Status, record.StatusesOf(record.Decision, "")))
	fault.Check(records.OneOf("scope", &f.Scope, record.ScopesOf(record.Decision)))
	all := fault.Must(d.All(ctx))
	holds := records.Words(f.Text)
	keep := func(o *Decision) bool {
		return (f.Status == "" || o.Effective() == f.Status) && (f.Scope == "" || o.Scope == f.Scope) && (f.Text == "" || holds(o.texts()...))
	}
	return record.Page(record.Each(all), keep, byAge, sortKey, f.Limit, f.Cursor)
}

// byAge is the order of lists: the newest first, then by id and file.
func byAge(a, b *Decision) int {
	return cmp.Or(record.CompareTimes(b.Created, a.Created), cmp.Compare(a.ID, b.ID), cmp.Compare(a.File, b.File))
}

// sortKey is what byAge compares, as record.Page needs it.
func sortKey(d *Decision) []any { return []any{&d.Created, &d.ID, &d.File} }

// texts are those that a list is searched in.
func (d *Decision) texts() []string {
	return slices.Concat([]string{d.ID, d.Title, d.Chosen}, d.Because, d.Alternatives, d.Consequences, d.Constraints, d.Assumptions)
}
