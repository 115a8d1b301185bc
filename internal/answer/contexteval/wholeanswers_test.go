package contexteval

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"sdd/internal/answer"
	"sdd/internal/decision"
	"sdd/internal/fact"
	"sdd/internal/learning"
	"sdd/internal/tokens"
)

// Told is what was measured of whole answers on one part of the questions.
type Told struct {
	Questions int `json:"questions"`
	Relevant  int `json:"relevant"` // records that answer them
	Told      int `json:"told"`     // of these, in the text
	Facts     int `json:"facts"`    // relevant facts
	FactsTold int `json:"facts_told"`
	Tokens    int `json:"tokens"` // of the texts, on average
	Unknown   int `json:"unknown"`
	Plain     int `json:"plain"` // questions about nothing, of which the text says so
}

// Answers is the report of MeasureAnswers.
type Answers struct {
	Tuned, Held, Aside Told
	Over               int      // texts over their budget
	Missing            []string // of the tuned part
}

// MeasureAnswers asks every question of the one call, with that budget, and counts what its text tells.
func MeasureAnswers(ctx context.Context, budget int) (Answers, error) {
	var out Answers
	all, err := projects()
	if err != nil {
		return out, err
	}
	dir, err := os.MkdirTemp("", "sdd-contexteval-")
	if err != nil {
		return out, err
	}
	defer os.RemoveAll(dir)
	for i := range all {
		s, err := open(ctx, filepath.Join(dir, all[i].name), all[i])
		if err != nil {
			return out, err
		}
		err = out.ask(ctx, &all[i], s, budget)
		s.close()
		if err != nil {
			return out, err
		}
	}
	for _, p := range []*Told{&out.Tuned, &out.Held, &out.Aside} {
		p.Tokens /= max(1, p.Questions+p.Unknown)
	}
	return out, nil
}

func (out *Answers) ask(ctx context.Context, p *project, s *testStore, budget int) error {
	facts, decisions, learnings := fact.New(s.st, s.ix), decision.New(s.st, s.ix), learning.New(s.st, s.ix)
	defer facts.Close()
	defer decisions.Close()
	defer learnings.Close()
	b := answer.New(answer.Sources{Store: s.st, Index: s.ix, Facts: facts, Decisions: decisions, Learnings: learnings})
	defer b.Close()
	records := map[string]*entry{}
	for i := range p.records {
		records[p.records[i].key] = &p.records[i]
	}
	for i := range p.questions {
		q := &p.questions[i]
		part := &out.Tuned
		switch {
		case p.held:
			part = &out.Aside
		case q.held():
			part = &out.Held
		}
		r, err := b.Brief(ctx, answer.Query{Query: q.text, MaxTokens: budget, Mode: answer.Route})
		if err != nil {
			return err
		}
		if tokens.Count(r.Context) > budget {
			out.Over++
		}
		part.Tokens += r.TokensUsed
		if len(q.want) == 0 {
			part.Unknown++
			if strings.Contains(r.Context, "Nothing is recorded") {
				part.Plain++
			}
			continue
		}
		part.Questions++
		for _, key := range q.want {
			e := records[key]
			told := strings.Contains(r.Context, "["+e.id+"]")
			part.Relevant++
			add(&part.Told, told)
			if e.kind == "fact" {
				part.Facts++
				add(&part.FactsTold, told)
			}
			if !told && part == &out.Tuned {
				out.Missing = append(out.Missing, fmt.Sprintf("%s: %q (%s) lacks %s", p.name, q.text, q.lang, key))
			}
		}
	}
	return nil
}
