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
	lead = `^(?:(?:please|and|but|so|also|again|just|ok|okay|yes|yeah|no|then|well|alright|great|good|cool|hmm|actually|ah|oh|you|we` +
		`|i think|plus|man|remember|note|important|awesome|пожалуйста|и|но|да|ок|нет|так|ну)[,:]? )*`
	verb = `(?:use|keep|put|call|name|write|run|make|do|go|add|move|remove|delete|drop|store|return|pass|set|build|test|commit|stick|leave` +
		`|skip|prefer|avoid|start|create|show|split|merge|rename|replace|change|read|import|log|handle|follow|treat|have)`
	anywhere = `(?:^|[^\pL])`
)

// userRules are in the order of their weight: the first that matches counts.
var userRules = []rule{
	{"no", Correction, .8, words(`^(?:no|nope|nah|wrong|wait|нет|стоп)(?:[,!:;—–]| -)+ *\S+ \S+ \S+`)},
	{"that is wrong", Correction, .78, words(anywhere + `(?:wrong|misunderst\pL+|over-?complicat\pL+|over-?engineer\pL+` +
		`|(?:that's|that is|this is|it's|it is|you're|you are) (?:still |just )?(?:incorrect|not (?:right|correct|true|what|how))` +
		`|неправильно|неверно|это не так)`)},
	{"from now on", Correction, .8, words(anywhere + `(?:from now on|going forward|in (?:the )?future|next time|впредь|отныне` +
		`|с этого момента)~`)},
	{"instead", Correction, .76, words(lead + `(?:should )?(?:` + verb + `|используй(?:те)?|сделай(?:те)?)~.*` +
		`(?:~|^)(?:instead|rather than|вместо|а не)~`)},
	{"stop", Correction, .76, words(anywhere + `(?:stop (?:\pL+ing|with)|quit \pL+ing|перестань(?:те)?|хватит)~`)},
	{"always, never", Correction, .76, words(lead + `(?:should |must )?(?:always|never|всегда|никогда) \pL+`)},
	{"do not", Correction, .74, words(lead + `(?:(?:don't|do not) (?:use|add|put|include|commit|remove|delete|create|hard-?code|mock` +
		`|touch|rename|import|call|assume|duplicate)|не надо|не нужно|не используй(?:те)?)~`)},
	{"I said", Correction, .72, words(anywhere + `(?:i (?:said|meant|told you|already (?:said|told)|asked (?:you )?(?:for|to|not))` +
		`|я (?:же )?(?:сказал|просил|говорил))~`)},
	{"should not", Decision, .76, words(anywhere + `(?:(?:must|should|shall) (?:not|never|only|always)|shouldn't)~` +
		`|` + lead + `(?:never|мы не|нам не)~`)},
	{"I do not want", Decision, .76, words(anywhere + `(?:i|we) (?:\pL+ )?(?:don't|do not) (?:want|need|like)~` +
		`|` + lead + `(?:i (?:want|'d like|would like|'d prefer|prefer|'d rather)~.*~(?:even|not|only|always|instead|rather)` +
		`|я не хочу)~`)},
	{"this, not that", Decision, .74, words(`, (?:and |but )?(?:just )?not (?:the |a |an |to |in |from |on |for )?[\pL@./_-]+`)},
	{"let us", Decision, .78, words(lead + `(?:let's|let us|lets|давай(?:те)?) (?:just |also |only |instead |not ` +
		`|still )*(?:` + deed + `|использовать|сделаем|оставим|не)~`)},
	{"go with", Decision, .8, words(lead + `(?:i'd |i'll |i'm |we'll |i would )?(?:go|going|went) (?:with|for)~`)},
	{"option", Decision, .76, words(`(?:option|approach|variant|вариант) \pL?\d?~.*(?:better|best|prefer|sounds|good|лучше)` +
		`|^(?:` + verb + ` )?(?:option|вариант) \S+$|(?:prefer|like) option`)},
	{"we will", Decision, .76, words(anywhere + `(?:we'll|we will|we are going to|we're going to|i(?:'d| would) rather|(?:i|we)(?:'ve` +
		`| have)? decided|будем|решили) \pL+`)},
	{"should", Decision, .72, words(`^[^,]* should (?:just |still |also |all )?(?:be|have)~|` + anywhere + `we should~`)},
	{"for a reason", Decision, .72, words(lead + verb + ` .*(?: — (?:they|it|we|this|that)|~because|~since it|~so that|~to avoid` +
		`|, since|потому что|чтобы)~`)},
}

