package session

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"sdd/internal/decision/capture"
	"sdd/internal/pattern"
	"sdd/internal/transcript"
)

// rule is a mark of a decision or correction in one sentence of the user.
type rule struct {
	name       string
	kind       Kind
	confidence float64
	re         func() *regexp.Regexp
}

// words compiles a rule; ~ is the border of a word.
func words(expr string) func() *regexp.Regexp {
	return pattern.Late(`(?i)` + strings.ReplaceAll(expr, `~`, `(?:[^\pL\pN'’]|$)`))
}

const (
	lead = `^(?:(?:please|and|but|so|also|again|just|ok|okay|yes|yeah|no|then|well|alright|great|good|cool|hmm|actually|ah|oh|you|we|i think` +
		`|пожалуйста|и|но|да|ок|нет|так|ну),? )*`
	verb = `(?:use|keep|put|call|name|write|run|make|do|go|add|move|remove|delete|drop|store|return|pass|set|build|test|commit|stick|leave` +
		`|skip|prefer|avoid|start|create|show|split|merge|rename|replace|change|read|import|log|handle|follow|treat|have)`
)

// userRules are in the order of their confidence: the first that matches counts.
var userRules = []rule{
	{"no", Correction, .8, words(`^(?:no|nope|nah|wrong|stop|wait|нет|стоп)(?:[,.!:;—–]| -)+ *\S+ \S+ \S+`)},
	{"that is wrong", Correction, .78, words(`(?:^|[^\pL])(?:that's|that is|this is|it's|it is|you're|you are|это) (?:still |just |also |actually )?` +
		`(?:wrong|incorrect|not (?:right|correct|true|what|how)|неправильно|неверно|не так)~`)},
	{"from now on", Correction, .8, words(`(?:^|[^\pL])(?:from now on|going forward|in (?:the )?future|next time|впредь|отныне|с этого момента)~`)},
	{"instead", Correction, .76, words(lead + `(?:should )?(?:` + verb + `|используй(?:те)?|сделай(?:те)?)~.*(?:~|^)(?:instead|rather than|вместо|а не)~`)},
	{"do not", Correction, .74, words(lead + `(?:(?:don't|do not|never) \pL+|не надо|не нужно|никогда|не используй(?:те)?)~`)},
	{"always", Correction, .76, words(lead + `(?:should |must )?(?:always|всегда) \pL+`)},
	{"I said", Correction, .72, words(`(?:^|[^\pL])(?:i (?:said|meant|told you|already (?:said|told)|asked (?:you )?(?:for|to|not))|я (?:же )?(?:сказал|просил|говорил))~`)},
	{"let us", Decision, .8, words(lead + `(?:let's|let us|lets|давай(?:те)?) \pL+`)},
	{"go with", Decision, .8, words(lead + `(?:i'd |i'll |i'm |we'll |i would )?(?:go|going|went) (?:with|for)~`)},
	{"we will", Decision, .76, words(`(?:^|[^\pL])(?:we'll|we will|we are going to|we're going to|i(?:'d| would) (?:rather|prefer)|i prefer|(?:i|we)(?:'ve| have)? decided` +
		`|будем|решили)~`)},
}

var (
	question = words(`\?$|^(?:can|could|would|should|is|are|do|does|did|what|why|how|which|where|when|who)~`)
	noMatter = words(`^no (?:problem|worries|need|idea|rush|thanks|thank|changes?)~|(?:don't|do not) (?:worry|know|think|understand|see|forget|have|want|need|like|care|mind|get)~` +
		`|let's (?:see|look|check|try|start|continue|do (?:it|this|that)|go|move on|talk|discuss|think|run|review|get|take|read)~|^(?:let me|i'll)~|не (?:знаю|думаю|понимаю)`)
	interjection = words(`^(?:(?:no|nope|nah|ok|okay|yes|yeah|stop|wait|and|but|so|well|actually|please|нет|да|ну|стоп)~[,.!:;—– -]*)+`)
	bare         = words(`^(?:no, )?(?:that's|that is|this is|it's|you're|это) (?:wrong|incorrect|not (?:right|correct|true)|неправильно|неверно|не так)[.!]?$`)
)

