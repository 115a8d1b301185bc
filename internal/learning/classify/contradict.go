package classify

import (
	"slices"
	"strings"
	"sync"
	"unicode/utf8"
)

// Contradiction is the evidence that a newer learning takes back what an older one says.
type Contradiction struct {
	Subject string // what both speak about, in words of the older one
	Old     string // the clause of the older learning
	New     string // the clause of the newer one
	Rule    string // how they differ, such as "use / do not use"
}

// Contradicts reports whether newer takes back what older says, and what shows it. It does so for
//   - the same statement and its opposite: use / do not use, always / never, requires / does not require,
//     enabled / disabled, also where the newer one speaks of more cases than the older one
//   - another thing for the same purpose: X for P / Y for P, X instead of Y, Y was removed
//   - another place of the same thing, another version, another value
//
// It does not for two facts about one thing, for the same claim in other words, for a narrower exception, for
// different surroundings (on Linux / on Windows), for guesses, questions and what is told of the past. When in
// doubt there is no contradiction. The older one is never found to contradict the newer one: the order counts.
func Contradicts(older, newer string) (Contradiction, bool) {
	return Prepare(newer).Contradicts(Prepare(older))
}

// Contradicts is the function of this name for prepared learnings: c is the newer one.
func (c *Claim) Contradicts(older *Claim) (Contradiction, bool) {
	if !c.words.meets(&older.words) || c.content == older.content {
		return Contradiction{}, false
	}
	for i := range c.statements {
		n := &c.statements[i]
		for k := range older.statements {
			o := &older.statements[k]
			rule := against(o, n)
			if rule == "" || c.says(o) {
				continue
			}
			return Contradiction{
				Subject: subject(older.content, o, n),
				Old:     excerpt(older.content, o),
				New:     excerpt(c.content, n),
				Rule:    rule,
			}, true
		}
	}
	return Contradiction{}, false
}

// says reports whether a learning repeats a statement of another one.
func (c *Claim) says(o *statement) bool {
	for i := range c.statements {
		s := &c.statements[i]
		if s.negative == o.negative && s.gone == o.gone && slices.Equal(s.ids, o.ids) && slices.Equal(s.against, o.against) {
			return true
		}
	}
	return false
}

// against returns the rule by which a newer statement takes back an older one, "" when it does not.
func against(o, n *statement) string {
	shared := sharedBy(o.ids, n.ids)
	if shared == 0 && len(n.against) == 0 && n.gone == 0 {
		return ""
	}
	// Statements that differ in many words are about different things.
	near := len(o.ids)-shared <= maxDifference && len(n.ids)-shared <= maxDifference
	if near && o.negative != n.negative {
		if rule := opposite(o, n); rule != "" {
			return rule
		}
	}
	if n.exception || n.additive || o.gone > 0 {
		return ""
	}
	if rule := replaced(o, n); rule != "" {
		return rule
	}
	if !near || o.negative != n.negative || o.exception || o.additive || n.gone > 0 {
		return ""
	}
	rule := otherValue(o, n)
	if o.negative && rule != otherQuantity { // "not in A" and "not in B" are both true; "not more than 5" and "not more than 20" are two limits
		return ""
	}
	return rule
}

// maxDifference is how many words two statements may have that the other one has not, when they are compared word by word.
const maxDifference = 5

// opposite finds the same statement with the other sign.
func opposite(o, n *statement) string {
	if n.exception || n.gone > 0 || o.gone > 0 {
		return ""
	}
	lost, found := difference(o.ids, n.ids), difference(n.ids, o.ids)
	shared := len(n.ids) - len(found)
	if sharesName(o, n) { // "prefer f()", "never call f()"
		lost, found = slices.DeleteFunc(lost, isWeak), slices.DeleteFunc(found, isWeak)
	}
	if len(lost) == 1 && len(found) == 1 && (lost[0] == useID() && found[0] == allowID() || lost[0] == allowID() && found[0] == useID()) {
		lost, found = nil, nil
	}
	if len(n.ids) == 1 && len(o.ids) == 1 && !o.always && !n.always && !o.never && !n.never {
		return "" // a word is no claim
	}
	if shared == 0 || shared == 1 && (len(n.ids) > 1 || len(o.ids) > 1 && !(o.always && n.never)) && len(lost)+len(found) > 0 {
		return ""
	}
	switch {
	case len(found) == 0 && len(lost) == 0:
	case len(found) == 0 && n.negative && broader(o, n, lost):
	case len(found) == 1 && len(lost) <= 1 && shared >= 3 && (n.always && o.never || n.never && o.always) && !decides(n, found[0]) && (len(lost) == 0 || !decides(o, lost[0])):
	default:
		return ""
	}
	switch {
	case n.changed:
		return "no longer"
	case n.always && o.never || n.never && o.always:
		return "always / never"
	case shares(o, n, "require"):
		return "requires / does not require"
	case shares(o, n, "enable"):
		return "enabled / disabled"
	case shares(o, n, "allow"):
		return "allowed / not allowed"
	case o.uses || n.uses:
		return "use / do not use"
	}
	return "does / does not"
}

