package answer

import (
	"context"
	"path"
	"slices"
	"strings"
	"sync"
	"time"

	"sdd/internal/fault"
	"sdd/internal/record"
)

// Extra is a source of text that include of config.yaml names. Its text comes after the records, if the budget has room.
type Extra struct {
	Name string // in config.yaml
	// Find returns excerpts about the question, the best first, with about that number of tokens in total.
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

// extras asks all included extras at once, with a short timeout, and returns their excerpts and failures.
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
