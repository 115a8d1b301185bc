package briefing

import (
	"slices"
	"strings"

	"sdd/internal/tokens"
)

const (
	mostListed  = 50 // entries of sources and omitted
	fewListed   = 3  // entries of omitted, when there is no room for more
	mostFailed  = 30 // pieces in a row that do not fit before a stage ends
	maxTries    = 6  // rooms that are tried
	closeEnough = 40 // a share of the budget that may stay unused
)

// group is where a piece stands in the text.
type group int

const (
	overview group = iota
	architecture
	relevant
	explorations
	decisions
	ideas
	forAll
	forAgent
	code
	documentation
	groups
)

var headings = [groups]string{
	"## Project overview", "## Architecture and domains", "## Relevant facts", "## Explorations", "## Decisions", "## Ideas",
	"## Project Learnings (Global)", "## Your Learnings (Local)", "## Code", "## Documentation",
}

// piece is one record as it may stand in the text, or several that belong together.
type piece struct {
	ids   []string
	group group
	text  string // lines, each ended
	short string // the same in fewer words, "" when there is no such form
	facts int    // how many facts it tells
	chain bool   // it tells causes
	costs [2]int // tokens of text and short, 0 while not counted
	seen  *page  // that has it among what was left
	make  func() // fills the forms when they are first needed; nil when they are there
}

// stage is a list of pieces, the best first, that together take at most a part of the budget.
type stage struct {
	pieces []*piece
	part   float64 // of the budget; 0 is all of it
	most   int     // tokens; 0 is no limit
	least  int     // tokens that it may take in any case
	last   bool    // it gets only what all others leave
}

func (s stage) share(budget int) int {
	share := budget
	if s.part > 0 {
		share = int(s.part * float64(budget))
	}
	if s.most > 0 {
		share = min(share, s.most)
	}
	return max(share, s.least)
}

// page is what has been taken so far.
type page struct {
	lead  string // the first lines
	taken []*piece
	texts map[*piece]string // the form that was taken
	left  []*piece          // in the order in which they were tried
}

// compose takes from the stages, in their order, what the budget holds. What a stage leaves of its share is there
// for those behind it, and what a share kept out is tried again at the end. The text alone stays within the
// budget; see fit for the result.
func compose(lead string, stages []stage, budget int) *page {
	p := &page{texts: map[*piece]string{}}
	if tokens.Within(lead, budget/3) {
		p.lead = lead
	}
	room := budget - tokens.Count(p.lead)
	var again, last []*piece
	for _, s := range stages {
		if s.last {
			last = append(last, s.pieces...)
			continue
		}
		used, kept := p.take(s.pieces, min(room, s.share(budget)))
		room -= used
		again = append(again, kept...)
	}
	used, left := p.take(again, room)
	_, kept := p.take(last, room-used)
	p.left = append(left, kept...)
	p.left = slices.DeleteFunc(p.left, func(one *piece) bool {
		seen := one.seen == p
		one.seen = p
		_, taken := p.texts[one]
		return seen || taken
	})
	for !tokens.Within(p.text(), budget) && len(p.taken) > 0 { // counted piece by piece the sum is exact but for odd joints
		p.drop()
	}
	return p
}

// take takes pieces as far as room goes, and returns what that cost and what did not fit. One that does not fit does not
// keep a shorter one out.
func (p *page) take(pieces []*piece, room int) (used int, kept []*piece) {
	failed := 0
	for n, one := range pieces {
		if _, ok := p.texts[one]; ok {
			continue // a stage before had it
		}
		if failed > mostFailed {
			kept = append(kept, pieces[n:]...)
			break
		}
		head := 0
		if !p.has(one.group) {
			head = tokens.Count("\n" + headings[one.group] + "\n\n")
		}
		form, cost := one.within(room - used - head)
		if form == "" {
			failed++
			kept = append(kept, one)
			continue
		}
		failed = 0
		used += head + cost
		p.taken = append(p.taken, one)
		p.texts[one] = form
	}
	return used, kept
}

