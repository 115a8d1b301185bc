package learning

import (
	"cmp"
	"context"
	"slices"
	"sort"
	"strconv"
	"strings"

	"sdd/internal/fault"
	"sdd/internal/index"
	"sdd/internal/record"
	"sdd/internal/tokens"
)

// Injection is the list of learnings that an agent gets before it works. Text has the global learnings and those of the
// agent's persona, one per line; a heading without learnings is left out.
type Injection struct {
	Text         string   `json:"text"`
	Included     []string `json:"included"`      // ids, in the order of importance
	Omitted      []string `json:"omitted"`       // ids of the first that did not fit
	OmittedTotal int      `json:"omitted_total"` // their number
	TokensUsed   int      `json:"tokens_used"`   // of Text
}

const (
	globalHeading = "# Project Learnings (Global)\n\n"
	localHeading  = "# Your Learnings (Local)\n\n"

	defaultInjection = 2000
	minTokens        = 50
	maxTokens        = 100_000
	mostOmitted      = 50
	relevant         = 100 // learnings that are ranked by the query
)

// Inject returns the active learnings for an agent: the global ones and the local ones of its persona; for "" those without an agent. It
// sorts by impact, then validated ones first, then by the index's rank for the query, then the newest first. Text has at most maxTokens
// tokens (default 2,000), and from 100 on so has the JSON of the result.
func (l *Learnings) Inject(ctx context.Context, agent, query string, maximum int) (_ Injection, err error) {
	defer fault.Caught(&err)
	fault.Check(fault.Within("max_tokens", &maximum, defaultInjection, minTokens, maxTokens))
	list := fault.Must(l.ForAgent(ctx, agent, query))
	if agent = strings.TrimSpace(agent); agent != "" {
		list = slices.DeleteFunc(list, func(i *Idea) bool { return i.Scope == record.Local && len(i.Agents) == 0 })
	}
	out := fill(list, maximum)
	l.count("i " + strconv.Itoa(len(out.Included)))
	return out, nil
}

// ForAgent returns the learnings from which Inject chooses, in its order, and the local ones without an agent: no other
// agent has them. The ideas are shared: callers must not change them.
func (l *Learnings) ForAgent(ctx context.Context, agent, query string) (_ []*Idea, err error) {
	defer fault.Caught(&err)
	set := fault.Must(l.settings())
	fault.Check(l.cache.sync(ctx))
	all := l.cache.learnings(func(a, b *Idea) int { return b.tier() - a.tier() })
	list := slices.DeleteFunc(all, func(i *Idea) bool { return i.Effective() != active || !set.comesTo(i, agent) })
	return l.byRelevance(ctx, list, query)
}

// byRelevance moves the index's results for the query to the front of each tier, best first.
func (l *Learnings) byRelevance(ctx context.Context, list []*Idea, query string) ([]*Idea, error) {
	if strings.TrimSpace(query) == "" {
		return list, nil
	}
	page, err := l.ix.Query(ctx, index.Query{Text: subjectWords(query), Types: learnings, Status: active, Limit: relevant, Bare: true})
	if err != nil {
		return nil, err
	}
	rank := make(map[*Idea]int, len(page.Hits)) // below 0, the best first; 0 for the others
	for n, h := range page.Hits {
		if i := l.cache.known(h.Path, h.Etag); i != nil {
			rank[i] = n - len(page.Hits)
		}
	}
	slices.SortStableFunc(list, func(a, b *Idea) int { return cmp.Or(b.tier()-a.tier(), rank[a]-rank[b]) })
	return list, nil
}

// fill takes the learnings from list, in order, that fit the budget. It skips one that does not fit and tries the next.
func fill(list []*Idea, budget int) Injection {
	lines := make(map[*Idea]string, min(len(list), 256))
	var taken, left []*Idea
	// Lines begin with a dash and end with a line end, so their counts add up to about that of the text, which is counted below.
	room, cheapest := budget, tokens.Count(record.Item(record.IDPrefix(record.Idea)+"-", "x")+"\n")
	heads := map[string]bool{}
	for n, i := range list {
		cost := 0
		if !heads[i.Scope] {
			cost = tokens.Count(headingOf(i)) + min(len(heads), 1) // the line between two headings
		}
		if room < cost+cheapest || len(left) > mostOmitted {
			left = append(left, list[n:]...)
			break
		}
		text := record.Item(i.ID, i.Content) + i.Mark() + "\n"
		if cost += tokens.Count(text); cost > room {
			left = append(left, i)
			continue
		}
		room -= cost
		heads[i.Scope], lines[i] = true, text
		taken = append(taken, i)
	}
	// The JSON also names the omitted learnings: it names fewer of them before it leaves out a learning.
	most := mostOmitted
	render := func(n int) Injection { return page(taken[:n], slices.Concat(taken[n:], left), lines, most) }
	fits := func(n int) bool {
		out := render(n)
		out.TokensUsed = budget // an upper bound for the digits of the final number
		return tokens.WithinBoth(out.Text, out, budget)
	}
	for most > 5 && !fits(len(taken)) {
		most /= 2
	}
	n := sort.Search(len(taken), func(n int) bool { return !fits(n + 1) })
	out := render(n)
	if !fits(n) {
		out.Omitted = []string{}
	}
	out.TokensUsed = tokens.Count(out.Text)
	return out
}

func headingOf(i *Idea) string {
	if i.Scope == record.Global {
		return globalHeading
	}
	return localHeading
}

// page renders the taken learnings and names at most `most` of those left.
func page(taken, left []*Idea, lines map[*Idea]string, most int) Injection {
	out := Injection{Included: []string{}, Omitted: []string{}, OmittedTotal: len(left)}
	sections := map[string]string{}
	for _, i := range taken {
		heading := headingOf(i)
		sections[heading] = cmp.Or(sections[heading], heading) + lines[i]
		out.Included = append(out.Included, i.ID)
	}
	global, local := sections[globalHeading], sections[localHeading]
	if out.Text = global + local; global != "" && local != "" {
		out.Text = global + "\n" + local
	}
	for _, i := range left[:min(len(left), most)] {
		out.Omitted = append(out.Omitted, i.ID)
	}
	return out
}
