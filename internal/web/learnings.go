package web

import (
	"html/template"
	"net/http"
	"net/url"
	"slices"

	"sdd/internal/fact"
	"sdd/internal/learning"
	"sdd/internal/record"
	"sdd/internal/tier"
)

const perPage = 25

// filters are the filters of the list of learnings, as in the address of the page.
type filters struct {
	Status, Scope, Impact, Category, Agent, Parent, Text string
	Cursor                                               string
}

func filtersOf(q url.Values) filters {
	return filters{q.Get("status"), q.Get("scope"), q.Get("impact"), q.Get("category"), q.Get("agent"), q.Get("parent"), q.Get("text"),
		q.Get("cursor")}
}

// address is the list with these filters.
func (f filters) address() string {
	return address("/learnings", "status", f.Status, "scope", f.Scope, "impact", f.Impact, "category", f.Category, "agent", f.Agent,
		"parent", f.Parent,
		"text", f.Text, "cursor", f.Cursor)
}

// address is the address of a page with the nonempty values of its query, given as alternating names and
// values.
func address(path string, pairs ...string) string {
	q := url.Values{}
	for i := 0; i+1 < len(pairs); i += 2 {
		if pairs[i+1] != "" {
			q.Set(pairs[i], pairs[i+1])
		}
	}
	if len(q) == 0 {
		return path
	}
	return path + "?" + q.Encode()
}

// narrowed reports whether a filter other than the status is set.
func (f filters) narrowed() bool {
	f.Status, f.Cursor = "", ""
	return f != filters{}
}

// choices are the options of the filters. Users type agents and parents, which have no complete
// list.
var (
	statuses = record.StatusesOf(record.Idea, record.Learning)
	scopes   = record.ScopesOf(record.Idea)
	impacts  = []string{"critical", "high", "medium", "low"}
)

// tab is a status to choose, with its number of learnings.
type tab struct {
	Label, Href string
	Count       int
	Current     bool
}

// listPage is the Learning Review panel.
type listPage struct {
	Filters    filters
	Tabs       []tab
	Scopes     []string
	Impacts    []string
	Categories []string
	Cards      []card
	Total      int
	Store      int // learnings in all
	Waiting    int // outdated ones
	Narrowed   bool
	Clear      string
	First      string // the page of the newest ones, "" on that page
	Next       string
}

// list shows the matching learnings, the newest first.
func (s *site) list(w http.ResponseWriter, r *http.Request) error {
	stamp := s.live.stamp()
	f := filtersOf(r.URL.Query())
	ideas, next, total, err := s.learnings.List(r.Context(), learning.Filter{
		Color: record.Learning, Status: f.Status, Scope: f.Scope, Impact: f.Impact, Category: f.Category, Agent: f.Agent,
		Parent: f.Parent, Text: f.Text, Limit: perPage, Cursor: f.Cursor,
	})
	if err != nil {
		return err
	}
	all, err := s.uses.Count(r.Context())
	if err != nil {
		return err
	}
	counts := all.Statuses[record.Learning]
	categories, err := s.learnings.AllCategories()
	if err != nil {
		return err
	}
	p := listPage{
		Filters: f, Scopes: scopes, Impacts: impacts, Categories: with(categories, f.Category), Total: total, Store: sum(counts),
		Waiting: counts["outdated"], Narrowed: f.narrowed(), Clear: filters{Status: f.Status}.address(),
	}
	for _, status := range append([]string{""}, statuses...) {
		to := f
		to.Status, to.Cursor = status, ""
		t := tab{Label: status, Href: to.address(), Count: counts[status], Current: f.Status == status}
		if status == "" {
			t.Label, t.Count = "all but deleted", sum(counts)-counts["deleted"]
		}
		p.Tabs = append(p.Tabs, t)
	}
	for _, i := range ideas {
		p.Cards = append(p.Cards, s.card(i, f.address()))
	}
	if f.Cursor != "" {
		to := f
		to.Cursor = ""
		p.First = to.address()
	}
	if next != "" {
		to := f
		to.Cursor = next
		p.Next = to.address()
	}
	return s.show(w, http.StatusOK, "learnings", page{Title: "Learnings", Nav: "learnings", Stamp: stamp,
		Said: saidOf(done, r.URL.Query(), "/learnings"), Body: p})
}

func with(choices []string, chosen string) []string {
	if chosen == "" || slices.Contains(choices, chosen) {
		return choices
	}
	return append(slices.Clone(choices), chosen)
}

// card is a learning in the list.
type card struct {
	learning.Idea
	Name     string // its start, on one line
	Page     string
	Body     template.HTML
	Back     string // the page to return to after a change
	Why      *why
	Actions  []action
	More     []action // with an optional reason
	Editable bool
	Of       string // the list of its parent's learnings
	Code     *codePart
	Tier     tier.Tier // on a page of its own
}

