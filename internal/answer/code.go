package answer

import (
	"bytes"
	"context"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"sdd/internal/index"
	"sdd/internal/lines"
	"sdd/internal/pattern"
)

// coded is what the code search and the other extras add to an answer.
type coded struct {
	extras   stage
	answers  bool // code answers the question
	behind   bool // a record answers it too
	recorded bool // a record was found
	problems []string
}

// code asks the extras, keeps the code that answers, and leaves in ranked the words that nothing has. asked: facts of discovery answer.
func (g *gathering) code(ctx context.Context, question, text string, ranked *index.Ranked, documents []index.Document,
	asked bool) (c coded) {
	c.answers = asksForCode(question)
	c.recorded = slices.ContainsFunc(ranked.Items, func(i index.RankedItem) bool { return i.ID != "" })
	placed, names, rows := codePlace().MatchString(question), unexplained(question, documents, ranked.Items), messages(question)
	sole := soleNames(question, slices.Concat(ranked.Known, ranked.Unknown), ranked.Items)
	only := slices.Concat(names, sole, ranked.Unknown, ranked.Reworded) // what only code can have, and what it defines
	how := len(ranked.Known)+len(ranked.Unknown) > 0 && (!c.recorded && asksHow().MatchString(question) || asksValue().MatchString(question))
	wanted := c.answers || how || len(only)+len(rows) > 0
	c.extras, c.problems = g.b.extras(ctx, text, wanted, len(rows) > 0 || c.answers && !c.recorded, g.budget)
	keep := func(is func(p *piece) bool) {
		c.extras.pieces = slices.DeleteFunc(c.extras.pieces, func(p *piece) bool { return p.group == code && !is(p) })
	}
	if len(rows) > 0 && !c.answers {
		printing := func(p *piece) bool { return p.group == code && prints(p.text, rows) }
		if c.answers = slices.ContainsFunc(c.extras.pieces, printing); c.answers || !how && len(only) == 0 {
			keep(printing)
		}
	}
	inCode := func(name string) bool {
		return slices.ContainsFunc(c.extras.pieces, func(p *piece) bool { return p.has(name) })
	}
	if missing := slices.DeleteFunc(slices.Clone(names), inCode); len(missing) > 0 {
		ranked.Weak, ranked.Unknown = true, missing
	} else if len(ranked.Reworded) > 0 && len(ranked.Reworded) == len(ranked.Known) && !c.recorded {
		ranked.Weak, ranked.Unknown = true, slices.Concat(ranked.Unknown, ranked.Reworded)
	}
	named := slices.ContainsFunc(slices.Concat(names, sole), inCode)
	if !c.answers && len(only) > 0 && (named || !asked) {
		// The code that has such a name answers, and one with such a word if no record does.
		has := func(p *piece) bool {
			words := slices.DeleteFunc(slices.Clone(only), func(w string) bool { return !p.has(w) })
			return slices.ContainsFunc(slices.Concat(names, sole), p.has) || len(words) > 1 || slices.ContainsFunc(words, withoutRemarks(p).has)
		}
		// A reason is seldom in code: a word of the question there may be about anything.
		c.answers = named || !asksWhy().MatchString(question) && (ranked.Weak || !c.recorded) && slices.ContainsFunc(c.extras.pieces, has)
		keep(func(p *piece) bool { return how || has(p) })
	}
	ranked.Unknown = slices.DeleteFunc(ranked.Unknown, func(w string) bool { return inCode(w) || notWord().MatchString(w) })
	if placed { // its code is there, whatever else a trace has
		ranked.Weak, ranked.Unknown = false, nil
	}
	if !ranked.Weak { // a name that nothing has is worth a word, a verb is not
		file := func(w string) bool { return strings.Contains(w, ".") }
		reworded := slices.DeleteFunc(slices.Clone(ranked.Reworded), func(w string) bool {
			part := func(d index.Document) bool { return bytes.Contains(bytes.ToLower(d.Source), []byte(w)) } // PostgreSQL has Postgres
			return !file(w) && !(english().MatchString(question) && isName(question, w)) || inCode(w) || slices.ContainsFunc(documents, part)
		})
		ranked.Unknown = slices.DeleteFunc(slices.Concat(ranked.Unknown, reworded), func(w string) bool {
			return !isName(question, w) && !file(w)
		})
		ranked.Weak = len(ranked.Unknown) > 0
	}
	c.behind = c.answers && !ranked.Weak && !placed && len(rows) == 0 && len(ranked.Items) > 0 && ranked.Items[0].ID != ""
	return c
}

