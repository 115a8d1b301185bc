package web

import (
	"net/http"
	"strings"

	"sdd/internal/index"
	"sdd/internal/lookup"
	"sdd/internal/record"
)

// searchPage finds records of every kind by their words.
type searchPage struct {
	Query, Type, Scope string
	Types, Scopes      []string
	Found              lookup.Found
	Rows               []foundRow
	Narrowed           bool
	First, Next        string
}

// foundRow is a found record, with the place of the match.
type foundRow struct {
	lookup.Hit
	Page     string
	Name     []piece
	Text     []piece
	Element  string // its id on the page
	Personal bool
}

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

func searchAddress(q lookup.Query) string {
	return address("/search", "q", q.Query, "type", q.Type, "scope", q.Scope, "cursor", q.Cursor)
}

// search shows the matching records, the best first; without words the newest first.
func (s *site) search(w http.ResponseWriter, r *http.Request) error {
	stamp := s.live.stamp()
	v := r.URL.Query()
	q := lookup.Query{Query: strings.TrimSpace(v.Get("q")), Type: v.Get("type"), Scope: v.Get("scope"), Cursor: v.Get("cursor"),
		Limit: perPage, MaxTokens: wholePage}
	found, err := s.uses.Search(r.Context(), q)
	if err != nil {
		return err
	}
	p := searchPage{Query: q.Query, Type: q.Type, Scope: q.Scope, Types: with(searchTypes, q.Type), Scopes: with(searchScopes, q.Scope),
		Found: found, Narrowed: q.Query != "" || q.Type != "" || q.Scope != ""}
	mark := index.NewMarker(q.Query)
	for _, h := range found.Results {
		row := foundRow{Hit: h, Page: pageOfHit(h), Name: pieces(mark, oneLine(h.Title, 200)), Element: "found-" + h.File,
			Personal: h.Scope == record.Personal}
		if h.Snippet != h.Title { // the title is shown already
			row.Text = pieces(mark, visible(h.Snippet))
		}
		p.Rows = append(p.Rows, row)
	}
	to := q
	if to.Cursor = ""; q.Cursor != "" {
		p.First = searchAddress(to)
	}
	if found.NextCursor != "" {
		to.Cursor = found.NextCursor
		p.Next = searchAddress(to)
	}
	title := "Search"
	if q.Query != "" {
		title = oneLine(q.Query, 60) + " · Search"
	}
	return s.show(w, http.StatusOK, "search", page{Title: title, Nav: "search", Stamp: stamp, Body: p})
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
