package capture

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"sdd/internal/pattern"
)

// verdict is the result of judging one sentence.
type verdict struct {
	confidence float64
	rule       string
	statement  string
	refers     bool // its reason is the sentence before: "that is why we …"
	opens      bool // the items of the next list are the decisions
	parts      [partKinds][]string

	followPart part // of the decision before it
	followText []string
}

// part is a list of record.Causes, in their order.
type part uint8

const (
	reasonPart part = iota
	alternativePart
	consequencePart
	constraintPart
	assumptionPart
	partKinds
)

// judge decides whether a sentence is a decision, and splits it into its parts.
func judge(text string, p place) verdict {
	var v verdict
	s := strings.Join(strings.Fields(strings.Map(plainRune, text)), " ")
	s = contraction().ReplaceAllStringFunc(s, expand)
	follow(s, &v)
	if IsQuestion(s) || takenBack().MatchString(s) {
		return v
	}
	low := strings.ToLower(s)
	from, best := -1, (*compiled)(nil)
	before, match, kept := "", "", s
	contained := func(word string) bool { return strings.Contains(low, word) }
	instruction := p.role == instructionRole || p.role == taskRole || p.role == alternativeRole
	for _, f := range forms() {
		if f.start && (!p.start || instruction) || f.confidence <= v.confidence || !slices.ContainsFunc(f.words, contained) {
			continue
		}
		re := f.re()
		m := re.FindStringSubmatchIndex(s)
		if m == nil {
			continue
		}
		at, end := m[2], m[3] // the group all
		if i := re.SubexpIndex("say"); i > 0 && m[2*i] >= 0 {
			end = m[2*i]
		}
		if f.stopped(p, s, s[:at], s[end:]) {
			continue
		}
		v.confidence, v.rule, best, from, before, match, kept = f.confidence, f.name, f, at, s[:at], s[m[2]:m[3]], s[end:]
	}
	if best != nil && (reported().MatchString(before) || strings.Contains(match, " had ") || undone().MatchString(kept)) {
		v.confidence = min(v.confidence, doubtful)
	}
	if best != nil && best.start {
		switch {
		case p.role == outcomeRole:
			v.confidence += 0.08
		case p.role == backgroundRole || strings.Count(kept, " ") > 45:
			v.confidence = 0
		}
	}
	switch {
	case best != nil && p.role == decisionRole:
		v.confidence = max(v.confidence, 0.9)
	case best == nil && p.role == decisionRole && p.presumed && !undecided().MatchString(s):
		v.confidence, v.rule = 0.88, "under a heading or label of decisions"
		if p.inline {
			v.confidence = 0.93
		}
	}
	if v.confidence < least {
		v.confidence = 0
		return v
	}
	if best != nil && best.list {
		v.opens = strings.HasSuffix(s, ":") && strings.Trim(leadToList().ReplaceAllString(strings.TrimSpace(kept), ""), ": ") == ""
	}
	v.split(kept, best != nil && best.name != "we are moving")
	if from > 0 {
		v.lead(before)
	}
	if v.statement = title(v.statement); v.statement == "" && !v.opens {
		v.confidence = 0
	}
	for k := range v.parts {
		v.parts[k] = slices.DeleteFunc(v.parts[k], v.repeats)
	}
	return v
}

// stopped reports whether the words around a form show that nothing was decided.
func (f *compiled) stopped(p place, s, before, after string) bool {
	if strings.Count(before, "`")%2 == 1 || strings.Count(before, `"`)%2 == 1 ||
		strings.Count(before, "“") > strings.Count(before, "”") || strings.Count(before, "«") > strings.Count(before, "»") {
		return true // a quotation, or code
	}
	clause := before[strings.LastIndexAny(before, ";:")+1:]
	if Doubtful(clause) {
		return true
	}
	switch f.name {
	case "we will", "we won't":
		return noDeed().MatchString(after) || someday().MatchString(clause)
	case "будем":
		return ruNoDeed().MatchString(after)
	case "was chosen":
		return strings.Contains(after, " by ") && !strings.Contains(after, " by the team")
	case "imperative", "использовать":
		return strings.HasSuffix(s, ":") || noNoun().MatchString(s[:min(len(s), 40)])
	case "will be":
		return !p.fresh && !future().MatchString(s) || unsure().MatchString(after) ||
			strings.Contains(after, "will be able") || strings.HasPrefix(s, "We ")
	}
	return undecided().MatchString(clause)
}

// Doubtful reports whether the words before "we decided" make it a condition, a question or a denial.
func Doubtful(clause string) bool {
	return asked().MatchString(clause) && !thatIsWhy().MatchString(clause) || unsure().MatchString(clause) || doubted().MatchString(clause)
}

