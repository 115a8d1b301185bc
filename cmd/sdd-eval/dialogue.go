package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"sdd/internal/answer"
	"sdd/internal/app"
	"sdd/internal/explore"
	"sdd/internal/fact"
	"sdd/internal/index"
	"sdd/internal/lookup"
	"sdd/internal/store"
	"sdd/internal/tokens"
)

// A dialogue is saved turn by turn, in each of the shapes that a project's records have, and every question is asked of the
// program. A turn that holds the answer is found where its text stands in what the agent reads.

// turn is what somebody said in a dialogue.
type turn struct {
	Conv    int    `json:"conv"`
	ID      string `json:"id"`
	Session int    `json:"session"`
	Date    string `json:"date"`
	Speaker string `json:"speaker"`
	Text    string `json:"text"`
	Caption string `json:"caption"`
}

// told is a turn as it is saved, on one line.
func (t *turn) told() string {
	return t.Speaker + ": " + strings.Join(strings.Fields(t.Text), " ")
}

// dialogueQuestion is a question and the turns that hold its answer.
type dialogueQuestion struct {
	Conv     int      `json:"conv"`
	ID       string   `json:"id"`
	Question string   `json:"q"`
	Kind     int      `json:"cat"`
	Evidence []string `json:"ev_fixed"`
}

// shape is a way of saving a dialogue.
type shape struct {
	name string
	save func(ctx context.Context, w *app.App, session []turn) error
	ask  func(ctx context.Context, w *app.App, question string, budget int) (string, error)
	must [3]int // per cent, by budget
}

// dialogueBudgets are the budgets of the answers.
var dialogueBudgets = [...]int{1000, 2000, 3000}

// heldConversation is the conversation that no rule was made on.
const heldConversation = 1

var shapes = []shape{
	{"facts with a domain", saveFacts, askContext, [3]int{82, 87, 90}},
	{"a section a turn", saveSections, askContext, [3]int{72, 80, 84}},
	{"items of one list", saveItems, askContext, [3]int{72, 82, 86}},
	{"facts, by sdd_search", saveFacts, askSearch, [3]int{0, 70, 0}},
}

func saveFacts(ctx context.Context, w *app.App, session []turn) error {
	for _, t := range session {
		in := fact.Input{Content: t.told(), Level: 1, Domain: fmt.Sprintf("session-%d", t.Session)}
		if _, err := w.Facts.Add(ctx, in); err != nil {
			return err
		}
	}
	return nil
}

func saveItems(ctx context.Context, w *app.App, session []turn) error {
	var list strings.Builder
	for _, t := range session {
		list.WriteString("- " + t.told() + "\n")
	}
	_, err := explore.Save(ctx, w.Store, w.Index, explore.Input{Title: sessionTitle(session), Fields: explore.Fields{Context: list.String()}})
	return err
}

func saveSections(ctx context.Context, w *app.App, session []turn) error {
	title := sessionTitle(session)
	text := "---\ntitle: " + title + "\n---\n"
	for _, t := range session {
		_, number, _ := strings.Cut(t.ID, ":")
		text += "\n## Turn " + number + "\n\n" + t.told() + "\n"
	}
	file := filepath.Join(w.Store.Dir(), store.Folder, "explore", fmt.Sprintf("session-%d.md", session[0].Session))
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return err
	}
	return os.WriteFile(file, []byte(text), 0o644)
}

func sessionTitle(session []turn) string {
	return fmt.Sprintf("Session %d, %s", session[0].Session, strings.ReplaceAll(session[0].Date, ":", "."))
}

func askContext(ctx context.Context, w *app.App, question string, budget int) (string, error) {
	r, err := w.Answers.Brief(ctx, answer.Query{Query: question, MaxTokens: budget, Session: "one client"})
	return r.Context, err
}

func askSearch(ctx context.Context, w *app.App, question string, budget int) (string, error) {
	f, err := w.Search(ctx, lookup.Query{Query: question, MaxTokens: budget})
	return f.Text(), err
}

// found is how much of the evidence stood in answers, and how much of the answers was evidence.
type found struct {
	Questions int
	Recall    float64 // sum over the questions
	Evidence  int     // tokens of evidence that stood in answers
	Tokens    int     // of the answers
}

func (f found) recall() ratio { return mean(f.Recall/float64(max(1, f.Questions)), f.Questions) }
func (f found) precision() ratio {
	return mean(float64(f.Evidence)/float64(max(1, f.Tokens)), f.Questions)
}

