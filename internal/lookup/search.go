// Package lookup implements search and get: finding records and reading them.
package lookup

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"sdd/internal/anchor"
	"sdd/internal/fault"
	"sdd/internal/index"
	"sdd/internal/index/records"
	"sdd/internal/markdown"
	"sdd/internal/record"
	"sdd/internal/sealed"
	"sdd/internal/store"
	"sdd/internal/tier"
	"sdd/internal/tokens"
)

// Query holds the words to search for, and filters. Every field may be empty: without Query the newest records are listed.
type Query struct {
	Query     string `json:"query,omitempty"`
	Type      string `json:"type,omitempty"`
	Project   string `json:"project,omitempty"`
	Scope     string `json:"scope,omitempty"`
	Status    string `json:"status,omitempty"`
	SessionID string `json:"session_id,omitempty"`
	Limit     int    `json:"limit,omitempty"` // 1 to 100, default 40
	Cursor    string `json:"cursor,omitempty"`
	With      string `json:"with,omitempty"`       // names of other repositories, all for each of them; see app.With
	MaxTokens int    `json:"max_tokens,omitempty"` // 50 to 100,000; 0 is budgets.search of config.yaml, else 2,000

	Note      string            `json:"-"` // of the answer: why other repositories are missing
	Before    []Hit             `json:"-"` // private records, which come before the hits of the first page
	First     []string          `json:"-"` // paths of records that match whatever their words, and come before others
	Elsewhere *index.Elsewhere  `json:"-"` // records in other folders of the project
	Commits   map[string]string `json:"-"` // of the other repositories in a joined store, by name
}

// Found is a page of results. Total counts all matches, not only this page.
type Found struct {
	Query      string   `json:"query"`
	Total      int      `json:"total"`
	Results    []Hit    `json:"results"`
	NextCursor string   `json:"next_cursor"`
	Missing    []string `json:"missing,omitempty"` // other repositories that were asked for and cannot be read
	Omitted    int      `json:"omitted"`           // matches after this page
	Note       string   `json:"note,omitempty"`    // why other repositories are missing that were asked for

	text   string // the result of Text, once known
	worded int    // results with a snippet in the JSON
	full   int    // results in the JSON without their text
	placed int    // results in the JSON with id, type, file and line only; the rest have no file
}

// Hit is one record with the best match of the query.
type Hit struct {
	ID      string    `json:"id"`
	Type    string    `json:"type"`
	Title   string    `json:"title,omitempty"`
	File    string    `json:"file,omitempty"`
	Line    int       `json:"line"`
	Section string    `json:"section,omitempty"`
	Project string    `json:"project,omitempty"`
	Scope   string    `json:"scope,omitempty"`
	Status  string    `json:"status,omitempty"`
	Tier    tier.Tier `json:"tier,omitempty"` // how far it has come: uncommitted, branch, main
	In      Origin    `json:"in,omitzero"`    // the other repository that has it; File is the path there
	Code    string    `json:"mark,omitempty"` // the change or loss of code that the record names
	Score   float64   `json:"score,omitempty"`
	Snippet string    `json:"snippet,omitempty"` // the part of the line that matched; the JSON leaves it out if the title has it
	Text    string    `json:"-"`                 // the whole line, for Text
	orders  string    // the warning that title or line read as an instruction
}

// Origin is another repository and the commit at which it is read; the zero value is the store's own.
type Origin struct {
	Repository string `json:"repository"`
	Commit     string `json:"commit"`
}

// origin returns the repository of a path in a joined store, and the file there.
func origin(at string, commits map[string]string) (Origin, string) {
	name, in := record.Repository(at)
	return Origin{name, commits[name]}, file(in)
}

// MarshalJSON writes what fits: the last results lose the snippet, then all but id, type, file and line, then the file.
func (f Found) MarshalJSON() ([]byte, error) {
	type plain Found
	p := plain(f)
	p.Results = slices.Clone(f.Results)
	for i := range p.Results {
		if h := &p.Results[i]; i >= f.worded || strings.HasPrefix(record.OneLine(h.Title), strings.TrimRight(h.Snippet, "…")) {
			h.Snippet = ""
		}
	}
	for i := min(f.full, len(p.Results)); i < len(p.Results); i++ {
		h := Hit{ID: p.Results[i].ID, Type: p.Results[i].Type, Line: p.Results[i].Line}
		if i < f.placed {
			h.File = p.Results[i].File
		}
		p.Results[i] = h
	}
	if p.Results == nil {
		p.Results = []Hit{}
	}
	return json.Marshal(p)
}

const (
	defaultLimit     = 40 // results that do not fit max_tokens are on the next page
	maxLimit         = 100
	minTokens        = 50
	maxTokens        = 100_000
	MostTokens       = maxTokens // of an answer
	defaultSearchMax = 2000
)

