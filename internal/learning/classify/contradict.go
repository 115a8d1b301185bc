package classify

import (
	"maps"
	"slices"
	"strconv"
	"strings"
)

// Contradiction is the evidence that two texts are not both true. A few rules produce it; a reader has to decide.
type Contradiction struct {
	Subject  string // the words that both have
	Old, New string // the sentences
	Rule     string
}

// Claim is a text prepared for comparisons.
type Claim struct{ sentences []statement }

// statement is one parsed sentence.
type statement struct {
	text   string
	first  string            // word
	words  []string          // stems that name its subject, sorted
	values map[string]string // numbers by the word that they belong to: "port" 8080
	denied []string          // the sentence denies them: "not jest", "instead of jest"
	chosen []string          // the sentence uses them for a purpose: "with bcrypt", "use bcrypt"
	denies bool
	states bool // it allows, requires or refuses something
}

const (
	maxClaim      = 4 << 10 // bytes that are compared
	maxStatements = 8
)

// seconds are the stems of units of time.
var seconds = map[string]int{"second": 1, "sec": 1, "s": 1, "minut": 60, "min": 60, "hour": 3600, "h": 3600, "day": 86400,
	"week": 604800, "month": 2592000, "year": 31536000}

// Prepare parses a text once for many comparisons.
func Prepare(content string) *Claim {
	c := &Claim{}
	sentences(tokens(head(content, maxClaim)), func(s []token, question bool) {
		if !question && !hedged(s) && len(c.sentences) < maxStatements {
			st := statementOf(content, s)
			slices.Sort(st.words)
			st.words = slices.Compact(st.words)
			c.sentences = append(c.sentences, st)
		}
	})
	return c
}

// hedged reports whether a sentence has a condition, a chance or the past, as in "we used to use Redis".
func hedged(s []token) bool {
	for i, t := range s {
		past := t.text == "used" && i > 0 && i+1 < len(s) && s[i+1].text == "to" && !in("being", s[i-1].text)
		if past || in("hedging", t.text) {
			return true
		}
	}
	return false
}

// subject returns the stem of a word, or a code name without its slashes and parentheses.
func (t token) subject() string {
	if t.kind == word {
		return stem(t.text)
	}
	return strings.TrimSuffix(strings.Trim(t.text, "/"), "()")
}

func statementOf(content string, toks []token) statement {
	from, to := toks[0].start, min(len(content), toks[len(toks)-1].end) // a sign may end behind the text
	for from > 0 && content[from-1] == '`' {
		from--
	}
	for to < len(content) && content[to] == '`' {
		to++
	}
	s := statement{text: strings.TrimSpace(content[from:to]), values: map[string]string{}}
	aside := false // after ", not" or "instead of": these words are denied
	for i, t := range toks {
		prev, next := "", ""
		if i > 0 {
			prev = toks[i-1].text
		}
		if i+1 < len(toks) {
			next = toks[i+1].text
		}
		switch {
		case t.text == "," && in("denyingAside", next), (t.text == "instead" || t.text == "rather") && (next == "of" || next == "than"):
			aside = true
		case t.text == "," && len(s.words) > 1: // the main clause has ended
			return s
		case t.kind == pause:
		case t.kind == number && i == 1 && len(s.words) == 1 && next != "" && !in("units", next):
			s.words = append(s.words, t.text) // it names the subject: "Issue 37 is fixed"
		case t.kind == number:
			s.value(t.text, prev, next)
		case in("denying", t.text):
			s.denies = s.denies != !aside
			s.states = s.states || in("stating", t.text)
		case in("stating", t.text):
			s.states = true
		case t.kind == word && (in("dropped", t.text) || in("units", t.text)):
		case aside:
			s.denied = append(s.denied, t.subject())
		default:
			w := t.subject()
			if s.words = append(s.words, w); len(s.words) == 1 {
				s.first = w
			}
			if in("choosing", prev) && !(prev == "in" && strings.ContainsAny(w, "./")) {
				s.chosen = append(s.chosen, w)
			}
		}
	}
	return s
}

// value records a number under its unit, else under the word before it. Times are in seconds.
func (s *statement) value(value, prev, next string) {
	unit := stem(prev)
	if in("units", next) {
		unit = stem(next)
	}
	if n, err := strconv.Atoi(value); err == nil && seconds[unit] > 0 {
		unit, value = "time", strconv.Itoa(n*seconds[unit])
	}
	s.values[unit] = value
}

