package contexteval

import (
	"context"
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"

	"sdd/internal/index"
	"sdd/internal/store"
	"sdd/internal/tokens"
)

// Part is what was measured on one part of the questions. A third of the questions is held by the hash of their text,
// and of one project all are: the ranking was made without a look at them.
type Part struct {
	Questions int `json:"questions"` // about something that the project knows
	Relevant  int `json:"relevant"`  // records that answer them

	// Those in the best records of the answer, taken while they fit into that many tokens.
	Within1000 int `json:"within_1000"`
	Within2000 int `json:"within_2000"`
	Within3000 int `json:"within_3000"`
	// The same where the records of all projects lie in one store.
	Mixed2000 int     `json:"mixed_2000"`
	Mixed3000 int     `json:"mixed_3000"`
	MRR       float64 `json:"mrr"` // mean of one over the place of the first
	MixedMRR  float64 `json:"mixed_mrr"`

	Unknown int `json:"unknown"` // questions about nothing that the project knows
	Silent  int `json:"silent"`  // of these, answered with nothing
	Near    int `json:"near"`    // of these, answered with the few that come nearest, and told so
	Mute    int `json:"mute"`    // questions about something, answered with nothing
}

// Report is what was measured.
type Report struct {
	Tuned  Part            `json:"tuned"`
	Held   Part            `json:"held"`  // questions about the same projects
	Aside  Part            `json:"aside"` // about the project that is held
	ByLang map[string]Part `json:"by_language"`
	Wrong  []string        `json:"wrong"` // of the tuned part: what is missing within 2,000 tokens, and noise
}

// limit is how many records are asked for.
const limit = 100

// held reports whether a question belongs to the held part.
func (q *question) held() bool { return sha256.Sum256([]byte(q.text))[0]%3 == 0 }

// Measure asks every question.
func Measure(ctx context.Context) (r Report, err error) {
	all, err := projects()
	if err != nil {
		return r, err
	}
	dir, err := os.MkdirTemp("", "sdd-contexteval-")
	if err != nil {
		return r, err
	}
	defer os.RemoveAll(dir)
	mixed, err := open(ctx, filepath.Join(dir, "mixed"), all...)
	if err != nil {
		return r, err
	}
	defer mixed.close()
	for i := range all {
		own, err := open(ctx, filepath.Join(dir, all[i].name), all[i])
		if err != nil {
			return r, err
		}
		err = r.ask(ctx, &all[i], own, mixed)
		own.close()
		if err != nil {
			return r, err
		}
	}
	r.Tuned.mean()
	r.Held.mean()
	r.Aside.mean()
	for lang, p := range r.ByLang {
		p.mean()
		r.ByLang[lang] = p
	}
	return r, nil
}

func (p *Part) mean() {
	p.MRR /= float64(max(1, p.Questions))
	p.MixedMRR /= float64(max(1, p.Questions))
}

// testStore is a store with records of projects.
type testStore struct {
	st    *store.Store
	ix    *index.Index
	costs map[string]int // of items, by path and section
}

func open(ctx context.Context, dir string, all ...project) (*testStore, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	if err := write(dir, all...); err != nil {
		return nil, err
	}
	st, err := store.Open(store.Options{Dir: dir})
	if err != nil {
		return nil, err
	}
	s := &testStore{st, index.Open(st), map[string]int{}}
	if err := s.ix.Refresh(ctx); err != nil {
		s.close()
		return nil, err
	}
	return s, nil
}

func (s *testStore) close() {
	s.ix.Close()
	s.st.Close()
}

// ask asks the questions of a project, of its own records and of those of all projects.
func (r *Report) ask(ctx context.Context, p *project, own, mixed *testStore) error {
	keys := p.paths()
	if r.ByLang == nil {
		r.ByLang = map[string]Part{}
	}
	for i := range p.questions {
		q := &p.questions[i]
		part := &r.Tuned
		switch {
		case p.held:
			part = &r.Aside
		case q.held():
			part = &r.Held
		}
		lang := r.ByLang[q.lang]
		got, err := own.answer(ctx, q, keys)
		if err != nil {
			return err
		}
		all, err := mixed.answer(ctx, q, keys)
		if err != nil {
			return err
		}
		part.count(q, got, all)
		lang.count(q, got, all)
		r.ByLang[q.lang] = lang
		if part != &r.Tuned {
			continue
		}
		for _, w := range q.want {
			if place := got.at[w]; place.end == 0 || place.end > 2000 {
				r.Wrong = append(r.Wrong, fmt.Sprintf("%s: %q (%s) lacks %s, place %d", p.name, q.text, q.lang, w, place.rank))
			} else if place := all.at[w]; place.end == 0 || place.end > 2000 {
				r.Wrong = append(r.Wrong, fmt.Sprintf("mixed: %q (%s) lacks %s, place %d", q.text, q.lang, w, place.rank))
			}
		}
		if len(q.want) == 0 && got.items > 0 && !got.weak {
			r.Wrong = append(r.Wrong, fmt.Sprintf("%s: %q (%s) is answered with %d records, first %q", p.name, q.text, q.lang, got.items, got.first))
		}
	}
	return nil
}

// answered says where in an answer the wanted records stand.
type answered struct {
	items int
	weak  bool
	first string
	at    map[string]standing
}

// standing is how much of an answer ends with a record: items and tokens.
type standing struct{ rank, end int }

func (s *testStore) answer(ctx context.Context, q *question, keys map[string]string) (answered, error) {
	ranked, err := s.ix.Rank(ctx, index.RankQuery{Text: q.text, Limit: limit})
	if err != nil {
		return answered{}, err
	}
	a := answered{items: len(ranked.Items), weak: ranked.Weak, at: map[string]standing{}}
	used := 0
	for i := range ranked.Items {
		item := &ranked.Items[i]
		if i == 0 {
			a.first = item.Title
		}
		place := fmt.Sprint(item.Path, ":", item.Line)
		if s.costs[place] == 0 {
			s.costs[place] = cost(item)
		}
		used += s.costs[place]
		if key := keys[item.Path]; key != "" && a.at[key].rank == 0 {
			a.at[key] = standing{i + 1, used}
		}
	}
	return a, nil
}

// cost is what a passage takes of a budget: its text, its id, and what stands around it.
func cost(item *index.RankedItem) int {
	return tokens.Count("- " + item.Text + " (" + item.ID + ")\n")
}

// count adds a question.
func (p *Part) count(q *question, own, mixed answered) {
	if len(q.want) == 0 {
		p.Unknown++
		add(&p.Silent, own.items == 0)
		add(&p.Near, own.items > 0 && own.weak)
		return
	}
	p.Questions++
	if own.items == 0 {
		p.Mute++
	}
	best, bestMixed := 0, 0
	for _, w := range q.want {
		p.Relevant++
		if at := own.at[w]; at.rank > 0 {
			add(&p.Within1000, at.end <= 1000)
			add(&p.Within2000, at.end <= 2000)
			add(&p.Within3000, at.end <= 3000)
			if best == 0 || at.rank < best {
				best = at.rank
			}
		}
		if at := mixed.at[w]; at.rank > 0 {
			add(&p.Mixed2000, at.end <= 2000)
			add(&p.Mixed3000, at.end <= 3000)
			if bestMixed == 0 || at.rank < bestMixed {
				bestMixed = at.rank
			}
		}
	}
	if best > 0 {
		p.MRR += 1 / float64(best)
	}
	if bestMixed > 0 {
		p.MixedMRR += 1 / float64(bestMixed)
	}
}

func add(n *int, ok bool) {
	if ok {
		*n++
	}
}