// broader reports whether a newer prohibition covers an older statement that says more: "use X for dates", then "do not
// use X". What the older one says more must be a circumstance: the newer one still speaks of the same thing.
func broader(o, n *statement, lost []uint64) bool {
	things := 0
	for _, a := range n.atoms {
		if !a.verb {
			things++
		}
	}
	if things == 0 || len(lost) > 4 {
		return false
	}
	// The first thing that the older one speaks of is one that the newer one speaks of too, unless that is a mere verb or a number.
	for _, a := range o.atoms {
		if !slices.Contains(lost, a.id) {
			continue
		}
		circumstance := a.verb || a.quantity || a.after != noPrep || followsLost(o, a, lost)
		if !circumstance && !describes(o, a, n) {
			return false
		}
		if otherPlaces()[a.id] && !circumstance {
			return false // "write timeouts" are not timeouts
		}
	}
	return true
}

// followsLost reports whether an atom belongs to a phrase that is a circumstance as a whole: "for debug output".
func followsLost(o *statement, a atom, lost []uint64) bool {
	at := slices.IndexFunc(o.atoms, func(b atom) bool { return b.id == a.id })
	for i := at - 1; i >= 0; i-- {
		if !slices.Contains(lost, o.atoms[i].id) {
			return false
		}
		if o.atoms[i].after != noPrep {
			return true
		}
	}
	return false
}

// describes reports whether an atom only stands before a name that both speak of: "the singleton Database.shared".
func describes(o *statement, a atom, n *statement) bool {
	at := slices.IndexFunc(o.atoms, func(b atom) bool { return b.id == a.id })
	if at+1 >= len(o.atoms) || !o.atoms[at+1].name {
		return false
	}
	return slices.Contains(n.ids, o.atoms[at+1].id)
}

// decides reports whether a word alone makes a statement one about something else.
func decides(s *statement, id uint64) bool {
	for _, a := range s.atoms {
		if a.id == id {
			return a.name || a.quantity || a.after != noPrep || otherPlaces()[id]
		}
	}
	return true
}

func shares(o, n *statement, form string) bool {
	id := lexicon()[form].id
	return slices.Contains(o.ids, id) && slices.Contains(n.ids, id)
}

// replaced finds what the newer statement puts something else in the place of: X instead of Y, Y was removed.
func replaced(o, n *statement) string {
	if len(n.against) > 0 && !o.negative && contains(o.ids, n.against) && !contains(n.ids, n.against) {
		rest := difference(o.ids, n.against)
		rest = slices.DeleteFunc(rest, isWeak)
		context := circumstances(n)
		object := len(context) == 0 && isObject(o, n.against) // "use Y instead of X" is said for all purposes
		if (object || len(difference(rest, n.ids)) == 0) && len(difference(context, o.ids)) == 0 && namesAny(o, n.against) && !contains(o.against, n.against) {
			return "X for P / Y for P"
		}
	}
	// The older one preferred X to Y, the newer one takes Y.
	if len(o.against) > 0 && !n.negative && n.uses && contains(n.ids, o.against) && !contains(n.against, o.against) {
		rest := slices.DeleteFunc(difference(n.ids, o.against), isWeak)
		if len(difference(rest, o.ids)) == 0 {
			return "X for P / Y for P"
		}
	}
	if n.gone > 0 && n.gone <= 3 && !o.negative && (o.uses || o.is || o.places || uses(o)) {
		var gone []uint64
		name := false
		for _, a := range n.atoms[:n.gone] {
			gone = append(gone, a.id)
			name = name || a.name
		}
		if (name || n.gone > 1) && contains(o.ids, sorted(gone)) && len(difference(circumstances(n), o.ids)) == 0 {
			return "X / X is gone"
		}
	}
	return ""
}

