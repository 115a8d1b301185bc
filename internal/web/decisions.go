package web

import (
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
	stamp := s.live.stamp()
	q := r.URL.Query()
	g, err := s.decisions.Graph(r.Context(), "")
	if err != nil {
		return err
	}
	if q.Get("as") == "mermaid" {
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		_, _ = w.Write([]byte(visible(g.Mermaid())))
		return nil
	}
	f := decision.Filter{Status: q.Get("status"), Text: strings.TrimSpace(q.Get("text")), Limit: perPage, Cursor: q.Get("cursor")}
	list, next, total, err := s.decisions.List(r.Context(), f)
	if err != nil {
		return err
	}
	all, err := s.uses.Count(r.Context())
	if err != nil {
		return err
	}
	counts := all.Statuses[string(record.Decision)]
	p := decisionsPage{View: q.Get("view"), Mermaid: "/decisions?as=mermaid", Image: "/decisions?as=svg", listing: listing{
		Title: "Decisions", Noun: "decision", Nouns: "decisions", Path: "/decisions", Field: "text", Text: f.Text,
		Hint: "words in decision or reasons", Keep: []pair{{"status", f.Status}, {"view", q.Get("view")}}, Total: total, Of: sum(counts),
		Narrowed: f.Text != "" || f.Status != "", Clear: here(r, "text", "", "status", ""),
		Back: withoutSaid(r.URL), Bulk: []action{{"accept", "Accept", "", "main"}, {"reject", "Reject", "", "quiet"}},
		Empty: empty{"No decisions yet.", "An agent records one with sdd_decide, you with:",
			`sdd decide "Use JWT for sessions" --reason "services stay stateless"`},
	}}
	p.Other = here(r, "view", map[string]string{"": "timeline"}[p.View])
	if p.View != "" || q.Get("as") == "svg" {
		lit := map[string]bool{}
		every := f
		for every.Limit, every.Cursor = 500, ""; ; {
			some, next, _, err := s.decisions.List(r.Context(), every)
			if err != nil {
				return err
			}
			for _, d := range some {
				lit[d.ID] = true
			}
			if every.Cursor = next; next == "" {
				break
			}
		}
		most := mostDots
		if q.Get("as") == "svg" {
			most = len(g.Nodes)
		}
		p.Timeline = timelineOf(g, most, func(n decision.Node) bool { return lit[n.ID] })
		if q.Get("as") == "svg" && p.Timeline != nil {
			w.Header().Set("Content-Type", "image/svg+xml")
			w.Header().Set("Content-Disposition", `attachment; filename="decisions.svg"`)
			return templates()["decisions"].ExecuteTemplate(w, "timeline-file", p.Timeline)
		}
	}
	for _, status := range append([]string{""}, record.StatusesOf(record.Decision, "")...) {
		t := tab{Label: status, Href: here(r, "status", status), Count: counts[status], Current: f.Status == status}
		if status == "" {
			t.Label, t.Count = "all", sum(counts)
		}
		if t.Count > 0 || t.Current {
			p.Tabs = append(p.Tabs, t)
		}
	}
	below, above := map[string]int{}, map[string]int{}
	for _, e := range g.Edges {
		if e.Type == "depends_on" {
			below[e.From]++
			above[e.To]++
		}
	}
	pages := map[string]string{}
	for _, n := range g.Nodes {
		pages[n.ID] = decisionPage(n)
	}
	for _, d := range list {
		c := row{ID: d.ID, State: d.Effective(), Name: plain(oneLine(d.Title, 140)), When: d.When(), Page: pages[d.ID],
			Gone: record.Gone(d.Effective())}
		if c.Actions = decisionActions(d); len(c.Actions) > 0 {
			c.Item = itemOf(string(record.Decision), d.Etag, d.ID)
		}
		for _, why := range slices.Concat(d.Because, d.Drivers) {
			c.Note = plain("because " + oneLine(why, 120))
			break
		}
		if n := below[d.ID]; n > 0 {
			c.Tags = append(c.Tags, fmt.Sprintf("rests on %d", n))
		}
		if n := above[d.ID]; n > 0 {
			c.Tags = append(c.Tags, fmt.Sprintf("carries %d", n))
		}
		if d.InPlace {
			c.Tags = append(c.Tags, oneLine(d.File, 60))
		}
		if d.Scope == record.Personal {
			c.Tags = append(c.Tags, d.Scope)
		}
		p.Rows = append(p.Rows, c)
	}
	p.paged(r, next)
	return s.show(w, r, http.StatusOK, "decisions", page{Title: "Decisions", Nav: "decisions", Stamp: stamp, Body: p})
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
		return s.editSection(w, r)
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
