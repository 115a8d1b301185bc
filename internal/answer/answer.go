// Package answer answers a question from the records of a project in one call: a text with the relevant records and an
// overview of the project, inside a token budget.
package answer

import (
	"context"
	"slices"
	"strings"
	"sync"

	"sdd/internal/anchor"
	"sdd/internal/answer/embed"
	"sdd/internal/decision"
	"sdd/internal/fact"
	"sdd/internal/fault"
	"sdd/internal/index"
	"sdd/internal/learning"
	"sdd/internal/record"
	"sdd/internal/store"
	"sdd/internal/tier"
	"sdd/internal/tokens"
)

// Modes of a call.
const (
	Auto      = "auto"      // discovers the project when its facts are missing or out of date
	Discovery = "discovery" // always discovers the project
	Route     = "route"     // changes no records
	Extract   = "extract"   // first extracts candidates from recent commits
)

// Modes lists them all.
var Modes = []string{Auto, Discovery, Route, Extract}

// Query is the question of one call.
type Query struct {
	Query          string `json:"query"`
	MaxTokens      int    `json:"max_tokens,omitempty"`       // 50 to 100,000; 0 is budgets.context of config.yaml, else 3,000
	Mode           string `json:"mode,omitempty"`             // "" is auto
	IncludeCausal  *bool  `json:"include_causal,omitempty"`   // include chains of decisions; nil is true
	AutoExtractGit bool   `json:"auto_extract_git,omitempty"` // extracts like mode extract, in addition to another mode
	Agent          string `json:"agent,omitempty"`            // include this agent's local learnings
	TaskHint       string `json:"task_hint,omitempty"`        // more words about the task
	Note           string `json:"-"`                          // a line for the head of the answer
	With           string `json:"with,omitempty"`             // names of other repositories, all for each of them; see app.With
	ReadOnly       bool   `json:"-"`                          // write nothing, whatever the mode
	Fresh          bool   `json:"-"`                          // leave out stale facts
	AsOne          bool   `json:"-"`                          // text and structured content share the budget, see Whole

	Texts   []Text `json:"-"` // records that are in no index
	Session string `json:"-"`
}

// Text is a record that is in no index: a private one, or, with Earlier behind its id, another version than that on disk.
type Text struct {
	index.Document
	Tier tier.Tier
	Line string // the statement of a record that has one, such as a fact; "" shows the passages
}

// Earlier is the end of the path of a text that replaces the version of its record on disk.
const Earlier = " (earlier)"

// Result is the answer of Brief.
type Result struct {
	Status               string   `json:"status"`      // success
	Context              string   `json:"-"`           // the text; the other fields describe it
	FactsCount           int      `json:"facts_count"` // in Context
	TokensUsed           int      `json:"tokens_used"` // by Context
	CausalChainsIncluded bool     `json:"causal_chains_included"`
	DiscoveryPerformed   bool     `json:"discovery_performed"`
	Sources              []string `json:"sources"` // ids of the records in Context, the first
	SourcesTotal         int      `json:"sources_total"`
	Positions            []string `json:"positions"` // path:line of its passages, where a record or document has several
	Omitted              []string `json:"omitted"`   // ids of the records that did not fit, the first ones
	OmittedTotal         int      `json:"omitted_total"`
	Suggestions          []string `json:"suggestions"` // what would improve the next answer
	Receipt              Receipt  `json:"receipt"`
	Withheld             int      `json:"withheld,omitempty"` // records that trust.answers of config.yaml keeps out

	Marks map[string]string    `json:"marks,omitempty"` // what happened to the code that records in Sources name, by id
	Tiers map[string]tier.Tier `json:"tiers,omitempty"` // of the records in Sources that are not on the default branch, by id

	Known float64  `json:"-"` // share of the question's words that occur in records, 0 to 1; 0 when no record is about it
	ids   []string // of all records in Context
}

// Whole is a result in one form, for clients that read only the structured content or only the text.
type Whole struct {
	Context string `json:"context"`
	Result
}

