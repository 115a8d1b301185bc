package eval

import (
	"bufio"
	"cmp"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	brief "sdd/internal/answer"
	"sdd/internal/app"
	"sdd/internal/decision/capture"
	"sdd/internal/explore"
	"sdd/internal/fact"
	"sdd/internal/fact/extract"
	"sdd/internal/git"
	"sdd/internal/index"
	"sdd/internal/learning/classify"
	"sdd/internal/lookup"
	"sdd/internal/store"
	"sdd/internal/tokens"
)

// Texts of others are in shared/corpora, if at all. Authors tune rules on the tuned part only; both parts together must reach the bar.

// relevance has the groups of figures in the order of measurement. Each gives one or more rows.
var relevance = []struct {
	name string
	rows func(ctx context.Context, corpora string) []score
}{
	{"commits", scoreCommits},
	{"decisions", scoreDecisions},
	{"rules", scoreRules},
	{"dialogues", scoreDialogues},
	{"citations", scoreCitations},
}

func measureRelevance(c *call) func() error {
	only := c.flags.String("only", "", "measure this group only: commits, decisions, rules, dialogues or citations")
	return func() error {
		c.noArguments()
		var rows []score
		for _, group := range relevance {
			if *only == "" || group.name == *only {
				rows = append(rows, group.rows(c.ctx, corpora())...)
			}
		}
		if rows == nil {
			return fmt.Errorf("-only: there is no group %q", *only)
		}
		return writeScores(c, rows)
	}
}

func corpora() string {
	for dir := get(os.Getwd()); dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		found := filepath.Join(filepath.Dir(dir), "shared", "corpora")
		if _, err := os.Stat(found); err == nil {
			return found
		}
	}
	return ""
}

// readCorpus reads a gzipped corpus with one JSON value on each line, nothing if it is missing.
func readCorpus[T any](corpora, name string) (out []T) {
	f, err := os.Open(filepath.Join(corpora, name))
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	check(err)
	defer f.Close()
	for d := json.NewDecoder(bufio.NewReader(get(gzip.NewReader(f)))); d.More(); {
		var v T
		check(d.Decode(&v))
		out = append(out, v)
	}
	return out
}

type score struct {
	Figure          string
	Tuned, Held     ratio
	AtLeast, AtMost int // per cent of both parts together
}

// part returns the part that a case belongs to.
func (s *score) part(held bool) *ratio {
	if held {
		return &s.Held
	}
	return &s.Tuned
}

func (s score) measured() bool { return s.Tuned.Of+s.Held.Of > 0 }

func (s score) reached() bool {
	all := s.Tuned.plus(s.Held).percent()
	return all >= float64(s.AtLeast) && (s.AtMost == 0 || all <= float64(s.AtMost))
}

func (s score) cells() []any {
	bar := cmp.Or(cell(s.AtLeast > 0, fmt.Sprintf("≥ %d %%", s.AtLeast)), cell(s.AtMost > 0, fmt.Sprintf("≤ %d %%", s.AtMost)))
	reached := cell(bar != "", map[bool]string{true: "yes", false: "**no**"}[s.reached()])
	if !s.measured() {
		reached = "not measured here"
	}
	part := func(r ratio) string { return cell(r.Of > 0, fmt.Sprintf("%.1f %% (of %d)", r.percent(), r.Of)) }
	return []any{s.Figure, part(s.Tuned), part(s.Held), bar, reached}
}

func writeScores(c *call, scores []score) error {
	var rows [][]any
	var below []string
	for _, s := range scores {
		rows = append(rows, s.cells())
		if s.measured() && !s.reached() {
			below = append(below, s.Figure)
		}
	}
	return errors.Join(table(c.out, "figure|tuned part|held part|must|reached", rows), missed(below))
}

// scoreCommits compares the commits that give facts with those that the maintainers named in their changelog.
func scoreCommits(_ context.Context, corpora string) []score {
	precision := score{Figure: "facts from commits, precision", AtLeast: 65}
	recall := score{Figure: "facts from commits, recall", AtLeast: 85}
	for _, c := range readCorpus[struct {
		SHA, Subject, Body string
		Files              []string
		Useful             bool
	}](corpora, "commits-alertmanager.jsonl.gz") {
		r := git.Revision{ID: c.SHA, Message: c.Subject + "\n\n" + c.Body}
		for _, path := range c.Files {
			r.Files = append(r.Files, git.Change{Status: git.Modified, Path: path})
		}
		gives := len(extract.Told(r)) > 0
		if gives {
			precision.Tuned.add(c.Useful)
		}
		if c.Useful {
			recall.Tuned.add(gives)
		}
	}
	return []score{precision, recall}
}