// why is the reason for doubt about a learning.
type why struct {
	Title  string
	Reason string
	Commit string
	By     *link  // the learning that replaced it
	Rule   string // the rule that the other learning contradicts it by, with its text
	Newer  string
	Parent string // the finished work
	Stored bool   // the file has it; else it follows from commits and other files
}

type link struct{ Text, Href string }

// action is an action on a learning.
type action struct {
	Name  string // its name in the core
	Label string
	Key   string // its key while the learning has the focus
	Kind  string // main, quiet, danger
}

// Actions without a reason, and those with an optional one, in the order of their buttons. The page offers no other
// actions.
var (
	plainActions = []action{
		{"validate", "Validate", "v", "main"}, {"resurrect", "Bring back", "r", "main"}, {"restore", "Restore", "r", "main"},
		{"promote", "Promote", "p", "quiet"}, {"graduate", "Graduate to a fact", "", "quiet"},
	}
	reasonedActions = []action{{"outdate", "Mark as outdated", "", "quiet"}, {"archive", "Archive", "", "quiet"},
		{"delete", "Delete", "", "danger"}}
)

func (s *site) card(i learning.Idea, back string) card {
	c := card{Idea: i, Name: nameOf(i.Content, 90), Page: "/learnings/" + url.PathEscape(i.ID), Back: back, Why: whyOf(i)}
	closed := s.closed(i.File)
	c.Body = notice(closed) + s.prose(i.Content, i.File, 2)
	if i.Parent != "" {
		c.Of = filters{Parent: i.Parent}.address()
	}
	if closed == "" {
		c.Actions, c.More, c.Editable = actionsOf(i)
	}
	return c
}

func whyOf(i learning.Idea) *why {
	y := &why{Reason: i.OutdatedReason, Commit: i.OutdatedCommit, Stored: true}
	replaced := i.SupersededBy
	switch v := i.Verdict; {
	case v != nil:
		y.Title, y.Reason, y.Commit, replaced, y.Stored = v.Status, reasonText(v.Reason), v.Commit, "", false
		if v.Evidence != nil {
			replaced = v.Evidence.ID
			y.Rule, y.Newer = v.Evidence.Rule, v.Evidence.New
		} else if v.By != "" {
			y.Parent = v.By
		}
	case i.Status == "outdated":
		y.Title = "outdated"
	case i.Status == "archived":
		y.Title, y.Reason, y.Commit = "archived", reasonText(i.ArchivedReason), ""
	default:
		return nil
	}
	if replaced != "" {
		y.By = &link{replaced, "/learnings/" + url.PathEscape(replaced)}
	}
	return y
}

// reasonText is the text for a reason of the core.
func reasonText(reason string) string {
	switch reason {
	case "parent_green_completed":
		return "the work that it came from is done"
	case "review": // the default reason
		return ""
	}
	return reason
}

// actionsOf are the permitted actions on a learning in its present status, without those that would change nothing.
func actionsOf(i learning.Idea) (plain, reasoned []action, edit bool) {
	moves := learning.Moves(i.Effective())
	for _, a := range plainActions {
		idle := a.Name == "validate" && i.Validated && i.Effective() == "active" || a.Name == "promote" && i.Scope == record.Global
		allowed := slices.Contains(moves, a.Name) || a.Name == "graduate" && fact.Graduates(i)
		if !allowed || idle {
			continue
		}
		if a.Name == "validate" && (i.Effective() == "outdated" || i.Mark() != "") {
			a.Label = "Still true"
		}
		plain = append(plain, a)
	}
	for _, a := range reasonedActions {
		if slices.Contains(moves, a.Name) {
			reasoned = append(reasoned, a)
		}
	}
	return plain, reasoned, slices.Contains(moves, "edit")
}

// learning shows one learning with all its details, or its history.
func (s *site) learning(w http.ResponseWriter, r *http.Request) error {
	stamp := s.live.stamp()
	i, err := s.learnings.Get(r.Context(), r.PathValue("id"))
	if err != nil {
		return err
	}
	p := page{Title: nameOf(i.Content, 60), Nav: "learnings", Stamp: stamp, Said: saidOf(done, r.URL.Query(), "/learnings")}
	if view := r.URL.Query().Get("view"); view != "" {
		return s.history(w, r, p, view, subjectOf(i))
	}
	c := s.card(i, "/learnings/"+url.PathEscape(i.ID))
	closed := s.closed(i.File)
	c.Body = notice(closed) + s.prose(i.Content, i.File, 1)
	c.Code = s.codeOf(r.Context(), i.ID, closed)
	c.Tier = s.tierOf(r.Context(), i.File)
	p.Body = c
	return s.show(w, http.StatusOK, "learning", p)
}
