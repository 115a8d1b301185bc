package web

import (
	"context"
	"html/template"
	"net/http"
	"net/url"
	"slices"

	"sdd/internal/fact"
	"sdd/internal/learning"
	"sdd/internal/record"
	"sdd/internal/tier"
)

const perPage = 50

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
	l := listing{
		Title: "Learnings", Noun: "learning", Nouns: "learnings", Path: "/learnings", Field: "text", Text: f.Text, Hint: "words in the learning",
		Keep: []pair{{"status", f.Status}}, Total: total, Of: sum(counts), Narrowed: f.narrowed(), Clear: filters{Status: f.Status}.address(),
		Back: f.address(), Reason: true, Bulk: []action{{"validate", "Validate", "", "main"}, {"archive", "Archive", "", "quiet"}},
		Choices: []choice{{"scope", "Scope", f.Scope, "", scopes}, {"impact", "Impact", f.Impact, "", with(impacts, f.Impact)},
			{"category", "Category", f.Category, "", with(categories, f.Category)}, {"agent", "Agent", f.Agent, "ed-001", nil},
			{"parent", "From", f.Parent, "idea or issue", nil}},
		Empty: empty{"No learnings yet.", "An agent stores one with sdd_learn. You can write one yourself:",
			`sdd learn "All test files end in _test.go" --scope global`},
	}
	if n := counts["outdated"]; n > 0 && f.Status != "outdated" {
		l.Notice = &link{plural(n, "learning is", "learnings are") + " marked as outdated", filters{Status: "outdated"}.address()}
	}
	to := f
	to.Cursor = ""
	for _, status := range append([]string{""}, statuses...) {
		to.Status = status
		t := tab{Label: status, Href: to.address(), Count: counts[status], Current: f.Status == status}
		if status == "" {
			t.Label, t.Count = "all but deleted", sum(counts)-counts["deleted"]
		}
		l.Tabs = append(l.Tabs, t)
	}
	for _, i := range ideas {
		l.Rows = append(l.Rows, s.learningRow(i, f.address()))
	}
	l.paged(r, next)
	return s.show(w, r, http.StatusOK, "list", page{Title: "Learnings", Nav: "learnings", Stamp: stamp, Body: l})
}

func (s *site) learningRow(i learning.Idea, back string) row {
	c := row{ID: i.ID, Item: itemOf("learning", i.Etag, i.ID), State: i.Effective(), Name: plain(nameOf(i.Content, 140)), When: i.Created,
		Page: "/learnings/" + url.PathEscape(i.ID), Gone: record.Gone(i.Effective())}
	for _, t := range []string{i.Impact, i.Category, i.Scope} {
		if t != "" {
			c.Tags = append(c.Tags, t)
		}
	}
	if i.Validated {
		c.Tags = append(c.Tags, "validated")
	}
	if y := whyOf(i); y != nil {
		c.Note = plain(oneLine(y.Reason, 90))
		if !y.Stored && y.Title != c.State {
			c.State = y.Title
		}
	}
	if s.closed(i.File) != "" {
		c.Item = ""
		return c
	}
	plainly, reasoned, edit := actionsOf(i)
	c.Actions = slices.DeleteFunc(append(plainly, reasoned...), func(a action) bool { return a.Name == "graduate" || a.Name == "delete" })
	if edit {
		c.Edit = address(c.Page+"/edit", "back", back)
	}
	return c
}

func with(choices []string, chosen string) []string {
	if chosen == "" || slices.Contains(choices, chosen) {
		return choices
	}
	return append(slices.Clone(choices), chosen)
}

// card is a learning on its page.
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
	Rail     *rail
	Tier     tier.Tier
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

// Actions without a reason, and those with an optional one, in the order of their buttons. The page offers no other
// actions.
var (
	plainActions = []action{
		{"validate", "Validate", "a", "main"}, {"resurrect", "Bring back", "a", "main"}, {"restore", "Restore", "a", "main"},
		{"promote", "Promote", "p", "quiet"}, {"graduate", "Graduate to a fact", "", "quiet"},
	}
	reasonedActions = []action{{"outdate", "Mark as outdated", "", "quiet"}, {"archive", "Archive", "r", "quiet"},
		{"delete", "Delete", "", "danger"}}
)

func (s *site) learningPage(ctx context.Context, i learning.Idea) card {
	c := card{Idea: i, Name: nameOf(i.Content, 90), Page: "/learnings/" + url.PathEscape(i.ID), Why: whyOf(i)}
	c.Back = c.Page
	closed := s.closed(i.File)
	c.Body = s.notice(closed, i.File) + s.prose(i.Content, i.File, 1)
	if i.Parent != "" {
		c.Of = filters{Parent: i.Parent}.address()
	}
	if closed == "" {
		c.Actions, c.More, c.Editable = actionsOf(i)
	}
	c.Code, c.Rail, c.Tier = s.codeOf(ctx, i.ID, closed), s.railOf(ctx, i.ID), s.tierOf(ctx, i.File)
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
	p := page{Title: nameOf(i.Content, 60), Nav: "learnings", Stamp: stamp}
	if view := r.URL.Query().Get("view"); view != "" {
		return s.history(w, r, p, view, subjectOf(i))
	}
	p.Body = s.learningPage(r.Context(), i)
	return s.show(w, r, http.StatusOK, "learning", p)
}
