package classify

import (
	"slices"
	"strconv"
	"strings"

	"sdd/internal/pattern"
)

// Contradiction is what speaks for two texts not both being true. It is a guess of few rules, for a reader to settle.
type Contradiction struct {
	Subject  string // the words that both have
	Old, New string // the sentences
	Rule     string
}

// Claim is a text made ready for comparisons.
type Claim struct {
	content   string
	sentences []statement
}

// statement is what a sentence says.
type statement struct {
	text   string
	first  string            // word
	words  []string          // stems that say what it is about, sorted
	values map[string]string // numbers by the word that they belong to: "port" 8080
	denied []string          // what is named only to be denied: "not jest", "instead of jest"
	chosen []string          // what is used for something: "with bcrypt", "use bcrypt"
	denies bool
	states bool // says that something is allowed, asked for, refused
}

const (
	maxClaim      = 4 << 10 // bytes that are compared
	maxStatements = 8
)

var (
	denying  = pattern.Words("not no never avoid forbidden refused banned disallowed prohibited denied disabled gone removed without cannot stop не нет никогда нельзя запрещено запрещен запрещён убрали отключено")
	stating  = pattern.Words("allowed permitted fine ok enabled required must always may refused forbidden banned disallowed prohibited disabled")
	choosing = pattern.Words("with use uses using via through by in called prefer через с используем использовать используйте")
	hedging  = pattern.Words("maybe perhaps might could probably if when unless except because since until once was were break breaks fail fails если когда кроме пока был была было были")
	dropped  = pattern.Words(`a an the and or but so is are was were be been being it its this that these those we our us you your they them their i to of for with by at from as on in into via through use uses
		used using do does did has have had will shall should must may can could would always never not no only just now also any every all each more again then than there here when if while
		run runs allowed permitted fine ok refused forbidden banned disallowed prohibited denied enabled disabled need needs avoid prefer instead cannot longer stop called call calls anywhere gone removed without
		и в на с по для не нет это что как мы все только уже теперь используем использовать никогда нельзя можно через`)
	units = pattern.Words("s h second seconds sec minute minutes min hour hours day days week weeks month months year years ms mb gb kb times percent reviewers секунд минут часов дней раз")
)

// seconds are the stems of units of time.
var seconds = map[string]int{"second": 1, "sec": 1, "s": 1, "minut": 60, "min": 60, "hour": 3600, "h": 3600, "day": 86400, "week": 604800, "month": 2592000, "year": 31536000}

// Prepare reads a text once for many comparisons.
func Prepare(content string) *Claim {
	c := &Claim{content: content}
	toks := tokens(head(content, maxClaim))
	sentences(toks, func(s []token, question bool) {
		hedged := slices.ContainsFunc(s, func(t token) bool { return hedging()[t.text] }) || usedTo(s)
		if !question && !hedged && len(c.sentences) < maxStatements {
			c.sentences = append(c.sentences, state(content, s))
		}
	})
	return c
}

// usedTo reports whether a sentence tells what was once: "we used to use Redis".
func usedTo(s []token) bool {
	for i := 1; i+1 < len(s); i++ {
		if s[i].text == "used" && s[i+1].text == "to" && !strings.Contains(" is are was be ", " "+s[i-1].text+" ") {
			return true
		}
	}
	return false
}