// Receipt names the state of the records that the answer used.
type Receipt struct {
	Commit string `json:"commit,omitempty"` // the checked-out commit; empty outside git and before the first
	Dirty  int    `json:"dirty"`            // records with uncommitted changes

	Repositories map[string]string `json:"repositories,omitempty"` // the commits of other repositories with records in the answer, the first
}

// Sources are the uses of the store that supply the answers.
type Sources struct {
	Store     *store.Store
	Index     *index.Index
	Facts     *fact.Facts
	Decisions *decision.Decisions
	Learnings *learning.Learnings
	Commits   Commits                                                                 // nil is none
	Standing  func(ctx context.Context, kinds ...record.Kind) (index.Standing, error) // the effective statuses; nil means those in the files

	Tree       *anchor.Tree                           // the code that records name; nil is none
	Tiers      func(ctx context.Context) <-chan Tiers // sends how far the records have come; nil is unknown
	Embeddings *embed.Embeddings                      // nil is none
	Extras     []Extra                                // that include of config.yaml may name
	Others     func() map[string]string               // the commits of the store's other repositories by name, "" when unreadable; nil is none
}

// Tiers is how far the records have come, and which of them an answer may use.
type Tiers struct {
	tier.Standing
	tier.Policy
	Sign func(ctx context.Context, path string) tier.Tier // Signed or Main, of a merged record; nil if no policy asks

	Instead []Text // the versions that the policy allows of records that it withholds as they are on disk
}

// Commits are the candidates found in commits.
type Commits interface {
	// Waiting returns the facts and decisions that are in force without a record: confident ones found in a commit, and
	// those approved in their file. It writes nothing.
	Waiting(ctx context.Context) ([]Waiting, error)
	// TakeIn reads new commits and stores their candidates outside git.
	TakeIn(ctx context.Context) error
	// Pending returns the number of candidates that need an approval.
	Pending(ctx context.Context) (int, error)
}

// Waiting is a fact or decision in force without a record.
type Waiting struct {
	ID, Content string
	Decision    bool
	Domain      string
	Commit      string // that it was found in
	Tier        tier.Tier
}

// Answers answers the calls of one store. It is safe for concurrent use.
type Answers struct {
	Sources
	usage usage
	pages pages

	mu       sync.Mutex
	overview map[string]bool // sessions that received it
}

// hasOverview reports whether an earlier answer to the session had the overview.
func (b *Answers) hasOverview(session string) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.overview[session]
}

func (b *Answers) noteOverview(session string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if session == "" {
		return
	}
	if b.overview == nil || len(b.overview) >= mostSessions {
		b.overview = map[string]bool{}
	}
	b.overview[session] = true
}

// New returns the answers from those sources. It reads no files.
func New(s Sources) *Answers {
	b := &Answers{Sources: s}
	b.usage.st = s.Store
	return b
}

// Close stops following the index and writes the counts. The caller must close the index after it.
func (b *Answers) Close() {
	b.usage.close()
}

const (
	defaultBudget   = 3000
	minBudget       = 50
	maxBudget       = 100_000
	rankedItems     = 300
	chainDepth      = 3
	mostSuggestions = 4
	listsPart       = 20   // the budget's divisor for ids and positions that share it with the text
	mostSessions    = 1000 // remembered sessions with the overview
)

