package candidate

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"sdd/internal/fault"
	"sdd/internal/index"
	"sdd/internal/index/records"
	"sdd/internal/markdown"
	"sdd/internal/record"
	"sdd/internal/store"
)

// Filter selects candidates. Empty fields select all.
type Filter struct {
	Kind          string // fact, decision, idea, tidy
	Status        string // pending, approved, rejected, queued; "" leaves rejected ones out, any shows all
	Domain        string
	MinConfidence float64
	Text          string // every word of it is in the content or the id
	Limit         int    // 1 to 500, default 50
	Cursor        string
}

const anyStatus = "any"

// List returns the matching candidates, including the queue, the surest first: a page of them, the cursor of the next
// page ("" when this is the last), and the total number.
func (i *Inbox) List(ctx context.Context, f Filter) (list []Candidate, next string, total int, err error) {
	defer fault.Caught(&err)
	fault.Check(f.check())
	all, _, err := i.All(ctx)
	fault.Check(err)
	return record.Page(record.Each(all), f.keeps, inOrder, sortKey, f.Limit, f.Cursor)
}

// All returns the candidates of the inbox and the queue, in list order, and separately those that already are records: a
// killed process leaves both, and another call may have stored the same record.
func (i *Inbox) All(ctx context.Context) (list, stored []Candidate, err error) {
	defer fault.Caught(&err)
	list = fault.Must(i.Queued(ctx))
	all := fault.Must(i.read(ctx))
	for _, c := range all {
		if c.Status != Rejected && i.isRecord(c) {
			stored = append(stored, *c)
		} else {
			list = append(list, *c)
		}
	}
	slices.SortFunc(list, func(a, b Candidate) int { return inOrder(&a, &b) })
	return list, stored, nil
}

func (f *Filter) check() (err error) {
	defer fault.Caught(&err)
	fault.Check(records.Limit(&f.Limit))
	if f.MinConfidence < 0 || f.MinConfidence > 1 {
		return fault.New(fault.Invalid, "min_confidence is %v", f.MinConfidence).For("min_confidence").With("allowed: 0 to 1")
	}
	fault.Check(records.OneOf("kind", &f.Kind, strings.Fields("fact decision idea tidy")))
	return records.OneOf("status", &f.Status, slices.Concat(record.StatusesOf(record.Candidate, ""), []string{Queued, anyStatus}))
}

func (f *Filter) keeps(c *Candidate) bool {
	switch {
	case f.Kind != "" && c.Kind != f.Kind,
		f.Status == "" && c.Status == Rejected,
		f.Status != "" && f.Status != anyStatus && c.Status != f.Status,
		f.Domain != "" && !strings.EqualFold(c.Domain, f.Domain),
		c.Confidence < f.MinConfidence:
		return false
	}
	return records.Words(f.Text)(c.ID, c.Title, c.Content)
}

// Get returns the one candidate that has that id or file, in whatever status. Faults: NotFound, Ambiguous.
func (i *Inbox) Get(ctx context.Context, id string) (Candidate, error) {
	id = strings.TrimSpace(id)
	c, err := i.one(ctx, id)
	if err == nil {
		return *c, nil
	}
	if !fault.Is(err, fault.NotFound) {
		return Candidate{}, err
	}
	queued, failed := i.Queued(ctx)
	if failed != nil {
		return Candidate{}, failed
	}
	if n := slices.IndexFunc(queued, func(c Candidate) bool { return strings.EqualFold(c.ID, id) }); n >= 0 {
		return queued[n], nil
	}
	return Candidate{}, err
}

// InQueue returns the queued candidate with that id as the record that its file in the inbox would have, and that file's bytes.
func (i *Inbox) InQueue(ctx context.Context, id string) (r record.Record, src []byte, ok bool) {
	c, err := i.Get(ctx, id)
	if err != nil || c.Status != Queued {
		return r, nil, false
	}
	src, err = c.compose()
	r = record.Parse(record.Folder(record.Candidate)+"/"+c.base(), src, record.Defaults{})
	r.Status, r.File = Queued, ".local/"+queueFolder
	return r, src, err == nil
}

// Approved returns the candidates with `status: approved` in their file that no call has written yet. Readers treat them as records.
func (i *Inbox) Approved(ctx context.Context) ([]Candidate, error) {
	all, err := i.read(ctx)
	if err != nil {
		return nil, err
	}
	var out []Candidate
	for _, c := range all {
		if c.Status == Approved && !i.isRecord(c) {
			out = append(out, *c)
		}
	}
	return out, nil
}