// stages puts the parts of an answer in order: code that answers comes first, or after a record that answers too.
func (c *coded) stages(found, learnings stage, budget int) []stage {
	if !c.answers {
		return []stage{found, learnings, c.extras}
	}
	if c.extras.most = budget / codeShare; (c.behind || !c.recorded) && len(c.extras.pieces) > 0 {
		found.most = budget / extraShare
	}
	if c.behind {
		return []stage{found, c.extras, learnings}
	}
	for _, p := range c.extras.pieces {
		if p.group == code {
			p.group = codeFirst
		}
	}
	return []stage{c.extras, found, learnings}
}

// asksForCode reports whether a question asks for a place in the code.
func asksForCode(question string) bool {
	return codeQuestion().MatchString(question) && !textQuestion().MatchString(question)
}

// asksHow finds questions about what the code does by itself, not about how to use it.
var asksHow = pattern.Late(`(?i)\b(how|when) (is|are|was|were|does|did)\b`)

// asksWhy finds questions about reasons.
var asksWhy = pattern.Late(`(?i)^\P{L}*(why|почему|warum|wieso|pourquoi|por qu[eé])(\P{L}|$)`)

// asksValue finds questions about values that often only code has.
var asksValue = pattern.Late(`(?i)\bdefaults?\b|\bout of the box\b|по умолчанию`)

var textQuestion = pattern.Late(`(?i)\bwhere (did|(can|do|should|could|may|must) (i|you|users?|one) ` +
	`(see|set|configure|get|report|ask|put|download|read|install|note|write|record|send|submit))\b` +
	`|\bwhat (should|must|can|do|does) (an?|the|my|new) [\w ]*implement\b\W*$|\b(described|documented|explained|written down)\b` +
	`|описан|beschrieben|décrit|descrito`)

var codeQuestion = pattern.Late(`(?i)\b(where|implement(s|ed|ation)?|defined|which (files|functions|classes|` +
	`(file|package|function|class|module|method|code|type|struct) \w+s))\b` +
	`|` + placed + `|где |реализован|определен|определён|wo ist|dónde|où |onde `)

// placed matches a line of code, as errors and stack traces name it.
const placed = `[^\s("]*[\w-]` +
	`\.(?:go|rs|py|rb|js|ts|[jt]sx|java|kt|cs|cc?|cpp|h|hpp|php|swift|scala|exs?|vue|sh|sql):\d+\b|File "[^"\n]+", line \d+`

// codePlace finds the lines of code in a question: their paths say nothing about its subject.
var codePlace = pattern.Late(placed)

// asking finds questions; other texts may be messages of the program.
var asking = pattern.Late(`(?i)\A\W*(what|how|why|which|who|when|where|do|does|did|is|are|was|were|can|could|should|will|` +
	`has|have|may|must|i (want|need)|please|explain|describe|show|list|tell|give|find|add|write)\b|\?\s*\z`)

// quotation matches what a question quotes.
var quotation = pattern.Late("[\"`“]([^\"`”\n]+)[\"`”]")

// messages returns the rows of words in a question that only code may have as they are: of what it quotes, or of all if it asks nothing.
func messages(question string) []string {
	texts := []string{question}
	if asking().MatchString(question) {
		texts = nil
		for _, m := range quotation().FindAllStringSubmatch(question, 4) {
			texts = append(texts, m[1])
		}
	}
	return lines.Rows(texts...)
}

