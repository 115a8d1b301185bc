package learning

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"sdd/internal/fault"
	"sdd/internal/index"
	"sdd/internal/record"
	"sdd/internal/tokens"
)

// Injection is what an agent is told before it works. Text holds the global learnings and those of the agent's
// persona, one a line; a heading without learnings is left out.
type Injection struct {
	Text         string   `json:"text"`
	Included     []string `json:"included"`      // ids, in the order of importance
	Omitted      []string `json:"omitted"`       // ids of the first that did not fit
	OmittedTotal int      `json:"omitted_total"` // and how many there are
	TokensUsed   int      `json:"tokens_used"`   // by Text
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

// Inject returns the active learnings for an agent: the global ones and the local ones of its persona; for "", a
// caller that is no agent, the local ones that nobody in particular found. The highest impact comes first, then
// what was validated, then what the index ranks first for the query, then the newest. Text has at most maxTokens tokens
// (default 2,000), and from 100 on the JSON of the result too.
func (l *Learnings) Inject(ctx context.Context, agent, query string, maximum int) (Injection, error) {
	if err := fault.Within("max_tokens", &maximum, defaultInjection, minTokens, maxTokens); err != nil {
		return Injection{}, err
	}
	list, err := l.ForAgent(ctx, agent, query)
	if err != nil {
		return Injection{}, err
	}
	out := fill(list, maximum)
	l.Injected(len(out.Included))
	return out, nil
}

// Injected counts the learnings that an agent was given.
func (l *Learnings) Injected(n int) { l.count("i " + strconv.Itoa(n)) }

// ForAgent returns what Inject has to choose from, in its order, and Injected says how much of it was told. The ideas are
// shared and must not be changed.
func (l *Learnings) ForAgent(ctx context.Context, agent, query string) ([]*Idea, error) {
	set, err := l.settings()
	if err != nil {
		return nil, err
	}
	if err := l.cache.sync(ctx); err != nil {
		return nil, err
	}
	who, all := set.who(strings.TrimSpace(agent)), l.cache.mostImportant()
	list := make([]*Idea, 0, len(all))
	for _, i := range all {
		if i.Effective() == active && set.comesTo(i, who) {
			list = append(list, i)
		}
	}
	return l.byRelevance(ctx, list, query)
}

// byRelevance moves, within each tier, what the index finds for the query to the front, best first.
func (l *Learnings) byRelevance(ctx context.Context, list []*Idea, query string) ([]*Idea, error) {
	if strings.TrimSpace(query) == "" {
		return list, nil
	}
	page, err := l.ix.Query(ctx, index.Query{Text: telling(query), Types: []record.Type{{Kind: record.Idea, Color: record.Learning}}, Status: active, Limit: relevant, Bare: true})
	if err != nil {
		return nil, err
	}
	if len(page.Hits) == 0 {
		return list, nil
	}
	rank := make(map[*Idea]int, len(page.Hits))
	for n, h := range page.Hits {
		if i := l.cache.known(h.Path, h.Etag); i != nil {
			rank[i] = n
		}
	}
	out := make([]*Idea, 0, len(list))
	for len(list) > 0 { // tier by tier
		end := 1
		for end < len(list) && list[end].tier() == list[0].tier() {
			end++
		}
		start := len(out)
		for _, i := range list[:end] {
			if _, ok := rank[i]; ok {
				out = append(out, i)
			}
		}
		slices.SortFunc(out[start:], func(a, b *Idea) int { return rank[a] - rank[b] })
		found := len(out) - start
		for _, i := range list[:end] {
			if found == 0 {
				out = append(out, i)
			} else if _, ok := rank[i]; !ok {
				out = append(out, i)
			}
		}
		list = list[end:]
	}
	return out, nil
}

// fill takes from list, in its order, what the budget holds. One that does not fit does not keep a shorter one out.
func fill(list []*Idea, budget int) Injection {
	lines := make(map[*Idea]string, min(len(list), 256))
	var taken, left []*Idea
	// Lines begin with a dash and end with a line end, so their counts add up; what that leaves open is counted below.
	room, cheapest, failed := budget, tokens.Count(record.Item(record.IDPrefix(record.Idea)+"-", "x")+"\n"), 0
	heads := map[string]bool{}
	for n, i := range list {
		cost := 0
		if !heads[i.Scope] {
			cost = tokens.Count(headingOf(i))
			if len(heads) > 0 {
				cost++ // the line between
			}
		}
		if room < cost+cheapest || failed > mostOmitted {
			left = append(left, list[n:]...)
			break
		}
		text := record.Item(i.ID, i.Content) + i.Mark() + "\n"
		if cost += tokens.Count(text); cost > room {
			left, failed = append(left, i), failed+1
			continue
		}
		room -= cost
		heads[i.Scope] = true
		lines[i] = text
		taken = append(taken, i)
	}
	most := mostOmitted
	for {
		out := page(taken, left, lines, most)
		switch {
		case !tokens.Within(out.Text, budget):
		case tokens.WithinJSON(out.counted(budget), budget):
			out.TokensUsed = tokens.Count(out.Text)
			return out
		case most > 5 && len(left) > 5:
			most = min(most, len(left)) / 2
			continue
		}
		if len(taken) == 0 {
			out.Omitted = []string{}
			return out
		}
		// How much has to go is not known to the token; a part of what is over, then again.
		over := 1
		if len(taken) > 8 {
			over = max(1, (tokens.Count(tokens.JSON(out))-budget)*len(taken)/(2*budget))
		}
		over = min(over, len(taken))
		left = append(slices.Clone(taken[len(taken)-over:]), left...)
		taken = taken[:len(taken)-over]
	}
}

// counted is the injection with as many digits in its number of tokens as it will have, at least.
func (i Injection) counted(budget int) Injection {
	i.TokensUsed = budget
	return i
}

func headingOf(i *Idea) string {
	if i.Scope == record.Global {
		return globalHeading
	}
	return localHeading
}

// page renders what is taken and names what is left.
func page(taken, left []*Idea, lines map[*Idea]string, most int) Injection {
	out := Injection{Included: []string{}, Omitted: []string{}, OmittedTotal: len(left)}
	var b strings.Builder
	for _, heading := range []string{globalHeading, localHeading} {
		first := true
		for _, i := range taken {
			if headingOf(i) != heading {
				continue
			}
			if first {
				if b.Len() > 0 {
					b.WriteString("\n")
				}
				b.WriteString(heading)
				first = false
			}
			b.WriteString(lines[i])
		}
	}
	out.Text = b.String()
	for _, i := range taken {
		out.Included = append(out.Included, i.ID)
	}
	for _, i := range left[:min(len(left), most)] {
		out.Omitted = append(out.Omitted, i.ID)
	}
	return out
}