var (
	// leadToList matches the words before a list: "to do the following:".
	leadToList = pattern.Late(`(?i)^(?:будем ?|(?:to|that)? ?(?:do|take|make)? ?(?:on )?` +
		`(?:the following|these|this|следующее)(?: \pL+){0,2}|to|that)? ?:$`)
	contraction = pattern.Late(`(?i)\b(?:we|i|they|you|it|that|this)['’](?:ve|ll|re|d)\b|’`)
)

func expand(s string) string {
	word, end, _ := strings.Cut(strings.ReplaceAll(s, "’", "'"), "'")
	return word + cmp.Or(expansions[end], "'"+end)
}

var expansions = map[string]string{"ve": " have", "ll": " will", "re": " are", "d": " would"}

// plainRune replaces emoji and other pictures by a blank.
func plainRune(r rune) rune {
	if unicode.In(r, unicode.So, unicode.Sk) && r != '`' && r != '^' || r == '\ufe0f' {
		return ' '
	}
	return r
}

// IsQuestion reports whether a sentence ends as a question, quotation marks and brackets aside.
func IsQuestion(text string) bool {
	t := strings.TrimRight(text, `"'”’»)]*_. `)
	return strings.HasSuffix(t, "?") || strings.HasSuffix(t, "？") || strings.HasPrefix(t, "¿")
}

// A mark begins a reason, an alternative and so on inside a sentence.
var marks = pattern.Late(`(?i)(?P<r>[,;(]? (?:[—–-] )?(?:mainly |mostly |simply |partly |primarily )?` +
	`(?:because of|because|since|due to|given that|so that|in order to|owing to|to avoid)(?:[ :]+|$)` +
	`|, as (?:it|they|we|this|that|these|the)? ?|,? (?:потому что|так как|поскольку|т\. ?к\.|из-за` +
	`|чтобы|ввиду того,? что)(?:[ :]+|$)|,? (?:weil|da|damit|porque|puesto que|parce qu(?:e |')|afin de|pois` +
	`|para que) |[，,]?(?:因为|由于))` +
	`|(?P<a>,? (?:instead of|rather than|as opposed to|over|вместо|а не|statt|anstelle von|en lugar de|en vez de|plutôt que` +
	`|em vez de) |, not )` +
	`|(?P<c>,? (?:which means|meaning|as a result|as a consequence|что означает|в результате)` +
	`(?: that|, что)?,? |, so |, поэтому )` +
	`|(?P<m>,? (?:assuming|provided|при условии|предполагая)(?: that|, что)? )`)

// split separates the decision and its parts in the text after a form. chosen: "over" names an alternative.
func (v *verdict) split(s string, chosen bool) {
	re := marks()
	found := re.FindAllStringSubmatchIndex(s, maxParts)
	end := len(s)
	for i, m := range found {
		to := len(s)
		if i+1 < len(found) {
			to = found[i+1][0]
		}
		text := s[m[1]:to]
		kind := reasonPart
		for k, g := range []part{reasonPart, alternativePart, consequencePart, assumptionPart} {
			if m[2*(k+1)] >= 0 {
				kind = g
			}
		}
		if kind == alternativePart {
			if strings.TrimSpace(s[m[0]:m[1]]) == "over" && !chosen || m[0] == 0 {
				continue
			}
			if c := optionEnd().FindStringIndex(text); c != nil {
				text = text[:c[0]]
			}
		} else {
			end = min(end, m[0])
		}
		if text = trimMarks(strings.Trim(text, " .;,:()—–")); text != "" {
			v.parts[kind] = append(v.parts[kind], text)
		}
	}
	v.statement = s[:end]
}

var optionEnd = pattern.Late(`(?i)[,;()]| (?:for|in|on|as|at|with|when|while|to|für|bei|для|в|на|при|para|pour) `)

// lead reads the text before a form: "Since the disks are full, we …", "It is slow, so we …".
func (v *verdict) lead(before string) {
	if m := leading().FindStringSubmatch(before); m != nil {
		kind := reasonPart
		if m[1] != "" {
			kind = assumptionPart
		}
		v.parts[kind] = append(v.parts[kind], m[2])
		return
	}
	if m := hence().FindStringSubmatch(before); m != nil && strings.Count(m[1], " ") > 1 {
		v.parts[reasonPart] = append(v.parts[reasonPart], m[1])
		return
	}
	v.refers = refers().MatchString(before)
}

