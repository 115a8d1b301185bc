package web

import (
	"cmp"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"sdd/internal/app"
	"sdd/internal/candidate"
	"sdd/internal/fault"
	"sdd/internal/index"
	"sdd/internal/lookup"
	"sdd/internal/record"
)

// Every list is one listing: a toolbar, tabs with counts, and rows of one form. act does what the rows offer.

type listing struct {
	Title       string
	Noun        string // what a row is; its plural ends in s
	Path        string // of the list, for the form
	Field, Text string // the name and value of the field for words
	Hint        string // inside the empty field
	Keep        []pair // values that the form keeps
	Tabs, Chips []tab
	Others      int // chips that are left out
	Choices     []choice
	Notice      *link
	Rows        []row
	Total, Of   int // matching rows, and all
	Narrowed    bool
	Clear       string // the list without filters
	First, Next string // the first page, "" on it; and the next one
	Empty       empty
	Back        string   // the page to return to after a change
	Bulk        []action // on the selected rows
	Reason      bool     // a reason may be given for one of them
	Queue       bool     // the list is worked off: the record opens with the row

	next string // the cursor of the next page, "" for none
}

// newListing completes a list before its records are read. Its address and the names of its rows follow from its title.
func newListing(l listing) listing {
	l.Path = "/" + strings.ToLower(l.Title)
	l.Noun, l.Field, l.Clear = cmp.Or(l.Noun, strings.TrimSuffix(l.Path[1:], "s")), cmp.Or(l.Field, "text"), cmp.Or(l.Clear, l.Path)
	l.Narrowed = l.Narrowed || l.Text != "" || slices.ContainsFunc(l.Choices, func(c choice) bool { return c.Value != "" })
	return l
}

// complete sets the links of a list to its first and next page, and the page to return to after a change.
func (l *listing) complete(r *http.Request) {
	cursor := r.URL.Query().Get("cursor")
	l.Back = here(r, "cursor", cursor)
	if cursor != "" {
		l.First = here(r)
	}
	if l.next != "" {
		l.Next = here(r, "cursor", l.next)
	}
}

func (s *site) showList(w http.ResponseWriter, r *http.Request, title string, l listing) error {
	l.complete(r)
	return s.show(w, r, http.StatusOK, "list", page{Title: title, Nav: l.Path[1:], Live: true, Body: l})
}

type pair struct{ Name, Value string }

type link struct{ Text, Href string }

type tab struct {
	Label, Href string
	Count       int
	Current     bool
}

// statusTabs are the statuses to choose from, each with its number of records, after one that chooses none.
func statusTabs(r *http.Request, none string, all int, statuses []string, counts map[string]int) []tab {
	chosen := r.URL.Query().Get("status")
	tabs := []tab{{none, here(r, "status", ""), all, chosen == ""}}
	for _, status := range statuses {
		tabs = append(tabs, tab{status, here(r, "status", status), counts[status], chosen == status})
	}
	return tabs
}

// choice is a filter in the toolbar: one of the options, or any text without options.
type choice struct {
	Name, Label, Value, Hint string
	Options                  []string
}

// empty is what an empty store's list shows.
type empty struct{ Title, Text, Code string }

type row struct {
	ID      string // its element
	Item    string // it names the record to act on; see itemOf
	State   string
	Type    string // its kind, in a list of several kinds
	Name    []piece
	Note    []piece
	Tags    []string
	When    string
	Page    string
	Edit    string // its form
	Actions []action
	Gone    bool // it is not in force
}

type action struct {
	Name  string // its name in the core
	Label string
	Key   string // its key while the record has the focus
	Kind  string // main, quiet, danger
}

// plain is a text without words of a query.
func plain(text string) []piece {
	if text == "" {
		return nil
	}
	return []piece{{Text: text}}
}

// Label is the row's name as a plain text.
func (r row) Label() string {
	var b strings.Builder
	for _, p := range r.Name {
		b.WriteString(p.Text)
	}
	return b.String()
}

func (r *row) tag(all ...string) {
	for _, t := range all {
		if t != "" {
			r.Tags = append(r.Tags, t)
		}
	}
}

// itemOf names a version of a record for act. A row without an etag cannot be acted on.
func itemOf(kind, etag, id string) string {
	if etag == "" {
		return ""
	}
	return kind + " " + etag + " " + id
}

func itemsIn(values []string) (items []app.Item) {
	for _, v := range values {
		part := strings.SplitN(v, " ", 3)
		if len(part) != 3 || part[2] == "" {
			fault.Check(fault.New(fault.Invalid, "item %q names no record", record.Brief(v)).For("item").With("open the page again"))
		}
		i := app.Item{Type: part[0], Etag: part[1], ID: part[2]}
		if i.Type == "file" {
			i.File = i.ID
		}
		items = append(items, i)
	}
	if len(items) == 0 {
		fault.Check(fault.New(fault.Invalid, "no record is selected").For("item").With("select at least one"))
	}
	return items
}

// sureEnough is the confidence from which the page offers to approve all candidates together.
const sureEnough = 0.75

// act does an action on one or more records of a list, and returns to the list.
func (s *site) act(w http.ResponseWriter, r *http.Request) error {
	form := r.PostForm
	action := form.Get("action")
	said, undo := action, ""
	switch action {
	case "undo":
		fault.Must(s.Store.TakeBack(r.Context(), form.Get("of")))
	case "approve-sure":
		fault.Must(s.Inbox.ApproveAll(r.Context(), sureEnough, candidate.By{Tool: "page", Session: s.session}))
		undo = s.Store.Acted(r.Context()).ID
	default:
		if _, known := done[action]; !known || action == "edit" {
			return unknownAction(action)
		}
		out := fault.Must(s.Act(r.Context(), itemsIn(form["item"]), action, strings.TrimSpace(form.Get("reason")),
			app.By{Tool: "page", Session: s.session}))
		undo = out.Action
		if out.Open {
			said = "open"
		}
	}
	to := local(form.Get("back"), "/", "/")
	to.RawQuery = query(to.Query(), "done", said, "undo", undo)
	http.Redirect(w, r, to.String(), http.StatusSeeOther)
	return nil
}

func unknownAction(name string) error {
	return fault.New(fault.Invalid, "the page does not know the action %q", name).For("action").With("use the buttons of the page")
}

// here is the address of a list with other values in its query, given as alternating names and values, from its first page on.
func here(r *http.Request, pairs ...string) string {
	q := withoutSaid(r.URL)
	q.Del("cursor")
	maps.DeleteFunc(q, func(_ string, values []string) bool { return values[0] == "" })
	return (&url.URL{Path: r.URL.Path, RawQuery: query(q, pairs...)}).String()
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
	found := fault.Must(s.Search(r.Context(), q))
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
		found := fault.Must(s.Search(r.Context(), q))
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

func (s *site) hitRow(mark *index.Marker, h lookup.Hit, id string) row {
	name := oneLine
	if !strings.Contains(h.ID, "/") { // the title is the beginning of a text
		name = nameOf
	}
	out := row{ID: id, State: h.Status, Type: h.Type, Name: pieces(mark, name(h.Title, 140)), Page: app.PagePath(h.Type, h.ID),
		Gone: record.Gone(h.Status)}
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
