package capture

import (
	_ "embed"
	"slices"
	"strings"
	"sync"
	"unicode"

	"sdd/internal/pattern"
)

// role is the meaning of a heading or label for the text under it.
type role uint8

const (
	noRole          role = iota
	decisionRole         // decisions, named as such
	outcomeRole          // an outcome, a summary: a decision if it sounds like one
	statusRole           // the state of the decision
	reasonRole           // reasons, drivers; from here to assumptionRole in the order of parts
	alternativeRole      // options that were considered
	consequenceRole      // effects of the decision
	constraintRole       // limits that it had to meet
	assumptionRole       // what was assumed
	openRole             // what is not decided
	instructionRole      // instructions to the reader of the text
	backgroundRole       // the situation before
	taskRole             // work to be done
)

//go:embed labels.txt
var labelsText string

// roleNames are the names of the roles in labels.txt, in the order of the constants.
var roleNames = strings.Fields("none decision outcome status reason alternative consequence constraint assumption open " +
	"instruction background task")

// roles maps a label in lower case to its role.
var roles = sync.OnceValue(func() map[string]role {
	m := map[string]role{}
	for line := range strings.Lines(labelsText) {
		name, words, _ := strings.Cut(strings.TrimSpace(line), ": ")
		for w := range strings.SplitSeq(words, "|") {
			if r := slices.Index(roleNames, name); r > 0 && m[w] == noRole {
				m[w] = role(r)
			}
		}
	}
	return m
})

const maxLabel = 60 // bytes: a longer one is a sentence

func roleOf(label string) role {
	s := plainLabel(label)
	if s == "" || len(s) > maxLabel {
		return noRole
	}
	if r := roles()[s]; r != noRole {
		return r
	}
	// "Decision 3", "Decision (accepted)", "Decision on storage"
	first, rest, _ := strings.Cut(s, " ")
	if r := roles()[first]; r == decisionRole && (strings.HasPrefix(rest, "(") || strings.TrimLeft(rest, "0123456789.#") == "") {
		return r
	}
	// "Team decision", "Решение команды"
	words := strings.Fields(s)
	other := slices.ContainsFunc(words, func(w string) bool { return noDecisionLabel()[w] })
	if len(words) <= 3 && !other && (decisionNouns()[words[0]] || decisionNouns()[words[len(words)-1]]) {
		return decisionRole
	}
	return noRole
}

var decisionNouns = pattern.Words("decision decisions решение entscheidung beschluss decisión décision decisão")

// noDecisionLabel are words that give a label with "decision" another meaning.
var noDecisionLabel = pattern.Words(`log record records drivers driver needed pending open no process tree table making maker makers date
	owner owners context status by not next journal treiber protokoll registro journal`)

// plainLabel is a label without numbers, emphasis, emoji and punctuation around it.
func plainLabel(s string) string {
	s = strings.ToLower(strings.TrimSpace(s))
	s = strings.TrimLeftFunc(s, func(r rune) bool { return !unicode.IsLetter(r) })
	return strings.TrimRightFunc(s, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != ')' })
}

// label splits "Decision: we use X" and "**Decision** - we use X" into the label and the rest. Only
// labels with a role count.
func label(s string) (r role, name, rest string, ok bool) {
	marks := strings.TrimLeft(s, "*_ ")
	cut := -1
	for i, c := range marks[:min(len(marks), maxLabel+20)] {
		if c == ':' || c == '：' || c == '—' || c == '–' || c == '-' && i > 0 && marks[i-1] == ' ' || (c == '*' || c == '_') && i > 0 {
			cut = i
			break
		}
	}
	if cut <= 0 {
		return noRole, "", "", false
	}
	name = marks[:cut]
	if r = roleOf(name); r == noRole {
		return noRole, "", "", false
	}
	rest = strings.TrimLeft(marks[cut:], "*_ ")
	colon := strings.TrimLeft(rest, ":：—–-")
	emphasised := len(marks) < len(s) && (s[0] == '*' || s[0] == '_')
	if colon == rest && !emphasised {
		return noRole, "", "", false
	}
	return r, name, strings.TrimLeft(colon, "*_ "), true
}