var (
	leading = pattern.Late(`(?i)^(?:(assuming(?: that)?|предполагая,? что|при условии,? что)|because(?: of)?` +
		`|since|as|given(?: that)?|due to|для|так как|поскольку|из-за|чтобы|in order to) (.{3,}?),? ?$`)
	hence  = pattern.Late(`(?i)^(.+?)(?:[,;] | and )(?:so|therefore|thus|hence|поэтому|так что) ?$`)
	refers = pattern.Late(`(?i)^(?:(?:and |so )?(?:that|this|which)(?:'s| is| was) why|for (?:this|that|these|those) reasons?,?` +
		`|(?:therefore|thus|hence|so),?|поэтому|по этой причине,?) ?$`)
)

// follow reads what a sentence adds to the decision before it.
func follow(s string, v *verdict) {
	if m := followsOption().FindStringSubmatch(s); followsReason().MatchString(s) {
		v.followPart, v.followText = reasonPart, []string{strings.Trim(followsReason().ReplaceAllString(s, ""), " .,:")}
	} else if followsResult().MatchString(s) {
		v.followPart, v.followText = consequencePart, []string{strings.Trim(s, " .")}
	} else if m != nil && !IsQuestion(s) {
		v.followPart = alternativePart
		for _, o := range optionsApart().Split(m[1], maxParts) {
			if o = strings.Trim(o, " .,"); o != "" && strings.Count(o, " ") < 6 {
				v.followText = append(v.followText, o)
			}
		}
	}
}

var (
	followsReason = pattern.Late(`(?i)^(?:the (?:main |key )?reasons? (?:is|was|are|were)(?: simple)?:?(?: that)?` +
		`|(?:this|that|it) is because(?: of)?|because(?: of)?|причина(?: в том,? что| проста)?:?` +
		`|это потому,? что|потому что|дело в том,? что) `)
	followsResult = pattern.Late(`(?i)^(?:as a (?:result|consequence)|(?:this|that|which) means|consequently|это означает` +
		`|в результате|как следствие|следовательно)[ ,]`)
	followsOption = pattern.Late(`(?i)^(?:we |i |мы )?(?:have |had )?(?:also |также )?` +
		`(?:considered|evaluated|weighed|looked at|рассматривали|рассмотрели) ` +
		`([^,;.]+(?:, [^,;.]+)*?(?:,? (?:and|or|и|или) [^,;.]+?)?)(?:[;.]|,? (?:but|because|which|и отклонили|но) .*|$)`)
	optionsApart = pattern.Late(`, (?:and |or |и |или )?| (?:and|or|и|или) `)
)

// repeats reports whether all words of a part are in the decision.
func (v *verdict) repeats(text string) bool {
	have := words(v.statement)
	isNew := func(w string) bool { return !slices.Contains(have, w) && !fillers()[w] }
	return !slices.ContainsFunc(words(text), isNew) && !slices.Contains(v.parts[alternativePart], text)
}

var fillers = pattern.Words("we i it they the a an to is are will want мы это")

func words(s string) []string {
	return strings.FieldsFunc(strings.ToLower(s), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
}

// title is a decision in the form of a title: without "We", "to" and the punctuation around it.
func title(s string) string {
	s = trimMarks(strings.Trim(s, " .;,:—–-!"))
	s = opening().ReplaceAllString(s, "")
	if rest, ok := strings.CutPrefix(s, "not "); ok {
		s = "do not " + strings.TrimPrefix(rest, "to ")
	}
	s = strings.Trim(s, " .;,:")
	if r, n := utf8.DecodeRuneInString(s); unicode.IsLower(r) {
		if first, _, _ := strings.Cut(s, " "); strings.ToLower(first) == first && !strings.ContainsAny(first, "._/0123456789") {
			s = string(unicode.ToUpper(r)) + s[n:]
		}
	}
	return s
}

var opening = pattern.Late(`(?i)^(?:option \d+ ?[-–:] ?|вариант \d+ ?[-–:] ?)?(?:(?:that|to|что|о том, что) )?` +
	`(?:(?:we|i|мы) (?:(?:will|should|have|would) )?(?:(?:be|been) )?(?:(?:chose|picked|selected|went with|opted for|settled on` +
	`|выбрали) )?)?`)

// trimMarks drops a quotation mark or bracket that has lost its partner, and a pair around the whole.
func trimMarks(s string) string {
	if strings.Count(s, `"`)%2 == 1 || len(s) > 1 && s[0] == '"' && strings.Index(s[1:], `"`) == len(s)-2 {
		s = strings.Trim(s, `"`)
	}
	if open, shut := strings.Count(s, "("), strings.Count(s, ")"); shut > open {
		return strings.TrimSuffix(s, ")")
	} else if open > shut {
		return strings.TrimSpace(s[:strings.LastIndex(s, "(")])
	}
	return s
}
