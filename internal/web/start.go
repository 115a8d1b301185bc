package web

import (
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"sdd/internal/app"
	"sdd/internal/learning"
	"sdd/internal/lookup"
	"sdd/internal/record"
)

const (
	recentEvents       = 12
	recentExplorations = 6
	mostParents        = 8
	mostProblems       = 20 // the page of the store's health has them all
)

// startPage is the store's content and its latest changes.
type startPage struct {
	Status       app.Status
	Metrics      learning.Metrics
	Figures      []figure
	Charts       []chart
	Events       []event
	Explorations []row
	Waiting      int
	WaitingHref  string
	Candidates   int // candidates that need an approval
	Stale        int // facts
	StaleHref    string
	Problems     []lookup.Problem // the first of those of Status
}

// figure is a number with its label.
type figure struct {
	Label, Value, Note string
	Href               string
}

// event is an event of a learning.
type event struct {
	What string
	Name string
	Href string
	Time when
	Note string
}

// start shows the metrics as charts, and the latest changes.
func (s *site) start(w http.ResponseWriter, r *http.Request) error {
	ctx, p := r.Context(), startPage{}
	stamp := s.live.stamp()
	var err error
	if p.Status, err = s.uses.Status(ctx); err != nil {
		return err
	}
	if p.Metrics, err = s.learnings.Metrics(ctx); err != nil {
		return err
	}
	events, err := s.recent.events(ctx, s.learnings)
	if err != nil {
		return err
	}
	for _, e := range events {
		p.Events = append(p.Events, s.event(r, e))
	}
	found, err := s.uses.Search(ctx, lookup.Query{Type: string(record.Exploration), Limit: recentExplorations, MaxTokens: wholePage})
	if err != nil {
		return err
	}
	for _, h := range found.Results {
		p.Explorations = append(p.Explorations, row{h, pageOf(record.Exploration, "", h.ID)})
	}
	p.Candidates, p.Stale = p.Status.Inbox.Pending+p.Status.Inbox.Queued, p.Status.Facts.ByState["stale"]
	p.Problems = p.Status.Problems[:min(len(p.Status.Problems), mostProblems)]
	m := p.Metrics
	p.Waiting, p.WaitingHref = m.ByStatus["outdated"], filters{Status: "outdated"}.address()
	p.StaleHref = factFilters{State: "stale"}.address()
	p.Figures = []figure{
		{"Explorations", fmt.Sprint(p.Status.Records[string(record.Exploration)]), "topics written down", "/explorations"},
		{"Facts", fmt.Sprint(p.Status.Records[string(record.Fact)]), plural(p.Status.Facts.ByState["active"], "is active", "are active"),
			"/facts"},
		{"Decisions", fmt.Sprint(p.Status.Records[string(record.Decision)]), percent(p.Status.Decisions.CausalCoverage) + " say why",
			"/decisions"},
		{"Learnings", fmt.Sprint(sum(p.Status.Statuses[record.Learning])),
			plural(p.Status.Statuses[record.Learning]["active"], "is active", "are active"), "/learnings"},
		{"Given to agents", fmt.Sprintf("%.1f", m.InjectionRate), "learnings in a prompt, on average", ""},
		{"Duplicates prevented", fmt.Sprint(m.DuplicatesPrevented), "the same thing learned again", ""},
	}
	if m.Total > 0 {
		p.Charts = charts(m)
	}
	return s.show(w, http.StatusOK, "start", page{Title: "Start", Nav: "start", Stamp: stamp, Body: p})
}

func sum(n map[string]int) (all int) {
	for _, k := range n {
		all += k
	}
	return all
}

// eventNames are the words for the core's events (idea:…).
var eventNames = map[string]string{
	"yellow_created": "learned", "yellow_check": "to check", "yellow_outdated": "outdated", "yellow_archived": "archived",
	"yellow_resurrected": "brought back", "yellow_deleted": "deleted", "updated": "changed", "removed": "file removed",
}

// actionNames are the words for updates by a review.
var actionNames = map[string]string{"promote": "promoted", "validate": "validated", "apply": "used", "restore": "restored"}

func (s *site) event(r *http.Request, e learning.Event) event {
	name := strings.TrimPrefix(e.Event, "idea:")
	if word := actionNames[e.Detail["action"]]; word != "" && name == "updated" {
		name = word
	}
	out := event{What: name, Name: visible(e.Idea), Time: momentOf(e.Time), Href: "/learnings/" + url.PathEscape(e.Idea)}
	if word, ok := eventNames[name]; ok {
		out.What = word
	} else {
		out.What = visible(strings.ReplaceAll(strings.TrimPrefix(name, "yellow_"), "_", " "))
	}
	if i, err := s.learnings.Get(r.Context(), e.Idea); err == nil {
		out.Name, out.Href = nameOf(i.Content, 100), pageOf(record.Idea, i.Color, i.ID)
	}
	return out
}

// charts draws the metrics.
func charts(m learning.Metrics) []chart {
	all := []chart{
		stacked("status", "Status", "learnings by status", m.ByStatus, statuses, func(v string) string { return filters{Status: v}.address() }),
		stacked("scope", "Scope", "learnings by scope", m.ByScope, scopes, func(v string) string { return filters{Scope: v}.address() }),
		columns("impact", "Impact", "learnings by impact", m.ByImpact, impacts, func(v string) string { return filters{Impact: v}.address() }),
		rings("rates", "Rates", "shares of all learnings", []share{{"validated", m.ValidationRate}, {"outdated", m.OutdatedRate}}),
	}
	if parents := topParents(m.SourceParents); len(parents) > 0 {
		title := "Where they come from"
		if len(parents) < len(m.SourceParents) {
			title += fmt.Sprintf(": the %d of %d with the most", len(parents), len(m.SourceParents))
		}
		all = append(all, bars("parents", title, "learnings by the work that brought them", m.SourceParents, parents,
			func(v string) string { return filters{Parent: v}.address() }))
	}
	return all
}

// topParents are the parents with the most learnings.
func topParents(n map[string]int) []string {
	names := slices.SortedFunc(maps.Keys(n), func(a, b string) int {
		if n[a] != n[b] {
			return n[b] - n[a]
		}
		return strings.Compare(a, b)
	})
	return names[:min(len(names), mostParents)]
}
