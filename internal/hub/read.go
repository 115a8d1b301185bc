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

	id, size int
}

// Status is what a hub has.
type Status struct {
	Schema       int          `json:"schema"`
	Records      int          `json:"records"`
	Repositories []Repository `json:"repositories"`
}

// Status returns the repositories that the role may see, by name.
func (h *Hub) Status(ctx context.Context) (Status, error) {
	s := Status{Schema: Version, Repositories: []Repository{}}
	b := h.batch(ctx)
	b.check()
	b.run(`select name, commit, to_char(pushed at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"'), records
		from sdd.repository where commit <> '' order by name collate "C"`, func(v [][]byte) {
		r := Repository{Name: string(v[0]), Commit: string(v[1]), Pushed: string(v[2]), Records: number(v[3])}
		s.Records += r.Records
		s.Repositories = append(s.Repositories, r)
	})
	return s, b.err
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
	Left    int               // repositories left out, as another version of the analysis pushed them

	Near   []embed.Unit // the units nearest to the question's vector
	All    embed.Total  // of the units that compare with it
	Others int          // repositories whose vectors do not
}

// Ask fetches the records that a question needs. The collection is what the role may see.
func (h *Hub) Ask(ctx context.Context, q Question) (*Found, error) {
	f := &Found{Texts: map[string][]byte{}, Commits: map[string]string{}}
	if err := h.inTransaction(ctx, "begin isolation level repeatable read read only", func(b *batch) { b.ask(q, f) }); err != nil {
		return nil, err
	}
	return f, nil
}

func (b *batch) ask(q Question, f *Found) {
	b.check()
	var all []Repository // without their names and commits, which are needed of a few
	c := index.Collection{Lists: map[string][]index.CensusList{}, Common: map[string]int{}}
	words := 0
	first := map[int]int{} // number of the first record of each repository in the collection
	b.run("select id, records, words, size, analysis from sdd.repository where commit <> '' order by id", func(v [][]byte) {
		r := Repository{id: number(v[0]), Records: number(v[1]), size: number(v[3])}
		if number(v[4]) != index.AnalysisVersion {
			f.Left++ // its terms do not compare
			return
		}
		first[r.id] = c.Size
		c.Records, words, c.Size = c.Records+r.Records, words+number(v[2]), c.Size+r.size
		all = append(all, r)
	})
	c.Words = uint64(words)
	if b.count(q, &c, all, first); b.err != nil {
		return
	}
	var err error
	if f.Census, err = index.NewCensus(c); err != nil {
		b.fail(fault.New(fault.Broken, "the hub's postings are damaged").With("push the repositories again with --force"))
		return
	}
	best, err := f.Census.Best(b.ctx, q.Text, q.Ranked, q.Types, q.Most)
	b.fail(err)
	near := b.nearest(q, first, f)
	if b.err == nil {
		b.fetch(f, all, first, append(best, f.Census.Take(near)...))
	}
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
func (b *batch) count(q Question, c *index.Collection, all []Repository, first map[int]int) {
	terms, prefixes := index.Wanted(q.Text, q.Ranked)
	left := mostBytes
	b.lists(terms, c, all, first, &left)
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
	longer := slices.DeleteFunc(b.longer(from, steps), func(t string) bool { return c.Lists[t] != nil || c.Common[t] > 0 })
	b.lists(longer, c, all, first, &left)
}

// lists fetches the postings of the rarest terms that fit, at least one. In a large collection an eighth of it tells the frequencies.
func (b *batch) lists(terms []string, c *index.Collection, all []Repository, first map[int]int, left *int) {
	if len(terms) == 0 || b.err != nil {
		return
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
		b.run("select term, sum(octet_length(list)) from sdd.posting where term = any($1) and repository <= $2 group by term",
			func(v [][]byte) { sizes[string(v[0])] = number(v[1]) * c.Records / max(1, taken) }, bytesOf(terms), part[len(part)-1].id)
		terms = slices.SortedFunc(slices.Values(terms), func(a, b string) int { return cmp.Or(sizes[a]-sizes[b], strings.Compare(a, b)) })
		fit := 0
		for _, t := range terms {
			if *left -= sizes[t]; *left >= 0 {
				fit++
			} else {
				c.Common[t] = min(c.Records, int(float64(sizes[t])/postingSize))
			}
		}
		if b.fetchLists(terms[:fit], c, first); fit == len(terms) || len(c.Lists) > 0 {
			return
		}
		delete(c.Common, terms[fit])
		terms = terms[fit : fit+1]
	}
	b.fetchLists(terms, c, first)
}

func (b *batch) fetchLists(terms []string, c *index.Collection, first map[int]int) {
	b.run("select repository, chunk, term, list from sdd.posting where term = any($1)", func(v [][]byte) {
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
func (b *batch) longer(prefixes []string, steps int) (terms []string) {
	if len(prefixes) == 0 {
		return nil
	}
	by := make([][]string, len(prefixes))
	// The end of a range has a byte that no UTF-8 has.
	b.run(`select p.i::int, x.term from
		(select low, low || '\xff'::bytea as high, i from unnest($1::bytea[]) with ordinality l(low, i)) p cross join lateral (
			with recursive t as (
				(select term from sdd.posting where term > p.low and term < p.high order by term limit 1)
				union all
				select (select q.term from sdd.posting q where q.term > t.term and q.term < p.high order by q.term limit 1)
				from t where t.term is not null
			) select term from t where term is not null limit $2) x`, func(v [][]byte) {
		i := number(v[0]) - 1
		by[i] = append(by[i], string(v[1]))
	}, bytesOf(prefixes), steps)
	for _, list := range by {
		slices.SortFunc(list, func(a, b string) int { return cmp.Or(len(a)-len(b), strings.Compare(a, b)) })
		terms = append(terms, list[:min(len(list), mostExpanded)]...)
	}
	return terms
}

func (b *batch) fetch(f *Found, all []Repository, first map[int]int, numbers []int) {
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
	b.run(`select p.name, p.commit, r.path, r.source from unnest($1::int[], $2::int[]) w(repository, doc)
		join sdd.record r using (repository, doc) join sdd.repository p on p.id = w.repository`, func(v [][]byte) {
		name := string(v[0])
		f.Commits[name] = string(v[1])
		f.Texts[record.InRepository(name, string(v[2]))] = bytes.Clone(v[3])
	}, ids, docs)
}
