// Package codesearch finds the code that answers a question and returns just those lines. Where a project has a
// semantic search server, Search asks it first and checks its answer against the files; grep follows when too
// little of it is valid. All steps run in one call.
package codesearch

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"sdd/internal/codesearch/grep"
	"sdd/internal/codesearch/rag"
	"sdd/internal/fault"
)

// Query is a search. Query, Pattern or Snippets must be given, unless there is only Reindex.
type Query struct {
	Query     string   `json:"query,omitempty"`
	Pattern   string   `json:"pattern,omitempty"` // regular expression within lines; with it grep always runs
	Paths     []string `json:"paths,omitempty"`   // files, folders and globs; a leading ! excludes
	Phase     string   `json:"phase,omitempty"`   // a semantic tool that failed is not asked again in this phase
	Snippets  []Given  `json:"snippets,omitempty"`
	Reindex   []string `json:"reindex,omitempty"`    // changed files
	Limit     int      `json:"limit,omitempty"`      // ranges that grep gives, 1 to 50, default 40
	MaxTokens int      `json:"max_tokens,omitempty"` // 50 to 100,000; 0 is budgets.code of config.yaml, else 3,000
	Timeout   string   `json:"-"`                    // such as 20s: instead of search_strategy.timeout for this call
}

// Given is one result of a semantic tool that the caller asked: a place, or in Text the tool's answer.
type Given struct {
	Path      string `json:"path,omitempty"`
	StartLine int    `json:"start_line,omitempty"`
	EndLine   int    `json:"end_line,omitempty"`
	Text      string `json:"text,omitempty"`
}

// UnmarshalJSON ignores the keys that servers add to their results, such as a score.
func (g *Given) UnmarshalJSON(data []byte) error {
	type plain Given
	return json.Unmarshal(data, (*plain)(g))
}

// Result is the answer, cut so that its JSON stays within the budget; Text may have more. Every range of Snippets with a
// path was in its file at the time of the call.
type Result struct {
	Mode          string    `json:"mode"`           // as configured: grep or hybrid
	EffectiveMode string    `json:"effective_mode"` // hybrid when a semantic tool answered
	ConfigSource  string    `json:"config_source"`  // the file that sets the mode, or default
	Steps         []Step    `json:"steps"`          // what ran, in order
	Snippets      []Snippet `json:"snippets"`
	Stale         int       `json:"stale"` // places that the semantic tool named and the files lack
	Risks         []string  `json:"risks"`
	TokensUsed    int       `json:"tokens_used"`          // by the larger form of this answer
	Omitted       int       `json:"omitted"`              // ranges that did not fit
	Reindexing    int       `json:"reindexing,omitempty"` // changed files for which the index is being renewed

	text *Result // the answer that Text renders; nil if that is this Result
}

// Step is one step of the cascade.
type Step struct {
	Name   string `json:"name"` // rag, grep or read
	Reason string `json:"reason"`
	Count  int    `json:"count"` // valid snippets, ranges found, ranges read
}

// Snippet is a range of a file, or in Text alone a semantic tool's answer without a place.
type Snippet struct {
	Path      string `json:"path"`
	StartLine int    `json:"start_line"`
	EndLine   int    `json:"end_line"`
	Text      string `json:"text"`
	Source    string `json:"source"` // rag or grep

	Copies  []Copy   `json:"copies,omitempty"`
	Records []string `json:"records,omitempty"` // the ids of records that concern these lines, the nearest first, at most MostRecords
}

// Copy is a line of a snippet that other files have too, which the answer has once.
type Copy struct {
	Line   int      `json:"line"`
	Places []string `json:"places"` // path:line
}

// About is a record with the lines of a file that it is about.
type About struct {
	Record      string // its id
	First, Last int
}

// MostRecords is the number of records that a snippet names.
const MostRecords = 5

// candidate is a snippet of which the answer shows some lines or all.
type candidate struct {
	Snippet
	about []About   // the nearest first
	sign  int       // the line that names the function, 0 if unknown
	worth []float64 // by line; nil for a snippet that comes before all that have it
	score float64
}

// raised is how much more a place and its lines count if records concern it.
const raised = 1.5

// withRecords names the records that concern the candidates, and raises those that have any.
func (st Strategy) withRecords(ctx context.Context, list []candidate) {
	if st.Records == nil || len(list) == 0 {
		return
	}
	places := make([]Snippet, len(list))
	for i, c := range list {
		places[i] = c.Snippet
	}
	for i, about := range st.Records(ctx, places) {
		c := &list[i]
		if c.about = about; len(about) > 0 {
			c.score *= raised
			for l := range c.worth {
				c.worth[l] *= raised
			}
		}
	}
	slices.SortStableFunc(list, func(a, b candidate) int { return cmp.Compare(b.score, a.score) })
}

// Sources of a snippet, and names of steps.
const (
	sourceRAG  = "rag"
	sourceGrep = "grep"
	stepRead   = "read"

	modeIsGrep = "mode is grep" // the reason of a search without a semantic tool
)

