package learning

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"sdd/internal/fault"
	"sdd/internal/index/records"
	"sdd/internal/learning/classify"
	"sdd/internal/record"
)

// Filter selects ideas. An empty field selects all.
type Filter struct {
	Color     string // white is green that is done
	Status    string // the effective one; "" leaves deleted ones out, any shows all
	Scope     string
	Impact    string
	Category  string
	Agent     string // as learning.match in config.yaml compares agents
	Parent    string // any of its names
	Text      string // every word of it is in the content or the id
	Validated *bool
	Limit     int // 1 to 500, default 50
	Cursor    string
}

const anyStatus = "any"

// List returns the ideas that match, newest first: a page of them, the cursor of the next page ("" when this is
// the last), and how many there are in all.
func (l *Learnings) List(ctx context.Context, f Filter) (ideas []Idea, next string, total int, err error) {
	defer fault.Caught(&err)
	keep := fault.Must(l.filter(&f))
	fault.Check(l.cache.sync(ctx))
	wanted := keep
	if f.Parent != "" {
		child := l.childOf(f.Parent)
		wanted = func(i *Idea) bool { return keep(i) && child(i) }
	}
	ideas, next, total, err = record.Page(slices.Values(l.cache.newest()), wanted, byAge, sortKey, f.Limit, f.Cursor)
	for n := range ideas {
		ideas[n] = l.show(&ideas[n])
	}
	return ideas, next, total, err
}

// filter checks f and returns what it keeps.
func (l *Learnings) filter(f *Filter) (_ func(*Idea) bool, err error) {
	defer fault.Caught(&err)
	fault.Check(records.Limit(&f.Limit))
	set := fault.Must(l.settings())
	for _, v := range []struct {
		arg     string
		value   *string
		allowed []string
	}{
		{"color", &f.Color, append(slices.Clone(record.Colors), white)},
		{"status", &f.Status, append(slices.Clone(record.StatusesOf(record.Idea, "")), check, anyStatus)},
		{"scope", &f.Scope, record.ScopesOf(record.Idea)},
		{"impact", &f.Impact, Impacts},
	} {
		fault.Check(records.OneOf(v.arg, v.value, v.allowed))
	}
	holds := records.Words(f.Text)
	return func(i *Idea) bool {
		switch {
		case f.Color == white && (i.Color != "green" || i.Status != done),
			f.Color != "" && f.Color != white && i.Color != f.Color,
			f.Status == "" && i.Status == deleted,
			f.Status == check && (i.Verdict == nil || i.Verdict.Status != check),
			f.Status != "" && f.Status != anyStatus && f.Status != check && i.Effective() != f.Status,
			f.Scope != "" && i.Scope != f.Scope,
			f.Impact != "" && i.Impact != f.Impact,
			f.Category != "" && !strings.EqualFold(i.Category, f.Category),
			f.Validated != nil && i.Validated != *f.Validated,
			f.Agent != "" && !set.has(i, f.Agent):
			return false
		}
		return holds(i.ID, i.Content)
	}, nil
}

// childOf returns a test for the ideas with that parent, by any of its names.
func (l *Learnings) childOf(parent string) func(*Idea) bool {
	names := []string{foldID(parent)}
	for _, p := range l.cache.named(parent) {
		names = append(names, p.names()...)
	}
	return func(i *Idea) bool { return i.Parent != "" && slices.Contains(names, foldID(i.Parent)) }
}

// show is an idea as callers get it, who must not change its lists and its verdict.
func (l *Learnings) show(i *Idea) Idea {
	out := *i
	if !i.Learning() {
		return out
	}
	if v := classify.Impact(i.Content); v.Value == i.Impact {
		out.ImpactRule = v.Rule
	}
	if set, err := l.settings(); err == nil {
		if v := classify.Category(i.Content, set.categories); v.Value == i.Category {
			out.CategoryRule = v.Rule
		}
	}
	return out
}

// Get returns the one idea that has that id, alias or file. Faults: NotFound with the nearest ids, Ambiguous.
func (l *Learnings) Get(ctx context.Context, id string) (_ Idea, err error) {
	defer fault.Caught(&err)
	fault.Check(l.cache.sync(ctx))
	i := fault.Must(l.one(id))
	return l.show(i), nil
}

// Newest returns every idea, the newest first, whatever its status. The list and what it holds are shared: they must not be changed.
func (l *Learnings) Newest(ctx context.Context) ([]*Idea, error) {
	if err := l.cache.sync(ctx); err != nil {
		return nil, err
	}
	return slices.Clip(l.cache.newest()), nil
}

// Log returns the Discovery Log: the global learnings that are not deleted, oldest first.
func (l *Learnings) Log(ctx context.Context) ([]Idea, error) {
	if err := l.cache.sync(ctx); err != nil {
		return nil, err
	}
	out := []Idea{}
	for _, i := range l.cache.learnings(oldestFirst) {
		if i.Scope == record.Global && i.Status != deleted {
			out = append(out, *i)
		}
	}
	return out, nil
}

// oldestFirst is the order of the Discovery Log; those without `created` come last.
func oldestFirst(a, b *Idea) int {
	switch {
	case a.created == b.created:
		return cmp.Or(strings.Compare(a.ID, b.ID), strings.Compare(a.path, b.path))
	case a.created == 0:
		return 1
	case b.created == 0 || a.created < b.created:
		return -1
	}
	return 1
}
