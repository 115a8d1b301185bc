package hub

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"strconv"

	"sdd/internal/answer/embed"
	"sdd/internal/fault"
	"sdd/internal/record"
	"sdd/internal/store"
)

// With pgvector a hub has vectors of records. Those of a repository are of one model; a question meets only those of its own.

// space is where vectors compare; the zero value has none.
type space struct {
	model string
	dims  int
}

// mostIndexed is the most dimensions of vectors that pgvector indexes.
const mostIndexed = 2000

// Embed adds the vectors to p that the hub lacks, if st names a server for embeddings. why is the reason for missing ones.
func (h *Hub) Embed(ctx context.Context, st *store.Store, p *Push) (why string, err error) {
	defer fault.Caught(&err)
	s, ok, err := embed.SettingsOf(fault.Must(st.Config()))
	if !ok || err != nil {
		return "", err
	}
	b := h.batch(ctx)
	if there := b.has("sdd.vector"); !there || b.err != nil {
		return "embeddings: the hub has no pgvector: sdd hub init says why", b.err
	}
	has := map[string]string{} // git's ids of the texts that have vectors
	b.run(`select r.path, r.blob from sdd.record r join sdd.repository p on p.id = r.repository where p.name = $1 and p.model = $2
		and exists (select from sdd.vector v where v.repository = r.repository and v.doc = r.doc)`,
		func(v [][]byte) { has[string(v[0])] = string(v[1]) }, p.Repository, s.Model)
	fault.Check(b.err)
	texts := map[string][]byte{}
	for _, f := range p.Files {
		if has[f.Path] != f.Blob {
			texts[f.Path] = fault.Must(f.Read())
		}
	}
	e := embed.New(st, nil)
	defer e.Close()
	p.Model = s.Model
	p.Units, why, err = e.Vectors(ctx, texts)
	return why, err
}

// storeVectors removes the vectors of records that changed or went, and of another space than the new ones, and writes those.
func (b *batch) storeVectors(id int, p Push, had space, old map[string]*row, changed, removed []*row, out *Pushed) {
	now := had
	if len(p.Units) > 0 {
		now = space{p.Model, len(p.Units[0].Vector)}
	}
	if now.model == "" {
		return
	}
	b.indexVectors(now.dims)
	docs := map[string]int{}
	for path, r := range old {
		docs[path] = r.doc
	}
	var gone []int
	for _, r := range removed {
		gone = append(gone, r.doc)
	}
	for _, r := range changed {
		if was := old[r.path]; was != nil && was.blob != r.blob {
			gone = append(gone, r.doc)
		}
		docs[r.path] = r.doc
	}
	var into copier
	for _, u := range p.Units {
		if doc, ok := docs[u.Path]; ok && len(u.Vector) == now.dims {
			gone = append(gone, doc)
			into.values(int4(id), int4(doc), int4(u.Section), int4(now.dims), binaryVector(u.Vector))
			out.Vectors++
		}
	}
	drop, args := "delete from sdd.vector where repository = $1 and doc = any($2)", []any{id, gone}
	if now != had {
		out.Replaced = had.model
		drop, args = "delete from sdd.vector where repository = $1", args[:1]
	}
	b.run(drop, nil, args...)
	b.copy("sdd.vector (repository, doc, section, dims, vector)", &into)
	b.run(`update sdd.repository set model = case when t.n = 0 then '' else $2 end, dims = $3, units = t.n, total = t.total
		from (select count(*)::int as n, sum(vector) as total from sdd.vector where repository = $1) t where id = $1`,
		nil, id, now.model, now.dims)
}

// indexVectors runs before the first vector is written: a push that has written vectors must not wait for another's index.
func (b *batch) indexVectors(dims int) {
	name := fmt.Sprint("vector_", dims)
	if dims > mostIndexed || b.has("sdd."+name) {
		return
	}
	b.run(initLock, nil)
	if !b.has("sdd." + name) {
		b.run(fmt.Sprintf(`create index %s on sdd.vector
			using hnsw ((vector::vector(%[2]d)) vector_cosine_ops) where dims = %[2]d`, name, dims), nil)
	}
}

// binaryVector returns the form in which COPY reads a vector.
func binaryVector(v []float32) []byte {
	b := binary.BigEndian.AppendUint16(nil, uint16(len(v)))
	b = append(b, 0, 0)
	b, _ = binary.Append(b, binary.BigEndian, v)
	return b
}

func vectorOf(b []byte) []float32 {
	v := make([]float32, max(0, len(b)-4)/4)
	_, _ = binary.Decode(b[min(4, len(b)):], binary.BigEndian, v) // the length fits
	return v
}

func textOf(v []float32) string {
	b := []byte{'['}
	for i, x := range v {
		if i > 0 {
			b = append(b, ',')
		}
		b = strconv.AppendFloat(b, float64(x), 'g', -1, 32)
	}
	return string(append(b, ']'))
}

// fewUnits is the most vectors that are all compared with the question; beyond that an index finds nearly all of the nearest.
var fewUnits = 10_000

// nearest finds the units nearest to the question among the repositories that first numbers, and the numbers of their records.
func (b *batch) nearest(q Question, first map[int]int, f *Found) (numbers []int) {
	if len(q.Vector) == 0 {
		return nil
	}
	var ids []int
	b.run("select id, units, (model = $1 and dims = $2)::int from sdd.repository where units > 0", func(v [][]byte) {
		switch _, compares := first[number(v[0])]; {
		case !compares: // it is left out
		case number(v[2]) == 1:
			ids = append(ids, number(v[0]))
			f.All.Units += number(v[1])
		default:
			f.Others++
		}
	}, q.Model, len(q.Vector))
	if len(ids) == 0 {
		return nil
	}
	text := textOf(q.Vector)
	b.run("select sum(-(total <#> $1::vector)) from sdd.repository where id = any($2)", func(v [][]byte) {
		f.All.Cosines = math.Float64frombits(binary.BigEndian.Uint64(v[0]))
	}, text, ids)
	// An older pgvector refuses iterative scans, and finds fewer.
	b.run(`select set_config('jit', 'off', true), set_config('hnsw.ef_search', '200', true),
		case when string_to_array(extversion, '.')::int[] >= '{0,8}' then set_config('hnsw.iterative_scan', 'strict_order', true) end
		from pg_extension where extname = 'vector'`, nil)
	order := "vector <=> $1::vector, repository, doc, section" // no index has that order
	if f.All.Units > fewUnits && len(q.Vector) <= mostIndexed {
		order = fmt.Sprintf("vector::vector(%[1]d) <=> $1::vector(%[1]d)", len(q.Vector))
	}
	b.run(fmt.Sprintf(`select repository, doc, section, vector, p.name, r.path from
		(select repository, doc, section, vector from sdd.vector where dims = %d and repository = any($2) order by %s limit %d) v
		join sdd.record r using (repository, doc) join sdd.repository p on p.id = repository
		order by vector <=> $1::vector, repository, doc, section`, // a join keeps no order
		len(q.Vector), order, embed.MostNear), func(v [][]byte) {
		numbers = append(numbers, first[number(v[0])]+number(v[1]))
		f.Near = append(f.Near, embed.Unit{Path: record.InRepository(string(v[4]), string(v[5])), Section: number(v[2]), Vector: vectorOf(v[3])})
	}, text, ids)
	return numbers
}