func state(content string, toks []token) statement {
	from, to := toks[0].start, min(len(content), toks[len(toks)-1].end) // a sign may stand for the end of the text
	for from > 0 && content[from-1] == '`' {
		from--
	}
	for to < len(content) && content[to] == '`' {
		to++
	}
	s := statement{text: strings.TrimSpace(content[from:to]), values: map[string]string{}}
	aside := false // behind ", not" or "instead of": named to be denied
reading:
	for i, t := range toks {
		prev, next := "", ""
		if i > 0 {
			prev = toks[i-1].text
		}
		if i+1 < len(toks) {
			next = toks[i+1].text
		}
		switch {
		case t.kind == pause && t.text == "," && (next == "not" || next == "no" || next == "instead" || next == "rather" || next == "а"):
			aside = true
			continue
		case t.kind == pause && t.text == "," && len(s.words) > 1:
			break reading // the main clause says it
		case t.kind == pause:
			continue
		case (t.text == "instead" || t.text == "rather") && (next == "of" || next == "than"):
			aside = true
			continue
		case t.kind == number:
			unit := stem(next)
			if next == "" || !units()[next] {
				unit = stem(prev)
			}
			value := t.text
			if n, err := strconv.Atoi(value); err == nil && seconds[unit] > 0 {
				unit, value = "time", strconv.Itoa(n*seconds[unit])
			}
			s.values[unit] = value
			continue
		case denying()[t.text]:
			s.denies = s.denies != !aside
			s.states = s.states || stating()[t.text]
			continue
		case stating()[t.text]:
			s.states = true
			continue
		case t.kind == word && (dropped()[t.text] || units()[t.text]):
			continue
		}
		w := t.text
		if t.kind == word {
			w = stem(w)
		} else {
			w = strings.TrimSuffix(strings.Trim(w, "/"), "()")
		}
		if aside {
			s.denied = append(s.denied, w)
			continue
		}
		if s.words = append(s.words, w); len(s.words) == 1 {
			s.first = w
		}
		if choosing()[prev] && !(prev == "in" && strings.ContainsAny(w, "./")) {
			s.chosen = append(s.chosen, w)
		}
	}
	slices.Sort(s.words)
	s.words = slices.Compact(s.words)
	return s
}

// Contradicts reports whether a newer text may contradict an older one.
func Contradicts(older, newer string) (Contradiction, bool) {
	return Prepare(newer).Contradicts(Prepare(older))
}

// Disputed reports whether one of two texts, whichever is the newer, may contradict the other.
func Disputed(a, b string) bool {
	x, y := Prepare(a), Prepare(b)
	if _, ok := x.Contradicts(y); ok {
		return true
	}
	_, ok := y.Contradicts(x)
	return ok
}

// Contradicts reports whether c may contradict an older claim: the same subject with another value, allowed against refused, or another
// thing used for the same purpose.
func (c *Claim) Contradicts(older *Claim) (Contradiction, bool) {
	for i := range older.sentences {
		for k := range c.sentences {
			o, n := &older.sentences[i], &c.sentences[k]
			if rule, shared := o.against(n); rule != "" {
				return Contradiction{strings.Join(shared, " "), o.text, n.text, rule}, true
			}
		}
	}
	return Contradiction{}, false
}

// against returns the rule by which two statements contradict each other, and the words that they share.
func (s *statement) against(n *statement) (rule string, shared []string) {
	var mine, theirs []string
	for _, w := range s.words {
		if slices.Contains(n.words, w) {
			shared = append(shared, w)
		} else {
			mine = append(mine, w)
		}
	}
	for _, w := range n.words {
		if !slices.Contains(s.words, w) {
			theirs = append(theirs, w)
		}
	}
	if len(shared) == 0 {
		return "", nil
	}
	few := min(len(mine), len(theirs)) == 0 && max(len(mine), len(theirs)) <= 1 // one says of the subject hardly more than the other
	same := len(mine)+len(theirs) == 0
	named := slices.ContainsFunc(shared, func(w string) bool { return strings.ContainsAny(w, "._/") })
	switch {
	case s.denies != n.denies && len(s.values)+len(n.values) == 0 && (same && (len(shared) > 1 || s.states && n.states || named) || few && named):
		return "allowed / refused", shared
	case s.denies != n.denies:
		return "", nil
	case len(s.values) > 0 && few:
		for unit, v := range s.values {
			if other, ok := n.values[unit]; ok && other != v && len(s.values) == len(n.values) && (len(shared) > 1 || shared[0] != unit) { // "item 3" and "item 4" only count
				return "one value / another value", shared
			}
		}
	case len(s.values)+len(n.values) > 0:
		return "", nil
	case len(mine) == 1 && len(theirs) == 1 && slices.Contains(s.chosen, mine[0]) && slices.Contains(n.chosen, theirs[0]) &&
		(len(shared) > 1 || s.first != mine[0] && n.first != theirs[0]),
		len(mine) == 1 && slices.Contains(n.denied, mine[0]) && slices.Contains(s.chosen, mine[0]),
		len(theirs) == 1 && slices.Contains(s.denied, theirs[0]) && slices.Contains(n.chosen, theirs[0]):
		return "one thing / another thing for the same", shared
	}
	return "", nil
}