// Takes reports whether an action on these ids is for candidates: approve and reject always are, the others when the
// first id is a candidate's.
func (i *Inbox) Takes(ctx context.Context, action string, ids []string) (bool, error) {
	if action == "approve" || action == "reject" {
		return true, nil
	}
	if len(ids) == 0 || !slices.Contains(Actions, action) {
		return false, nil
	}
	_, err := i.Get(ctx, ids[0])
	if fault.Is(err, fault.NotFound, fault.Invalid) {
		return action == "restore" && i.removed(ids[0]), nil
	}
	return err == nil || fault.Is(err, fault.Ambiguous), err
}

// read returns every candidate in the files as they were at the start of the call or later, in list order. The values
// are shared: callers must not change them.
func (i *Inbox) read(ctx context.Context) ([]*Candidate, error) {
	i.reading.Lock()
	defer i.reading.Unlock()
	if !i.st.Exists() {
		return nil, nil
	}
	updates, err := i.files.Updates(ctx)
	if err != nil {
		return nil, err
	}
	i.files.Apply(updates)
	return slices.SortedFunc(maps.Values(i.files.All), inOrder), nil
}

// inOrder is the order of lists: the surest first, then the newest, then by id.
func inOrder(a, b *Candidate) int {
	return cmp.Or(cmp.Compare(b.Confidence, a.Confidence), record.CompareTimes(b.Created, a.Created),
		cmp.Compare(a.ID, b.ID), cmp.Compare(a.path, b.path))
}

// sortKey is what inOrder compares, as record.Page needs it.
func sortKey(c *Candidate) []any { return []any{&c.Confidence, &c.Created, &c.ID, &c.path} }

// isRecord reports whether a record has the candidate's id.
func (i *Inbox) isRecord(c *Candidate) bool {
	same := func(e index.Entry) bool { return e.ID == c.ID }
	return c.Kind != "" && slices.ContainsFunc(i.ix.Lookup(index.Ref{ID: c.ID, Kind: record.Kind(c.Kind)}), same)
}

// Text renders candidates for an agent or a person, one per line, with their text quoted as data.
func Text(list []Candidate) string {
	if len(list) == 0 {
		return ""
	}
	var b strings.Builder
	for _, c := range list {
		fmt.Fprintf(&b, "- [%s] %s %s %.2f", record.OneLine(c.ID), record.OneLine(c.Kind), record.OneLine(c.Status), c.Confidence)
		if c.Commit != "" {
			fmt.Fprintf(&b, " (commit %s)", record.OneLine(c.Commit[:min(len(c.Commit), 12)]))
		}
		fmt.Fprintf(&b, ": %s\n", record.OneLine(c.Content))
		if c.Reason != "" {
			fmt.Fprintf(&b, "  reason: %s\n", record.OneLine(c.Reason))
		}
	}
	source := store.Folder + "/inbox"
	if list[0].Status == Approved {
		source = store.Folder // each is a file in the folder of its kind
	}
	return markdown.Quote(b.String(), source, 0)
}

// Numbers are the figures of the inbox. All but Queued come from the files.
type Numbers struct {
	Pending  int     `json:"pending"`
	Queued   int     `json:"queued"`
	Approved int     `json:"approved"` // in the inbox, and the facts and decisions whose source is a commit
	Rejected int     `json:"rejected"`
	Ratio    float64 `json:"approval_ratio"` // approved of all decided, 0 to 1; 0 for none
}

// FromCommit reports whether the source of a fact or decision is a commit.
func FromCommit(source string) bool { return strings.HasPrefix(source, record.CommitSource) }

// With adds that many facts and decisions whose source is a commit to the approved ones.
func (n Numbers) With(taken int) Numbers {
	n.Approved += taken
	if decided := n.Approved + n.Rejected; decided > 0 {
		n.Ratio = float64(n.Approved) / float64(decided)
	}
	return n
}

// Text returns the figures in one line, "" when all are 0.
func (n Numbers) Text() string {
	var parts []string
	for _, p := range []struct {
		n    int
		what string
	}{{n.Pending, "pending"}, {n.Queued, "queued (from commits)"}, {n.Approved, "approved"}, {n.Rejected, "rejected"}} {
		if p.n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", p.n, p.what))
		}
	}
	if len(parts) == 0 {
		return ""
	}
	text := "inbox: " + strings.Join(parts, ", ")
	if n.Approved+n.Rejected > 0 {
		text += fmt.Sprintf(" (%.0f %% approved)", 100*n.Ratio)
	}
	return text + "\n"
}