// weak are words that say only that something is used.
var weak = sync.OnceValue(func() map[uint64]bool {
	m := map[uint64]bool{}
	for _, w := range strings.Fields("use write run make do stay go handle log build work implement version target pin require call is set") {
		if e, ok := lexicon()[w]; ok {
			m[e.id] = true
		}
		m[hash(stem(w))] = true
	}
	return m
})

// idOf returns what gives the id of a word of the lexicon.
func idOf(w string) func() uint64 {
	return sync.OnceValue(func() uint64 { return lexicon()[w].id })
}

var liveID, useID, allowID, enableID = idOf("live"), idOf("use"), idOf("allow"), idOf("enable")

func isPlaceVerb(id uint64) bool { return id == liveID() }

func isWeak(id uint64) bool { return weak()[id] }

// sharesName reports whether a name stands in both statements.
func sharesName(o, n *statement) bool {
	return slices.ContainsFunc(o.atoms, func(a atom) bool { return a.name && slices.Contains(n.ids, a.id) })
}

// circumstances returns what a statement says behind prepositions, as a set.
func circumstances(s *statement) []uint64 {
	var out []uint64
	inside := false
	for _, a := range s.atoms {
		if a.after != noPrep {
			inside = a.after != withPrep
		} else if a.verb {
			inside = false
		}
		if inside {
			out = append(out, a.id)
		}
	}
	return sorted(out)
}

// namesAny reports whether one of the words is a name in a statement, or something that it says to be used.
func namesAny(o *statement, ids []uint64) bool {
	for _, a := range o.atoms {
		if slices.Contains(ids, a.id) && (a.name || o.uses || o.is || a.after == withPrep) {
			return true
		}
	}
	return false
}

// uses reports whether a statement says what something is done with.
func uses(o *statement) bool {
	return slices.ContainsFunc(o.atoms, func(a atom) bool { return a.after == withPrep && a.name })
}

const otherQuantity = "one value / another value"

// otherValue finds two statements that are the same but for one thing, of which only one can hold.
func otherValue(o, n *statement) string {
	lost, found := difference(o.ids, n.ids), difference(n.ids, o.ids)
	shared := len(n.ids) - len(found)
	lost, found = slices.DeleteFunc(lost, isPlaceVerb), slices.DeleteFunc(found, isPlaceVerb)
	if shared == 0 || len(lost) == 0 || len(found) == 0 {
		return ""
	}
	if len(lost) == 1 && len(found) == 1 && (lost[0] == beforeID() && found[0] == afterID() || lost[0] == afterID() && found[0] == beforeID()) {
		return "before / after"
	}
	if rule := otherVersion(o, n, lost, found); rule != "" {
		return rule
	}
	a, ok := segment(o, lost)
	b, ok2 := segment(n, found)
	if !ok || !ok2 {
		return ""
	}
	for _, x := range append(slices.Clone(a.atoms), b.atoms...) {
		if otherPlaces()[x.id] {
			return ""
		}
	}
	switch {
	case a.quantities() && b.quantities():
		if counts(o, a) && counts(n, b) && sameMeasure(o, n, a, b) && things(o)-len(a.atoms) > 0 {
			return otherQuantity
		}
	case a.atoms[0].quantity || b.atoms[0].quantity:
	case a.place() && b.place() && (o.places || verbless(o)) && (n.places || verbless(n)) && a.atoms[0].after == inPrep && b.atoms[0].after == inPrep:
		if !nested(a.atoms[0].path, b.atoms[0].path) {
			return "in A / in B"
		}
	case a.at > 0 && b.at > 0 && o.places && n.places && a.last && b.last && a.atoms[0].after == inPrep && b.atoms[0].after == inPrep && shared >= 2 && (a.name() || b.name()):
		return "in A / in B"
	case alternatives(a, b) && a.object(o) && b.object(n) && (a.family() != 0 && a.family() == b.family() || samePurpose(o, n)):
		return "X for P / Y for P"
	}
	return ""
}

// samePurpose reports whether two statements share more than the verb.
func samePurpose(o, n *statement) bool {
	return slices.ContainsFunc(o.ids, func(id uint64) bool {
		return (!weak()[id] || id != useID() && !common()[id]) && slices.Contains(n.ids, id)
	})
}

