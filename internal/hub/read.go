package hub

import (
	"bytes"
	"cmp"
	"context"
	"slices"
	"strings"

	"sdd/internal/answer/embed"
	"sdd/internal/fault"
	"sdd/internal/index"
	"sdd/internal/record"
)

// Repository is a repository in the hub, as a reader sees it.
type Repository struct {
	Name    string `json:"name"`
	Commit  string `json:"commit"`
	Pushed  string `json:"pushed"` // RFC 3339
	Records int    `json:"records"`

	id, size, analysis int
	words              int
}

// Status is what a hub has.
type Status struct {
	Schema       int          `json:"schema"`
	Records      int          `json:"records"`
	Repositories []Repository `json:"repositories"`
}

// Status returns the repositories that the role may see, by name.
func (h *Hub) Status(ctx context.Context) (s Status, err error) {
	if err := h.check(ctx); err != nil {
		return s, err
	}
	s.Schema, s.Repositories = Version, []Repository{}
	err = h.do(ctx, `select name, commit, to_char(pushed at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"'), records
		from sdd.repository where commit <> '' order by name collate "C"`, func(v [][]byte) {
		r := Repository{Name: string(v[0]), Commit: string(v[1]), Pushed: string(v[2]), Records: number(v[3])}
		s.Records += r.Records
		s.Repositories = append(s.Repositories, r)
	})
	return s, err
}

// sizes returns the repositories without their names and commits, which are needed of a few.
func (h *Hub) sizes(ctx context.Context) (all []Repository, err error) {
	err = h.do(ctx, "select id, records, words, size, analysis from sdd.repository where commit <> '' order by id", func(v [][]byte) {
		all = append(all, Repository{id: number(v[0]), Records: number(v[1]), words: number(v[2]), size: number(v[3]), analysis: number(v[4])})
	})
	return all, err
}

// Question is what a reader asks.
type Question struct {
	Text   string
	Ranked bool          // for index.Rank; otherwise for index.Query
	Types  []record.Type // only these
	Most   int           // records to read
	Model  string        // of Vector
	Vector []float32     // of the text; without one the words alone find records
}

// Found is the few records that may answer a question, and what the whole collection has of its words.
type Found struct {
	Texts   map[string][]byte // by their paths in a joined store, see record.InRepository
	Census  *index.Census
	Commits map[string]string // by repository
	Behind  int               // repositories that were pushed by a version whose terms do not compare; they are left out

	Near   []embed.Unit // the units nearest to the question's vector
	All    embed.Total  // of the units that compare with it
	Others int          // repositories whose vectors do not
}

// Ask fetches the records that a question needs. The collection is what the role may see.
func (h *Hub) Ask(ctx context.Context, q Question) (f *Found, err error) {
	err = h.inTransaction(ctx, "begin isolation level repeatable read read only", func() error {
		f, err = h.ask(ctx, q)
		return err
	})
	return f, err
}

func (h *Hub) ask(ctx context.Context, q Question) (*Found, error) {
	if err := h.check(ctx); err != nil {
		return nil, err
	}
	all, err := h.sizes(ctx)
	if err != nil {
		return nil, err
	}
	f := &Found{Texts: map[string][]byte{}, Commits: map[string]string{}}
	seen := len(all)
	all = slices.DeleteFunc(all, func(r Repository) bool { return r.analysis != index.AnalysisVersion })
	f.Behind = seen - len(all)
	records, words, size := 0, 0, 0
	first := make(map[int]int, len(all)) // number of the first record of each repository in the collection
	for _, r := range all {
		first[r.id] = size
		records, words, size = records+r.Records, words+r.words, size+r.size
	}
	c := index.Collection{Records: records, Words: uint64(words), Size: size, Lists: map[string][]index.CensusList{}, Common: map[string]int{}}
	if err := h.count(ctx, q, &c, all, first); err != nil {
		return nil, err
	}
	if f.Census, err = index.NewCensus(c); err != nil {
		return nil, fault.New(fault.Broken, "the hub's postings are damaged").With("push the repositories again with --force")
	}
	best, err := f.Census.Best(ctx, q.Text, q.Ranked, q.Types, q.Most)
	if err != nil {
		return nil, err
	}
	near, err := h.nearest(ctx, q, first, f)
	if err != nil {
		return nil, err
	}
	return f, h.fetch(ctx, f, all, first, append(best, f.Census.Take(near)...))
}

// What a question of a large collection reads; tests change them.
var (
	fewRecords = 50_000  // a collection up to this size is no large one: all is read, and totals are exact
	mostBytes  = 400_000 // of postings; the most frequent terms above that are common: counted, and not looked for
	ownRecords = 512     // a word of so many records is not searched for as a beginning, too
)

const (
	postingSize = 4.4 // bytes of a posting, about
	leastSample = 128 // repositories from which on a part of them is counted
)