// scoreDecisions looks for decisions in the sections of decision records, without their headings, and in texts of agents.
func scoreDecisions(_ context.Context, corpora string) []score {
	found := score{Figure: "decisions in prose without headings", AtLeast: 75}
	wrong := score{Figure: "false, on context and options", AtMost: 8}
	for _, a := range readCorpus[adr](corpora, "adrs.jsonl.gz") {
		if d := strings.TrimSpace(a.Decision); d != "" && !strings.Contains(d, "Chosen option") {
			found.Tuned.add(len(capture.Find(d)) > 0)
		}
		for _, t := range []string{a.Context, a.Options} {
			if strings.TrimSpace(t) != "" {
				wrong.Tuned.add(len(capture.Find(t)) > 0)
			}
		}
	}
	messages, sure := score{Figure: "agent messages taken for decisions", AtMost: 5}, score{Figure: "of them sure", AtMost: 2}
	for _, m := range readCorpus[struct{ Text string }](corpora, "agent-messages.jsonl.gz") {
		all := capture.Find(m.Text)
		messages.Tuned.add(len(all) > 0)
		sure.Tuned.add(slices.ContainsFunc(all, func(d capture.Decision) bool { return d.Confidence >= capture.Sure }))
	}
	return []score{found, wrong, messages, sure}
}

// scoreRules compares impact and category with the labels of rules: the best value first, others after `|`.
func scoreRules(_ context.Context, corpora string) []score {
	text, err := os.ReadFile(filepath.Join(corpora, "rules.tsv"))
	if !errors.Is(err, os.ErrNotExist) {
		check(err)
	}
	rows := []score{
		{Figure: "impact, best label", AtLeast: 62}, {Figure: "impact, any accepted label", AtLeast: 88},
		{Figure: "critical that is right", AtLeast: 80},
		{Figure: "category, best label", AtLeast: 70}, {Figure: "category, any accepted label", AtLeast: 82},
	}
	for n, line := range strings.Split(strings.TrimSpace(string(text)), "\n") {
		f := strings.Split(line, "\t")
		if n == 0 || len(f) != 4 {
			continue
		}
		for i, value := range []string{classify.Impact(f[1]).Value, classify.Category(f[1], nil).Value} {
			labels := strings.Split(f[2+i], "|")
			rows[3*i].Tuned.add(labels[0] == value)
			rows[3*i+1].Tuned.add(slices.Contains(labels, value))
			if i == 0 && value == "critical" {
				rows[2].Tuned.add(slices.Contains(labels, value))
			}
		}
	}
	return rows
}

// The program saves a dialogue in each of the shapes that records have. It has found a turn if the answer contains its text.

type turn struct {
	Conv, Session int
	ID, Date      string
	Speaker, Text string
}

// line is a turn in its saved form, on one line.
func (t *turn) line() string { return t.Speaker + ": " + flat(t.Text) }

func flat(s string) string { return strings.Join(strings.Fields(s), " ") }

// shapes are the ways of saving a dialogue.
var shapes = []struct {
	name string
	save func(ctx context.Context, w *testApp, session []turn)
	ask  func(ctx context.Context, w *testApp, question string, budget int) string
	must [3]int // per cent, by budget
}{
	{"facts with a domain", saveFacts, askContext, [3]int{82, 87, 90}},
	{"a section a turn", saveSections, askContext, [3]int{72, 80, 84}},
	{"items of one list", saveItems, askContext, [3]int{72, 82, 86}},
	{"facts, by sdd_search", saveFacts, askSearch, [3]int{0, 70, 0}},
}

const heldConversation = 1 // that was not used to make rules

func saveFacts(ctx context.Context, w *testApp, session []turn) {
	for _, t := range session {
		get(w.Facts.Add(ctx, fact.Input{Content: t.line(), Level: 1, Domain: fmt.Sprintf("session-%d", t.Session)}))
	}
}

func saveItems(ctx context.Context, w *testApp, session []turn) {
	var list strings.Builder
	for _, t := range session {
		list.WriteString("- " + t.line() + "\n")
	}
	get(explore.Save(ctx, w.Store, w.Index, explore.Input{Title: sessionTitle(session), Fields: explore.Fields{Context: list.String()}}))
}

func saveSections(_ context.Context, w *testApp, session []turn) {
	text := "---\ntitle: " + sessionTitle(session) + "\n---\n"
	for _, t := range session {
		_, number, _ := strings.Cut(t.ID, ":")
		text += "\n## Turn " + number + "\n\n" + t.line() + "\n"
	}
	writeFile(filepath.Join(w.dir, store.Folder, "explore", fmt.Sprintf("session-%d.md", session[0].Session)), text)
}

func writeFile(file, text string) {
	check(os.MkdirAll(filepath.Dir(file), 0o755))
	check(os.WriteFile(file, []byte(text), 0o644))
}

func sessionTitle(session []turn) string {
	return fmt.Sprintf("Session %d, %s", session[0].Session, strings.ReplaceAll(session[0].Date, ":", "."))
}

func askContext(ctx context.Context, w *testApp, question string, budget int) string {
	return get(w.Answers.Brief(ctx, brief.Query{Query: question, MaxTokens: budget, Session: "one client"})).Context
}

func askSearch(ctx context.Context, w *testApp, question string, budget int) string {
	return get(w.Search(ctx, lookup.Query{Query: question, MaxTokens: budget})).Text()
}

