package codeeval

import (
	"cmp"
	"context"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"sdd/internal/codesearch"
	"sdd/internal/tokens"
)

// Part is the result for one part of the questions.
type Part struct {
	Questions int `json:"questions"`

	// Of the usual answer, within 3,000 tokens: how often the file that answers is among its first ten files, the
	// mean of one over its place among them, how often the range itself is there, and the tokens of a question.
	Recall float64 `json:"file_recall"`
	MRR    float64 `json:"mrr"`
	Found  float64 `json:"range_found"`
	Tokens float64 `json:"tokens"`

	// The same of an answer of 40 ranges within 10,000 tokens, and of the naive way: grep every word, read the ten
	// files with the most of them whole.
	WideFound   float64 `json:"wide_range_found"`
	WideTokens  float64 `json:"wide_tokens"`
	NaiveFound  float64 `json:"naive_range_found"`
	NaiveTokens float64 `json:"naive_tokens"`
}

// Report is the result of Measure. The held part was not used to make the ranking.
type Report struct {
	Tuned Part     `json:"tuned"`
	Held  Part     `json:"held"`
	Wrong []string `json:"wrong"` // questions of the tuned part whose range was not found
}

const (
	readFiles = 10     // by the naive way
	wide      = 10_000 // tokens and ranges of the answer that is held against it
	wideLimit = 40
	mostFiles = 10 // that count for the recall of files
)

// Measure asks every question, or only the held ones. moduleDir is a folder in the module whose go.mod has the libraries;
// their sources are taken from the module cache.
func Measure(ctx context.Context, moduleDir string, onlyHeld bool) (Report, error) {
	var r Report
	all, err := questions()
	if err != nil {
		return r, err
	}
	dirs := map[string]string{}
	for name, module := range modules {
		cmd := exec.CommandContext(ctx, "go", "list", "-m", "-f", "{{.Dir}}", module)
		cmd.Dir = moduleDir
		out, err := cmd.Output()
		if err != nil {
			return r, fmt.Errorf("go list -m %s: %w", module, err)
		}
		if dirs[name] = strings.TrimSpace(string(out)); dirs[name] == "" {
			return r, fmt.Errorf("the sources of %s are not in the module cache: go mod download", module)
		}
	}
	corpora := map[string]*corpus{}
	for name, dir := range dirs {
		if corpora[name], err = load(dir); err != nil {
			return r, err
		}
	}
	for _, q := range all {
		if err := ctx.Err(); err != nil {
			return r, err
		}
		if onlyHeld && !q.held {
			continue
		}
		p := &r.Tuned
		if q.held {
			p = &r.Held
		}
		found, err := p.ask(ctx, q, dirs[q.repo], corpora[q.repo])
		if err != nil {
			return r, err
		}
		if !found && !q.held {
			first, _, _ := strings.Cut(q.text, "\n")
			r.Wrong = append(r.Wrong, q.repo+": "+first)
		}
	}
	r.Tuned.mean()
	r.Held.mean()
	return r, nil
}

// mean makes means of sums.
func (p *Part) mean() {
	for _, v := range []*float64{&p.Recall, &p.MRR, &p.Found, &p.Tokens, &p.WideFound, &p.WideTokens, &p.NaiveFound, &p.NaiveTokens} {
		*v /= float64(max(1, p.Questions))
	}
}

func (p *Part) ask(ctx context.Context, q question, dir string, c *corpus) (found bool, err error) {
	var want []span
	for _, place := range q.wants {
		s, err := answer(dir, place)
		if err != nil {
			return false, err
		}
		want = append(want, s)
	}
	p.Questions++
	place, found, cost, err := look(ctx, dir, codesearch.Query{Query: q.text}, want)
	if err != nil {
		return false, err
	}
	p.Tokens += cost
	if place > 0 && place <= mostFiles {
		p.Recall++
		p.MRR += 1 / float64(place)
	}
	if found {
		p.Found++
	}
	_, found, cost, err = look(ctx, dir, codesearch.Query{Query: q.text, MaxTokens: wide, Limit: wideLimit}, want)
	if err != nil {
		return false, err
	}
	p.WideTokens += cost
	if found {
		p.WideFound++
	}
	naive, hit, err := c.naive(q.text, want)
	if err != nil {
		return false, err
	}
	p.NaiveTokens += float64(naive)
	if hit {
		p.NaiveFound++
	}
	return found, nil
}

// look asks and returns the place of a file that answers among the files of the answer, 0 for none, whether a
// range that answers is in it, and what it cost.
func look(ctx context.Context, dir string, q codesearch.Query, want []span) (place int, found bool, cost float64, err error) {
	got, err := codesearch.Search(ctx, dir, q, codesearch.Strategy{Mode: codesearch.ModeGrep})
	if err != nil {
		return 0, false, 0, err
	}
	var files []string
	for _, s := range got.Snippets {
		if !slices.Contains(files, s.Path) {
			files = append(files, s.Path)
		}
		for _, w := range want {
			if w.file == s.Path {
				if place == 0 {
					place = len(files)
				}
				found = found || s.StartLine <= w.end && w.start <= s.EndLine
			}
		}
	}
	return place, found, float64(got.TokensUsed), nil
}

// corpus is a library as the naive way sees it.
type corpus struct {
	dir   string
	files []string
	text  map[string]string // in lower case
	cost  map[string]int    // of those that were read
}

// load reads the text files of a library.
func load(dir string) (*corpus, error) {
	c := &corpus{dir: dir, text: map[string]string{}, cost: map[string]int{}}
	err := filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		switch filepath.Ext(p) {
		case ".go", ".md", ".yml", ".yaml", ".json", ".txt":
		default:
			return nil
		}
		src, err := os.ReadFile(p)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(dir, p)
		if err != nil {
			return err
		}
		rel = filepath.ToSlash(rel)
		c.files = append(c.files, rel)
		c.text[rel] = strings.ToLower(string(src))
		return nil
	})
	return c, err
}

// naive greps every word of the question, reads the files that hold the most of them, and returns what that
// costs and whether the answer is in what was read.
func (c *corpus) naive(question string, want []span) (cost int, found bool, err error) {
	words := strings.FieldsFunc(strings.ToLower(question), func(r rune) bool {
		return r != '_' && (r < '0' || r > '9') && (r < 'a' || r > 'z')
	})
	type score struct {
		file         string
		words, total int
	}
	var scores []score
	for _, f := range c.files {
		s := score{file: f}
		for _, w := range words {
			if len(w) < 4 {
				continue
			}
			if n := strings.Count(c.text[f], w); n > 0 {
				s.words++
				s.total += n
			}
		}
		if s.words > 0 {
			scores = append(scores, s)
		}
	}
	slices.SortStableFunc(scores, func(a, b score) int { return cmp.Or(b.words-a.words, b.total-a.total) })
	for _, s := range scores[:min(len(scores), readFiles)] {
		n, ok := c.cost[s.file]
		if !ok {
			src, err := os.ReadFile(filepath.Join(c.dir, filepath.FromSlash(s.file)))
			if err != nil {
				return 0, false, err
			}
			n = tokens.Count(string(src))
			c.cost[s.file] = n
		}
		cost += n
		found = found || slices.ContainsFunc(want, func(w span) bool { return w.file == s.file })
	}
	return cost, found, nil
}
