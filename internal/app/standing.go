package app

import (
	"context"
	"slices"
	"strings"

	"sdd/internal/candidate"
	"sdd/internal/index"
	"sdd/internal/lookup"
	"sdd/internal/record"
	"sdd/internal/store"
)

// Only this file computes the effective status of records and their numbers; all user interfaces
// use it.

// counted is the part of a record that Count and Standing need.
type counted struct {
	kind           record.Kind
	name           string // its kind, of an idea its colour
	status, stated string // the effective status, "" of a candidate that is now a record; and the status in the file
	file           string // "" of a decision in the project's own folders, a fact that could not be stored, a candidate in the queue
	source         string
}

// each calls f for every record of those kinds; without kinds, for all except explorations.
func (w *App) each(ctx context.Context, f func(counted), kinds ...record.Kind) error {
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
			f(counted{record.Idea, i.Color, i.Effective(), i.Status, i.File, ""})
		}
	}
	if wanted(record.Fact) {
		all, err := w.Facts.All(ctx)
		if err != nil {
			return err
		}
		for n := range all {
			f(counted{record.Fact, string(record.Fact), all[n].State, all[n].Status, all[n].File, all[n].Source})
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
			f(counted{record.Decision, string(record.Decision), all[n].Effective(), all[n].Status, file, all[n].Source})
		}
	}
	if wanted(record.Candidate) {
		all, done, err := w.Inbox.All(ctx)
		if err != nil {
			return err
		}
		for n := range all {
			f(counted{record.Candidate, string(record.Candidate), all[n].Status, all[n].Status, all[n].File, ""})
		}
		for n := range done {
			f(counted{record.Candidate, string(record.Candidate), "", done[n].Status, done[n].File, ""})
		}
	}
	return nil
}

// Standing returns the effective status of those records of the kinds whose file has another status.
func (w *App) Standing(ctx context.Context, kinds ...record.Kind) (index.Standing, error) {
	s := index.Standing{}
	return s, w.each(ctx, func(o counted) {
		if o.file != "" && o.status != o.stated {
			s[strings.TrimPrefix(o.file, store.Folder+"/")] = o.status
		}
	}, kinds...)
}

// Search finds records; see lookup.Search. Without a status in the query it computes the effective status only of those
// facts that are in the result, so that it need not read all facts: time alone never makes a fact outdated.
func (w *App) Search(ctx context.Context, q lookup.Query) (lookup.Found, error) {
	kinds := []record.Kind{record.Idea, record.Decision, record.Candidate}
	if q.Status != "" {
		kinds = append(kinds, record.Fact)
	}
	if t, err := record.ParseType(q.Type); err == nil {
		kinds = slices.DeleteFunc(kinds, func(k record.Kind) bool { return k != t.Kind })
	}
	ctx = w.Index.Call(ctx)
	if commits := w.commits.Load(); commits != nil {
		q.Commits = *commits
	}
	tiers := w.askTiers(ctx)
	standing := index.Standing{}
	var err error
	if len(kinds) > 0 {
		if standing, err = w.Standing(ctx, kinds...); err != nil {
			return lookup.Found{}, err
		}
	}
	states := func(paths []string) (index.Standing, error) { return w.Facts.StatesOf(ctx, paths) }
	if q.First, err = w.atPlace(ctx, q.Query); err != nil {
		return lookup.Found{}, err
	}
	return lookup.Search(ctx, w.Store, w.Index, w.Tree, standing, states, tiers, q)
}

// Get reads a record; see lookup.Get.
func (w *App) Get(ctx context.Context, a lookup.Ask) (lookup.Record, error) {
	status := func(e index.Entry) (string, error) { return w.StatusOf(ctx, e) }
	if commits := w.commits.Load(); commits != nil {
		if err := w.Index.Refresh(ctx); err != nil {
			return lookup.Record{}, err
		}
		a.ID, a.Commits = w.Qualified(a.ID), *commits
	}
	return lookup.Get(ctx, w.Store, w.Index, w.Tree, status, w.askTiers(ctx), a)
}

// StatusOf returns the effective status of one record.
func (w *App) StatusOf(ctx context.Context, e index.Entry) (string, error) {
	standing, err := w.Standing(ctx, e.Kind)
	if status := standing[e.Path]; status != "" {
		return status, err
	}
	return e.Status, err
}

// Counts are the numbers of records in every status, in the store and elsewhere.
type Counts struct {
	Records   map[string]int            `json:"records"`             // by kind
	Living    map[string]int            `json:"living"`              // of those, by kind: with a status outside record.Gone
	Elsewhere map[string]int            `json:"elsewhere,omitempty"` // of those, by kind: outside .sdd, or in its queue
	Statuses  map[string]map[string]int `json:"statuses"`            // by kind, of ideas by colour, and by effective status

	taken int // facts and decisions found in commits
}

// Count counts the records in their present files.
func (w *App) Count(ctx context.Context) (Counts, error) {
	c := Counts{Records: map[string]int{}, Living: map[string]int{}, Elsewhere: map[string]int{}, Statuses: map[string]map[string]int{}}
	for _, k := range record.Kinds {
		c.Records[string(k)], c.Living[string(k)] = 0, 0
	}
	count := func(o counted) {
		kind := string(o.kind)
		c.Records[kind]++
		if !record.Gone(o.status) {
			c.Living[kind]++
		}
		if o.file == "" {
			c.Elsewhere[kind]++
		}
		if candidate.FromCommit(o.source) {
			c.taken++
		}
		if c.Statuses[o.name] == nil {
			c.Statuses[o.name] = map[string]int{}
		}
		c.Statuses[o.name][o.status]++
	}
	err := w.each(ctx, func(o counted) {
		if o.status != "" {
			count(o)
		}
	})
	if err != nil {
		return c, err
	}
	for _, e := range w.Index.Entries(record.Exploration) {
		count(counted{kind: e.Kind, name: string(e.Kind), status: e.Status, file: e.File})
	}
	return c, nil
}

// Inbox returns the figures of candidates.
func (c Counts) Inbox() candidate.Numbers {
	n := c.Statuses[string(record.Candidate)]
	return candidate.Numbers{
		Pending: n[candidate.Pending], Queued: n[candidate.Queued], Approved: n[candidate.Approved], Rejected: n[candidate.Rejected],
	}.With(c.taken)
}