// deed are the verbs of a choice; those of a next step (look, check, start) are left out.
const deed = `use|set|keep|make|call|name|put|store|stick|have|drop|switch|avoid|default|rename|merge|split|support|adopt|go with` +
	`|require|treat|limit|leave`

// agentRules are marks of what an agent chose for a reason or found wrong. Most of an agent's talk is narration, so they are few.
var agentRules = []rule{
	{"design choice", Decision, .78, words(anywhere + `(?:design|structure|structural|architectur\pL+|naming|scope) (?:call|choice` +
		`|decision)s?(?: [^:]{0,60})?:~`)},
	{"I chose", Decision, .74, words(anywhere + `i(?:'ll|'ve|'m| will| have| am)? (?:use|using|used|chose|picked|kept|keep|keeping` +
		`|went with|go with|going with|opted|left|avoid|avoided|put)~.*~(?:because|since|rather than|instead of|so that|over)~`)},
	{"my fault", Correction, .76, words(anywhere + `(?:i was wrong|i (?:had )?(?:misread|misunderstood)` +
		`|i (?:should|shouldn't) have|i (?:wrongly|incorrectly|mistakenly)` +
		`|my (?:\pL+ )?(?:earlier|previous|first|last|original|review|own) .*(?:was|were) (?:wrong|broken|overly|incorrect|too|mistaken)` +
		`|because i (?:deleted|removed|forgot|missed|had|used|left|broke))~`)},
}

var (
	reproach = words(`^i thought (?:we|you)~|^(?:shouldn't|should not|why (?:not|don't|didn't)) (?:we|it|you|this|that)~`)
	question = words(`\?\W*$|^(?:can|could|would|is|are|do|does|did|what|why|how|which|where|when|who) (?:i|you|we|it|the|this|that` +
		`|they|there)~`)
	noMatter = words(`^no (?:problem|worries|need|idea|rush|thanks|thank|changes?)~|(?:don't|do not) (?:worry|know|understand|see|forget)~` +
		`|^(?:let me|i'll)~|не (?:знаю|думаю|понимаю)`)
	apostrophe   = pattern.Late(`(?i)\b(?:(do|does|did|is|are|was|were|has|have|had|would|should|could)nt|(ca|wo)nt)\b`)
	interjection = words(`^(?:(?:no|nope|nah|ok|okay|yes|yeah|stop|wait|and|but|so|well|actually|please|let's|lets|let us` +
		`|remember|man|нет|да|ну|стоп|давай(?:те)?)~[,.!:;—– -]*)+`)
	cry  = pattern.Late(`(?i)^(?:no|nope|stop|wrong|look|нет|стоп)(?:\.\.+|!+|…)$`)
	bare = words(`^(?:no, )?(?:that's|that is|this is|it's|you're|you are|это) (?:wrong|incorrect|not (?:right|correct|true)` +
		`|over-?\pL+ it|неправильно|неверно|не так)[.!]?$`)
)

// user finds what the user decides and corrects, and the proposals that the user accepts.
func (f *Finder) user(m transcript.Message) (out []Finding) {
	if a, ok := f.accepted(m); ok {
		out = append(out, a)
	}
	f.proposal = capture.Sentence{}
	out = append(out, marked(m, capture.Sentences(talk(m.Text)), userRules)...)
	for _, d := range decisions(m, .85) {
		if !slices.ContainsFunc(out, func(o Finding) bool { return o.Line == d.Line && strings.Contains(o.Sentence, d.Sentence) }) {
			out = append(out, d)
		}
	}
	return out
}