// counts reports whether a number is what a statement says, and not part of what it speaks about: a number in front of
// the verb tells things apart (error 42 means), unless it counts them (two reviewers are required).
func counts(s *statement, p part) bool {
	if p.at > 0 && (p.atoms[0].unit != 0 || s.is && p.at >= s.isAt && s.isAt > 0 || slices.ContainsFunc(s.atoms[:p.at], func(a atom) bool { return a.verb })) {
		return true
	}
	next := p.at + len(p.atoms)
	return p.at == 0 && next+1 < len(s.atoms) && s.atoms[next].after == noPrep && s.atoms[next+1].passive
}

// sameMeasure reports whether two numbers measure the same thing: in one unit, at one place, of one noun.
func sameMeasure(o, n *statement, a, b part) bool {
	if len(a.atoms) != 1 || len(b.atoms) != 1 {
		return false
	}
	x, y := a.atoms[0], b.atoms[0]
	if x.unit != y.unit || x.after != y.after || a.last != b.last {
		return false
	}
	return a.last || o.atoms[a.at+1].id == n.atoms[b.at+1].id
}

// otherVersion finds another version of the same thing: Node 18, Node 20.
func otherVersion(o, n *statement, lost, found []uint64) string {
	a, b := version(o), version(n)
	if a < 0 || b < 0 || o.atoms[a-1].id != n.atoms[b-1].id || o.atoms[a].id == n.atoms[b].id || verbless(o) && !o.is || verbless(n) && !n.is {
		return ""
	}
	for _, side := range []struct {
		s   *statement
		ids []uint64
		at  int
	}{{o, lost, a}, {n, found, b}} {
		for _, id := range side.ids {
			if id != side.s.atoms[side.at].id && !weak()[id] {
				return ""
			}
		}
	}
	return "version N / version M"
}

// version returns the place of a number behind a name, where the statement says that this version is used; -1 without one.
func version(s *statement) int {
	for i := 1; i < len(s.atoms); i++ {
		if s.atoms[i].quantity && s.atoms[i-1].name && !s.atoms[i-1].verb {
			for _, a := range s.atoms {
				if weak()[a.id] {
					return i
				}
			}
		}
	}
	return -1
}

var beforeID, afterID = idOf("before"), idOf("after")

// isObject reports whether a statement says that this is used.
func isObject(s *statement, ids []uint64) bool {
	p, ok := segment(s, ids)
	return ok && p.object(s)
}

// part is a run of atoms of a statement.
type part struct {
	atoms []atom
	at    int
	last  bool // nothing follows
}

// segment returns the atoms of ids when they stand in a row, at most three.
func segment(s *statement, ids []uint64) (part, bool) {
	if len(ids) > 3 {
		return part{}, false
	}
	at := slices.IndexFunc(s.atoms, func(a atom) bool { return slices.Contains(ids, a.id) })
	if at < 0 || at+len(ids) > len(s.atoms) {
		return part{}, false
	}
	for i, a := range s.atoms[at : at+len(ids)] {
		if !slices.Contains(ids, a.id) || a.verb || i > 0 && a.after != noPrep {
			return part{}, false
		}
	}
	return part{s.atoms[at : at+len(ids)], at, at+len(ids) == len(s.atoms)}, true
}

func (p part) quantities() bool {
	return !slices.ContainsFunc(p.atoms, func(a atom) bool { return !a.quantity })
}

func (p part) place() bool { return len(p.atoms) == 1 && p.atoms[0].place }

func (p part) name() bool {
	return slices.ContainsFunc(p.atoms, func(a atom) bool { return a.name || a.family != 0 })
}

// object reports whether a part is what its statement says to be used: it stands behind the verb, behind "with",
// before "is used", or is what something is.
func (p part) object(s *statement) bool {
	if p.at == 0 {
		return len(s.atoms) > len(p.atoms) && s.uses && s.atoms[len(p.atoms)].passive
	}
	before, first := s.atoms[p.at-1], p.atoms[0]
	switch {
	case s.uses && before.verb && first.after == noPrep:
		return true
	case first.after == withPrep:
		return true
	case first.after == inPrep && before.verb && makers()[before.id]:
		return true
	case s.is && (p.last || p.family() != 0 || s.atoms[p.at+len(p.atoms)].after != noPrep) && p.at >= s.isAt && s.isAt > 0 && first.after == noPrep && !s.uses && onlyDescribes(s.atoms[s.isAt:p.at]):
		return true
	}
	return false
}

