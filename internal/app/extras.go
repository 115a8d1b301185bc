package app

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"sdd/internal/answer"
	"sdd/internal/codesearch"
	"sdd/internal/docs"
	"sdd/internal/fault"
	"sdd/internal/pattern"
)

const (
	codeRanges  = 12 // for a question
	mostNames   = 3  // names of a question to look up
	mostSources = 5  // documentations to search
	leastTokens = 50
)

func (w *App) extras() []answer.Extra {
	return []answer.Extra{{Name: answer.ExtraCode, Find: w.findCode}, {Name: answer.ExtraDocs, Find: w.findDocs}}
}

// findCode finds the ranges of code that match the question.
func (w *App) findCode(ctx context.Context, question string, tokens int) ([]answer.Excerpt, error) {
	r, err := w.Code.Search(ctx, codesearch.Query{Query: question, Limit: codeRanges, MaxTokens: max(leastTokens, tokens)})
	if err != nil {
		return nil, err
	}
	var out []answer.Excerpt
	for _, s := range r.Snippets {
		if s.Path != "" {
			out = append(out, answer.Excerpt{Source: fmt.Sprintf("%s#L%d-L%d", s.Path, s.StartLine, s.EndLine), Text: s.Block()})
		}
	}
	return out, nil
}

// reader reads documentation, and keeps parsed data for later calls.
var reader = sync.OnceValue(func() *docs.Reader { return docs.New(docs.Settings{Cache: docs.CacheDir()}) })

// findDocs looks up the names in the question in the documentation that config.yaml names.
func (w *App) findDocs(ctx context.Context, question string, tokens int) (_ []answer.Excerpt, err error) {
	defer fault.Caught(&err)
	names := namesIn(question)
	if len(names) == 0 {
		return nil, nil
	}
	settings := fault.Must(docs.SettingsOf(fault.Must(w.Store.Config()), w.Store.Dir()))
	sources := slices.Sorted(maps.Keys(settings.Sources))
	r := reader().With(settings)
	var out []answer.Excerpt
	var failed error
	for _, name := range names {
		for _, source := range sources[:min(len(sources), mostSources)] {
			one := docs.Options{MatchMode: docs.Exact, MaxObjects: 1, MaxTokens: max(leastTokens, tokens/len(names))}
			res, err := r.Explore(ctx, source, name, one)
			if err != nil {
				failed = err
				continue
			}
			if len(res.Documents) > 0 {
				d := res.Documents[0]
				out = append(out, answer.Excerpt{Source: res.SourceOf(d), Text: res.Block(d)})
				break
			}
		}
	}
	if len(out) > 0 {
		failed = nil
	}
	return out, failed
}

// named matches names of code: in backticks, with a dot, colon, underscore or capital inside, or before brackets.
var named = pattern.Late("`([^`\\s]+)`|\\b((?:\\pL[\\pL\\pN_]*(?:\\.|::|/))+\\pL[\\pL\\pN_]*)" +
	"|\\b([\\pL\\pN]*_[\\pL\\pN_]+)|\\b(\\pL*\\p{Ll}\\p{Lu}[\\pL\\pN]*)\\b|\\b(\\pL[\\pL\\pN_]*)\\(\\)")

// namesIn returns the names of code in a question, at most mostNames.
func namesIn(question string) (names []string) {
	for _, m := range named().FindAllStringSubmatch(question, -1) {
		name := strings.TrimSuffix(strings.Join(m[1:], ""), "()")
		if name != "" && !slices.Contains(names, name) && len(names) < mostNames {
			names = append(names, name)
		}
	}
	return names
}