// count fetches the postings of the terms that a question looks up.
func (h *Hub) count(ctx context.Context, q Question, c *index.Collection, all []Repository, first map[int]int) error {
	terms, prefixes := index.Wanted(q.Text, q.Ranked)
	left := mostBytes
	if err := h.lists(ctx, terms, c, all, first, &left); err != nil {
		return err
	}
	var from []string
	for _, p := range prefixes {
		own := c.Common[p]
		for _, l := range c.Lists[p] {
			own += int(float64(len(l.List)) / postingSize)
		}
		if c.Records <= fewRecords || own < ownRecords {
			from = append(from, p)
		}
	}
	steps := mostSteps
	if c.Records > fewRecords {
		steps = fewSteps
	}
	longer, err := h.longer(ctx, from, steps)
	if err != nil {
		return err
	}
	longer = slices.DeleteFunc(longer, func(t string) bool { return c.Lists[t] != nil || c.Common[t] > 0 })
	return h.lists(ctx, longer, c, all, first, &left)
}

// lists fetches the postings of terms, the rarest first, while they fit. The others are common; one is always fetched. In a
// large collection an eighth of the repositories, whose ids are random, says how frequent the terms are.
func (h *Hub) lists(ctx context.Context, terms []string, c *index.Collection, all []Repository, first map[int]int, left *int) error {
	if len(terms) == 0 {
		return nil
	}
	if c.Records > fewRecords {
		part, taken := all, 0
		if len(all) >= leastSample {
			part = all[:len(all)/8]
		}
		for _, r := range part {
			taken += r.Records
		}
		sizes := map[string]int{}
		err := h.do(ctx, "select term, sum(octet_length(list)) from sdd.posting where term = any($1) and repository <= $2 group by term",
			func(v [][]byte) { sizes[string(v[0])] = number(v[1]) * c.Records / max(1, taken) }, bytesOf(terms), part[len(part)-1].id)
		if err != nil {
			return err
		}
		terms = slices.SortedFunc(slices.Values(terms), func(a, b string) int { return cmp.Or(sizes[a]-sizes[b], strings.Compare(a, b)) })
		fit := 0
		for _, t := range terms {
			if *left -= sizes[t]; *left >= 0 {
				fit++
			} else {
				c.Common[t] = min(c.Records, int(float64(sizes[t])/postingSize))
			}
		}
		if err := h.fetchLists(ctx, terms[:fit], c, first); err != nil || fit == len(terms) || len(c.Lists) > 0 {
			return err
		}
		delete(c.Common, terms[fit])
		terms = terms[fit : fit+1]
	}
	return h.fetchLists(ctx, terms, c, first)
}

func (h *Hub) fetchLists(ctx context.Context, terms []string, c *index.Collection, first map[int]int) error {
	return h.do(ctx, "select repository, chunk, term, list from sdd.posting where term = any($1)", func(v [][]byte) {
		if from, ok := first[number(v[0])]; ok {
			c.Lists[string(v[2])] = append(c.Lists[string(v[2])], index.CensusList{First: from + number(v[1])*chunkRecords, List: bytes.Clone(v[3])})
		}
	}, bytesOf(terms))
}

func bytesOf(terms []string) [][]byte {
	out := make([][]byte, len(terms))
	for i, t := range terms {
		out[i] = []byte(t)
	}
	return out
}

const (
	mostSteps    = 256 // terms with a prefix that are looked at, in byte order
	fewSteps     = 64  // the same in a large collection
	mostExpanded = 64  // terms with a prefix that are searched for, the shortest first
)

// longer returns terms that begin with one of the prefixes. It steps from term to term, over all their postings.
func (h *Hub) longer(ctx context.Context, prefixes []string, steps int) (terms []string, err error) {
	if len(prefixes) == 0 {
		return nil, nil
	}
	from, to := make([][]byte, len(prefixes)), make([][]byte, len(prefixes))
	for i, p := range prefixes {
		from[i], to[i] = []byte(p), []byte(p+"\xff") // no UTF-8 has that byte
	}
	by := make([][]string, len(prefixes))
	err = h.do(ctx, `select p.i::int, x.term from unnest($1::bytea[], $2::bytea[]) with ordinality p(low, high, i) cross join lateral (
			with recursive t as (
				(select term from sdd.posting where term > p.low and term < p.high order by term limit 1)
				union all
				select (select q.term from sdd.posting q where q.term > t.term and q.term < p.high order by q.term limit 1) from t where t.term is not null
			) select term from t where term is not null limit $3) x`, func(v [][]byte) {
		i := number(v[0]) - 1
		by[i] = append(by[i], string(v[1]))
	}, from, to, steps)
	for _, list := range by {
		slices.SortFunc(list, func(a, b string) int { return cmp.Or(len(a)-len(b), strings.Compare(a, b)) })
		terms = append(terms, list[:min(len(list), mostExpanded)]...)
	}
	return terms, err
}

// fetch reads the texts of the records with those numbers.
func (h *Hub) fetch(ctx context.Context, f *Found, all []Repository, first map[int]int, numbers []int) error {
	var ids, docs []int
	for _, n := range numbers {
		i, _ := slices.BinarySearchFunc(all, n, func(r Repository, n int) int {
			if first[r.id]+r.size <= n {
				return -1
			}
			return 1
		})
		ids, docs = append(ids, all[i].id), append(docs, n-first[all[i].id])
	}
	return h.do(ctx, `select p.name, p.commit, r.path, r.source from unnest($1::int[], $2::int[]) w(repository, doc)
		join sdd.record r using (repository, doc) join sdd.repository p on p.id = w.repository`, func(v [][]byte) {
		name := string(v[0])
		f.Commits[name] = string(v[1])
		f.Texts[record.InRepository(name, string(v[2]))] = bytes.Clone(v[3])
	}, ids, docs)
}