// onlyDescribes reports whether only words that describe stand between "is" and what something is.
func onlyDescribes(atoms []atom) bool {
	return !slices.ContainsFunc(atoms, func(a atom) bool { return a.verb || a.after != noPrep })
}

// makers are verbs behind which "in" and "on" name a means: written in Sass, runs on Jenkins.
var makers = sync.OnceValue(func() map[uint64]bool {
	m := map[uint64]bool{}
	for _, w := range strings.Fields("run write implement build host deploy store log format name program") {
		if e, ok := lexicon()[w]; ok {
			m[e.id] = true
		}
		m[hash(stem(w))] = true
	}
	return m
})

// alternatives reports whether of two things one takes one: both of one family, or both names that no family holds.
func alternatives(a, b part) bool {
	x, y := a.family(), b.family()
	if x != 0 || y != 0 {
		return x == y || stores()[x] && stores()[y] || x != 0 && y == 0 && b.name() || y != 0 && x == 0 && a.name()
	}
	return a.name() && b.name() || a.name() && b.bare() || b.name() && a.bare()
}

// stores are the families of what keeps data: one purpose has one of them.
var stores = sync.OnceValue(func() map[uint8]bool {
	m := map[uint8]bool{}
	for _, w := range strings.Fields("postgres redis mongodb elasticsearch") {
		m[lexicon()[w].family] = true
	}
	return m
})

func (p part) bare() bool { return len(p.atoms) == 1 && p.atoms[0].bare }

func (p part) family() uint8 {
	for _, a := range p.atoms {
		if a.family != 0 {
			return a.family
		}
	}
	return 0
}

// things counts the atoms of a statement that are no verbs.
func things(s *statement) int {
	n := 0
	for _, a := range s.atoms {
		if !a.verb {
			n++
		}
	}
	return n
}

func verbless(s *statement) bool {
	return !slices.ContainsFunc(s.atoms, func(a atom) bool { return a.verb })
}

// nested reports whether one place lies in the other (src, src/routes), or is the other one said in short.
func nested(a, b string) bool {
	if a == "" || b == "" {
		return false
	}
	return strings.HasPrefix(a, b+"/") || strings.HasPrefix(b, a+"/") || strings.HasSuffix(a, "/"+b) || strings.HasSuffix(b, "/"+a)
}

// difference returns what is in a and not in b. Both are sorted.
func difference(a, b []uint64) []uint64 {
	var out []uint64
	k := 0
	for _, id := range a {
		for k < len(b) && b[k] < id {
			k++
		}
		if k == len(b) || b[k] != id {
			out = append(out, id)
		}
	}
	return out
}

// sharedBy counts what is in both sets. Both are sorted.
func sharedBy(a, b []uint64) int {
	n, k := 0, 0
	for _, id := range a {
		for k < len(b) && b[k] < id {
			k++
		}
		if k < len(b) && b[k] == id {
			n++
		}
	}
	return n
}

// contains reports whether all of b is in a. Both are sorted.
func contains(a, b []uint64) bool {
	return sharedBy(a, b) == len(b)
}

// subject returns the words of the older statement that the newer one has too.
func subject(content string, o, n *statement) string {
	var words []string
	for _, a := range o.atoms {
		if common()[a.id] || !slices.Contains(n.ids, a.id) && !slices.Contains(n.against, a.id) {
			continue
		}
		words = append(words, wordAt(content, int(a.tok)))
	}
	return strings.Join(words, " ")
}

// wordAt returns the word that starts at a place.
func wordAt(content string, at int) string {
	end := at
	for end < len(content) && content[end] > ' ' && strings.IndexByte("`,;()\"", content[end]) < 0 {
		end++
	}
	return strings.TrimRight(content[at:end], ".:!?")
}

// maxExcerpt is the longest excerpt of a learning in a Contradiction, in bytes.
const maxExcerpt = 200

// excerpt returns the clause of a statement as it is written, on one line.
func excerpt(content string, st *statement) string {
	start, end := st.start, st.end
	if start > 0 && content[start-1] == '`' {
		start--
	}
	if end < len(content) && content[end] == '`' {
		end++
	}
	s := strings.Join(strings.Fields(content[start:end]), " ")
	if len(s) <= maxExcerpt {
		return s
	}
	n := maxExcerpt
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n] + "…"
}