func marked(m transcript.Message, sentences []capture.Sentence, rules []rule) (out []Finding) {
	cried := false
	for i, s := range sentences {
		low := apostrophe().ReplaceAllString(strings.ReplaceAll(s.Text, "’", "'"), "${1}${2}n't")
		n := len(strings.Fields(low))
		if cry().MatchString(low) {
			cried = true
			continue
		}
		after := cried
		cried = false
		if n < 3 || n > mostWords || question().MatchString(low) && !reproach().MatchString(low) || noMatter().MatchString(low) {
			continue
		}
		for _, r := range rules {
			at := r.re().FindStringIndex(low)
			if at == nil && !after || at != nil && (r.name == "we will" || r.name == "should") && capture.Doubtful(low[:at[0]]+" ") {
				continue
			}
			text := s.Text
			if bare().MatchString(low) { // the next sentence says what is right
				if i+1 == len(sentences) || question().MatchString(sentences[i+1].Text) {
					break
				}
				text += " " + sentences[i+1].Text
			}
			out = append(out, Finding{Kind: r.kind, Content: plain(text), Sentence: text, Line: m.At(s.Line), Rule: r.name,
				Confidence: r.confidence})
			break
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

var (
	proposes = words(`^go with~|(?:^|[^\pL])(?:i(?:'d| would)? (?:recommend|suggest|propose|go with|lean (?:towards?|to))` +
		`|my (?:recommendation|suggestion|proposal)|предлагаю|рекомендую)~`)
	agrees = words(`^(?:(?:yes|yep|yup|yeah|awesome|nice|cool|ok|okay|sure|agreed?|perfect|great|good|sounds good|lgtm|do (?:it|that)` +
		`|go ahead|let's do (?:it|that|this)|go for it` +
		`|ship it|i agree|makes sense|i like (?:it|that)|works for me|да|хорошо|согласен|давай` +
		`|отлично)[,.! ]*)+(?:\S+ ?){0,4}$`)
)

// agent notes what the agent proposes, and finds the decisions that it states.
func (f *Finder) agent(m transcript.Message) []Finding {
	sentences := capture.Sentences(m.Text)
	for _, s := range sentences {
		if n := len(strings.Fields(s.Text)); n >= 4 && n <= mostWords && proposes().MatchString(strings.ReplaceAll(s.Text, "’", "'")) &&
			!strings.HasSuffix(s.Text, "?") {
			f.proposal = capture.Sentence{Text: s.Text, Line: m.At(s.Line)}
		}
	}
	stated := slices.DeleteFunc(decisions(m, .86), func(d Finding) bool { return d.Rule == "we will" && !reasoned().MatchString(d.Sentence) })
	return append(marked(m, sentences, agentRules), stated...)
}

// reasoned has the words of a choice; "we will run the script" is a next step.
var reasoned = words(anywhere + `(?:instead|rather than|because|over|so that|вместо|потому что|чтобы|а не)~`)

// accepted returns the agent's proposal when the message begins with a consent.
func (f *Finder) accepted(m transcript.Message) (Finding, bool) {
	first, _, _ := strings.Cut(strings.TrimSpace(m.Text), "\n")
	if s := capture.Sentences(first); len(s) > 0 {
		first = s[0].Text
	}
	if f.proposal.Text == "" || !agrees().MatchString(strings.ReplaceAll(first, "’", "'")) {
		return Finding{}, false
	}
	return Finding{Kind: Decision, Content: plain(f.proposal.Text), Sentence: first, Line: m.Line, Proposal: f.proposal.Text,
		ProposedAt: f.proposal.Line, Rule: "accepted proposal", Confidence: .78}, true
}
