package web

import (
	"cmp"
	"net/http"
	"slices"
	"strings"

	"sdd/internal/index"
	"sdd/internal/lookup"
	"sdd/internal/record"
)

// piece is a part of a text; with Hit it is a word of the query.
type piece struct {
	Text string
	Hit  bool
}

// Values of the filters. Explorations have several names; this uses one.
var (
	searchTypes  = []string{"explore", "learning", "idea", "fact", "decision", "candidate"}
	searchScopes = []string{record.Project, record.Personal, record.Local, record.Global}
)

// search shows the matching records, the best first; without words the newest first.
func (s *site) search(w http.ResponseWriter, r *http.Request) error {
	v := r.URL.Query()
	q := lookup.Query{Query: strings.TrimSpace(v.Get("q")), Type: v.Get("type"), Scope: v.Get("scope"), Cursor: v.Get("cursor"),
		Limit: perPage, MaxTokens: wholePage}
	l := newListing(listing{
		Title: "Search", Noun: "record", Field: "q", Text: q.Query, Hint: "token refresh", Keep: []pair{{"type", q.Type}},
		Narrowed: q.Type != "", Choices: []choice{{"scope", "Scope", q.Scope, "", with(searchScopes, q.Scope)}},
		Empty: empty{"No records yet.", "An agent saves them with sdd_explore, sdd_learn, sdd_fact and sdd_decide, you by writing files " +
			"under .sdd or with:", `sdd explore "User auth" --goals "- log in by mail"`},
	})
	found := must(s.Search(r.Context(), q))
	l.Total, l.Of, l.next = found.Total, found.Total, found.NextCursor
	l.countTypes(r, s, q)
	mark := index.NewMarker(q.Query)
	for _, h := range found.Results {
		l.Rows = append(l.Rows, s.hitRow(mark, h, "found-"+h.File))
	}
	order := map[bool]int{true: 1} // what is not in force comes last
	slices.SortStableFunc(l.Rows, func(a, b row) int { return order[a.Gone] - order[b.Gone] })
	title := "Search"
	if q.Query != "" {
		title = oneLine(q.Query, 60) + " · Search"
	}
	return s.showList(w, r, title, l)
}

// countTypes sets the kinds of records to choose from, each with its number of matches.
func (l *listing) countTypes(r *http.Request, s *site, q lookup.Query) {
	chosen, learnings := q.Type, 0
	q.Cursor, q.Limit = "", 1
	for _, name := range with(append([]string{""}, searchTypes...), chosen) {
		q.Type = name
		found := must(s.Search(r.Context(), q))
		if name == string(record.Idea) && name != chosen && found.Total == learnings {
			continue // the ideas are the learnings
		}
		if name == "learning" {
			learnings = found.Total
		}
		if found.Total > 0 || name == chosen || name == "" {
			l.Tabs = append(l.Tabs, tab{cmp.Or(name, "all"), here(r, "type", name), found.Total, name == chosen})
		}
	}
}

// hitRow is a found record as a row with that id.
func (s *site) hitRow(mark *index.Marker, h lookup.Hit, id string) row {
	name := oneLine
	if !strings.Contains(h.ID, "/") { // the title is the beginning of a text
		name = nameOf
	}
	out := row{ID: id, State: h.Status, Type: h.Type, Name: pieces(mark, name(h.Title, 140)), Page: pageOfHit(h), Gone: record.Gone(h.Status)}
	if h.Snippet != h.Title { // the title is shown already
		out.Note = pieces(mark, oneLine(strings.TrimLeft(h.Snippet, "-* "), 200))
	}
	out.tag(oneLine(h.Section, 40))
	if h.Tier.Warns() {
		out.tag(h.Tier.String())
	}
	if h.Scope == record.Personal {
		out.tag(h.Scope)
	}
	return out
}

// pageOfHit is the page of a found record.
func pageOfHit(h lookup.Hit) string {
	t, err := record.ParseType(h.Type)
	if err != nil {
		return ""
	}
	return pageOf(t.Kind, t.Color, h.ID)
}

// pieces splits a text at the words of the query.
func pieces(mark *index.Marker, text string) (all []piece) {
	at := 0
	for _, m := range mark.Marks(text) {
		if m.Start > at {
			all = append(all, piece{Text: text[at:m.Start]})
		}
		all = append(all, piece{text[m.Start:m.End], true})
		at = m.End
	}
	if at < len(text) {
		all = append(all, piece{Text: text[at:]})
	}
	return all
}
