package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"sdd/internal/anchor"
	"sdd/internal/codesearch"
	"sdd/internal/fault"
	"sdd/internal/history"
	"sdd/internal/index"
	"sdd/internal/record"
	"sdd/internal/tier"
)

// PlaceWhy lists the records that concern a place in the code.
type PlaceWhy struct {
	Place   string    `json:"place"`
	Records []Concern `json:"records"` // those about the symbol or the lines first, those about the whole file last
}

// Concern is a record that concerns a place.
type Concern struct {
	ID     string       `json:"id"`
	Type   string       `json:"type"`
	Title  string       `json:"title"`
	File   string       `json:"file"`
	Status string       `json:"status"`
	Tier   tier.Tier    `json:"tier,omitempty"` // how far the record has come
	Said   history.Said `json:"said"`           // the item of its text that names the place, else its main statement
	Places []Anchored   `json:"places"`         // the nearest first
}

// WhyPlace returns the records that concern a place, also those that name where its code was before. Without any the fault is NotFound.
func (w *App) WhyPlace(ctx context.Context, at anchor.Ref) (out PlaceWhy, err error) {
	defer fault.Caught(&err)
	out = PlaceWhy{Place: at.String(), Records: []Concern{}}
	ctx = w.Index.Call(ctx)
	fault.Check(w.Index.Refresh(ctx))
	standing := fault.Must(w.Standing(ctx, record.Idea, record.Decision, record.Candidate))
	entries := slices.DeleteFunc(w.Index.Anchored(), func(e index.Entry) bool { return record.Gone(standing[e.Path]) })
	all := w.overlapping(ctx, at, entries)
	near := func(a Anchored) int {
		switch {
		case at.Symbol != "" && a.Verdict.Symbol == at.Symbol:
			return 0
		case a.Verdict.Symbol != "" || a.Verdict.First > 0:
			return 1
		}
		return 2
	}
	slices.SortStableFunc(all, func(a, b Anchored) int { return near(a) - near(b) })
	w.Explain(ctx, all)
	now := w.Tiers(ctx)
	var statements []history.Statement
	for _, a := range all {
		i := slices.IndexFunc(out.Records, func(c Concern) bool { return c.File == a.File })
		if i < 0 {
			i = len(out.Records)
			out.Records = append(out.Records, Concern{ID: a.ID, Type: a.Type, Title: a.Title, File: a.File, Status: a.Entry.Status,
				Tier: now.Of(a.Entry.Path)})
			statements = append(statements, history.Statement{Path: a.Entry.Path, Line: a.Verdict.Line})
		}
		out.Records[i].Places = append(out.Records[i].Places, a)
	}
	if len(all) == 0 {
		return out, fault.New(fault.NotFound, "no record names %s", at).With(w.insteadOf(at))
	}
	said, err := history.SaidIn(ctx, w.Store, statements)
	var origins []*history.Origin
	for i := range said {
		out.Records[i].Said = said[i]
		origins = append(origins, &out.Records[i].Said.Origin)
	}
	w.verify(ctx, origins, now)
	return out, err
}

// atPlace returns the paths of the records about the place that a query consists of; nil for other queries.
func (w *App) atPlace(ctx context.Context, query string) (paths []string, err error) {
	query = strings.TrimSpace(query)
	at, bad := anchor.ParseRef(query)
	if bad != nil || strings.ContainsAny(query, " \t\n") {
		return nil, nil
	}
	if err := w.Index.Refresh(ctx); err != nil || !w.Index.NamesCode() {
		return nil, err
	}
	symbol := func(a anchor.Anchor) bool { return a.Symbol == query || strings.HasSuffix(a.Symbol, "."+query) }
	for _, e := range w.Index.AnchoredAs(query[strings.LastIndexByte(query, '.')+1:]) {
		if slices.ContainsFunc(e.Anchors, symbol) {
			paths = append(paths, e.Path)
		}
	}
	if !strings.Contains(at.Path, "/") {
		var files []string
		for _, e := range w.Index.AnchoredAs(at.Path) {
			for _, a := range e.Anchors {
				if path.Base(a.Path) == at.Path && !slices.Contains(files, a.Path) {
					files = append(files, a.Path)
				}
			}
		}
		if len(files) != 1 {
			return paths, nil
		}
		at.Path = files[0]
	}
	for _, a := range w.overlapping(ctx, at, w.Index.Anchored(at.Path)) {
		paths = append(paths, a.Entry.Path)
	}
	return paths, nil
}

// insteadOf is the hint for a place that no record names.
func (w *App) insteadOf(at anchor.Ref) string {
	if _, _, err := w.Tree.Pin(at); err != nil {
		return cmp.Or(fault.Of(err).Hint, fault.Of(err).Message)
	}
	if (at.Symbol != "" || at.First > 0) && len(w.Index.Anchored(at.Path)) > 0 {
		return "sdd why " + at.Path + " lists the records that name other parts of the file"
	}
	return "give a record code_ref: " + at.Path + ", with #Symbol for a part of it"
}

// IsPlace reports whether a text names a file of the project, or a place that a record names.
func (w *App) IsPlace(at anchor.Ref) bool {
	_, err := w.Tree.File(at.Path)
	return !errors.Is(err, fs.ErrNotExist) || len(w.Index.Anchored(at.Path)) > 0
}

// Mark returns what became of the record's places, "" when they are as the record was saved with.
func (c Concern) Mark() string {
	if m := Mark(c.Places); m != "" {
		return m
	}
	for _, p := range c.Places {
		if p.Now != "" {
			return p.Place + " is now " + p.Now
		}
	}
	return ""
}

// Text lists a record in a few lines: the statement, its file and line, and who wrote it.
func (p PlaceWhy) Text() string {
	var b strings.Builder
	for _, c := range p.Records {
		fmt.Fprintf(&b, "%s  %s  %s\n    %s\n", c.ID, c.Type, c.Places[0].State, cmp.Or(c.Said.Text, record.OneLine(c.Title)))
		if m := c.Mark(); m != "" {
			fmt.Fprintf(&b, "    %s\n", m)
		}
		who := "not committed"
		if c.Said.Commit != "" {
			who = fmt.Sprintf("%.10s  %s  %s  %s", c.Said.Commit, c.Said.Date, c.Said.Author, c.Said.Subject)
			if c.Said.Signature != "" {
				who += "  " + c.Said.Signature
			}
		}
		if c.Tier != tier.Unknown {
			who += "  [" + c.Tier.String() + "]"
		}
		fmt.Fprintf(&b, "    %s line %d  %s\n", c.File, c.Said.Line, who)
	}
	return b.String()
}

// RecordsOn returns for each snippet the approved records that concern its lines, the nearest first.
func (w *App) RecordsOn(ctx context.Context, snippets []codesearch.Snippet) [][]codesearch.About {
	out := make([][]codesearch.About, len(snippets))
	if err := w.Index.Refresh(ctx); err != nil || !w.Index.NamesCode() {
		return out
	}
	under := map[string][]Anchored{} // by path
	for i, s := range snippets {
		all, known := under[s.Path]
		if !known && s.Path != "" {
			all = w.overlapping(ctx, anchor.Ref{Path: s.Path}, w.Index.Anchored(s.Path))
			under[s.Path] = all
		}
		for _, a := range all {
			if a.Entry.Kind != record.Candidate && a.Lines[0] > 0 && a.Lines[0] <= s.EndLine && a.Lines[1] >= s.StartLine {
				out[i] = append(out[i], codesearch.About{Record: a.ID, First: a.Lines[0], Last: a.Lines[1]})
			}
		}
	}
	return out
}