const (
	defaultLimit  = 40 // answers reach their budget earlier
	maxLimit      = 50
	defaultTokens = 3000
	minTokens     = 50
	maxTokens     = 100_000
	maxGiven      = 200
	maxPhase      = 100 // bytes
)

// Search answers q about the files under root. It starts no process except git. Risks has the semantic tool's errors.
func Search(ctx context.Context, root string, q Query, st Strategy) (Result, error) {
	if err := q.check(); err != nil {
		return Result{}, err
	}
	if q.Timeout != "" {
		st.Timeout, _ = parseTimeout(q.Timeout)
	}
	r := Result{Mode: st.Mode, EffectiveMode: ModeGrep, ConfigSource: st.Source, Steps: []Step{}, Snippets: []Snippet{},
		Risks: append([]string{}, st.Risks...), Reindexing: st.Reindexing}
	if q.Query == "" && q.Pattern == "" && len(q.Snippets) == 0 {
		return r.packed(nil, nil, q.MaxTokens), nil
	}
	t, err := grep.Open(root)
	if err != nil {
		return Result{}, err
	}
	defer t.Close()
	v := validator{tree: t, root: root, query: q.Query + " " + q.Pattern, files: map[string]*grep.File{}}
	if v.holds, err = grep.Filter(root, q.Paths); err != nil {
		return Result{}, err
	}

	var answer rag.Answer
	asked, missing := "", "" // why the semantic tool's answer is used; why grep runs
	switch {
	case len(q.Snippets) > 0:
		var risks []string
		answer, risks = given(q.Snippets)
		r.Risks, asked = append(r.Risks, risks...), "the caller handed in what its semantic tool found"
	case st.Mode == ModeHybrid && st.Ask != nil && q.Query != "":
		asked = "mode is hybrid: " + st.RAG.Tool + " is asked first"
		if answer, err = st.ask(ctx, q); err != nil {
			r.risk("the semantic tool failed, grep is used: %s", fault.Of(err).OneLine())
			answer, asked, missing = rag.Answer{}, "", "the semantic tool failed"
		}
	case st.Mode == ModeHybrid:
		missing = "there is no semantic tool to ask"
	default:
		missing = modeIsGrep
	}
	if asked != "" {
		limited, stop := st.limit(ctx)
		v.take(limited, answer)
		stop()
		r.EffectiveMode = ModeHybrid
		r.Steps = append(r.Steps, Step{sourceRAG, asked, len(v.valid)})
	}
	if ctx.Err() != nil {
		return Result{}, ctx.Err()
	}
	r.Stale = v.stale
	if v.unchecked > 0 {
		r.risk("%d places were not compared with the files within %s and are left out; hand in fewer or shorter texts",
			v.unchecked, st.Timeout)
	}

	switch {
	case missing != "":
	case q.Pattern != "":
		missing = "a pattern is given"
	case len(v.valid) < st.MinSnippets:
		missing = fmt.Sprintf("%d of at least %d snippets are valid", len(v.valid), st.MinSnippets)
	}
	var hits grep.Found
	if missing != "" && (q.Query != "" || q.Pattern != "") {
		limited, stop := st.limit(ctx)
		hits, err = t.Search(limited, grep.Query{Query: q.Query, Pattern: q.Pattern, Paths: q.Paths, Limit: q.Limit})
		stop()
		if err != nil && len(v.valid) > 0 && fault.Is(err, fault.Invalid) {
			r.risk("grep cannot search for this query: %v", fault.Of(err))
		} else if err != nil {
			return Result{}, err
		} else {
			r.grepped(hits, missing, st.Timeout)
			r.unknown(root, q.Paths)
		}
	}
	found := join(v.valid, hits.Hits)
	if !hits.Named {
		st.byMeaning(q.Query, found)
	}
	found = append(found, join(nil, hits.Rest)...)
	st.withRecords(ctx, found)
	return r.packed(found, answer.Loose, q.MaxTokens), nil
}

// grepped adds grep's step, and what it could not do.
func (r *Result) grepped(found grep.Found, why string, timeout time.Duration) {
	if len(found.Unread) > 0 {
		r.Risks = slices.Insert(r.Risks, 0, fmt.Sprintf("the search ended at its limit of %s; not searched to the end: %s; "+
			"name paths, simplify the pattern, or raise search_strategy.timeout", timeout, some(found.Unread)))
	}
	if len(found.Long) > 0 {
		r.risk("long lines were searched in parts: matches of more than %d bytes are missing in %s", grep.LongestMatch, some(found.Long))
	}
	if found.Literal {
		r.risk("the pattern is no regular expression and was searched for as it stands")
	}
	r.Steps = append(r.Steps, Step{sourceGrep, why, len(found.Hits)})
}

// unknown names the paths that lead nowhere.
func (r *Result) unknown(root string, paths []string) {
	for _, p := range paths {
		if strings.ContainsAny(p, "*?[!") || filepath.IsAbs(p) {
			continue
		}
		if _, err := os.Lstat(filepath.Join(root, p)); errors.Is(err, fs.ErrNotExist) {
			r.risk("there is no file or folder %s", p)
		}
	}
}

