package capture

import (
	"math"
	"strings"
)

// verdict is what a sentence tells.
type verdict struct {
	confidence float64
	rule       string
	lang       string
	statement  string
	proposed   bool
	refers     bool // its reason is the sentence before: "that is why we …"
	parts      [partKinds][]string

	follows    bool // it says something of a decision before it
	followPart part
	followText string
	considered bool
	neutral    bool // a statement: what comes after it may still belong to the decision before
	compares   bool
	silenced   bool // it says that nothing is decided: no other language need be tried
}

// judge reads a sentence. compared tells that options were compared shortly before.
func judge(text, lang string, p place, compared bool) verdict {
	var best verdict
	for i, code := range languagesOf(text, lang) {
		var v verdict
		if code == "zh" || code == "ja" {
			v = judgeCharacters(text, code, p)
		} else {
			e := newExamination(text, grammars()[code])
			e.place, e.compared = p, compared
			v = e.verdict()
		}
		if i > 0 {
			v.confidence = min(v.confidence, doubtful)
		}
		if i == 0 || v.confidence > best.confidence {
			best = v
		}
		if v.silenced {
			break
		}
	}
	return best
}

// doubtful is the most that a sentence is worth whose language is not the likeliest one.
const doubtful = 0.8

// verdict finds the rule that tells the most.
func (e *examination) verdict() verdict {
	v := verdict{lang: e.g.code, silenced: e.question || e.dead || e.void || len(e.blocked) > 0}
	v.compares = e.compares()
	e.follow(&v)
	best := span{from: -1}
	if !e.question {
		if !e.dead {
			best = e.rules(&v)
		}
		if e.place.presumed && !e.void {
			e.presume(&v)
		}
	}
	v.neutral = !e.question
	if v.confidence >= least {
		e.parts(&v, best)
		v.statement = e.statement(best)
		if v.statement == "" {
			v.confidence = 0
		}
	} else {
		for _, m := range e.marks {
			if m.part == alternativePart && e.g.class("considered").has(e.words[m.from].text) {
				v.considered = true
			}
		}
		if v.considered {
			e.parts(&v, best)
		}
	}
	v.confidence = math.Round(v.confidence*100) / 100
	return v
}

// rules returns the match of the best rule.
func (e *examination) rules(v *verdict) span {
	best := span{from: -1}
	for i := range e.words {
		if e.words[i].kind != plainWord && e.words[i].kind != codeWord {
			continue
		}
		e.g.ruleAt.at(e.words[i].text, func(n int) {
			r := &e.g.rules[n]
			if r.confidence+0.15 <= v.confidence {
				return
			}
			m := span{from: i, here: -1}
			if !e.match(r.pattern, i, &m) {
				return
			}
			if c := e.weigh(r, m); c > v.confidence {
				v.confidence, v.rule, v.proposed = c, r.name, r.proposed
				best = m
			}
		})
	}
	return best
}

// weigh is the confidence of a rule where it matched, 0 if it tells nothing there.
func (e *examination) weigh(r *rule, m span) float64 {
	if e.stopped(m) || e.subordinate(m.from) || e.asked(m.from) || e.others(m) || e.within(m.from) {
		return 0
	}
	reason, alternative := e.marked(reasonPart) || e.follows(m.from), e.marked(alternativePart)
	if !e.satisfied(r, m, reason, alternative) {
		return 0
	}
	c := r.confidence
	if reason {
		c += 0.03
	}
	if alternative {
		c += 0.03
	}
	if e.everyday && !e.trade() {
		return 0
	}
	if !e.technical && !alternative {
		c -= 0.06
		if e.g.class("i").has(e.words[m.from].text) {
			c -= 0.3
		}
	}
	switch e.place.role {
	case decisionRole:
		c += 0.08
	case outcomeRole:
		c += 0.05
	case backgroundRole, taskRole:
		c -= 0.1
	case instructionRole:
		c -= 0.35
	}
	if e.g.class("you").has(e.words[m.from].text) {
		c -= 0.2
	}
	return min(c, 0.97)
}

// stopped reports whether words in the segments of a match keep it from being a decision. What comes
// behind it and a comma or colon does not.
func (e *examination) stopped(m span) bool {
	for _, seg := range []int{e.segment[m.from], e.segment[max(m.from, m.to-1)]} {
		for _, s := range e.blocked[seg] {
			apart := false
			for j := m.to; j < s.at && !apart && !s.firm; j++ {
				apart = e.words[j].kind == commaWord || e.words[j].text == ":"
			}
			if !apart {
				return true
			}
		}
	}
	return false
}

