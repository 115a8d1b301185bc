package capture

import (
	"slices"
	"strings"

	"sdd/internal/pattern"
)

// reader goes through the blocks of a text and keeps the context of a sentence: headings, labels and lists.
type reader struct {
	out    []Decision
	places map[string]int // index in out by the decision in lower case
	stack  []section

	document bool // the text has headings

	label    role      // of a line such as "Decision:"
	under    blockKind // of the first block under it
	used     bool
	fresh    bool // nothing of this section has been read
	status   string
	rejected bool // the status of the record is rejected

	list   listRole // of the items that follow
	depth  int      // of the items of that list, -1 before the first
	spoken bool     // a paragraph of this section has its decision

	last     int // the decision that the next sentences belong to, -1 for none
	adjacent bool
	previous string // the sentence before, in the same block
	pending  [partKinds][]string
}

type section struct {
	level int
	role  role
}

// role is that of the label or of the nearest heading above.
func (r *reader) role() role {
	if r.label != noRole {
		return r.label
	}
	for _, s := range slices.Backward(r.stack) {
		if s.role != noRole {
			return s.role
		}
	}
	return noRole
}

// listRole is the role that the sentence before a list gives its items.
type listRole uint8

const (
	plainList listRole = iota
	decisionList
	reasonList
)

func (r *reader) block(b textBlock) {
	r.adjacent, r.previous = false, ""
	if b.kind == heading {
		r.heading(b)
		return
	}
	whole := strings.ReplaceAll(b.text, "\n", " ")
	r.leave(b, whole)
	if ro := roleOf(whole); ro != noRole {
		r.begin(ro)
		return
	}
	if ro, name, rest, ok := label(whole); ok {
		if tidy(rest) == "" {
			r.begin(ro)
		} else {
			r.labelled(ro, name, textBlock{kind: b.kind, text: rest, line: b.line})
		}
		return
	}
	r.prose(b, r.role())
}

// begin opens the section of a label or heading.
func (r *reader) begin(ro role) {
	r.label, r.used, r.fresh, r.spoken, r.list = ro, false, true, false, plainList
}

// leave ends a label after the list or paragraph that it covers. The next speaker of a transcript is not under the headings of the
// one before.
func (r *reader) leave(b textBlock, whole string) {
	if who, _, ok := strings.Cut(whole, ":"); ok && b.kind == paragraph && speakers()[plainLabel(who)] {
		r.label, r.stack = noRole, nil
		r.record()
		return
	}
	if r.label == noRole {
		return
	}
	if r.used && (b.kind == paragraph || r.under == paragraph) {
		r.label = noRole
		return
	}
	r.used = !strings.HasSuffix(whole, ":")
	r.under = b.kind
}

func (r *reader) heading(b textBlock) {
	for len(r.stack) > 0 && r.stack[len(r.stack)-1].level >= b.level {
		r.stack = r.stack[:len(r.stack)-1]
	}
	if b.level == 1 {
		r.record()
	}
	r.begin(noRole)
	ro := roleOf(b.text)
	if ro == noRole {
		if named, name, rest, ok := label(b.text); ok && named == decisionRole {
			r.labelled(named, name, textBlock{kind: paragraph, text: rest, line: b.line})
		}
	}
	r.stack = append(r.stack, section{b.level, ro})
}

// record begins a new record in the same text.
func (r *reader) record() {
	r.pending = [partKinds][]string{}
	r.last, r.status, r.rejected = -1, "", false
}

func (r *reader) labelled(ro role, name string, b textBlock) {
	switch ro {
	case decisionRole, outcomeRole:
		for i, s := range sentencesOf(b) {
			r.sentence(s, place{role: ro, presumed: i == 0, inline: true, label: name, first: i == 0, start: i == 0})
		}
	case statusRole:
		r.state(b.text)
	case openRole:
	default:
		if p, ok := partOf(ro); ok {
			r.attach(p, tidy(b.text))
		} else {
			r.prose(b, ro)
		}
	}
}

// partOf is the part of a decision that a role names.
func partOf(ro role) (part, bool) {
	return part(ro - reasonRole), ro >= reasonRole && ro <= assumptionRole
}