// Search finds the records that match q, best first. Both forms of the answer, Text and the JSON, stay within
// q.MaxTokens: the rest is on the next page. Records that are no longer in force come last, unless the query names them.
// Of records with the same score, those whose code is gone or changed come last. standing has the effective statuses that
// differ from the files'; shown returns those of the hits, by path; tiers sends once how far the records have come; it may be nil.
func Search(
	ctx context.Context, st *store.Store, ix *index.Index, tree *anchor.Tree, standing index.Standing,
	shown func(paths []string) (index.Standing, error), tiers <-chan tier.Standing, q Query,
) (_ Found, err error) {
	defer fault.Caught(&err)
	var types []record.Type
	if q.Type != "" {
		types = []record.Type{fault.Must(record.ParseType(q.Type))}
	}
	fault.Check(record.CheckQuery(q.Query))
	fault.Check(fault.Within("limit", &q.Limit, defaultLimit, 1, maxLimit))
	fault.Check(within(st, "search", &q.MaxTokens, defaultSearchMax))
	fault.Check(ix.Refresh(ctx))
	page := fault.Must(ix.Query(ctx, index.Query{
		Text: q.Query, Types: types, Project: q.Project, Scope: strings.ToLower(q.Scope), Status: q.Status,
		Session: q.SessionID, Limit: q.Limit, Cursor: q.Cursor, Standing: standing, First: q.First, Elsewhere: q.Elsewhere,
	}))
	if page.Total == 0 {
		fault.Check(q.known())
	}
	var paths []string
	for _, h := range page.Hits {
		paths = append(paths, h.Path)
	}
	now := fault.Must(shown(paths))
	out := Found{Query: shortQuery(q.Query), Total: page.Total + len(q.Before), Results: append([]Hit{}, q.Before...), Note: q.Note}
	for _, name := range slices.Sorted(maps.Keys(q.Commits)) {
		if q.Commits[name] == "" {
			out.Missing = append(out.Missing, name)
		}
	}
	anchors := make([][]anchor.Anchor, len(page.Hits))
	for n := range page.Hits {
		h := &page.Hits[n]
		if status, ok := now[h.Path]; ok {
			h.Status = status
		}
		if !record.Gone(cmp.Or(standing[h.Path], h.Status)) {
			anchors[n] = h.Anchors
		}
	}
	alarms := tree.Alarms(ctx, anchors)
	causes := tree.Causes(ctx, alarms)
	came := come(tiers)
	for n, h := range page.Hits {
		in, file := origin(h.Path, q.Commits)
		came := came.Of(h.Path)
		out.Results = append(out.Results, Hit{
			ID: h.ID, Type: h.Type(), Title: h.Title, In: in, File: file, Line: h.Line, Section: h.Section,
			Project: h.Project, Scope: h.Scope, Status: h.Status, Score: h.Score, Snippet: h.Snippet, Text: h.Text,
			Tier: came, orders: came.Orders(h.Title + "\n" + h.Text), Code: alarms[n].Mark(causes[n]),
		})
		if out.Query == "" { // no line has matched
			hit := &out.Results[len(out.Results)-1]
			if hit.Section, hit.Snippet, hit.Line = "", "", 1; h.Kind == record.Exploration || h.Kind == record.Decision {
				hit.Text = "" // the title says it
			}
		}
	}
	fit := func(n int) Found {
		f := out
		f.Results = freshFirst(out.Results[:n])
		if f.Omitted = page.After + len(out.Results) - n; f.Omitted > 0 {
			f.NextCursor = page.CursorAfter(n - len(q.Before))
		}
		if n == 0 {
			f.NextCursor = q.Cursor // this page is empty
		}
		return f
	}
	n := len(out.Results)
	f := fit(n)
	f.placed, f.full, f.worded, f.text = n, n, n, f.Text()
	if f.fits(q.MaxTokens) {
		return f, nil // the common case
	}
	f = fit(tokens.Room(n, func(n int) bool { return fit(n).fits(q.MaxTokens) }))
	for _, count := range []*int{&f.placed, &f.full, &f.worded} {
		*count = tokens.Room(len(f.Results), func(n int) bool {
			*count = n
			return tokens.WithinJSON(f, q.MaxTokens)
		})
	}
	return f, nil
}

func (q Query) known() error {
	statuses, scopes := []string{}, []string{record.Private}
	for _, k := range record.Kinds {
		statuses, scopes = append(statuses, record.StatusesOf(k, "")...), append(scopes, record.ScopesOf(k)...)
	}
	slices.Sort(statuses)
	slices.Sort(scopes)
	return cmp.Or(records.OneOf("status", &q.Status, slices.Compact(statuses)), records.OneOf("scope", &q.Scope, slices.Compact(scopes)))
}

