package web

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"sdd/internal/decision"
	"sdd/internal/index"
	"sdd/internal/record"
)

// decisionsPage is the list of decisions, with their timeline if it is asked for.
type decisionsPage struct {
	listing
	Timeline       *timeline
	View, Other    string // the view, and the address of the other one
	Mermaid, Image string
}

// decisionList shows the matching decisions, the newest first.
func (s *site) decisionList(w http.ResponseWriter, r *http.Request) error {
	q := r.URL.Query()
	f := decision.Filter{Status: q.Get("status"), Text: strings.TrimSpace(q.Get("text")), Limit: perPage, Cursor: q.Get("cursor")}
	p := decisionsPage{View: q.Get("view"), Mermaid: "/decisions?as=mermaid", Image: "/decisions?as=svg", listing: newListing(listing{
		Title: "Decisions", Text: f.Text, Hint: "words in decision or reasons", Keep: []pair{{"status", f.Status}, {"view", q.Get("view")}},
		Narrowed: f.Status != "", Clear: here(r, "text", "", "status", ""),
		Bulk: []action{{"accept", "Accept", "", "main"}, {"reject", "Reject", "", "quiet"}},
		Empty: empty{"No decisions yet.", "An agent records one with sdd_decide, you with:",
			`sdd decide "Use JWT for sessions" --reason "services stay stateless"`},
	})}
	g, err := s.decisions.Graph(r.Context(), "")
	if err != nil {
		return err
	}
	if q.Get("as") == "mermaid" {
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		_, _ = w.Write([]byte(visible(g.Mermaid())))
		return nil
	}
	list, next, total, err := s.decisions.List(r.Context(), f)
	if err != nil {
		return err
	}
	all, err := s.uses.Count(r.Context())
	if err != nil {
		return err
	}
	counts := all.Statuses[string(record.Decision)]
	p.Total, p.Of, p.next = total, sum(counts), next
	p.Other = here(r, "view", map[string]string{"": "timeline"}[p.View])
	if svg := q.Get("as") == "svg"; svg || p.View != "" {
		most := mostDots
		if svg {
			most = len(g.Nodes)
		}
		lit, err := s.matching(r.Context(), f)
		if err != nil {
			return err
		}
		p.Timeline = timelineOf(g, most, func(n decision.Node) bool { return lit[n.ID] })
		if svg && p.Timeline != nil {
			w.Header().Set("Content-Type", "image/svg+xml")
			w.Header().Set("Content-Disposition", `attachment; filename="decisions.svg"`)
			return templates()["decisions"].ExecuteTemplate(w, "timeline-file", p.Timeline)
		}
	}
	p.Tabs = slices.DeleteFunc(statusTabs(r, "all", sum(counts), record.StatusesOf(record.Decision, ""), counts),
		func(t tab) bool { return t.Count == 0 && !t.Current })
	below, above := map[string]int{}, map[string]int{}
	for _, e := range g.Edges {
		if e.Type == "depends_on" {
			below[e.From]++
			above[e.To]++
		}
	}
	for _, d := range list {
		p.Rows = append(p.Rows, decisionRow(d, below[d.ID], above[d.ID]))
	}
	p.complete(r)
	return s.show(w, r, http.StatusOK, "decisions", page{Title: "Decisions", Nav: "decisions", Live: true, Body: p})
}

// matching are the ids of all decisions that a filter finds.
func (s *site) matching(ctx context.Context, f decision.Filter) (map[string]bool, error) {
	found := map[string]bool{}
	for f.Limit, f.Cursor = 500, ""; ; {
		some, next, _, err := s.decisions.List(ctx, f)
		for _, d := range some {
			found[d.ID] = true
		}
		if f.Cursor = next; next == "" || err != nil {
			return found, err
		}
	}
}

// decisionRow is a decision that rests on some decisions and carries others.
func decisionRow(d decision.Decision, below, above int) row {
	c := row{ID: d.ID, State: d.Effective(), Name: plain(oneLine(d.Title, 140)), When: d.When(), Gone: record.Gone(d.Effective())}
	if !d.InPlace {
		c.Page = pageOf(record.Decision, "", d.ID)
	}
	if c.Actions = decisionActions(d); len(c.Actions) > 0 {
		c.Item = itemOf(string(record.Decision), d.Etag, d.ID)
	}
	if why := slices.Concat(d.Because, d.Drivers); len(why) > 0 {
		c.Note = plain("because " + oneLine(why[0], 120))
	}
	if below > 0 {
		c.tag(fmt.Sprintf("rests on %d", below))
	}
	if above > 0 {
		c.tag(fmt.Sprintf("carries %d", above))
	}
	if d.InPlace {
		c.tag(oneLine(d.File, 60))
	}
	if d.Scope == record.Personal {
		c.tag(d.Scope)
	}
	return c
}

// decisionActions are the actions on a decision; one that replaces it is a decision of its own.
func decisionActions(d decision.Decision) (all []action) {
	if d.InPlace || d.Effective() == "superseded" {
		return nil
	}
	if d.Status != "accepted" {
		all = append(all, action{"accept", "Accept", "a", "main"})
	}
	if d.Status == "proposed" {
		all = append(all, action{"reject", "Reject", "r", "quiet"})
	}
	return all
}

// decisionPage is the address of a decision's page, "" for one outside the store.
func decisionPage(n decision.Node) string {
	if !strings.HasPrefix(n.File, ".sdd/") {
		return ""
	}
	return pageOf(record.Decision, "", n.ID)
}

// decision shows one decision with its chain, or its history.
func (s *site) decision(w http.ResponseWriter, r *http.Request) error {
	if r.URL.Query().Get("view") == "edit" {
		return s.shown(s.ofSection)(w, r)
	}
	return s.one(w, r, "decisions", func(e index.Entry, p *recordPage) {
		p.List = link{"Decisions", "/decisions"}
		d, err := s.decisions.Get(r.Context(), e.ID)
		if err != nil {
			return
		}
		p.Status, p.Date = d.Effective(), d.When()
		if p.Closed == "" && !d.InPlace {
			p.Item, p.Actions = itemOf(string(record.Decision), d.Etag, d.ID), decisionActions(d)
			p.Replace = address("/new", "kind", "decision", "supersedes", d.ID)
			s.edits(p, e.Kind)
		}
		if g, err := s.decisions.Graph(r.Context(), ""); err == nil {
			p.Below, p.MoreBelow = chainOf(d.ID, g, false)
			p.Above, p.MoreUp = chainOf(d.ID, g, true)
		}
	})
}