var states = []struct{ words, status string }{
	{"rejected|declined|отклонено|отклонён|abgelehnt|rechazad|rejeté|refusé|rejeitad|withdrawn", "rejected"},
	{"superseded|replaced|deprecated|obsolete|заменено|устарел|ersetzt|überholt|sustituid|reemplazad|remplacé" +
		"|obsolète|substituíd|superad", "superseded"},
	{"proposed|draft|proposal|pending|in review|under review|предложен|черновик|vorgeschlagen|entwurf|propuest" +
		"|borrador|proposé|brouillon|propost|rascunho", "proposed"},
	{"accepted|approved|decided|adopted|принят|утвержд|akzeptiert|angenommen|beschlossen|aceptad|aprobad|accepté|adopté" +
		"|approuvé|aceit|aprovad", "accepted"},
}

// state reads the status of a record; one with several is that of a template.
func (r *reader) state(text string) {
	has := func(word string) bool { return strings.Contains(strings.ToLower(text), word) }
	if has("|") {
		return
	}
	r.rejected = false
	for _, s := range states {
		if slices.ContainsFunc(strings.Split(s.words, "|"), has) {
			if r.rejected = s.status == "rejected"; !r.rejected {
				r.status = s.status
			}
			return
		}
	}
}

// prose reads the sentences of a block that has that role.
func (r *reader) prose(b textBlock, ro role) {
	if b.kind == listItem && r.list != plainList {
		if r.depth < 0 {
			r.depth = b.depth
		}
		if b.depth > r.depth {
			return
		}
		if list := sentencesOf(b); r.list == decisionList && len(list) > 0 {
			r.sentence(list[0], place{role: decisionRole, presumed: true})
			r.list = decisionList // also after a sentence that opens another list
		} else if text := tidy(b.text); r.list == reasonList && !calls().MatchString(text) {
			r.attach(reasonPart, text)
		}
		return
	}
	if b.kind != listItem && r.list == reasonList {
		r.list = plainList
	}
	switch ro {
	case openRole:
		return
	case statusRole:
		r.state(b.text)
		return
	}
	if p, ok := partOf(ro); ok {
		if b.kind == listItem {
			r.attach(p, tidy(b.text))
			return
		}
		n := len(r.out)
		for _, s := range sentencesOf(b) {
			if p != alternativePart {
				r.attach(p, s.Text)
			} else {
				r.sentence(s, place{role: ro}) // options are no decisions, but a sentence among them may be one
			}
		}
		if len(r.out) > n {
			r.label = noRole
		}
		return
	}
	for i, s := range sentencesOf(b) {
		n := len(r.out)
		presumed := ro == decisionRole && (r.fresh || i == 0 && b.kind == listItem && !r.spoken)
		r.sentence(s, place{role: ro, presumed: presumed, fresh: r.fresh,
			start: i == 0 && (b.kind == paragraph || ro == decisionRole || ro == outcomeRole)})
		r.fresh = r.fresh && IsQuestion(s.Text)
		r.spoken = r.spoken || len(r.out) > n && b.kind == paragraph
	}
}

// calls matches an item of names of code alone: a list of methods is no list of reasons.
var calls = pattern.Late("^(?:`[^`]*`|[\\pL\\pN_.]+\\([^)]*\\)|[ ,;.])+$")

// attach adds a part with a place of its own to its decision: the last one, or the next if there was none.
func (r *reader) attach(p part, text string) {
	if p == alternativePart {
		text = optionName(text)
	}
	switch text = strings.TrimRight(text, ".;, "); {
	case text == "":
	case r.last >= 0:
		r.out[r.last].attach(p, text)
	default:
		r.pending[p] = append(r.pending[p], text)
	}
}

// optionName is the option without the remarks on it.
func optionName(s string) string {
	for _, sep := range []string{": ", " — ", " – ", " - ", ". ", ", because", " ("} {
		if i := strings.Index(s, sep); i > 0 {
			s = s[:i]
		}
	}
	return s
}

func (d *Decision) parts(p part) *[]string { return d.Lists()[p].Texts }

const maxParts = 20 // of one kind for one decision

// add adds a part, but for one that is there and for a sentence that breaks off before it ("The reason is").
func (d *Decision) add(p part, text string) {
	list := d.parts(p)
	if text != "" && len(*list) < maxParts && !slices.Contains(*list, text) {
		*list = append(*list, text)
	}
}

// attach adds a part from another place: of a list of options, all but the chosen one.
func (d *Decision) attach(p part, text string) {
	if p != alternativePart || !d.chose(text) {
		d.add(p, text)
	}
}

// chose reports whether the decision is for an option of a list: it contains its words, and not as an alternative.
func (d *Decision) chose(option string) bool {
	rest, option := strings.ToLower(d.Decision), strings.ToLower(option)
	for _, a := range d.Alternatives {
		rest = strings.ReplaceAll(rest, strings.ToLower(a), "")
	}
	return strings.Contains(rest, option)
}

