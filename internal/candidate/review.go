package candidate

import (
	"context"
	"slices"
	"strings"

	"sdd/internal/fault"
	"sdd/internal/frontmatter"
	"sdd/internal/index/records"
	"sdd/internal/journal"
	"sdd/internal/markdown"
	"sdd/internal/record"
	"sdd/internal/secrets"
	"sdd/internal/store"
)

// Actions lists the actions on candidates. A rejected file stays, marked, so that the same content never comes again; restore takes a
// rejection back, and brings a deleted file back from the trash.
var Actions = strings.Fields("approve reject edit delete restore")

// Moved is one candidate after an action.
type Moved = record.Moved

const kindName = "candidate"

// deleted is the status after a delete.
const deleted = "deleted"

// Action is an action on candidates and its arguments.
type Action = records.Action

// Review applies an action to each of the ids, in order, and stops at the first failure; it returns the finished ones.
// It calls Apply first. Faults: Invalid (unknown action, a move that the status does not allow), NotFound, Ambiguous,
// Conflict, Broken, Unwritable.
func (i *Inbox) Review(ctx context.Context, a Action) (out []Moved, err error) {
	defer secrets.Blame(&err, a)
	defer fault.Caught(&err)
	out = []Moved{}
	fault.Must(i.files.Check(&a, Actions))
	by := By{a.Tool, a.Session}
	beside := store.ByItself(ctx)
	// The review decides before a queued sure one becomes a record, and an undo of the review leaves it in the inbox.
	for _, c := range fault.Must(i.Queued(beside)) {
		if slices.ContainsFunc(a.IDs, func(id string) bool { return strings.EqualFold(strings.TrimSpace(id), c.ID) }) {
			fault.Must(i.put(beside, c.asPending(), by))
		}
	}
	fault.Must(i.Apply(beside, by))
	for _, id := range a.IDs {
		out = append(out, fault.Must(i.act(ctx, strings.TrimSpace(id), a)))
	}
	return out, nil
}

func (i *Inbox) act(ctx context.Context, id string, a Action) (Moved, error) {
	by := By{a.Tool, a.Session}
	c, err := i.one(ctx, id)
	if fault.Is(err, fault.NotFound) {
		switch a.Action {
		case "approve":
			if records, e := i.ix.Holders(ctx, id); e == nil && len(records) > 0 {
				return Moved{ID: id, Kind: kindName, From: Approved, To: Approved, File: records[0].File, Etag: records[0].Etag}, nil
			}
		case "restore":
			if m, ok, e := i.bringBack(ctx, id); ok || e != nil {
				return m, e
			}
		}
	}
	if err != nil {
		return Moved{}, err
	}
	switch a.Action {
	case "approve":
		return i.approve(ctx, c, by)
	case "delete":
		err := i.remove(ctx, c, "delete", by)
		return Moved{ID: c.ID, Kind: kindName, From: c.Status, To: deleted, File: c.File}, err
	}
	out := Moved{ID: c.ID, Kind: kindName}
	now, err := i.files.Change(ctx, store.Edit{
		Record: c.ID, Op: "review " + a.Action, Tool: a.Tool, Session: a.Session, Resolve: func() (string, error) { return c.path, nil },
	}, c.path, func(before *record.Doc, now *Candidate) (*record.Doc, error) {
		out.From, out.To = now.Status, now.Status
		var sets []frontmatter.Set
		switch a.Action {
		case "reject":
			if records, err := i.ix.Holders(ctx, c.ID); err != nil || len(records) > 0 {
				if err == nil {
					err = fault.New(fault.Conflict, "%s is a record already", c.ID).For("ids").At(records[0].File, 0).With("archive or delete that")
				}
				return nil, err
			}
			out.To = Rejected
			sets = []frontmatter.Set{{Key: "status", Value: Rejected}}
			if a.Reason != "" {
				sets = append(sets, frontmatter.Set{Key: reasonKey, Value: a.Reason})
			}
		case "restore":
			if now.Status == Approved {
				return nil, fault.New(fault.Invalid, "%s is approved: restore is for what was rejected or deleted", c.ID).For("action").
					With("allowed: approve, reject, edit, delete")
			}
			out.To = Pending
			sets = []frontmatter.Set{{Key: "status", Value: Pending}, {Key: reasonKey}}
		case "edit":
			if now.Status == Rejected {
				return nil, fault.New(fault.Invalid, "%s is rejected: edit is for what may still be approved", c.ID).For("action").
					With("restore it first")
			}
			return i.edited(before, now, a)
		}
		return before.With(record.Candidate, sets)
	})
	if err != nil {
		return Moved{}, err
	}
	out.File, out.Etag, out.Changed = now.File, now.Etag, now.Etag != c.Etag
	return out, nil
}

