package web

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"sdd/internal/app"
	"sdd/internal/decision"
	"sdd/internal/fault"
	"sdd/internal/index"
	"sdd/internal/record"
)

// decisionsPage is the list of decisions, with their timeline if it is asked for.
type decisionsPage struct {
	listing
	Timeline    *timeline
	View, Other string // the view, and the address of the other one
}

func (s *site) decisionList(w http.ResponseWriter, r *http.Request) error {
	q := r.URL.Query()
	f := decision.Filter{Status: q.Get("status"), Text: strings.TrimSpace(q.Get("text")), Limit: perPage, Cursor: q.Get("cursor")}
	p := decisionsPage{View: q.Get("view"), listing: newListing(listing{
		Title: "Decisions", Text: f.Text, Hint: "words in decision or reasons", Keep: []pair{{"status", f.Status}, {"view", q.Get("view")}},
		Narrowed: f.Status != "", Clear: here(r, "text", "", "status", ""),
		Bulk: []action{{"accept", "Accept", "", "main"}, {"reject", "Reject", "", "quiet"}},
		Empty: empty{"No decisions yet.", "An agent records one with sdd_decide, you with:",
			`sdd decide "Use JWT for sessions" --reason "services stay stateless"`},
	})}
	g := fault.Must(s.Decisions.Graph(r.Context(), ""))
	if q.Get("as") == "mermaid" {
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		_, _ = w.Write([]byte(visible(g.Mermaid())))
		return nil
	}
	list, next, total, err := s.Decisions.List(r.Context(), f)
	fault.Check(err)
	all := fault.Must(s.Count(r.Context()))
	counts := all.Statuses[string(record.Decision)]
	p.Total, p.Of, p.next = total, sum(counts), next
	p.Other = here(r, "view", map[string]string{"": "timeline"}[p.View])
	if svg := q.Get("as") == "svg"; svg || p.View != "" {
		most := mostDots
		if svg {
			most = len(g.Nodes)
		}
		lit := s.matching(r.Context(), f)
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

func (s *site) matching(ctx context.Context, f decision.Filter) map[string]bool {
	found := map[string]bool{}
	for f.Limit, f.Cursor = 500, ""; ; {
		some, next, _, err := s.Decisions.List(ctx, f)
		fault.Check(err)
		for _, d := range some {
			found[d.ID] = true
		}
		if f.Cursor = next; next == "" {
			return found
		}
	}
}

// decisionRow is a decision that rests on some decisions and carries others.
func decisionRow(d decision.Decision, below, above int) row {
	c := row{ID: d.ID, State: d.Effective(), Name: plain(oneLine(d.Title, 140)), When: d.When(), Gone: record.Gone(d.Effective()),
		Page: app.PagePath(string(record.Decision), d.ID)}
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

func (s *site) decision(w http.ResponseWriter, r *http.Request) error {
	if r.URL.Query().Get("view") == "edit" {
		return s.shown(s.ofSection)(w, r)
	}
	return s.one(w, r, "decisions", func(e index.Entry, p *recordPage) {
		p.List = link{"Decisions", "/decisions"}
		d, err := s.Decisions.Get(r.Context(), e.ID)
		if err != nil {
			return
		}
		p.Status, p.Date = d.Effective(), d.When()
		if p.Closed == "" && !d.InPlace {
			p.Item, p.Actions = itemOf(string(record.Decision), d.Etag, d.ID), decisionActions(d)
			p.Replace = address("/new", "kind", "decision", "supersedes", d.ID)
			s.edits(p, e.Kind)
		}
		if g, err := s.Decisions.Graph(r.Context(), ""); err == nil {
			p.Below, p.MoreBelow = chainOf(d.ID, g, false)
			p.Above, p.MoreUp = chainOf(d.ID, g, true)
		}
	})
}

// The timeline is SVG: a column for each month, a dot for each decision, a line to those that it replaces or rests on. Filters dim.

type timeline struct {
	Width, Height, Floor int
	Dots                 []dot
	Lines                []thread
	Months               []month
	Older                int // decisions that are left out
}

type dot struct {
	N, X, Y            int
	Name, Status, Href string
	Dim                bool
}

// thread is a line from a decision to one that it names.
type thread struct {
	From, To   int // numbers of dots
	X1, Y1     int
	X2, Y2, Up int // Up is the height of the curve between them
	Kind       string
}

type month struct {
	X    int
	Text string
}

const (
	monthLeast, timelineWidth = 16, 1300 // pixels
	dotStep                   = 14
	mostMonths                = 240 // older decisions stand in the first column
	mostDots                  = 450 // older decisions are in the list only
	highestStack              = 18  // dots; more of one month stand side by side
)

// timelineOf draws the newest decisions of a graph. Those that lit refuses are dimmed.
func timelineOf(g decision.Graph, most int, lit func(decision.Node) bool) *timeline {
	nodes := slices.Clone(g.Nodes)
	slices.SortStableFunc(nodes, func(a, b decision.Node) int { return strings.Compare(a.Date, b.Date) })
	nodes = slices.DeleteFunc(nodes, func(n decision.Node) bool { return monthOf(n.Date) == 0 })
	if len(nodes) == 0 {
		return nil
	}
	t := &timeline{Older: max(0, len(nodes)-most)}
	nodes = nodes[t.Older:]
	last := monthOf(nodes[len(nodes)-1].Date)
	first := max(monthOf(nodes[0].Date), last-mostMonths)
	left, more := make([]int, last-first+2), 0 // where each month begins, and the end; the width that high months need besides
	for _, node := range nodes {
		at := max(0, monthOf(node.Date)-first) + 1
		if left[at]++; left[at]%highestStack == 1 && left[at] > 1 {
			more += dotStep
		}
	}
	step := max(monthLeast, (timelineWidth-more)/(last-first+1))
	for n := range left[1:] {
		left[n+1] = left[n] + step + max(0, left[n+1]-1)/highestStack*dotStep
	}
	t.Width = left[len(left)-1] + 30
	stack, at := map[int]int{}, map[string]int{}
	for n, node := range nodes {
		column := max(0, monthOf(node.Date)-first)
		d := dot{N: n, Name: oneLine(node.Title, 120), Status: node.Status, Href: app.PagePath(string(record.Decision), node.ID), Dim: !lit(node)}
		d.X, d.Y = left[column]+monthLeast/2+stack[column]/highestStack*dotStep, (stack[column]%highestStack+1)*dotStep
		stack[column]++
		at[node.ID] = n
		t.Dots, t.Floor = append(t.Dots, d), max(t.Floor, d.Y+2*dotStep)
	}
	for n := range t.Dots {
		t.Dots[n].Y = t.Floor - t.Dots[n].Y
	}
	for _, e := range g.Edges {
		from, ok := at[e.From]
		to, known := at[e.To]
		if ok && known && e.Type != "relates_to" {
			a, b := t.Dots[from], t.Dots[to]
			t.Lines = append(t.Lines, thread{from, to, a.X, a.Y, b.X, b.Y, max(4, min(a.Y, b.Y)-30), strings.ReplaceAll(e.Type, "_", "")})
		}
	}
	for m := first; m <= last; m++ {
		if every := (74 + step) / step; (last-m)%every == 0 {
			t.Months = append(t.Months, month{left[m-first], time.Date(0, time.Month(m+1), 1, 0, 0, 0, 0, time.UTC).Format("Jan 2006")})
		}
	}
	t.Height = t.Floor + 20
	return t
}

// monthOf numbers the months of dates like 2026-11-20, 0 for another text.
func monthOf(date string) int {
	t, err := time.Parse("2006-01", date[:min(len(date), 7)])
	if err != nil {
		return 0
	}
	return t.Year()*12 + int(t.Month()) - 1
}

// step is a decision in the chain of another, with its distance.
type step struct {
	link
	Status string
	Kind   string // how it is linked to the one before it
	Depth  int
}

// chainOf are the decisions that one rests on, or with up those that rest on it, the nearest first, and how many are left out.
func chainOf(id string, g decision.Graph, up bool) (all []step, more int) {
	nodes := map[string]decision.Node{}
	for _, n := range g.Nodes {
		nodes[n.ID] = n
	}
	names := map[bool]map[string]string{
		false: {"supersedes": "replaces", "depends_on": "rests on", "relates_to": "relates to"},
		true:  {"supersedes": "replaced by", "depends_on": "needed by", "relates_to": "relates to"},
	}[up]
	next := map[string][]decision.Edge{}
	for _, e := range g.Edges {
		if up {
			e.From, e.To = e.To, e.From
		}
		next[e.From] = append(next[e.From], e)
	}
	depth := map[string]int{id: 1}
	for queue := []string{id}; len(queue) > 0; queue = queue[1:] {
		for _, e := range next[queue[0]] {
			if depth[e.To] > 0 || e.Type == "relates_to" && queue[0] != id {
				continue
			}
			depth[e.To] = depth[queue[0]] + 1
			queue = append(queue, e.To)
			n := nodes[e.To]
			to := link{oneLine(cmp.Or(n.Title, e.To), 100), app.PagePath(string(record.Decision), e.To)}
			all = append(all, step{to, n.Status, names[e.Type], depth[queue[0]]})
		}
	}
	more = max(0, len(all)-mostInChain)
	return all[:len(all)-more], more
}

const mostInChain = 100
