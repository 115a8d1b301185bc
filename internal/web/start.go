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
	"sdd/internal/fault"
	"sdd/internal/index"
	"sdd/internal/learning"
	"sdd/internal/lookup"
	"sdd/internal/record"
)

const (
	latestRecords  = 10
	mostParents    = 8
	mostProblems   = 20 // the page of the store's health has them all
	firstOfNeed    = 3
	activityDays   = 84
	hottestDomains = 12
	coveredMonths  = 12
	mostAsked      = 10
)

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

// needs groups what waits for a decision.
func (s *site) needs(ctx context.Context) (all []need, sum int) {
	queue, count := s.queue(ctx)
	for _, g := range waitingGroups {
		if count[g.name] == 0 {
			continue
		}
		n := need{Label: g.label, Href: address("/inbox", "status", g.name), Count: count[g.name]}
		if n.Count == 1 {
			n.Label = strings.TrimSuffix(n.Label, "s")
		}
		for _, i := range queue {
			if i.group == g.name && len(n.First) < firstOfNeed {
				row := s.waitingRow(i)
				n.First = append(n.First, link{row.Label(), cmp.Or(row.Page, n.Href)})
			}
		}
		all = append(all, n)
	}
	return all, len(queue)
}

// activity counts the records of every kind by the day of their beginning.
func (s *site) activity() chart {
	days, names := map[string]int{}, []string{}
	for now, n := time.Now().UTC(), activityDays-1; n >= 0; n-- {
		names = append(names, now.AddDate(0, 0, -n).Format(time.DateOnly))
	}
	for _, e := range s.Index.Entries() {
		if day := e.Created[:min(len(e.Created), len(time.DateOnly))]; day >= names[0] && day <= names[len(names)-1] {
			days[day]++
		}
	}
	c := counted("columns", "activity", fmt.Sprintf("New records of all kinds, the last %d days", activityDays), days, names, "")
	c.Folded, c.Desc = true, fmt.Sprintf("%d records; the table below has each day", sum(days))
	for n := range c.Shapes {
		c.Shapes[n].Class = "c-plain"
	}
	c.Rows = slices.DeleteFunc(c.Rows, func(r chartRow) bool { return r.Value == "0" })
	slices.Reverse(c.Rows)
	return c
}

func (s *site) domains(ctx context.Context) chart {
	all := fault.Must(s.Facts.All(ctx))
	states := record.StatusesOf(record.Fact, "")
	c := chart{ID: "domains", Kind: "none", Title: "Facts by domain and state", Heads: append([]string{"Domain"}, states...)}
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
	return c
}

// coverage draws the shares of records that say why, where or that they were looked at, by month since the first record.
func (s *site) coverage(ctx context.Context) chart {
	months := app.Months(coveredMonths, time.Now().UTC())
	first := months[len(months)-2]
	for _, e := range s.Index.Entries() {
		if e.Created != "" {
			first = min(first, e.Created[:min(len(e.Created), len(first))])
		}
	}
	months = slices.DeleteFunc(months, func(month string) bool { return month < first })
	all := fault.Must(s.Coverages(ctx, months))
	var names []string
	for _, c := range all {
		names = append(names, c.Name)
	}
	return lines("coverage", fmt.Sprintf("Coverage, the last %d months", len(months)), names, months, func(row, month int) float64 {
		return all[row].Share(month)
	})
}

// asked is a question of an agent, and what it got, "" for no answer.
type asked struct{ Text, Href, Got, Time string }

// questions are the latest questions of agents, those without an answer first.
func (s *site) questions() []asked {
	var without, with []asked
	for n, q := range s.Answers.Asked() {
		one := asked{oneLine(q.Text, 140), address("/ask", "q", q.Text), "", q.Time}
		if q.Used == 0 {
			without = append(without, one)
		} else if n < mostAsked {
			one.Got = fmt.Sprintf("%s, %s", fault.Count(q.Used, "record", "records"), fault.Count(q.Tokens, "token", "tokens"))
			with = append(with, one)
		}
	}
	return append(without[:min(len(without), mostAsked/2)], with...)
}