// askDialogues measures one shape, by budget and part.
func askDialogues(ctx context.Context, s *shape, turns []turn, questions []dialogueQuestion) (out [len(dialogueBudgets)]map[string]*found, err error) {
	for i := range out {
		out[i] = map[string]*found{tuned: {}, heldOut: {}}
	}
	for _, conv := range conversations(turns) {
		w, closeAll, err := openDialogue(ctx, s, conv)
		if err != nil {
			return out, err
		}
		byID := map[string]turn{}
		for _, t := range conv {
			byID[t.ID] = t
		}
		for n := range questions {
			q := &questions[n]
			if q.Conv != conv[0].Conv || len(q.Evidence) == 0 {
				continue
			}
			for i, budget := range dialogueBudgets {
				if s.must[i] == 0 {
					continue
				}
				answer, err := s.ask(ctx, w, q.Question, budget)
				if err != nil {
					closeAll()
					return out, err
				}
				part := out[i][tuned]
				if q.Conv == heldConversation {
					part = out[i][heldOut]
				}
				said := strings.Join(strings.Fields(answer), " ")
				right, all := 0, 0
				for _, id := range q.Evidence {
					t, ok := byID[id]
					if !ok {
						continue
					}
					all++
					if text := strings.Join(strings.Fields(t.Text), " "); strings.Contains(said, text) {
						right++
						part.Evidence += tokens.Count(text)
					}
				}
				if all == 0 {
					continue
				}
				part.Questions++
				part.Recall += float64(right) / float64(all)
				part.Tokens += tokens.Count(answer)
			}
		}
		closeAll()
	}
	return out, nil
}

// conversations returns the turns of each conversation.
func conversations(turns []turn) (list [][]turn) {
	for _, t := range turns {
		at := slices.IndexFunc(list, func(c []turn) bool { return c[0].Conv == t.Conv })
		if at < 0 {
			at, list = len(list), append(list, nil)
		}
		list[at] = append(list[at], t)
	}
	return list
}

// openDialogue saves a conversation in a folder of its own.
func openDialogue(ctx context.Context, s *shape, conv []turn) (w *app.App, closeAll func(), err error) {
	dir, err := os.MkdirTemp("", "sdd-eval-")
	if err != nil {
		return nil, nil, err
	}
	st, err := store.Open(store.Options{Dir: dir})
	if err != nil {
		return nil, nil, err
	}
	ix := index.Open(st)
	w = app.New(st, ix, app.Options{})
	closeAll = func() {
		w.Close()
		ix.Close()
		st.Close()
		os.RemoveAll(dir)
	}
	for from := 0; s != nil && from < len(conv); {
		to := from
		for to < len(conv) && conv[to].Session == conv[from].Session {
			to++
		}
		if err := s.save(ctx, w, conv[from:to]); err != nil {
			closeAll()
			return nil, nil, err
		}
		from = to
	}
	return w, closeAll, nil
}

// measureDialogues asks the questions of each shape at each budget.
func measureDialogues(ctx context.Context, top string, parts []string) (rows []row, err error) {
	turns, err := realLines[turn](top, "dialogue-turns.jsonl.gz")
	if err != nil {
		return nil, err
	}
	questions, err := realLines[dialogueQuestion](top, "dialogue-questions.jsonl.gz")
	if err != nil {
		return nil, err
	}
	for n := range shapes {
		s := &shapes[n]
		var got [len(dialogueBudgets)]map[string]*found
		if len(turns) > 0 {
			if got, err = askDialogues(ctx, s, turns, questions); err != nil {
				return nil, fmt.Errorf("%s: %w", s.name, err)
			}
		}
		for i, budget := range dialogueBudgets {
			if s.must[i] == 0 {
				continue
			}
			figure := fmt.Sprintf("dialogue, %s, within %d tokens: ", s.name, budget)
			rows = append(rows, rowOf(figure+"evidence", s.must[i], parts, got[i], found.recall), rowOf(figure+"precision", 0, parts, got[i], found.precision))
		}
	}
	return rows, nil
}

// rowOf is the row of a figure of what was found in the answers, by part; together they reach the bar or not.
func rowOf(figure string, must int, parts []string, got map[string]*found, value func(found) ratio) row {
	r := row{Figure: figure, Must: must, Real: true}
	var all found
	for _, part := range parts {
		if got[part] == nil || got[part].Questions == 0 {
			continue
		}
		all.Questions += got[part].Questions
		all.Recall += got[part].Recall
		all.Evidence += got[part].Evidence
		all.Tokens += got[part].Tokens
		v := value(*got[part])
		r.Cases += v.Of
		r.Reached = value(all).reaches(must)
		if part == tuned {
			r.Tuned = &v
		} else {
			r.Held = &v
		}
	}
	return r
}