func (e *examination) satisfied(r *rule, m span, reason, alternative bool) bool {
	if len(r.needs) == 0 {
		return true
	}
	for _, n := range r.needs {
		ok := true
		for _, c := range n {
			switch c {
			case needReason:
				ok = ok && reason
			case needAlternative:
				ok = ok && alternative
			case needTechnical:
				ok = ok && (e.technical || alternative)
			case needContext:
				ok = ok && (e.compared || e.outcome() || e.compares())
			case needPurpose:
				ok = ok && e.telling(reasonPart)
			case needContrast:
				ok = ok && e.telling(alternativePart)
			case noActor:
				ok = ok && !e.acts()
			case needCause:
				ok = ok && e.follows(m.from)
			case needOutcome:
				ok = ok && e.outcome()
			case noForeignAgent:
				ok = ok && !e.agent(m.to)
			}
		}
		if ok {
			return true
		}
	}
	return false
}

// follows reports whether the clause at word i is drawn from the one before: "…, so we".
func (e *examination) follows(i int) bool {
	hence := e.g.class("hence")
	for j := i - 1; j >= max(0, i-3); j-- {
		if e.words[j].kind == plainWord && hence.has(e.words[j].text) {
			return true
		}
	}
	return false
}

// agent reports whether a passive after word i was done by somebody or something else.
func (e *examination) agent(i int) bool {
	by, ours := e.g.class("by"), e.g.class("ours")
	for j := i; j < min(len(e.words)-1, i+12); j++ {
		if e.words[j].kind == stopWord {
			return false
		}
		if by.has(e.words[j].text) {
			next := e.words[j+1]
			if ours.has(next.text) && !(j+2 < len(e.words) && e.capital(j+2)) {
				return false
			}
			return !strings.HasSuffix(next.text, "ing")
		}
	}
	return false
}

// subordinate reports whether the clause at word i only recalls or questions: "when we chose …".
func (e *examination) subordinate(i int) bool {
	sub, reach := e.g.class("sub"), 1
	if e.g.class("group").has(e.words[i].text) {
		reach = 2 // when the team decided
	}
	for j := i - 1; j >= max(0, i-reach); j-- {
		w := e.words[j]
		if w.kind != plainWord {
			return false
		}
		if sub.has(w.text) {
			return !(j > 0 && e.g.class("pointing").has(e.words[j-1].text))
		}
	}
	return false
}

// asked reports whether the clause at word i is asked about: "explains why Rust was chosen".
func (e *examination) asked(i int) bool {
	asking, pointing := e.g.class("asking"), e.g.class("pointing")
	for j := i - 1; j >= max(0, i-5); j-- {
		if e.words[j].kind != plainWord {
			return false
		}
		if asking.has(e.words[j].text) {
			return j == 0 || !pointing.has(e.words[j-1].text)
		}
	}
	return false
}

// others reports whether the group that decides is a group of others: "the Rust team", "their board".
func (e *examination) others(m span) bool {
	if !e.g.class("group").has(e.words[m.from].text) {
		return false
	}
	for j := m.from - 1; j >= max(0, m.from-2); j-- {
		w := e.words[j]
		if w.kind != plainWord {
			return false
		}
		if e.g.class("foreign").has(w.text) {
			return true
		}
		if e.capital(j) && j > 0 && e.g.code != "de" {
			return true
		}
	}
	for j := m.from + 1; j <= min(len(e.words)-1, m.from+2); j++ { // l'équipe Rust, el equipo anterior
		if e.g.class("formers").has(e.words[j].text) {
			return true
		}
		if j == m.from+1 && e.capital(j) && e.g.code != "en" && e.g.code != "de" {
			return true
		}
	}
	return false
}

// presume takes a plain statement for a decision, because of where it stands.
func (e *examination) presume(v *verdict) {
	c := 0.0
	switch {
	case e.place.role == decisionRole && e.place.inline:
		c = 0.93
	case e.place.role == decisionRole:
		c = 0.88
	case e.place.role == outcomeRole && e.place.inline && (e.technical || e.marked(alternativePart)) && !e.dead && len(e.blocked[0]) == 0 && !e.reports():
		c = 0.66
	}
	if n := len(e.words); c > 0 && (n == 0 || n <= 5 && e.g.class("undecided").has(e.words[0].text)) {
		return
	}
	if c > v.confidence {
		v.confidence, v.rule, v.proposed = c, "under a heading or label of decisions", false
		if e.place.role == outcomeRole {
			v.rule = "behind a label of outcomes"
		}
	}
}

// follow notes what the sentence says of a decision before it.
func (e *examination) follow(v *verdict) {
	if e.question || e.void {
		return
	}
	for i := range min(len(e.words), 4) {
		e.g.afterAt.at(e.words[i].text, func(n int) {
			k := &e.g.after[n]
			m := span{from: i, here: -1}
			if v.follows || !e.match(k.pattern, i, &m) {
				return
			}
			if k.part == previousPart {
				v.refers = true
				return
			}
			from := 0
			if m.here >= 0 {
				from = m.here
			}
			v.follows, v.followPart = true, k.part
			v.followText = e.phrase(from, len(e.words))
		})
	}
}
