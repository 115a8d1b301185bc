package answer

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"sdd/internal/tier"
	"sdd/internal/tokens"
)

const (
	mostListed = 50 // entries of sources, positions and omitted
	mostFailed = 30 // consecutive pieces without room that end a stage
)

// group is a part of the text, with a heading.
type group int

const (
	codeFirst group = iota
	answers
	forAll
	forAgent
	code
	documentation
	overview
	groups
)

var headings = [groups]string{
	"## Code", "## What answers", "## Project Learnings (Global)", "## Your Learnings (Local)", "## Code", "## Documentation",
	"## Project overview",
}

// piece is one passage of the text, with its record's head.
type piece struct {
	id    string // of the record, "" for a line without one
	at    string // path and line, where the record has several passages
	group group
	head  string // a line before all passages of a record or all facts of a domain; "" for a piece of text only
	place string // of a fact under the head of its domain: a single fact has it in its own line
	text  string // complete lines
	short string // a shorter form, "" if there is none
	facts int    // how many facts it has
	chain bool   // contains causes
	where string // the headings above the passage
	above string // them, if the text begins with them
	step  int    // the line of a step of a numbered list
}

// has reports whether a piece has a name or word, in any case, also in the plural or as a part of an identifier.
func (p *piece) has(name string) bool {
	low, name := strings.ToLower(p.text), strings.ToLower(name)
	text := p.text
	if len(text) != len(low) {
		text = low
	}
	for at := 0; ; at++ {
		i := strings.Index(low[at:], name)
		if i < 0 || name == "" {
			return false
		}
		at += i
		before, _ := utf8.DecodeLastRuneInString(text[:at])
		first, _ := utf8.DecodeRuneInString(text[at:])
		after, _ := utf8.DecodeRuneInString(strings.TrimPrefix(text[at+len(name):], "s"))
		if (!unicode.IsLetter(before) || !unicode.IsLower(first)) && !unicode.IsLower(after) { // Chinese has no spaces
			return true
		}
	}
}

// stage is a list of pieces, the best first, with a limit of tokens for all; 0 is no limit.
type stage struct {
	pieces []*piece
	most   int
}

// page is the text so far.
type page struct {
	lead  string // the first lines
	taken []*piece
	texts map[*piece]string    // the form in the text
	heads map[string]bool      // heads in the text
	left  []*piece             // pieces without room, in the order of the attempts
	tried bool                 // the best answer has been tried
	marks map[string]string    // by record
	tiers map[string]tier.Tier // of the records in pieces, by id
}

// compose takes pieces from the stages in order until the budget is full. Later stages use what a stage leaves; reserve is for the last.
func compose(lead string, stages []stage, budget, reserve int) *page {
	p := &page{texts: map[*piece]string{}, heads: map[string]bool{}}
	if !tokens.Within(lead, budget/3) {
		_, lead, _ = strings.Cut(lead, notOrders)
	}
	if tokens.Within(lead, budget/3) {
		p.lead = lead
	}
	room := budget - tokens.Count(p.lead)
	for i, s := range stages {
		share := room - reserve
		if i == len(stages)-1 {
			share = room
		}
		if s.most > 0 {
			share = min(share, s.most)
		}
		room -= p.take(s.pieces, share, room)
	}
	p.left = slices.DeleteFunc(p.left, func(one *piece) bool { _, taken := p.texts[one]; return taken })
	for !tokens.Within(p.text(), budget) && len(p.taken) > 0 { // the sum of the pieces' tokens can differ slightly from those of the text
		last := len(p.taken) - 1
		p.left = append([]*piece{p.taken[last]}, p.left...)
		delete(p.texts, p.taken[last])
		p.taken = p.taken[:last]
	}
	return p
}

// take takes the pieces that fit into room, and returns their cost. The best answer has room for the first, and is cut if need be.
func (p *page) take(pieces []*piece, room, first int) (used int) {
	failed := 0
	for n, one := range pieces {
		if _, ok := p.texts[one]; ok {
			continue // an earlier stage took it
		}
		if failed > mostFailed {
			p.left = append(p.left, pieces[n:]...)
			break
		}
		room, head := room, ""
		if !p.has(one.group) {
			head = "\n" + headings[one.group] + "\n\n"
		}
		if one.group == answers && !p.tried {
			p.tried, room = true, first
			if cut := one.within(room - used - tokens.Count(head)); cut != one {
				p.texts[one] = "" // no later stage takes it
				one = cut
			}
		}
		if one.head != "" && !p.heads[one.head] {
			head += one.head
		}
		cost := tokens.Count(head)
		left := room - used - cost
		form := one.text
		if !tokens.Within(form, left) {
			form = one.short
		}
		if form == "" && one.text != "" || !tokens.Within(form, left) || left < 0 {
			failed++
			p.left = append(p.left, one)
			continue
		}
		failed = 0
		used += cost + tokens.Count(form)
		p.taken = append(p.taken, one)
		p.texts[one] = form
		if one.head != "" {
			p.heads[one.head] = true
		}
	}
	return used
}