func (p *page) has(g group) bool {
	return slices.ContainsFunc(p.taken, func(one *piece) bool { return one.group == g })
}

// within returns the longest form that takes no more than room, and what it takes; "" when none does.
func (one *piece) within(room int) (form string, cost int) {
	if one.make != nil {
		one.make()
		one.make = nil
	}
	for n, form := range []string{one.text, one.short} {
		if form == "" || one.costs[n] == 0 && !tokens.Within(form, room) { // most that do not fit are never counted
			continue
		}
		if one.costs[n] == 0 {
			one.costs[n] = tokens.Count(form)
		}
		if one.costs[n] <= room {
			return form, one.costs[n]
		}
	}
	return "", 0
}

// drop gives up the piece that was taken last.
func (p *page) drop() {
	last := len(p.taken) - 1
	p.left = append([]*piece{p.taken[last]}, p.left...)
	delete(p.texts, p.taken[last])
	p.taken = p.taken[:last]
}

// text renders what was taken, group by group.
func (p *page) text() string {
	var b strings.Builder
	b.WriteString(p.lead)
	for g := range groups {
		first := true
		for _, one := range p.taken {
			if one.group != g {
				continue
			}
			if first {
				if b.Len() > 0 {
					b.WriteString("\n")
				}
				b.WriteString(headings[g] + "\n\n")
				first = false
			}
			b.WriteString(p.texts[one])
		}
	}
	return b.String()
}

// fit composes the fullest result that stays within the budget: its text, and from 100 tokens on its JSON too. base is the
// rest of the result.
func fit(base Result, lead string, stages []stage, budget int) Result {
	if budget < tokens.TextOnly {
		return compose(lead, stages, budget).result(base, fewListed)
	}
	// What the JSON costs beyond the text (its escapes, the ids again) grows with the text, so the room for that is closed in on.
	var best *page
	size := 0
	for lo, hi, room, tries := 0, budget+1, budget, 0; hi-lo > 1 && (best == nil || tries < maxTries); tries++ {
		p := compose(lead, stages, room)
		n := p.result(base, fewListed).size()
		if n <= budget {
			best, size, lo = p, n, room
			if budget-n < budget/closeEnough {
				break
			}
		} else {
			hi = room
		}
		guess := room * budget / n * 99 / 100
		if tries > 3 || guess <= lo || guess >= hi {
			guess = (lo + hi) / 2
		}
		room = guess
	}
	if best == nil || len(best.taken) == 0 && len(best.left) > 0 && len(base.Suggestions) > 0 {
		if n := len(base.Suggestions); n > 0 { // they go before what is known does
			base.Suggestions = base.Suggestions[:n-1]
			return fit(base, lead, stages, budget)
		}
		return compose("", nil, 0).result(base, 0)
	}
	for most := mostListed; most > fewListed; most /= 2 {
		if budget-size < most { // an id takes several
			continue
		}
		if r := best.result(base, most); r.size() <= budget {
			return r
		}
	}
	return best.result(base, fewListed)
}

// size is what the JSON of r takes.
func (r Result) size() int { return tokens.Count(tokens.JSON(r)) }

// result is base with what was taken; of what was left at most most ids are listed.
func (p *page) result(base Result, most int) Result {
	r := base
	r.Context = p.text()
	r.TokensUsed = tokens.Count(r.Context)
	r.Sources, r.Omitted = []string{}, []string{}
	for _, one := range p.taken {
		r.FactsCount += one.facts
		r.CausalChainsIncluded = r.CausalChainsIncluded || one.chain
		r.SourcesTotal += len(one.ids)
		r.Sources = append(r.Sources, one.ids...)
	}
	r.told = r.Sources
	for _, one := range p.left {
		r.OmittedTotal += len(one.ids)
		if len(r.Omitted) < most {
			r.Omitted = append(r.Omitted, one.ids...)
		}
	}
	r.Sources = r.Sources[:min(len(r.Sources), mostListed)]
	r.Omitted = r.Omitted[:min(len(r.Omitted), most)]
	return r
}