type figure struct {
	Label, Value, Note string
	Href               string
}

func (s *site) start(w http.ResponseWriter, r *http.Request) error {
	ctx := r.Context()
	st, m := fault.Must(s.Status(ctx)), fault.Must(s.Learnings.Metrics(ctx))
	p := startPage{Status: st, Metrics: m, Asked: s.questions(), Problems: st.Problems[:min(len(st.Problems), mostProblems)]}
	for _, h := range fault.Must(s.Search(ctx, lookup.Query{Limit: latestRecords, MaxTokens: wholePage})).Results {
		p.Latest = append(p.Latest, s.hitRow(index.NewMarker(""), h, ""))
	}
	p.Needs, p.Waiting = s.needs(ctx)
	asked, given := "", "learnings in a prompt"
	if n := st.Context.Sessions; n > 0 {
		asked = "in " + fault.Count(n, "session", "sessions")
	}
	if n := st.Context.Unused; n > 0 {
		asked = strings.TrimPrefix(asked+"; "+fault.Count(n, "fact", "facts")+" never used in answers", "; ")
	}
	if n := m.DuplicatesPrevented; n > 0 {
		given += "; " + fault.Count(n, "duplicate", "duplicates") + " prevented"
	}
	number := func(k record.Kind) string { return fmt.Sprint(st.Records[string(k)]) }
	learnings := st.Statuses[record.Learning]
	p.Figures = []figure{
		{"Explorations", number(record.Exploration), "topics written down", "/explorations"},
		{"Facts", number(record.Fact), fault.Count(st.Facts.ByState["active"], "is active", "are active"), "/facts"},
		{"Decisions", number(record.Decision), fault.Count(st.Decisions.WithCause, "says why", "say why"), "/decisions"},
		{"Learnings", fmt.Sprint(sum(learnings)), fault.Count(learnings["active"], "is active", "are active"), "/learnings"},
		{"Asked by agents", fmt.Sprint(st.Context.Calls), asked, "/ask"},
		{"Given to agents", fmt.Sprintf("%.1f", m.InjectionRate), given, ""},
	}
	if s.Index.Len() > 0 {
		p.Charts = []chart{s.activity(), s.coverage(ctx), s.domains(ctx)}
	}
	if m.Total > 0 {
		p.Charts = append(p.Charts, charts(m)...)
	}
	return s.show(w, r, http.StatusOK, "start", page{Title: "Start", Nav: "start", Live: true, Body: p})
}

func sum(n map[string]int) (all int) {
	for _, k := range n {
		all += k
	}
	return all
}

func charts(m learning.Metrics) []chart {
	all := []chart{
		counted("bar", "status", "Learnings by status", m.ByStatus, statuses, "status"),
		counted("bar", "scope", "Learnings by scope", m.ByScope, scopes, "scope"),
		counted("columns", "impact", "Learnings by impact", m.ByImpact, impacts, "impact"),
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
		all = append(all, counted("rows", "parents", title, parents, names, "parent"))
	}
	return all
}

// mostOf are the names by their numbers, the largest first.
func mostOf(n map[string]int) []string {
	return slices.SortedFunc(maps.Keys(n), func(a, b string) int { return cmp.Or(n[b]-n[a], strings.Compare(a, b)) })
}

// Charts are SVG in the page without inline styles, each with a description and a table of the same numbers.

type chart struct {
	ID, Kind    string // Kind: bar, columns, rows, lines, none
	Title, Desc string
	Shapes      []shape
	Width       int
	Height      int
	Rows        []chartRow
	Folded      bool // the table is long: it opens on demand
	Heads       []string
	Grid        []gridRow // a table with Heads above it, below or instead of Rows
}

type gridRow struct {
	Name  string
	Cells []cell
}