// withApp runs f with the program on a new empty folder.
func withApp(f func(*testApp)) {
	dir := get(os.MkdirTemp("", "sdd-eval-"))
	defer os.RemoveAll(dir)
	openApp(dir, index.Open, func(w *app.App) { f(&testApp{w, dir}) })
}

type testApp struct {
	*app.App
	dir string
}

// scoreDialogues asks the questions of each shape at each budget.
func scoreDialogues(ctx context.Context, corpora string) (rows []score) {
	questions := readCorpus[struct {
		Conv     int
		Question string   `json:"q"`
		Evidence []string `json:"ev_fixed"` // the turns with the answer
	}](corpora, "dialogue-questions.jsonl.gz")
	conversations := map[int][]turn{}
	for _, t := range readCorpus[turn](corpora, "dialogue-turns.jsonl.gz") {
		conversations[t.Conv] = append(conversations[t.Conv], t)
	}
	for _, s := range shapes {
		first := len(rows)
		budgets := []int{1000, 2000, 3000}
		for i, budget := range budgets {
			figure := fmt.Sprintf("dialogue, %s, within %d tokens: ", s.name, budget)
			rows = append(rows, score{Figure: figure + "evidence", AtLeast: s.must[i]}, score{Figure: figure + "precision"})
		}
		for conv, turns := range conversations {
			withApp(func(w *testApp) {
				for rest := turns; len(rest) > 0; {
					end := slices.IndexFunc(append(rest, turn{Session: -1}), func(t turn) bool { return t.Session != rest[0].Session })
					s.save(ctx, w, rest[:end])
					rest = rest[end:]
				}
				for _, q := range questions {
					if q.Conv != conv || len(q.Evidence) == 0 {
						continue
					}
					for i, budget := range budgets {
						recall, precision := judgeAnswer(s.ask(ctx, w, q.Question, budget), turns, q.Evidence)
						for k, got := range []ratio{recall, precision} {
							of := rows[first+2*i+k].part(conv == heldConversation)
							*of = of.plus(got)
						}
					}
				}
			})
		}
	}
	return rows
}

// judgeAnswer returns the share of the evidence in an answer, and the share of the answer's tokens that are evidence.
func judgeAnswer(text string, turns []turn, evidence []string) (recall, precision ratio) {
	all, right, cost := 0, 0, 0
	for _, t := range turns {
		for _, id := range evidence {
			if t.ID != id {
				continue
			}
			all++
			if line := flat(t.Text); strings.Contains(flat(text), line) {
				right++
				cost += tokens.Count(line)
			}
		}
	}
	if all == 0 {
		return ratio{}, ratio{}
	}
	return ratio{float64(right) / float64(all), 1}, ratio{float64(cost), tokens.Count(text)}
}

type adr struct {
	Repo, Path, Title, Context, Options, Decision, Consequences, Other string
}

func (a *adr) markdown() string {
	text := "# " + a.Title + "\n\n" + a.Other + "\n"
	for _, s := range [][2]string{{"Context", a.Context}, {"Options", a.Options}, {"Decision", a.Decision}, {"Consequences", a.Consequences}} {
		if s[1] != "" {
			text += "\n## " + s[0] + "\n\n" + s[1] + "\n"
		}
	}
	return text
}

// citation is a sentence that cites a decision record, without its name.
type citation struct {
	Repo     string
	Source   string `json:"src"` // the record with the sentence; the store lacks it during the question
	Sentence string `json:"q"`
	Gold     string
}

// heldRepository is the repository of decision records that was not used to tune rules.
const heldRepository = "ministryofjustice/cloud-platform"

// scoreCitations puts the decision records where their projects have them, and uses the sentences that cite one as questions.
func scoreCitations(ctx context.Context, corpora string) []score {
	adrs := readCorpus[adr](corpora, "adrs.jsonl.gz")
	whole := score{Figure: "decision record that a sentence cites, within 2000 tokens", AtLeast: 82}
	first := score{Figure: "the same in the first 400 tokens"}
	repos := map[string][]citation{}
	for _, c := range readCorpus[citation](corpora, "adr-citations.jsonl.gz") {
		repos[c.Repo] = append(repos[c.Repo], c)
	}
	for repo, asked := range repos {
		withApp(func(w *testApp) {
			for _, a := range adrs {
				if a.Repo == repo {
					writeFile(filepath.Join(w.dir, filepath.FromSlash(a.Path)), a.markdown())
				}
			}
			for _, c := range asked {
				source := filepath.Join(w.dir, filepath.FromSlash(c.Source))
				check(os.Rename(source, source+".away"))
				text := askContext(ctx, w, c.Sentence, 2000)
				check(os.Rename(source+".away", source))
				whole.part(repo == heldRepository).add(strings.Contains(text, c.Gold))
				first.part(repo == heldRepository).add(strings.Contains(tokens.Prefix(text, 400), c.Gold))
			}
		})
	}
	return []score{whole, first}
}
