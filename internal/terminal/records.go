package terminal

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"sdd/internal/app"
	"sdd/internal/fault"
	"sdd/internal/git"
	"sdd/internal/index"
	"sdd/internal/lookup"
	"sdd/internal/record"
)

const pageOfFound = 100

// readRecords lists the records, the newest first. Without standing it does without their states, for a fast first screen.
func readRecords(ctx context.Context, w *app.App, standing index.Standing) (listing, error) {
	l := listing{Overview: app.Overview{Project: w.Store.Project(), Exists: w.Store.Exists()}, branch: git.CheckedOutBranch(w.Store.Dir())}
	if !l.Exists {
		l.refused = git.WithoutWorkTree(w.Store.Dir())
	}
	if err := w.Index.Refresh(ctx); err != nil {
		return l, err
	}
	entries := w.Index.Entries()
	if standing != nil {
		beside, err := w.Decisions.Elsewhere(ctx)
		if err != nil {
			return l, err
		}
		entries = append(entries, beside.Entries()...)
	}
	slices.SortFunc(entries, func(a, b index.Entry) int {
		return cmp.Or(record.CompareTimes(b.Created, a.Created), cmp.Compare(a.ID, b.ID), cmp.Compare(a.File, b.File))
	})
	l.Records = map[string]int{}
	list := make([]app.Item, 0, len(entries))
	for n := range entries {
		e := &entries[n]
		l.Records[string(e.Kind)]++
		i := app.Item{ID: e.ID, Type: e.Type(), Title: record.OneLine(e.Title), File: e.File, Time: e.Created, Etag: e.Etag}
		if standing != nil {
			i.State = cmp.Or(standing[e.Path], e.Status)
		}
		list = append(list, i)
	}
	l.records = itemsOf(records, list)
	return l, nil
}

// readAll is readRecords with the overview and the states of the records.
func readAll(ctx context.Context, w *app.App) (_ listing, err error) {
	defer fault.Caught(&err)
	o := fault.Must(w.Overview(ctx))
	standing := fault.Must(w.Standing(ctx, record.Kinds...))
	l, err := readRecords(ctx, w, standing)
	l.Overview, l.whole = o, true
	return l, err
}

// search finds a page of records by words of their texts.
func search(ctx context.Context, w *app.App, words, cursor string) (found, error) {
	page, err := w.Search(ctx, lookup.Query{Query: words, Limit: pageOfFound, Cursor: cursor})
	f := found{filter: words, total: page.Total, cursor: page.NextCursor}
	list := make([]app.Item, 0, len(page.Results))
	for _, h := range page.Results {
		note := h.Snippet
		if h.Section != "" {
			note = h.Section + ": " + note
		}
		list = append(list, app.Item{
			ID: h.ID, Type: h.Type, Title: record.OneLine(h.Title), File: h.File, Line: h.Line, State: h.Status,
			Note: record.OneLine(strings.TrimSuffix(note, ": ")),
		})
	}
	f.items = itemsOf(records, list)
	return f, err
}