// prints reports whether code prints one of the rows, and not in a comment.
func prints(code string, rows []string) bool {
	for line := range strings.Lines(code) {
		if lines.Prints(line, rows) && !remark().MatchString(line) {
			return true
		}
	}
	return false
}

// withoutRemarks is a piece without the lines that are comments: a single word in one may be about anything.
func withoutRemarks(p *piece) *piece {
	var b strings.Builder
	for line := range strings.Lines(p.text) {
		if !remark().MatchString(line) {
			b.WriteString(line)
		}
	}
	return &piece{text: b.String()}
}

// remark matches a line that is a comment in some language.
var remark = pattern.Late(`^\s*(//|#|/?\*|--|<!--|;)`)

var identifier = pattern.Late(`\b(\w*[a-z0-9][A-Z]\w*|\w+_\w+)\b`)

// notWord matches numbers and addresses, which say nothing about a subject.
var notWord = pattern.Late(`^(?:0x[0-9a-f]+|\d+|[0-9a-f]{7,})$`)

// english matches a question in English, in which only names have capitals.
var english = pattern.Late(`(?i)\b(the|is|are|do|does|did|how|what|which|where|why|who|of|with|it)\b`)

// kindOfName matches what a question may say about a name and nothing else.
var kindOfName = pattern.Late(`(?i)^(class|function|method|type|struct|interface|option|setting|field|constant|variable|value|defaults?)$`)

// elsewhere takes from unknown the words that lists of changes have, or code that the answer does not show.
func (g *gathering) elsewhere(ctx context.Context, pages []index.Document, unknown *[]string) (hidden []string) {
	code, _ := g.b.extras(ctx, strings.Join(*unknown, " "), true, false, max(leastForExtras, g.budget))
	for _, d := range pages {
		if d.Changes {
			code.pieces = append(code.pieces, &piece{text: string(d.Source)})
		}
	}
	*unknown = slices.DeleteFunc(*unknown, func(w string) bool {
		has := slices.ContainsFunc(code.pieces, func(p *piece) bool { return p.has(w) })
		if has {
			hidden = append(hidden, w)
		}
		return has
	})
	return hidden
}

// soleNames returns the identifiers of a question without other words, unless a heading of the best passage has them: their code answers.
func soleNames(question string, words []string, items []index.RankedItem) []string {
	names := identifier().FindAllString(question, -1)
	rest := slices.DeleteFunc(slices.Clone(words), func(w string) bool {
		return kindOfName().MatchString(w) || slices.ContainsFunc(names, func(n string) bool { return strings.EqualFold(n, w) })
	})
	if len(rest) > 0 || len(items) > 0 && slices.ContainsFunc(names, func(n string) bool {
		return strings.Contains(items[0].Section+" "+items[0].Heading, n)
	}) {
		return nil
	}
	return names
}

// unexplained returns the identifiers in a question that no document and no record found has: only code can have them.
func unexplained(question string, documents []index.Document, items []index.RankedItem) []string {
	return slices.DeleteFunc(identifier().FindAllString(question, -1), func(name string) bool {
		return slices.ContainsFunc(documents, func(d index.Document) bool { return bytes.Contains(d.Source, []byte(name)) }) ||
			slices.ContainsFunc(items, func(i index.RankedItem) bool { return bytes.Contains(i.Source, []byte(name)) })
	})
}

// isName reports whether a question has a word in lower case as a name: with a capital, but not at the start of a sentence.
func isName(question, word string) bool {
	low := strings.ToLower(question)
	for at, end := 0, 0; len(low) == len(question); at = end {
		i := strings.Index(low[at:], word)
		if i < 0 {
			break
		}
		at, end = at+i, at+i+len(word)
		first, _ := utf8.DecodeRuneInString(question[at:])
		before := strings.TrimRight(question[:at], " \t\"'`([")
		after, _ := utf8.DecodeRuneInString(question[end:])
		if unicode.IsUpper(first) && !unicode.IsLetter(after) && !unicode.IsDigit(after) && before != "" &&
			!strings.ContainsAny(before[len(before)-1:], ".?!:;\n") && len(before) < at {
			return true
		}
	}
	return false
}