// user finds what the user decides and corrects, and the proposals that the user accepts.
func (f *Finder) user(m transcript.Message) (out []Finding) {
	if a, ok := f.accepted(m); ok {
		out = append(out, a)
	}
	f.proposal = proposal{}
	sentences := capture.Sentences(talk(m.Text))
	for i, s := range sentences {
		low := strings.ReplaceAll(s.Text, "’", "'")
		n := len(strings.Fields(low))
		if n < 3 || n > mostWords || question().MatchString(low) || noMatter().MatchString(low) {
			continue
		}
		for _, r := range userRules {
			if !r.re().MatchString(low) {
				continue
			}
			text := s.Text
			if bare().MatchString(low) { // the next sentence says what is right
				if i+1 == len(sentences) || question().MatchString(sentences[i+1].Text) {
					break
				}
				text += " " + sentences[i+1].Text
			}
			out = append(out, Finding{Kind: r.kind, Content: plain(text), Sentence: text, Line: m.At(s.Line), Rule: r.name, Confidence: r.confidence})
			break
		}
	}
	for _, d := range decisions(m, .85) {
		if !slices.ContainsFunc(out, func(o Finding) bool { return o.Line == d.Line && strings.Contains(o.Sentence, d.Sentence) }) {
			out = append(out, d)
		}
	}
	return out
}

// talk is the part of a prompt that the user typed: of a very long one, its first and its last paragraph.
func talk(text string) string {
	if len(text) <= pastedAfter {
		return text
	}
	first, rest, _ := strings.Cut(text, "\n\n")
	last := rest[strings.LastIndex(rest, "\n\n")+1:]
	if len(first) > pastedAfter {
		first = ""
	}
	if len(last) > pastedAfter {
		last = ""
	}
	return first + strings.Repeat("\n", 2+strings.Count(rest[:len(rest)-len(last)], "\n")) + last
}

// plain is a sentence without the interjections at its start.
func plain(s string) string {
	if rest := interjection().ReplaceAllString(s, ""); len(strings.Fields(rest)) > 2 {
		s = rest
	}
	r, n := utf8.DecodeRuneInString(s)
	return string(unicode.ToUpper(r)) + s[n:]
}

// proposal is what the agent proposed last, until the user answers.
type proposal struct {
	sentence string
	line     int
	asked    bool // the message ended with a question
}

var (
	proposes = words(`(?:^|[^\pL])(?:i(?:'d| would)? (?:recommend|suggest|propose|go with|lean (?:towards?|to))|my (?:recommendation|suggestion|proposal)` +
		`|предлагаю|рекомендую)~`)
	agrees = words(`^(?:(?:yes|yep|yeah|ok|okay|sure|agreed?|perfect|great|good|sounds good|lgtm|do (?:it|that)|go ahead|let's do (?:it|that|this)|go for it` +
		`|ship it|i agree|makes sense|i like (?:it|that)|works for me|да|хорошо|согласен|давай|отлично)[,.! ]*)+(?:please|then|with (?:it|that|your recommendation))?[.! ]*$`)
)

// agent notes what the agent proposes, and finds the decisions that it states.
func (f *Finder) agent(m transcript.Message) []Finding {
	for _, s := range capture.Sentences(m.Text) {
		if n := len(strings.Fields(s.Text)); n >= 4 && n <= mostWords && proposes().MatchString(strings.ReplaceAll(s.Text, "’", "'")) &&
			!strings.HasSuffix(s.Text, "?") {
			f.proposal = proposal{sentence: s.Text, line: m.At(s.Line)}
		}
	}
	return decisions(m, .86)
}

// accepted returns the agent's proposal when the message begins with a consent.
func (f *Finder) accepted(m transcript.Message) (Finding, bool) {
	first, _, _ := strings.Cut(strings.TrimSpace(m.Text), "\n")
	if s := capture.Sentences(first); len(s) > 0 {
		first = s[0].Text
	}
	if f.proposal.sentence == "" || !agrees().MatchString(strings.ReplaceAll(first, "’", "'")) {
		return Finding{}, false
	}
	return Finding{Kind: Decision, Content: plain(f.proposal.sentence), Sentence: first, Line: m.Line, Proposal: f.proposal.sentence,
		ProposedAt: f.proposal.line, Rule: "accepted proposal", Confidence: .78}, true
}
