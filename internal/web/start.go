package web

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

	"sdd/internal/app"
	"sdd/internal/index"
	"sdd/internal/learning"
	"sdd/internal/lookup"
	"sdd/internal/record"
)

const (
	latestRecords = 10
	mostParents   = 8
	mostProblems  = 20 // the page of the store's health has them all
)

// startPage is the store's content and its latest changes.
type startPage struct {
	Status   app.Status
	Metrics  learning.Metrics
	Figures  []figure
	Charts   []chart
	Latest   []row // records of all kinds
	Needs    []need
	Waiting  int // what the needs add up to
	Asked    []asked
	Problems []lookup.Problem // the first of those of Status
}

// need is a group of the queue, with its first records.
type need struct {
	Label, Href string
	Count       int
	First       []link
}

const (
	firstOfNeed    = 3
	activityDays   = 84
	hottestDomains = 12
	coveredMonths  = 12
	mostAsked      = 10
)

// needs groups what waits for a decision.
func (s *site) needs(ctx context.Context) (all []need, sum int, err error) {
	queue, count, err := s.queue(ctx)
	if err != nil {
		return nil, 0, err
	}
	for _, g := range waitingGroups {
		if count[g.name] == 0 {
			continue
		}
		n := need{Label: labelFor(g.label, count[g.name]), Href: address("/inbox", "status", g.name), Count: count[g.name]}
		for _, i := range queue {
			if i.group == g.name && len(n.First) < firstOfNeed {
				row := s.waitingRow(i)
				n.First = append(n.First, link{row.Label(), cmp.Or(row.Page, n.Href)})
			}
		}
		all = append(all, n)
	}
	return all, len(queue), nil
}

// labelFor is the label of a group for that many items.
func labelFor(label string, n int) string {
	if n == 1 {
		return strings.TrimSuffix(label, "s")
	}
	return label
}

// activity counts the records of every kind by the day of their beginning.
func (s *site) activity() chart {
	days, names := map[string]int{}, []string{}
	for now, n := time.Now().UTC(), activityDays-1; n >= 0; n-- {
		names = append(names, now.AddDate(0, 0, -n).Format(time.DateOnly))
	}
	for _, e := range s.index.Entries() {
		if day := e.Created[:min(len(e.Created), len(time.DateOnly))]; day >= names[0] && day <= names[len(names)-1] {
			days[day]++
		}
	}
	c := counted("columns", "activity", fmt.Sprintf("New records of all kinds, the last %d days", activityDays), days, names, unlinked)
	c.Folded, c.Desc = true, fmt.Sprintf("%d records; the table below has each day", sum(days))
	for n := range c.Shapes {
		c.Shapes[n].Class = "c-plain"
	}
	c.Rows = slices.DeleteFunc(c.Rows, func(r chartRow) bool { return r.Value == "0" })
	slices.Reverse(c.Rows)
	return c
}

// domains counts the facts of the largest domains by state.
func (s *site) domains(ctx context.Context) (c chart, err error) {
	all, err := s.facts.All(ctx)
	if err != nil {
		return c, err
	}
	states := record.StatusesOf(record.Fact, "")
	c = chart{ID: "domains", Kind: "none", Title: "Facts by domain and state", Heads: append([]string{"Domain"}, states...)}
	count, total := map[[2]string]int{}, map[string]int{}
	for n := range all {
		if name := strings.ToLower(all[n].Domain); name != "" {
			count[[2]string{name, all[n].State}]++
			total[name]++
		}
	}
	names := mostOf(total)
	for _, name := range names[:min(len(names), hottestDomains)] {
		r := gridRow{Name: oneLine(name, 40)}
		for _, state := range states {
			n := count[[2]string{name, state}]
			one := cell{Value: fmt.Sprint(n)}
			if n > 0 {
				one.Href, one.Warmth = address("/facts", "domain", name, "state", state), (5*n+total[name]-1)/total[name]
			}
			r.Cells = append(r.Cells, one)
		}
		c.Grid = append(c.Grid, r)
	}
	return c, nil
}

// coverage draws the shares of records that say why, where or that they were looked at, by month.
func (s *site) coverage(ctx context.Context) (chart, error) {
	months := app.Months(coveredMonths, time.Now().UTC())
	all, err := s.uses.Coverages(ctx, months)
	if err != nil {
		return chart{}, err
	}
	var names []string
	for _, c := range all {
		names = append(names, c.Name)
	}
	return lines("coverage", "Coverage, the last 12 months", names, months, func(row, month int) float64 {
		return all[row].Share(month)
	}), nil
}

// asked is a question of an agent, and what it got, "" for no answer.
type asked struct{ Text, Href, Got, Time string }

