package candidate

import (
	"cmp"
	"context"
	"maps"
	"slices"

	"sdd/internal/index"
	"sdd/internal/record"
)

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
	return cmp.Or(cmp.Compare(b.Confidence, a.Confidence), cmp.Compare(b.Created, a.Created),
		cmp.Compare(a.ID, b.ID), cmp.Compare(a.path, b.path))
}

// sortKey is what inOrder compares, as record.Page needs it.
func sortKey(c *Candidate) []any { return []any{&c.Confidence, &c.Created, &c.ID, &c.path} }

// isRecord reports whether a record has the candidate's id.
func (i *Inbox) isRecord(c *Candidate) bool {
	same := func(e index.Entry) bool { return e.ID == c.ID }
	return c.Kind != "" && slices.ContainsFunc(i.ix.Lookup(index.Ref{ID: c.ID, Kind: record.Kind(c.Kind)}), same)
}

// stored reports whether a candidate that was not rejected is a record.
func (i *Inbox) stored(c *Candidate) bool { return c.Status != Rejected && i.isRecord(c) }