// place is the context of a sentence.
type place struct {
	role     role
	presumed bool // a plain statement here is a decision
	inline   bool // after a label in its own line
	label    string
	first    bool // directly after the label
	start    bool // at the start of a paragraph
	fresh    bool // the first sentence of the text or section
}

// sentence judges a sentence, and adds a decision or a part to the one before.
func (r *reader) sentence(s Sentence, p place) {
	if len(s.Text) > maxSentence || placeholder(s.Text) {
		r.adjacent, r.previous = false, ""
		return
	}
	v := judge(s.Text, p)
	if r.document && p.role != decisionRole && p.role != outcomeRole && narrative(v.rule, s.Text) {
		v.confidence = min(v.confidence, doubtful)
	}
	near := r.last >= 0 && (r.adjacent || strings.Contains(s.Text, "decision"))
	if near && v.confidence < least && (undone().MatchString(s.Text) || takenBack().MatchString(s.Text)) {
		r.out[r.last].Confidence = min(r.out[r.last].Confidence, doubtful)
	}
	switch {
	case v.confidence >= least && (r.rejected || strings.HasPrefix(v.statement, "{")):
	case v.opens:
		r.list, r.depth = decisionList, -1
	case v.confidence >= least:
		r.add(s, v, p)
		r.adjacent, r.list = true, plainList
	case r.adjacent:
		for _, t := range v.followText {
			r.out[r.last].add(v.followPart, t)
		}
	}
	if r.last >= 0 && r.adjacent && opensReasons().MatchString(s.Text) {
		r.list, r.depth = reasonList, -1
	}
	r.adjacent = r.adjacent && !IsQuestion(s.Text)
	r.previous = s.Text
}

// narrative reports whether a sentence may be that of a guide or of one author's story, which documents with headings often are:
// "We will use a small example", "I decided that I did not like the name".
func narrative(rule, text string) bool { return rule == "we will" || firstPerson().MatchString(text) }

var firstPerson = pattern.Late(`\bI (?:\pL+ )?(?:decided|chose|picked|selected|opted|settled|went)\b`)

// opensReasons matches a sentence whose list gives the reasons: it ends with "because" or "reasons".
var opensReasons = pattern.Late(`(?i)(?:^|[^\pL])(?:because|reasons?(?: (?:is|are|was|were|for this|behind this(?: \pL+)?))*` +
	`|потому что|причины|так как)(?: \pL+)?:?$`)

// placeholder reports whether a text is a gap of a template: [what we decided], {option}.
func placeholder(s string) bool {
	s = strings.TrimRight(s, ".:")
	return len(s) > 1 && (s[0] == '[' && s[len(s)-1] == ']' || s[0] == '{' && s[len(s)-1] == '}' || s[0] == '<' && s[len(s)-1] == '>')
}

const maxSentence = 2000 // bytes: longer ones are data

func (r *reader) add(s Sentence, v verdict, p place) {
	d := Decision{Sentence: s.Text, Decision: v.statement, Status: "accepted", Confidence: v.confidence, Rule: v.rule, Line: s.Line}
	if p.first && p.label != "" {
		d.Sentence = p.label + ": " + s.Text
	}
	if r.status != "" && p.role == decisionRole {
		d.Status = r.status
	}
	for k := range v.parts {
		for _, text := range v.parts[k] {
			d.add(part(k), text)
		}
	}
	if v.refers && r.previous != "" {
		d.add(reasonPart, strings.TrimRight(r.previous, ".!"))
	}
	key := strings.ToLower(d.Decision)
	if i, ok := r.places[key]; ok {
		r.out[i].merge(d)
		r.last = i
		return
	}
	r.out = append(r.out, d)
	r.last = len(r.out) - 1
	r.places[key] = r.last
	for k := range r.pending {
		for _, text := range r.pending[k] {
			r.out[r.last].attach(part(k), text)
		}
		r.pending[k] = nil
	}
}

// merge adds the parts of the same decision found again.
func (d *Decision) merge(again Decision) {
	d.Confidence = max(d.Confidence, again.Confidence)
	for k := range partKinds {
		for _, text := range *again.parts(k) {
			d.add(k, text)
		}
	}
}

// speakers are the names before a colon in a transcript.
var speakers = pattern.Words("user assistant human ai system me bot agent q a")