// freshFirst puts last, among neighbours with one score, those whose code changed, and first those that have come furthest.
func freshFirst(hits []Hit) []Hit {
	out := slices.Clone(hits)
	for from := 0; from < len(out); {
		first, to := out[from], from+1
		for to < len(out) && first.Score > 0 && out[to].Score == first.Score && record.Gone(out[to].Status) == record.Gone(first.Status) {
			to++
		}
		slices.SortStableFunc(out[from:to], func(a, b Hit) int {
			return cmp.Or(min(len(a.Code), 1)-min(len(b.Code), 1), cmp.Compare(b.Tier, a.Tier))
		})
		from = to
	}
	return out
}

// within sets an empty budget to the tool's in config.yaml, else to preset. An unreadable config.yaml counts as empty.
func within(st *store.Store, tool string, budget *int, preset int) error {
	c, _ := st.Config()
	return fault.Within("max_tokens", budget, c.Budget(tool, preset), minTokens, maxTokens)
}

func (f Found) fits(budget int) bool { return tokens.WithinBoth(f.Text(), f, budget) }

// Text renders the page for an agent or a person, one line per result.
func (f Found) Text() string {
	if f.text != "" {
		return f.text
	}
	var b strings.Builder
	if f.Note != "" {
		b.WriteString(f.Note + "\n")
	}
	switch {
	case f.Total == 0 && f.Query != "":
		fmt.Fprintf(&b, "No record matches %q.\n", f.Query)
		b.WriteString("Try fewer or other words, or no query to list the newest.\n")
	case f.Total == 0:
		b.WriteString("No records yet. Save one with sdd_explore.\n")
	case len(f.Results) == f.Total:
		fmt.Fprintf(&b, "%d found\n", f.Total)
	default:
		fmt.Fprintf(&b, "%d found, %d shown\n", f.Total, len(f.Results))
	}
	if len(f.Results) > 0 {
		var list strings.Builder
		for i, h := range f.Results {
			fmt.Fprintf(&list, "%d. %s\n", i+1, h.Summary())
		}
		b.WriteString(markdown.Quote(list.String(), store.Folder, 0))
	}
	if len(f.Results) == 0 && f.Omitted > 0 {
		b.WriteString("None fits: raise max_tokens.\n")
	} else if f.NextCursor != "" {
		fmt.Fprintf(&b, "%d more: cursor %s\n", f.Omitted, f.NextCursor)
	}
	if len(f.Missing) > 0 {
		fmt.Fprintf(&b, "Not read: the repositories %s.\n", strings.Join(f.Missing, ", "))
	}
	return b.String()
}

// Summary renders the hit as one line: id, a note on its status, its own title if any, section, line and the text of that line.
func (h Hit) Summary() string {
	text := strings.TrimPrefix(record.OneLine(h.Text), "- ")
	s := strings.TrimSpace("[" + h.ID + "] " + h.Mark())
	if title := record.OneLine(h.Title); !strings.HasPrefix(text, strings.TrimRight(title, "….")) {
		s += " " + title
	}
	if h.Section != "" {
		s += " › " + record.OneLine(h.Section)
	}
	if h.Type == "explore" || h.Type == string(record.Decision) {
		s += fmt.Sprintf(":%d", h.Line)
	}
	if text != "" {
		s += " " + text
	}
	return s
}

// Mark returns in brackets a status that is stale or gone, the tier below the default branch, and what happened to the code.
func (h Hit) Mark() (mark string) {
	if h.Status == "stale" || record.Gone(h.Status) {
		mark = "[" + h.Status + "] "
	}
	if h.In.Repository != "" {
		mark += fmt.Sprintf("[%s %.10s] ", h.In.Repository, h.In.Commit)
	}
	if h.Scope == record.Private {
		mark += "[private] "
	}
	if h.Tier.Warns() {
		mark += "[" + h.Tier.String() + "] "
	}
	if h.orders != "" {
		mark += "[" + h.orders + "] "
	}
	if h.Code != "" {
		mark += "[" + h.Code + "] "
	}
	return mark
}

// come returns the tiers, none for a nil channel.
func come(tiers <-chan tier.Standing) (now tier.Standing) {
	if tiers != nil {
		now = <-tiers
	}
	return now
}

// shortQuery returns the query for the answer; a long one is cut.
func shortQuery(q string) string {
	n := 0
	for i := range q {
		if n++; n > 200 {
			q = q[:i] + "…"
			break
		}
	}
	return strings.ToValidUTF8(q, "\uFFFD")
}

// file is a record's path relative to the project's root.
func file(at string) string { return path.Join(store.Folder, sealed.OnDisk(at)) }