// within is the piece if it or its shorter form fits into room, else the start of both that fits; the piece again if not even its id does.
func (one *piece) within(room int) *piece {
	short := one.head + cmp.Or(one.short, one.text)
	if tokens.Within(one.head+one.text, room) || tokens.Within(short, room) {
		return one
	}
	text := strings.TrimRight(clipped(strings.TrimRight(short, "\n"), room-1), "- :\n") + "\n"
	if !strings.Contains(text, "] ") {
		return one
	}
	return &piece{id: one.id, at: one.at, group: one.group, facts: one.facts, text: text}
}

// size is the number of tokens of the text.
func (p *page) size() int { return tokens.Count(p.text()) }

func (p *page) has(g group) bool {
	return slices.ContainsFunc(p.taken, func(one *piece) bool { return one.group == g })
}

// text renders the pieces by group: the heads in the order of their best passages, each with all of its passages.
func (p *page) text() string {
	var b strings.Builder
	b.WriteString(p.lead)
	done := map[*piece]bool{}
	for g := range groups {
		first := true
		for i, one := range p.taken {
			if one.group != g || done[one] {
				continue
			}
			if first {
				if b.Len() > 0 {
					b.WriteString("\n")
				}
				b.WriteString(headings[g] + "\n\n")
				first = false
			}
			var same []*piece // under that head
			for _, other := range p.taken[i:] {
				if other == one || one.head != "" && other.group == g && other.head == one.head {
					done[other] = true
					same = append(same, other)
				}
			}
			if id, rest, ok := strings.Cut(p.texts[one], "] "); ok && one.place != "" && len(same) == 1 {
				b.WriteString(strings.TrimPrefix(id, "  ") + "] (" + one.place + ") " + rest)
				continue
			}
			b.WriteString(one.head)
			for len(same) > 0 {
				n := 1
				for n < len(same) && same[0].step > 0 && same[n].step > 0 && same[n].where == same[0].where {
					n++
				}
				for _, text := range p.inOrder(same[:n]) {
					b.WriteString(text)
				}
				same = same[n:]
			}
		}
	}
	return b.String()
}

// inOrder returns the texts of steps of one list in the order of the list; the first has the headings above it.
func (p *page) inOrder(steps []*piece) (texts []string) {
	if len(steps) == 1 {
		return []string{p.texts[steps[0]]}
	}
	const item = "  - "
	above := ""
	for _, one := range steps {
		above = cmp.Or(above, one.above)
	}
	steps = slices.SortedStableFunc(slices.Values(steps), func(a, b *piece) int { return a.step - b.step })
	for n, one := range steps {
		text := strings.TrimPrefix(strings.TrimPrefix(p.texts[one], item), one.above)
		if n == 0 {
			text = above + text
		}
		texts = append(texts, item+text)
	}
	return texts
}

// result is base with the taken pieces. It lists ids and positions as far as the structured content has room.
func (p *page) result(base Result, budget int) Result {
	r := base
	r.Context = p.text()
	r.TokensUsed = tokens.Count(r.Context)
	r.Sources, r.Positions, r.Omitted = []string{}, []string{}, []string{}
	add := func(list *[]string, s string) {
		if s != "" && !slices.Contains(*list, s) {
			*list = append(*list, s)
		}
	}
	for _, one := range p.taken {
		r.FactsCount += one.facts
		r.CausalChainsIncluded = r.CausalChainsIncluded || one.chain
		add(&r.Sources, one.id)
		add(&r.Positions, one.at)
	}
	for _, one := range p.left {
		if name := one.id; one.at != "" {
			add(&r.Omitted, one.at)
		} else if !slices.Contains(r.Sources, name) {
			add(&r.Omitted, name)
		}
	}
	r.ids = r.Sources
	r.SourcesTotal, r.OmittedTotal = len(r.Sources), len(r.Omitted)
	whole := r
	for most := mostListed; ; most /= 2 {
		r.Sources = whole.Sources[:min(len(whole.Sources), most)]
		r.Marks, r.Tiers = map[string]string{}, map[string]tier.Tier{}
		for _, id := range r.Sources {
			if mark := p.marks[id]; mark != "" {
				r.Marks[id] = mark
			}
			if t := p.tiers[id]; t.Warns() {
				r.Tiers[id] = t
			}
		}
		r.Positions = whole.Positions[:min(len(whole.Positions), most)]
		r.Omitted = whole.Omitted[:min(len(whole.Omitted), most)]
		if tokens.WithinJSON(r, budget) {
			return r
		}
		if most == 0 {
			if len(r.Suggestions) == 0 {
				return r
			}
			r.Suggestions = r.Suggestions[:len(r.Suggestions)-1]
			most = mostListed * 2
		}
	}
}
