package web

import (
	"net/http"
	"slices"
	"strings"

	"sdd/internal/decision"
	"sdd/internal/index"
	"sdd/internal/record"
)

// decisionsPage lists decisions and draws their links.
type decisionsPage struct {
	Text, Status string
	Statuses     []string
	Rows         []decisionRow
	Total        int
	Narrowed     bool
	Map          decisionMap
	First, Next  string
}

// decisionRow is a decision in the list.
type decisionRow struct {
	decision.Decision
	Page  string
	Name  string
	Links []decisionLinks
}

// decisionLinks are the links of one kind.
type decisionLinks struct {
	Kind string
	To   []link
}

func decisionsAddress(f decision.Filter) string {
	return address("/decisions", "text", f.Text, "status", f.Status, "cursor", f.Cursor)
}

// decisions lists the matching decisions, the newest first.
func (s *site) decisionList(w http.ResponseWriter, r *http.Request) error {
	stamp := s.live.stamp()
	q := r.URL.Query()
	p := decisionsPage{Text: strings.TrimSpace(q.Get("text")), Status: q.Get("status"), Statuses: record.StatusesOf(record.Decision, "")}
	p.Narrowed = p.Text != "" || p.Status != ""
	f := decision.Filter{Status: p.Status, Text: p.Text, Limit: perPage, Cursor: q.Get("cursor")}
	list, next, total, err := s.decisions.List(r.Context(), f)
	if err != nil {
		return err
	}
	g, err := s.decisions.Graph(r.Context(), "")
	if err != nil {
		return err
	}
	names := map[string]link{}
	for _, n := range g.Nodes {
		names[n.ID] = link{oneLine(n.Title, 80), decisionPage(n)}
	}
	p.Total = total
	for _, d := range list {
		p.Rows = append(p.Rows, decisionRow{d, names[d.ID].Href, oneLine(d.Title, 120), linksOf(d.ID, g.Edges, names)})
	}
	if !p.Narrowed && f.Cursor == "" {
		p.Map = drawn(g)
	}
	to := f
	if to.Cursor = ""; f.Cursor != "" {
		p.First = decisionsAddress(to)
	}
	if to.Cursor = next; next != "" {
		p.Next = decisionsAddress(to)
	}
	return s.show(w, http.StatusOK, "decisions", page{Title: "Decisions", Nav: "decisions", Stamp: stamp, Body: p})
}

// decisionPage is the address of a decision's page, "" for one outside the store.
func decisionPage(n decision.Node) string {
	if !strings.HasPrefix(n.File, ".sdd/") {
		return ""
	}
	return pageOf(record.Decision, "", n.ID)
}

// linksOf are the links of a decision in both directions, with a label for each.
func linksOf(id string, edges []decision.Edge, names map[string]link) (all []decisionLinks) {
	add := func(kind string, to link) {
		i := slices.IndexFunc(all, func(l decisionLinks) bool { return l.Kind == kind })
		if i < 0 {
			i = len(all)
			all = append(all, decisionLinks{Kind: kind})
		}
		all[i].To = append(all[i].To, to)
	}
	back := map[string]string{"supersedes": "superseded by", "depends_on": "needed by", "relates_to": "relates to"}
	for _, e := range edges {
		switch id {
		case e.From:
			add(strings.ReplaceAll(e.Type, "_", " "), names[e.To])
		case e.To:
			add(back[e.Type], names[e.From])
		}
	}
	return all
}

// decisionRecord is the page of one decision: its file and its links.
type decisionRecord struct {
	recordPage
	Status string
	Date   string
	Links  []decisionLinks
}

// decision shows one decision, or its history.
func (s *site) decision(w http.ResponseWriter, r *http.Request) error {
	return s.one(w, r, "decision", "decisions", func(e index.Entry, p recordPage) any {
		body := decisionRecord{recordPage: p}
		if d, err := s.decisions.Get(r.Context(), e.ID); err == nil {
			body.Status, body.Date = d.Effective(), d.When()
			if g, err := s.decisions.Graph(r.Context(), ""); err == nil {
				names := map[string]link{}
				for _, n := range g.Nodes {
					names[n.ID] = link{oneLine(n.Title, 80), decisionPage(n)}
				}
				body.Links = linksOf(d.ID, g.Edges, names)
			}
		}
		return body
	})
}
