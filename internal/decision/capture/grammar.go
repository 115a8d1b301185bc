package capture

import (
	"fmt"
	"strconv"
	"strings"
)

// need is what a sentence has to show besides the words of a rule. A rule applies when all
// letters of one of its alternatives hold.
type need string

const (
	needReason      = 'r'
	needAlternative = 'a'
	needTechnical   = 't'
	needContext     = 'c' // options were compared shortly before, or an outcome is told here
	needContrast    = 's' // names what it does not do: "instead of", "rather than", ", not"
	needPurpose     = 'q' // says what it is for: "so that …"
	needCause       = 'h' // follows from something: "so we …"
	needOutcome     = 'o' // stands under a heading, or behind a label, of outcomes
	noForeignAgent  = 'p' // passive: not done by somebody or something else
	noActor         = 'n' // no part of the software does it, and on no condition
	isProposal      = '?'
)

// rule is how a decision is told. confidence is that of the bare rule.
type rule struct {
	name       string
	confidence float64
	needs      []need
	proposed   bool // not more than a proposal
	pattern    []element
}

// block is how a sentence shows that it tells no decision.
type block struct {
	scope   scope
	pattern []element
}

type scope uint8

const (
	ofSegment  scope = iota // the clauses around it
	ofSentence              // the sentence
	ofPlace                 // its segment, and what the place of the sentence would make of it
)

var scopes = map[string]scope{"segment": ofSegment, "sentence": ofSentence, "place": ofPlace}

type part uint8

const (
	reasonPart part = iota
	alternativePart
	consequencePart
	constraintPart
	assumptionPart
	partKinds
	previousPart = partKinds // what follows is drawn from the sentence before
)

var partNames = map[string]part{"reason": reasonPart, "purpose": reasonPart, "contrast": alternativePart, "alternative": alternativePart, "consequence": consequencePart, "previous": previousPart, "constraint": constraintPart, "assumption": assumptionPart}

// marker begins a reason, an alternative and so on.
type marker struct {
	part    part
	telling bool // a purpose or a contrast: software that is merely described seldom has one
	pattern []element
}

// grammar is what is known of one language.
type grammar struct {
	code    string
	classes map[string]*wordSet

	rules    []rule
	blocks   []block
	inside   []marker // in the sentence of the decision
	after    []marker // at the start of the sentences that follow it
	ruleAt   *starts
	blockAt  *starts
	insideAt *starts
	afterAt  *starts
}

// class returns a class that a grammar may do without.
func (g *grammar) class(name string) *wordSet {
	if c := g.classes[name]; c != nil {
		return c
	}
	return &wordSet{}
}

// newGrammar reads the lines of a grammar:
//
//	= class: words
//	+ .9 [needs] rule: pattern      - segment|sentence|place name: pattern
//	> part: pattern                 >> part: pattern (at the start of a following sentence)
func newGrammar(code, text string) *grammar {
	g := &grammar{code: code, classes: map[string]*wordSet{}, ruleAt: newStarts(), blockAt: newStarts(), insideAt: newStarts(), afterAt: newStarts()}
	for line := range strings.SplitSeq(text, "\n") {
		if line == "" || line[0] == '#' {
			continue
		}
		head, pattern, ok := strings.Cut(line, ": ")
		kind, rest, ok2 := strings.Cut(head, " ")
		if !ok || !ok2 {
			panic("capture: cannot read " + line)
		}
		if kind == "=" {
			g.classes[rest] = newSet(strings.Fields(pattern)...)
			continue
		}
		es := compile(pattern, g.classes)
		switch kind {
		case "+":
			f := strings.SplitN(rest, " ", 3)
			confidence, err := strconv.ParseFloat(f[0], 64)
			if err != nil || len(f) != 3 {
				panic("capture: cannot read " + line)
			}
			r := rule{name: code + ": " + f[2], confidence: confidence, pattern: es}
			if n := strings.Trim(f[1], "[]"); n != "" {
				for a := range strings.SplitSeq(n, "|") {
					r.proposed = r.proposed || strings.ContainsRune(a, isProposal)
					r.needs = append(r.needs, need(a))
				}
			}
			g.ruleAt.add(len(g.rules), es)
			g.rules = append(g.rules, r)
		case "-":
			name, _, _ := strings.Cut(rest, " ")
			of, ok := scopes[name]
			if !ok {
				panic("capture: cannot read " + line)
			}
			g.blockAt.add(len(g.blocks), es)
			g.blocks = append(g.blocks, block{of, es})
		case ">", ">>":
			p, ok := partNames[rest]
			if !ok {
				panic("capture: cannot read " + line)
			}
			if kind == ">" {
				g.insideAt.add(len(g.inside), es)
				g.inside = append(g.inside, marker{p, rest == "purpose" || rest == "contrast", es})
			} else {
				g.afterAt.add(len(g.after), es)
				g.after = append(g.after, marker{p, false, es})
			}
		default:
			panic(fmt.Sprintf("capture: cannot read %q", line))
		}
	}
	return g
}