// cell is a number with the list behind it. Warmth is 0 to 5: its share of the row.
type cell struct {
	Href, Value string
	Warmth      int
}

// shape is a bar from X, Y, or a line.
type shape struct {
	Points              string // of a line, as SVG has it
	X, Y, Width, Height float64
	Class               string
}

type chartRow struct {
	Label, Class, Href string
	Value, Share       string
}

// counted draws numbers by name: those of known in that order, then the others. filter is that of the learnings with a name, "" for none.
func counted(kind, id, title string, n map[string]int, known []string, filter string) chart {
	c := chart{ID: id, Kind: kind, Title: title}
	names, all, most, some := slices.Clone(known), 0, 0, 0
	for _, name := range slices.Sorted(maps.Keys(n)) {
		if !slices.Contains(names, name) && name != "" {
			names = append(names, name)
		}
	}
	for _, name := range names {
		all, most, some = all+n[name], max(most, n[name]), some+min(1, n[name])
	}
	size := map[string][2]int{"bar": {320, 14}, "columns": {320, 96}, "rows": {160, 8}}[kind]
	c.Width, c.Height = size[0], size[1]
	const gap = 2
	room, step, height, x := float64(c.Width-gap*max(0, some-1)), float64(c.Width)/float64(len(names)), float64(c.Height), 0.0
	for i, name := range names {
		k, r := n[name], chartRow{Label: name, Class: className("c-"+id, name), Value: fmt.Sprint(n[name]), Share: percent(ratio(n[name], all))}
		if filter != "" {
			r.Href = address("/learnings", filter, name)
		}
		switch {
		case kind == "bar" && k > 0: // one bar, divided among the values
			s := shape{X: x, Width: room * ratio(k, all), Height: height, Class: r.Class}
			c.Shapes, x = append(c.Shapes, s), x+s.Width+gap
		case kind == "columns": // a vertical bar for each value
			h := max(1, height*ratio(k, most))
			c.Shapes = append(c.Shapes, shape{X: step*float64(i) + step*0.14, Y: height - h, Width: step * 0.72, Height: h, Class: r.Class})
		case kind == "rows": // a horizontal bar for each value, in its row of the table
			r.Class = "c-plain"
			c.Shapes = append(c.Shapes, shape{Width: max(2, float64(c.Width)*ratio(k, most)), Height: height, Class: r.Class})
		}
		c.Rows = append(c.Rows, r)
	}
	c.Desc = describe(title, c.Rows)
	return c
}

func ratio(a, b int) float64 {
	if b == 0 {
		return 0
	}
	return float64(a) / float64(b)
}

func describe(what string, rows []chartRow) string {
	var parts []string
	for _, r := range rows {
		parts = append(parts, r.Label+" "+r.Value)
	}
	return what + ": " + strings.Join(parts, ", ")
}

// lines is a line for each row of values from 0 to 1, with the names of the columns from left to right.
func lines(id, title string, names, columns []string, value func(row, column int) float64) chart {
	c := chart{ID: id, Kind: "lines", Title: title, Width: 320, Height: 96, Folded: true, Heads: append([]string{"Month"}, names...)}
	for row, name := range names {
		points := "M"
		for n := range columns {
			points += fmt.Sprintf(" %.1f,%.1f", float64(n*c.Width)/float64(len(columns)-1), 2+float64(c.Height-4)*(1-value(row, n)))
		}
		class := fmt.Sprintf("c-line-%d", row)
		c.Shapes = append(c.Shapes, shape{Points: points, Class: class})
		c.Rows = append(c.Rows, chartRow{Label: name, Class: class, Value: percent(value(row, len(columns)-1))})
	}
	for n := len(columns) - 1; n >= 0; n-- {
		r := gridRow{Name: columns[n]}
		for row := range names {
			r.Cells = append(r.Cells, cell{Value: percent(value(row, n))})
		}
		c.Grid = append(c.Grid, r)
	}
	c.Desc = describe("from "+columns[0]+" to now", c.Rows)
	return c
}
