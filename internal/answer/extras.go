package answer

import (
	"bytes"
	"context"
	"path"
	"slices"
	"strings"
	"sync"
	"time"

	"sdd/internal/fault"
	"sdd/internal/index"
	"sdd/internal/lines"
	"sdd/internal/pattern"
	"sdd/internal/record"
)

// Extra is a source of text besides the records, which include of config.yaml names. Its text comes after the records, if
// the budget has room.
type Extra struct {
	Name string // in config.yaml
	// Find returns excerpts about the question, the best first, with approximately that number of
	// tokens in total.
	Find func(ctx context.Context, question string, tokens int) ([]Excerpt, error)
}

// Excerpt is a text that is not a record.
type Excerpt struct {
	Source string // its name among the sources
	Text   string // as data: inside a fence, with its source
}

// Names of extras.
const (
	ExtraCode = "code"
	ExtraDocs = "docs"
)

const (
	leastForExtras = 300 // the smallest budget with extras, in tokens
	extraShare     = 4   // the budget's divisor for each extra
	codeShare      = 2   // the same for code that a question asks for
	mostExtra      = 2000
	extraPatience  = 2 * time.Second
)

// asksForCode reports whether a question asks for a place in the code.
func asksForCode(question string) bool {
	return codeQuestion().MatchString(question) && !textQuestion().MatchString(question)
}

// asksHow finds questions about what the code does by itself, not about how to use it.
var asksHow = pattern.Late(`(?i)\b(how|when) (is|are|was|were|does|did)\b`)

// asksValue finds questions about values that often only code has.
var asksValue = pattern.Late(`(?i)\bdefaults?\b|\bout of the box\b|по умолчанию`)

var textQuestion = pattern.Late(`(?i)\b(described|documented|explained|written down)\b|описан|beschrieben|décrit|descrito`)

var codeQuestion = pattern.Late(`(?i)\b(where|implement(s|ed|ation)?|defined|which (files|functions|classes|` +
	`(file|package|function|class|module) \w+s))\b` +
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
func messages(question string) (rows []string) {
	texts := []string{question}
	if asking().MatchString(question) {
		texts = nil
		for _, m := range quotation().FindAllStringSubmatch(question, 4) {
			texts = append(texts, m[1])
		}
	}
	for _, text := range texts {
		rows = append(rows, lines.Rows(text)...)
	}
	return rows[:min(len(rows), mostRows)]
}

const mostRows = 200

// prints reports whether code has one of the rows beside a quote, and not in a comment.
func prints(code string, rows []string) bool {
	for line := range strings.Lines(code) {
		if strings.ContainsAny(line, "\"'`") && !remark().MatchString(line) && lines.HasRow(line, rows) {
			return true
		}
	}
	return false
}

// remark matches a line that is a comment in some language.
var remark = pattern.Late(`^\s*(//|#|/?\*|--|<!--|;)`)

var identifier = pattern.Late(`\b(\w*[a-z0-9][A-Z]\w*|\w+_\w+)\b`)

// notWord matches numbers and addresses, which say nothing about a subject.
var notWord = pattern.Late(`^(?:0x[0-9a-f]+|\d+|[0-9a-f]{7,})$`)

// kindOfName matches what a question may say about a name and nothing else.
var kindOfName = pattern.Late(`(?i)^(class|function|method|type|struct|interface|option|setting|field|constant|variable|value|defaults?)$`)

// soleNames returns the identifiers of a question that has no other words: their code answers, if no heading of the best passage
// has them.
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

// isProgram reports whether a file's name is not that of a document, a licence or a hidden file that configures nothing.
func isProgram(name string) bool {
	name = strings.ToLower(name)
	hidden := strings.HasPrefix(name, ".") && !slices.Contains(configEnds, path.Ext(name))
	return !hidden && !isLicence(name) && !slices.Contains(pageEnds, path.Ext(name))
}

var configEnds = strings.Fields(".yml .yaml .toml .json")

// included are the extras in config.yaml, and code if it is asked for.
func (b *Answers) included(asked bool) []Extra {
	cfg, err := b.Store.Config()
	if err != nil {
		return nil
	}
	include := cfg.Sections["include"]
	names, isList := include.([]any)
	if !isList {
		names = []any{include}
	}
	return slices.DeleteFunc(slices.Clone(b.Extras), func(x Extra) bool {
		return !slices.Contains(names, any(x.Name)) && (x.Name != ExtraCode || !asked)
	})
}

// extras asks all included extras at the same time, with a short timeout, and returns their excerpts and
// failures. Where code is what answers, it has a larger share.
func (b *Answers) extras(ctx context.Context, question string, asked, answers bool, budget int) (stage, []string) {
	s := stage{}
	list := b.included(asked)
	if len(list) == 0 || budget < leastForExtras {
		return s, nil
	}
	ctx, stop := context.WithTimeout(ctx, extraPatience)
	defer stop()
	found, failed := make([][]Excerpt, len(list)), make([]error, len(list))
	var work sync.WaitGroup
	for n, x := range list {
		share := extraShare
		if answers && x.Name == ExtraCode {
			share = codeShare
		}
		work.Go(func() { found[n], failed[n] = x.Find(ctx, question, min(mostExtra, budget/share)) })
	}
	work.Wait()
	var problems []string
	for n, x := range list {
		if err := failed[n]; err != nil {
			problems = append(problems, x.Name+" was not looked at: "+fault.Of(err).OneLine())
		}
		g := code
		if x.Name == ExtraDocs {
			g = documentation
		}
		for _, e := range found[n] {
			if file, _, _ := strings.Cut(e.Source, "#L"); g == code && !isProgram(path.Base(file)) {
				continue // documents are ranked by their passages
			}
			s.pieces = append(s.pieces, &piece{group: g, id: record.OneLine(e.Source), text: e.Text})
		}
	}
	return s, problems
}
