package eval

import (
	"context"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"strings"

	"sdd/internal/answer"
	"sdd/internal/app"
	"sdd/internal/eval/must"
	"sdd/internal/eval/program"
	"sdd/internal/explore"
	"sdd/internal/fact"
	"sdd/internal/index"
	"sdd/internal/lookup"
	"sdd/internal/store"
	"sdd/internal/tokens"
)

// The program saves a dialogue turn by turn, in each of the shapes that a project's records have, and answers every
// question. It has found a turn if the answer contains the turn's text.

// turn is one message of a dialogue.
type turn struct {
	Conv, Session int
	ID, Date      string
	Speaker, Text string
}

// line is a turn in its saved form, on one line.
func (t *turn) line() string { return t.Speaker + ": " + strings.Join(strings.Fields(t.Text), " ") }

// dialogueQuestion is a question and the turns with its answer.
type dialogueQuestion struct {
	Conv     int
	Question string   `json:"q"`
	Evidence []string `json:"ev_fixed"`
}

// shape is a way of saving a dialogue.
type shape struct {
	name string
	save func(ctx context.Context, w *testApp, session []turn)
	ask  func(ctx context.Context, w *testApp, question string, budget int) string
	must [3]int // per cent, by budget
}

// dialogueBudgets are the budgets of the answers.
var dialogueBudgets = [...]int{1000, 2000, 3000}

// heldConversation is the conversation that was not used to make rules.
const heldConversation = 1

var shapes = []shape{
	{"facts with a domain", saveFacts, askContext, [3]int{82, 87, 90}},
	{"a section a turn", saveSections, askContext, [3]int{72, 80, 84}},
	{"items of one list", saveItems, askContext, [3]int{72, 82, 86}},
	{"facts, by sdd_search", saveFacts, askSearch, [3]int{0, 70, 0}},
}

func saveFacts(ctx context.Context, w *testApp, session []turn) {
	for _, t := range session {
		must.Get(w.Facts.Add(ctx, fact.Input{Content: t.line(), Level: 1, Domain: fmt.Sprintf("session-%d", t.Session)}))
	}
}

func saveItems(ctx context.Context, w *testApp, session []turn) {
	var list strings.Builder
	for _, t := range session {
		list.WriteString("- " + t.line() + "\n")
	}
	in := explore.Input{Title: sessionTitle(session), Fields: explore.Fields{Context: list.String()}}
	must.Get(explore.Save(ctx, w.Store, w.Index, in))
}

func saveSections(_ context.Context, w *testApp, session []turn) {
	title := sessionTitle(session)
	text := "---\ntitle: " + title + "\n---\n"
	for _, t := range session {
		_, number, _ := strings.Cut(t.ID, ":")
		text += "\n## Turn " + number + "\n\n" + t.line() + "\n"
	}
	file := filepath.Join(w.Store.Dir(), store.Folder, "explore", fmt.Sprintf("session-%d.md", session[0].Session))
	must.Check(os.MkdirAll(filepath.Dir(file), 0o755))
	must.Check(os.WriteFile(file, []byte(text), 0o644))
}

func sessionTitle(session []turn) string {
	return fmt.Sprintf("Session %d, %s", session[0].Session, strings.ReplaceAll(session[0].Date, ":", "."))
}

func askContext(ctx context.Context, w *testApp, question string, budget int) string {
	return must.Get(w.Answers.Brief(ctx, answer.Query{Query: question, MaxTokens: budget, Session: "one client"})).Context
}

func askSearch(ctx context.Context, w *testApp, question string, budget int) string {
	return must.Get(w.Search(ctx, lookup.Query{Query: question, MaxTokens: budget})).Text()
}

// withApp runs f with the program on a new empty folder.
func withApp(f func(*testApp)) {
	dir := must.Get(os.MkdirTemp("", "sdd-eval-"))
	defer os.RemoveAll(dir)
	program.On(dir, index.Open, func(w *app.App) { f(&testApp{w, dir}) })
}

type testApp struct {
	*app.App
	dir string
}

// measureDialogues asks the questions of each shape at each budget.
func measureDialogues(ctx context.Context, top string) (rows []row) {
	turns := readCorpus[turn](top, "dialogue-turns.jsonl.gz")
	questions := readCorpus[dialogueQuestion](top, "dialogue-questions.jsonl.gz")
	conversations := map[int][]turn{}
	for _, t := range turns {
		conversations[t.Conv] = append(conversations[t.Conv], t)
	}
	for _, s := range shapes {
		first := len(rows)
		for i, budget := range dialogueBudgets {
			figure := fmt.Sprintf("dialogue, %s, within %d tokens: ", s.name, budget)
			rows = append(rows, row{Figure: figure + "evidence", AtLeast: s.must[i]}, row{Figure: figure + "precision"})
		}
		for conv, turns := range conversations {
			withApp(func(w *testApp) {
				for of := range bySession(turns) {
					s.save(ctx, w, of)
				}
				for _, q := range questions {
					if q.Conv != conv || len(q.Evidence) == 0 {
						continue
					}
					for i, budget := range dialogueBudgets {
						recall, precision := judge(s.ask(ctx, w, q.Question, budget), turns, q.Evidence)
						rows[first+2*i].add(conv == heldConversation, recall)
						rows[first+2*i+1].add(conv == heldConversation, precision)
					}
				}
			})
		}
	}
	return rows
}

// bySession returns the turns of a conversation, one session at a time.
func bySession(turns []turn) iter.Seq[[]turn] {
	return func(yield func([]turn) bool) {
		for end := 0; len(turns) > 0; turns = turns[end:] {
			end = 0
			for end < len(turns) && turns[end].Session == turns[0].Session {
				end++
			}
			if !yield(turns[:end]) {
				return
			}
		}
	}
}

// judge returns the share of the evidence that an answer contains, and the share of the answer's tokens that are evidence. It
// ignores evidence outside the dialogue.
func judge(text string, turns []turn, evidence []string) (recall, precision ratio) {
	flat := strings.Join(strings.Fields(text), " ")
	all, right, cost := 0, 0, 0
	for _, t := range turns {
		for _, id := range evidence {
			if t.ID != id {
				continue
			}
			all++
			if line := strings.Join(strings.Fields(t.Text), " "); strings.Contains(flat, line) {
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