// edited replaces the content. The id stays, so that extraction recognizes the candidate.
func (i *Inbox) edited(before *record.Doc, now *Candidate, a Action) (*record.Doc, error) {
	if a.IfMatch != "" && a.IfMatch != now.Etag {
		return nil, fault.New(fault.Conflict, "%s has changed since it was read, nothing was written\n\nstored:\n%s\n\nyours:\n%s",
			now.ID, now.Content, a.Content).For("if_match").With("read it again, merge the two texts, and save with the new etag")
	}
	if now.Kind != string(record.Decision) {
		out, _, err := record.WithContent(record.Candidate, before.Src, a.Content)
		return record.Open(out), err
	}
	// The content of a decision is its outcome without the level-3 sections in it, which stay.
	outcome := a.Content
	for _, s := range before.Record(now.path, record.Defaults{}).Sections {
		if n := partsAt(s.Text); s.Key == "outcome" && n < len(s.Text) {
			outcome += "\n\n" + s.Text[n:]
		}
	}
	known, _ := record.SectionNamed(record.Decision, "outcome")
	u, err := before.Edit(record.Candidate, nil, []markdown.Change{{Section: known, Text: outcome}})
	return u.Doc, err
}

// one returns the only candidate that id names, by id, its beginning, or file.
func (i *Inbox) one(ctx context.Context, id string) (*Candidate, error) {
	if _, err := i.read(ctx); err != nil {
		return nil, err
	}
	i.reading.Lock()
	found := i.files.Named(id)
	i.reading.Unlock()
	return i.files.Only("ids", id, found)
}

// approve makes a record of a candidate and removes its file. After a crash between the two the next call that writes removes it.
func (i *Inbox) approve(ctx context.Context, c *Candidate, by By) (_ Moved, err error) {
	defer fault.Caught(&err)
	if c.Status == Rejected {
		return Moved{}, fault.New(fault.Invalid, "%s was rejected", c.ID).For("ids").At(c.File, 0).With("restore it first")
	}
	if c.broken != nil {
		return Moved{}, store.InFile(c.broken, c.path)
	}
	if n := i.st.ConflictLine(ctx, c.path, c.src); n > 0 {
		return Moved{}, record.Unmerged(n).At(c.File, n)
	}
	keeper := i.keepers[record.Kind(c.Kind)]
	if keeper == nil {
		_, err := asRecord(*c)
		return Moved{}, err
	}
	kept := fault.Must(keeper(ctx, *c, by))
	fault.Check(i.at("kept"))
	m := Moved{ID: c.ID, Kind: kindName, From: c.Status, To: Approved, File: kept.File, Etag: kept.Etag, Did: kept.Did, Of: kept.Of}
	return m, i.remove(ctx, c, "approve", by)
}

// remove moves the file of a candidate to the trash unless it was edited. It accepts a missing file.
func (i *Inbox) remove(ctx context.Context, c *Candidate, op string, by By) error {
	_, err := i.st.Remove(ctx, store.Edit{
		Lock: record.LockOf(c.ID), Record: c.ID, Op: "review " + op, Tool: by.Tool, Session: by.Session,
		Resolve: func() (string, error) { return c.path, nil },
		Allow: func(now []byte) error {
			if record.Etag(now) != c.Etag {
				return fault.New(fault.Conflict, "%s was edited while it was reviewed", c.ID).For("ids").At(c.File, 0).With("look at it again")
			}
			return nil
		},
	})
	if fault.Is(err, fault.NotFound) {
		return nil
	}
	return err
}

// removed reports whether the last journal entry of an id is the removal of its candidate.
func (i *Inbox) removed(id string) bool {
	all := i.st.Entries(id)
	if len(all) == 0 {
		return false
	}
	k, _ := record.KindOf(all[0].Path)
	return k == record.Candidate && all[0].Op == journal.Remove && all[0].Use == "review delete"
}

// bringBack undoes the removal of a candidate that was deleted.
func (i *Inbox) bringBack(ctx context.Context, id string) (Moved, bool, error) {
	if !i.removed(id) {
		return Moved{}, false, nil
	}
	saved, err := i.st.Restore(ctx, id)
	if err != nil {
		return Moved{}, false, err
	}
	c := parse(saved.Path, saved.After)
	i.ix.Put(saved)
	return Moved{ID: id, Kind: kindName, From: deleted, To: c.Status, File: c.File, Etag: c.Etag}, true, nil
}
