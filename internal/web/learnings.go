package web

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"sdd/internal/app"
	"sdd/internal/fact"
	"sdd/internal/fault"
	"sdd/internal/learning"
	"sdd/internal/record"
)

const perPage = 50

// query is q with other values, given as alternating names and values; "" removes a name.
func query(q url.Values, pairs ...string) string {
	for n := 0; n < len(pairs); n += 2 {
		if q.Set(pairs[n], pairs[n+1]); pairs[n+1] == "" {
			q.Del(pairs[n])
		}
	}
	return q.Encode()
}

// address is a page's address with the nonempty values of its query.
func address(path string, pairs ...string) string {
	return strings.TrimSuffix(path+"?"+query(url.Values{}, pairs...), "?")
}

// choices are the options of the filters; agents and parents have no complete list.
var (
	statuses = record.StatusesOf(record.Idea, record.Learning)
	scopes   = record.ScopesOf(record.Idea)
	impacts  = []string{"critical", "high", "medium", "low"}
)

func (s *site) list(w http.ResponseWriter, r *http.Request) error {
	q := r.URL.Query()
	f := learning.Filter{
		Color: record.Learning, Status: q.Get("status"), Scope: q.Get("scope"), Impact: q.Get("impact"), Category: q.Get("category"),
		Agent: q.Get("agent"), Parent: q.Get("parent"), Text: q.Get("text"), Limit: perPage, Cursor: q.Get("cursor"),
	}
	categories := fault.Must(s.Learnings.AllCategories())
	l := newListing(listing{
		Title: "Learnings", Text: f.Text, Hint: "words in the learning", Keep: []pair{{"status", f.Status}},
		Clear: address("/learnings", "status", f.Status), Reason: true,
		Bulk: []action{{"validate", "Validate", "", "main"}, {"archive", "Archive", "", "quiet"}},
		Choices: []choice{{"scope", "Scope", f.Scope, "", scopes}, {"impact", "Impact", f.Impact, "", with(impacts, f.Impact)},
			{"category", "Category", f.Category, "", with(categories, f.Category)}, {"agent", "Agent", f.Agent, "ed-001", nil},
			{"parent", "From", f.Parent, "idea or issue", nil}},
		Empty: empty{"No learnings yet.", "An agent stores one with sdd_learn. You can write one yourself:",
			`sdd learn "All test files end in _test.go" --scope global`},
	})
	ideas, next, total, err := s.Learnings.List(r.Context(), f)
	fault.Check(err)
	all := fault.Must(s.Count(r.Context()))
	counts := all.Statuses[record.Learning]
	l.Total, l.Of, l.next = total, sum(counts), next
	if n := counts["outdated"]; n > 0 && f.Status != "outdated" {
		l.Notice = &link{fault.Count(n, "learning is", "learnings are") + " marked as outdated", "/learnings?status=outdated"}
	}
	l.Tabs = statusTabs(r, "all but deleted", sum(counts)-counts["deleted"], statuses, counts)
	for _, i := range ideas {
		l.Rows = append(l.Rows, s.learningRow(i, here(r, "cursor", f.Cursor)))
	}
	return s.showList(w, r, l.Title, l)
}

func (s *site) learningRow(i learning.Idea, back string) row {
	c := row{ID: i.ID, Item: itemOf("learning", i.Etag, i.ID), State: i.Effective(), Name: plain(nameOf(i.Content, 140)), When: i.Created,
		Page: app.PagePath("learning", i.ID), Gone: record.Gone(i.Effective())}
	c.tag(i.Impact, i.Category, i.Scope)
	if i.Validated {
		c.tag("validated")
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

type card struct {
	sheet
	learning.Idea
	Why *why
	Of  string // the list of its parent's learnings
}

func (s *site) ofLearning(r *http.Request) written {
	ctx, id := r.Context(), r.PathValue("id")
	to := app.PagePath("learning", id)
	return written{
		form:    editPage{ID: id, Page: to, Noun: "learning", List: "/learnings", ListName: "Learnings", Anew: "sdd learn"},
		actions: "edit validate resurrect restore promote graduate outdate archive delete",
		get: func() (stored, error) {
			i, err := s.Learnings.Get(ctx, id)
			return stored{i.ID, i.File, i.Etag, i.Content}, err
		},
		page: func() any { return s.learningPage(ctx, fault.Must(s.Learnings.Get(ctx, id))) },
		do: func(action, text string, form url.Values) (*url.URL, error) {
			if action == "graduate" {
				done, err := s.Facts.Graduate(ctx, s.Learnings, fact.Graduation{IDs: []string{id}, Tool: "page", Session: s.session})
				if err != nil {
					return nil, err
				}
				return back(form.Get("back"), "/learnings", done[0].Learning.ID), nil
			}
			out, err := s.Learnings.Review(ctx, s.change(action, id, text, form))
			if len(out.Items) > 0 && out.Items[0].ID != "" {
				id = out.Items[0].ID
			}
			return back(form.Get("back"), "/learnings", id), err
		},
	}
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

// Actions without a reason, and those with an optional one, in the order of their buttons.
var (
	plainActions = []action{
		{"validate", "Validate", "a", "main"}, {"resurrect", "Bring back", "a", "main"}, {"restore", "Restore", "a", "main"},
		{"promote", "Promote", "p", "quiet"}, {"graduate", "Graduate to a fact", "", "quiet"},
	}
	reasonedActions = []action{{"outdate", "Mark as outdated", "", "quiet"}, {"archive", "Archive", "r", "quiet"},
		{"delete", "Delete", "", "danger"}}
)

func (s *site) learningPage(ctx context.Context, i learning.Idea) card {
	c := card{Idea: i, Why: whyOf(i), sheet: s.sheetOf(ctx, app.PagePath("learning", i.ID), stored{i.ID, i.File, i.Etag, i.Content}, true)}
	if i.Parent != "" {
		c.Of = address("/learnings", "parent", i.Parent)
	}
	if c.closed == "" {
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
		} else {
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
		y.By = &link{replaced, app.PagePath("learning", replaced)}
	}
	return y
}

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
	reasoned = slices.DeleteFunc(slices.Clone(reasonedActions), func(a action) bool { return !slices.Contains(moves, a.Name) })
	return plain, reasoned, slices.Contains(moves, "edit")
}