// Brief returns what answers the question, as far as the budget allows, and then the overview, once in a session. Context
// has at most MaxTokens tokens (o200k_base); from 100 tokens on so has the JSON of the result, with its ids and positions. A
// question that no record answers gets the overview and a line about that. The suggestions report failures of discovery or
// extraction; the answer then uses the existing records.
//
// Faults: Invalid (arguments), Broken (config.yaml), those of reading the index.
func (b *Answers) Brief(ctx context.Context, q Query) (Result, error) {
	budget, err := b.check(&q)
	if err != nil {
		return Result{}, err
	}
	r := Result{Status: "success"}
	problems := b.prepare(ctx, q, &r)
	if err := ctx.Err(); err != nil {
		return Result{}, err
	}
	ctx = b.Index.Call(ctx) // the tiers refresh too
	if err := b.Index.Refresh(ctx); err != nil {
		return Result{}, err
	}
	var tiers Tiers
	var asked <-chan Tiers
	if b.Tiers != nil {
		asked = b.Tiers(ctx) // git takes longer than all other work of an answer
	}
	m, err := b.gather(ctx, q, budget)
	if err != nil {
		return Result{}, err
	}
	if asked != nil {
		tiers = <-asked
	}
	if len(tiers.Instead) > 0 {
		q.Texts = slices.Concat(q.Texts, tiers.Instead)
		if m, err = b.gather(ctx, q, budget); err != nil {
			return Result{}, err
		}
	}
	r.Known = m.known
	r.Receipt = Receipt{Commit: tiers.Commit, Dirty: tiers.Dirty(func(path string) bool { _, ok := record.KindOf(path); return ok })}
	if r.Withheld = m.marks.addTiers(ctx, tiers, slices.Concat(q.Texts, m.waiting), m.stages); r.Withheld > 0 {
		m.lead += withheld(r.Withheld, tiers.Least)
	}
	r.Suggestions = append(problems, b.suggest(ctx, m)...)
	r.Suggestions = append([]string{}, r.Suggestions[:min(len(r.Suggestions), mostSuggestions)]...)
	room, lists := budget, budget
	if q.AsOne { // ids and positions get a small part, the text the rest
		lists = tokens.Count(tokens.JSON((&page{}).result(r, budget))) + budget/listsPart
		room = max(minBudget, budget-lists)
	}
	base := r
	var p *page
	for {
		p = compose(m.lead, m.stages, room, min(m.reserve, room/3))
		if m.marks.explain(ctx, p.taken) {
			continue
		}
		p.marks, p.tiers = m.marks.texts, m.marks.tiers
		base.Receipt.Repositories = b.used(p, budget)
		r = p.result(base, max(tokens.TextOnly, lists))
		if !q.AsOne || room == minBudget || tokens.WithinJSON(Whole{r.Context, r}, budget) {
			break
		}
		room = max(minBudget, room-max(1, tokens.Count(tokens.JSON(Whole{r.Context, r}))-budget)) // JSON escapes cost extra tokens
	}
	if p.has(overview) {
		b.noteOverview(q.Session)
	}
	if !q.ReadOnly && q.Mode != Route {
		b.usage.count(q, r)
	}
	return r, nil
}

func (b *Answers) check(q *Query) (budget int, err error) {
	cfg, err := b.Store.Config()
	if err != nil {
		return 0, err
	}
	if q.Query = strings.TrimSpace(q.Query); q.Query == "" {
		return 0, fault.New(fault.Invalid, "query is required").For("query").With("say in a question or a few words what you want to know")
	}
	if err := record.CheckQuery(q.Query); err != nil {
		return 0, err
	}
	if q.Mode == "" {
		q.Mode = Auto
	}
	if !slices.Contains(Modes, q.Mode) {
		return 0, fault.New(fault.Invalid, "there is no mode %q", q.Mode).For("mode").With("modes: " + strings.Join(Modes, ", "))
	}
	budget = q.MaxTokens
	err = fault.Within("max_tokens", &budget, cfg.Budget("context", defaultBudget), minBudget, maxBudget)
	return budget, err
}

// prepare updates the records as the mode requires, and returns the failures.
func (b *Answers) prepare(ctx context.Context, q Query, r *Result) (problems []string) {
	for name, commit := range b.others() {
		if commit == "" {
			problems = append(problems, "the records of "+name+" are missing: sdd repos sync "+name+" fetches them, or says why not")
		}
	}
	slices.Sort(problems)
	if q.ReadOnly || q.Mode == Route {
		return problems
	}
	ctx = store.ByItself(ctx) // writes here are not the user's saves
	if q.Mode == Auto || q.Mode == Discovery {
		d, err := b.Facts.Discover(ctx, q.Mode == Discovery)
		r.DiscoveryPerformed = d.Performed
		if err != nil {
			problems = append(problems, "discovery failed: "+fault.Of(err).OneLine())
		}
		problems = append(problems, d.Warnings...)
	}
	if (q.Mode == Extract || q.AutoExtractGit) && b.Commits != nil {
		if err := b.Commits.TakeIn(ctx); err != nil {
			problems = append(problems, "extraction from git failed: "+fault.Of(err).OneLine())
		}
	}
	return problems
}