func (r *Result) risk(format string, args ...any) {
	r.Risks = append(r.Risks, fmt.Sprintf(format, args...))
}

func some(names []string) string {
	const most = 3
	if len(names) <= most {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), len(names)-most)
}

// check sets defaults and refuses invalid queries.
func (q *Query) check() error {
	if q.Query == "" && q.Pattern == "" && len(q.Snippets) == 0 && len(q.Reindex) == 0 {
		return fault.New(fault.Invalid, "query is required").For("query").With("say what the code is about, or give a pattern")
	}
	if len(q.Snippets) > maxGiven {
		return fault.New(fault.Invalid, "%d snippets are given, at most %d are taken", len(q.Snippets), maxGiven).
			For("snippets").With("hand in the best ones")
	}
	if len(q.Phase) > maxPhase {
		return fault.New(fault.Invalid, "phase has %d bytes, at most %d are allowed", len(q.Phase), maxPhase).
			For("phase").With("a phase is a short name, such as explore, apply or verify")
	}
	if q.Timeout != "" {
		if _, err := parseTimeout(q.Timeout); err != nil {
			return fault.New(fault.Invalid, "%v", err).For("timeout").
				With(fmt.Sprintf("omit it to use search_strategy.timeout of config.yaml, else %s", defaultTimeout))
		}
	}
	if err := fault.Within("limit", &q.Limit, defaultLimit, 1, maxLimit); err != nil {
		return err
	}
	return fault.Within("max_tokens", &q.MaxTokens, defaultTokens, minTokens, maxTokens)
}

// limit returns ctx for one step of the cascade.
func (st Strategy) limit(ctx context.Context) (context.Context, context.CancelFunc) {
	if st.Timeout <= 0 {
		return ctx, func() {}
	}
	return context.WithTimeout(ctx, st.Timeout)
}

// ask asks the semantic tool within the strategy's time.
func (st Strategy) ask(ctx context.Context, q Query) (rag.Answer, error) {
	limited, stop := context.WithTimeout(ctx, st.Timeout)
	defer stop()
	answer, err := st.Ask(limited, q.Query, q.Limit)
	if err != nil && ctx.Err() == nil && errors.Is(err, context.DeadlineExceeded) {
		return answer, fault.New(fault.Unavailable, "no answer within %s", st.Timeout.Round(time.Millisecond)).
			With("raise search_strategy.timeout, or look after the server")
	}
	return answer, err
}

// join appends grep's hits to the valid snippets, except hits that overlap a snippet.
func join(valid []Snippet, hits []grep.Hit) []candidate {
	var out []candidate
	for _, s := range valid {
		out = append(out, candidate{Snippet: s, score: math.Inf(1)})
	}
	for _, h := range hits {
		s := Snippet{Path: h.Path, StartLine: h.Start, EndLine: h.End, Text: h.Text, Source: sourceGrep}
		if !slices.ContainsFunc(valid, s.meets) {
			out = append(out, candidate{Snippet: s, sign: h.Sign, worth: h.Worth, score: h.Score})
		}
	}
	return out
}

func (s Snippet) meets(t Snippet) bool {
	return s.Path == t.Path && s.StartLine <= t.EndLine && t.StartLine <= s.EndLine
}

const (
	fuseRank    = 60   // reciprocal rank fusion: the larger, the less a place counts
	meaningText = 4000 // bytes of a function that the model reads
)

// byMeaning fuses the order by words with the model's by reciprocal rank. Scores change hands, so that they keep their scale.
func (st Strategy) byMeaning(query string, list []candidate) {
	list = list[slices.IndexFunc(append(list, candidate{}), func(c candidate) bool { return !math.IsInf(c.score, 1) }):]
	if st.Model == nil || query == "" || len(list) < 2 {
		return
	}
	question := st.Model.Vector(query)
	near, places, scores, fused := make([]float64, len(list)), make([]int, len(list)), make([]float64, len(list)), make([]float64, len(list))
	for i, c := range list {
		places[i], scores[i] = i, c.score
		for k, x := range st.Model.Vector(c.Path + "\n" + c.Text[:min(len(c.Text), meaningText)]) {
			if question != nil {
				near[i] += float64(x) * float64(question[k])
			}
		}
	}
	slices.SortStableFunc(places, func(a, b int) int { return cmp.Compare(near[b], near[a]) })
	for place, i := range places {
		words := 1 / float64(fuseRank+i)
		fused[i] = words + 1/float64(fuseRank+place)
		for l := range list[i].worth {
			list[i].worth[l] *= fused[i] / (2 * words)
		}
		list[i].score = fused[i]
	}
	slices.SortStableFunc(list, func(a, b candidate) int { return cmp.Compare(b.score, a.score) })
	for i := range list {
		list[i].score = scores[i]
	}
}
