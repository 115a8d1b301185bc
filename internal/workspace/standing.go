package workspace

import (
	"context"
	"slices"
	"strings"

	"sdd/internal/inbox"
	"sdd/internal/index"
	"sdd/internal/lookup"
	"sdd/internal/record"
	"sdd/internal/store"
)

// Every face tells the status of a record, and how many there are, by what stands here: nowhere else is it worked out.

// one is a record as far as it is counted.
type one struct {
	kind           record.Kind
	name           string // its kind, of an idea its colour
	status, stated string // the one that counts now, and the file's; a candidate that is a record by now has none that counts
	file           string // "" of a decision in the project's own folders, a fact that could not be stored, a candidate in the queue
	source         string
}

// standing calls f for every record of those kinds, of all kinds but explorations where none is named.
func (w *Workspace) standing(ctx context.Context, f func(one), kinds ...record.Kind) error {
	wanted := func(k record.Kind) bool { return len(kinds) == 0 || slices.Contains(kinds, k) }
	if !w.Store.Exists() {
		return nil
	}
	if wanted(record.Idea) {
		all, err := w.Learnings.Newest(ctx)
		if err != nil {
			return err
		}
		for _, i := range all {
			f(one{record.Idea, i.Color, i.Effective(), i.Status, i.File, ""})
		}
	}
	if wanted(record.Fact) {
		all, err := w.Facts.All(ctx)
		if err != nil {
			return err
		}
		for n := range all {
			f(one{record.Fact, string(record.Fact), all[n].State, all[n].Status, all[n].File, all[n].Source})
		}
	}
	if wanted(record.Decision) {
		all, err := w.Decisions.All(ctx)
		if err != nil {
			return err
		}
		for n := range all {
			file := all[n].File
			if all[n].InPlace {
				file = ""
			}
			f(one{record.Decision, string(record.Decision), all[n].Effective(), all[n].Status, file, all[n].Source})
		}
	}
	if wanted(record.Candidate) {
		all, done, err := w.Inbox.All(ctx)
		if err != nil {
			return err
		}
		for n := range all {
			f(one{record.Candidate, string(record.Candidate), all[n].Status, all[n].Status, all[n].File, ""})
		}
		for n := range done {
			f(one{record.Candidate, string(record.Candidate), "", done[n].Status, done[n].File, ""})
		}
	}
	return nil
}

// Standing returns the status that counts of the records of those kinds whose files say another one.
func (w *Workspace) Standing(ctx context.Context, kinds ...record.Kind) (index.Standing, error) {
	s := index.Standing{}
	return s, w.standing(ctx, func(o one) {
		if o.file != "" && o.status != o.stated {
			s[strings.TrimPrefix(o.file, store.Folder+"/")] = o.status
		}
	}, kinds...)
}

// Search finds records; see lookup.Search. Time makes no fact that counts one that does not, so without a status to look for only
// the facts that are shown are judged: a search does not read all of them.
func (w *Workspace) Search(ctx context.Context, q lookup.Query) (lookup.Found, error) {
	kinds := []record.Kind{record.Idea, record.Decision, record.Candidate}
	if q.Status != "" {
		kinds = append(kinds, record.Fact)
	}
	if t, err := record.ParseType(q.Type); err == nil {
		kinds = slices.DeleteFunc(kinds, func(k record.Kind) bool { return k != t.Kind })
	}
	standing := index.Standing{}
	var err error
	if len(kinds) > 0 {
		if standing, err = w.Standing(ctx, kinds...); err != nil {
			return lookup.Found{}, err
		}
	}
	return lookup.Search(ctx, w.Store, w.Index, standing, func(paths []string) (index.Standing, error) { return w.Facts.StatesOf(ctx, paths) }, q)
}

// Get reads a record; see lookup.Get.
func (w *Workspace) Get(ctx context.Context, a lookup.Ask) (lookup.Record, error) {
	return lookup.Get(ctx, w.Store, w.Index, func(e index.Entry) (string, error) { return w.StatusOf(ctx, e) }, a)
}

// StatusOf returns the status of one record that counts.
func (w *Workspace) StatusOf(ctx context.Context, e index.Entry) (string, error) {
	standing, err := w.Standing(ctx, e.Kind)
	if status := standing[e.Path]; status != "" {
		return status, err
	}
	return e.Status, err
}

// Counts is how many records there are, whatever their status, in the store and elsewhere.
type Counts struct {
	Records   map[string]int            `json:"records"`             // by kind
	Living    map[string]int            `json:"living"`              // of those, by kind: they are not superseded, rejected, outdated, archived or deleted
	Elsewhere map[string]int            `json:"elsewhere,omitempty"` // of those, by kind: they are not in .sdd, or wait in its queue
	Statuses  map[string]map[string]int `json:"statuses"`            // by kind, of ideas by colour, and by the status that counts

	taken int // facts and decisions that were found in commits
}

// Count counts the records as the files are now.
func (w *Workspace) Count(ctx context.Context) (Counts, error) {
	c := Counts{Records: map[string]int{}, Living: map[string]int{}, Elsewhere: map[string]int{}, Statuses: map[string]map[string]int{}}
	for _, k := range record.Kinds {
		c.Records[string(k)], c.Living[string(k)] = 0, 0
	}
	count := func(o one) {
		kind := string(o.kind)
		c.Records[kind]++
		if !record.Gone(o.status) {
			c.Living[kind]++
		}
		if o.file == "" {
			c.Elsewhere[kind]++
		}
		if inbox.FromCommit(o.source) {
			c.taken++
		}
		if c.Statuses[o.name] == nil {
			c.Statuses[o.name] = map[string]int{}
		}
		c.Statuses[o.name][o.status]++
	}
	err := w.standing(ctx, func(o one) {
		if o.status != "" {
			count(o)
		}
	})
	if err != nil {
		return c, err
	}
	for _, e := range w.Index.Entries(record.Exploration) {
		count(one{kind: e.Kind, name: string(e.Kind), status: e.Status, file: e.File})
	}
	return c, nil
}

// Inbox returns the candidates by status, and what became of them.
func (c Counts) Inbox() inbox.Numbers {
	n := c.Statuses[string(record.Candidate)]
	return inbox.Numbers{Pending: n[inbox.Pending], Queued: n[inbox.Queued], Approved: n[inbox.Approved], Rejected: n[inbox.Rejected]}.With(c.taken)
}