// questions are the latest questions of agents, those without an answer first.
func (s *site) questions() []asked {
	var without, with []asked
	for n, q := range s.uses.Answers.Asked() {
		one := asked{oneLine(q.Text, 140), address("/ask", "q", q.Text), "", q.Time}
		if q.Used == 0 {
			without = append(without, one)
		} else if n < mostAsked {
			one.Got = fmt.Sprintf("%s, %s", plural(q.Used, "record", "records"), plural(q.Tokens, "token", "tokens"))
			with = append(with, one)
		}
	}
	return append(without[:min(len(without), mostAsked/2)], with...)
}

// figure is a number with its label.
type figure struct {
	Label, Value, Note string
	Href               string
}

// start shows the metrics as charts, and the latest changes.
func (s *site) start(w http.ResponseWriter, r *http.Request) error {
	ctx, p := r.Context(), startPage{}
	var err error
	if p.Status, err = s.uses.Status(ctx); err != nil {
		return err
	}
	if p.Metrics, err = s.learnings.Metrics(ctx); err != nil {
		return err
	}
	found, err := s.uses.Search(ctx, lookup.Query{Limit: latestRecords, MaxTokens: wholePage})
	if err != nil {
		return err
	}
	for _, h := range found.Results {
		p.Latest = append(p.Latest, s.hitRow(index.NewMarker(""), h, ""))
	}
	p.Problems = p.Status.Problems[:min(len(p.Status.Problems), mostProblems)]
	m := p.Metrics
	if p.Needs, p.Waiting, err = s.needs(ctx); err != nil {
		return err
	}
	p.Figures = []figure{
		{"Explorations", fmt.Sprint(p.Status.Records[string(record.Exploration)]), "topics written down", "/explorations"},
		{"Facts", fmt.Sprint(p.Status.Records[string(record.Fact)]), plural(p.Status.Facts.ByState["active"], "is active", "are active"),
			"/facts"},
		{"Decisions", fmt.Sprint(p.Status.Records[string(record.Decision)]), plural(p.Status.Decisions.WithCause, "says why", "say why"),
			"/decisions"},
		{"Learnings", fmt.Sprint(sum(p.Status.Statuses[record.Learning])),
			plural(p.Status.Statuses[record.Learning]["active"], "is active", "are active"), "/learnings"},
		{"Asked by agents", fmt.Sprint(p.Status.Context.Calls), fmt.Sprintf("in %s; %s never used in answers",
			plural(p.Status.Context.Sessions, "session", "sessions"), plural(p.Status.Context.Unused, "fact", "facts")), "/ask"},
		{"Given to agents", fmt.Sprintf("%.1f", m.InjectionRate), fmt.Sprintf("learnings in a prompt; %s prevented",
			plural(m.DuplicatesPrevented, "duplicate", "duplicates")), ""},
	}
	if s.index.Len() > 0 {
		covered, err := s.coverage(ctx)
		if err != nil {
			return err
		}
		domains, err := s.domains(ctx)
		if err != nil {
			return err
		}
		p.Charts = []chart{s.activity(), covered, domains}
	}
	if m.Total > 0 {
		p.Charts = append(p.Charts, charts(m)...)
	}
	p.Asked = s.questions()
	return s.show(w, r, http.StatusOK, "start", page{Title: "Start", Nav: "start", Live: true, Body: p})
}

func sum(n map[string]int) (all int) {
	for _, k := range n {
		all += k
	}
	return all
}

// charts draws the metrics.
func charts(m learning.Metrics) []chart {
	of := func(filter string) func(string) string {
		return func(value string) string { return address("/learnings", filter, value) }
	}
	all := []chart{
		counted("bar", "status", "Learnings by status", m.ByStatus, statuses, of("status")),
		counted("bar", "scope", "Learnings by scope", m.ByScope, scopes, of("scope")),
		counted("columns", "impact", "Learnings by impact", m.ByImpact, impacts, of("impact")),
	}
	if names := mostOf(m.SourceParents); len(names) > 0 {
		title, parents := "Learnings by the work they came from", map[string]int{}
		if len(names) > mostParents {
			title += fmt.Sprintf(": the %d of %d with the most", mostParents, len(names))
		}
		names = names[:min(len(names), mostParents)]
		for _, name := range names {
			parents[name] = m.SourceParents[name]
		}
		all = append(all, counted("rows", "parents", title, parents, names, of("parent")))
	}
	return all
}

// mostOf are the names by their numbers, the largest first.
func mostOf(n map[string]int) []string {
	return slices.SortedFunc(maps.Keys(n), func(a, b string) int { return cmp.Or(n[b]-n[a], strings.Compare(a, b)) })
}