// Contradicts returns the reason why one of two texts may contradict the other; false when there is none.
func Contradicts(older, newer string) (Contradiction, bool) {
	return Prepare(newer).Contradicts(Prepare(older))
}

// Disputed reports whether one of two texts may contradict the other.
func Disputed(a, b string) bool {
	_, ok := Contradicts(a, b)
	return ok
}

// Contradicts reports whether c may contradict an older claim: the same subject with another value, allowed against
// refused, or another tool for the same purpose. The relation is symmetric.
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
	within := func(words, denied []string) bool {
		return len(words) > 0 && !slices.ContainsFunc(words, func(w string) bool { return !slices.Contains(denied, w) })
	}
	if within(s.words, n.denied) && within(n.words, s.denied) { // "tabs, not spaces" and "spaces, not tabs"
		return "one thing / another thing for the same", slices.Concat(s.words, n.words)
	}
	var old []string // only in s
	for _, w := range s.words {
		if slices.Contains(n.words, w) {
			shared = append(shared, w)
		} else {
			old = append(old, w)
		}
	}
	if len(shared) == 0 {
		return "", nil
	}
	other := slices.DeleteFunc(slices.Clone(n.words), func(w string) bool { return slices.Contains(s.words, w) })
	// few: one statement has hardly more words on the subject than the other.
	few := min(len(old), len(other)) == 0 && max(len(old), len(other)) <= 1
	same := len(old)+len(other) == 0
	named := slices.ContainsFunc(shared, func(w string) bool { return strings.ContainsAny(w, "._/") })
	valued := len(s.values)+len(n.values) > 0
	switch {
	case s.denies != n.denies:
		if !valued && (same && (len(shared) > 1 || s.states && n.states || named) || few && named) {
			return "allowed / refused", shared
		}
	case s.denies: // two prohibitions are both true
	case len(s.values) > 0 && few && !slices.Equal(slices.Sorted(maps.Values(s.values)), slices.Sorted(maps.Values(n.values))):
		for unit, v := range s.values {
			w, ok := n.values[unit]
			counts := len(shared) == 1 && shared[0] == unit // "item 3" and "item 4"
			if ok && w != v && len(s.values) == len(n.values) && !counts {
				return "one value / another value", shared
			}
		}
	case valued:
	case len(old) == 1 && len(other) == 1 && slices.Contains(s.chosen, old[0]) && slices.Contains(n.chosen, other[0]) &&
		(len(shared) > 1 || s.first != old[0] && n.first != other[0]),
		len(old) == 1 && slices.Contains(n.denied, old[0]) && slices.Contains(s.chosen, old[0]),
		len(other) == 1 && slices.Contains(s.denied, other[0]) && slices.Contains(n.chosen, other[0]):
		return "one thing / another thing for the same", shared
	}
	return "", nil
}

// Pair is two items of a list; the newer may contradict the older.
type Pair[T any] struct {
	Older, Newer T
	Contradiction
}

// mostHolders is the most texts that may share a subject word: a more common word is no sign of a common subject.
const mostHolders = 200

// Among returns the pairs of a list, oldest item first, whose texts may contradict each other. Each item is the older one of at
// most one pair. It skips pairs that may refuses; nil allows all.
func Among[T any](list []T, text func(T) string, may func(older, newer T) bool) []Pair[T] {
	claims := make([]*Claim, len(list))
	holders := map[string][]int{}
	for n, one := range list {
		claims[n] = Prepare(text(one))
		for _, w := range claims[n].words() {
			holders[w] = append(holders[w], n)
		}
	}
	var out []Pair[T]
	for n, claim := range claims {
		var near []int
		for _, w := range claim.words() {
			if same := holders[w]; len(same) <= mostHolders {
				at, _ := slices.BinarySearch(same, n+1)
				near = append(near, same[at:]...)
			}
		}
		slices.Sort(near)
		for _, k := range slices.Compact(near) {
			if c, ok := claims[k].Contradicts(claim); ok && (may == nil || may(list[n], list[k])) {
				out = append(out, Pair[T]{list[n], list[k], c})
				break
			}
		}
	}
	return out
}

// words returns the subject words of a claim and those that it denies, sorted.
func (c *Claim) words() []string {
	var all []string
	for _, s := range c.sentences {
		all = append(append(all, s.words...), s.denied...)
	}
	slices.Sort(all)
	return slices.Compact(all)
}
