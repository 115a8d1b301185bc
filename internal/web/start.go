package web

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"

	"sdd/internal/app"
	"sdd/internal/fault"
	"sdd/internal/index"
	"sdd/internal/lookup"
)

const (
	latestRecords = 10
	mostProblems  = 20 // the page of the store's health has them all
	firstOfNeed   = 3
	mostAsked     = 10
)

// startPage is the store's content and its latest changes.
type startPage struct {
	Status   app.Status
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
		n := need{Label: g.label, Href: address("/inbox", "status", g.name), Count: count[g.name]}
		switch n.Count {
		case 0:
			continue
		case 1:
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

func (s *site) start(w http.ResponseWriter, r *http.Request) error {
	ctx := r.Context()
	p := startPage{Status: fault.Must(s.Status(ctx)), Asked: s.questions()}
	for _, h := range fault.Must(s.Search(ctx, lookup.Query{Limit: latestRecords, MaxTokens: wholePage})).Results {
		p.Latest = append(p.Latest, s.hitRow(index.NewMarker(""), h, ""))
	}
	p.Problems = p.Status.Problems[:min(len(p.Status.Problems), mostProblems)]
	p.Needs, p.Waiting = s.needs(ctx)
	return s.show(w, r, http.StatusOK, "start", page{Title: "Start", Nav: "start", Live: true, Body: p})
}

func sum(n map[string]int) (all int) {
	for _, k := range n {
		all += k
	}
	return all
}

// mostOf are the names by their numbers, the largest first.
func mostOf(n map[string]int) []string {
	return slices.SortedFunc(maps.Keys(n), func(a, b string) int { return cmp.Or(n[b]-n[a], strings.Compare(a, b)) })
}
