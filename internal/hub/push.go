package hub

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"maps"
	"slices"
	"strings"

	"sdd/internal/answer/embed"
	"sdd/internal/fault"
	"sdd/internal/index"
	"sdd/internal/pattern"
	"sdd/internal/record"
)

// File is a record at the pushed commit. Path is relative to .sdd; Blob differs between different bytes.
type File struct {
	Path string
	Blob string
	Read func() ([]byte, error)
}

// Push is what a repository has at a commit.
type Push struct {
	Repository string
	Commit     string
	Files      []File
	Defaults   record.Defaults
	Model      string       // of Units
	Units      []embed.Unit // the vectors that the hub is to have beside those that it has, see Embed
	// Older reports whether this push is older than the commit that the hub has; nil never does.
	Older func(there string) bool
}

// Pushed is what a push did.
type Pushed struct {
	Repository string `json:"repository"`
	Commit     string `json:"commit"`
	Action     string `json:"action"` // pushed, or unchanged
	Records    int    `json:"records"`
	Changed    int    `json:"changed"` // new records too
	Removed    int    `json:"removed"`
	Vectors    int    `json:"vectors,omitempty"`  // new ones
	Replaced   string `json:"replaced,omitempty"` // the model whose vectors the new ones replace
}

// safeName matches the names of repositories; readers make folders of them.
var safeName = pattern.Late(`^[A-Za-z0-9_][A-Za-z0-9._-]*$`)

const maxName = 200

// chunkRecords is the number of records whose postings of a term are in one row: an index row holds at most 2.7 kB.
const chunkRecords = 256

type row struct {
	doc    int
	path   string
	blob   string
	length int
	source []byte
	listed index.Listed
}

// added is a new version of a record with the weight of a term in it.
type added struct {
	*row
	weight int
}

// place names a row of posting.
type place struct {
	term  string
	chunk int
}

// Push makes the hub's records of a repository those of p, in one transaction: all of it or nothing. A commit that the
// hub has already changes nothing.
//
// Faults: Conflict (the hub has a later commit), NotFound (no hub), Unavailable, those of reading the files.
func (h *Hub) Push(ctx context.Context, p Push) (out Pushed, err error) {
	out = Pushed{Repository: p.Repository, Commit: p.Commit, Action: "unchanged"}
	err = h.inTransaction(ctx, "begin", func(b *batch) { b.push(p, &out) })
	return out, err
}

func (b *batch) push(p Push, out *Pushed) {
	if !safeName().MatchString(p.Repository) || len(p.Repository) > maxName {
		b.fail(fault.New(fault.Invalid, "%q is no name for a repository", p.Repository).For("repository").
			With("use letters, digits, dots, hyphens and underscores: shop.payments"))
	}
	b.check()
	b.run("insert into sdd.repository (name) values ($1) on conflict do nothing", nil, p.Repository)
	var id, analysis, size int
	var there string
	var had space
	b.run("select id, commit, analysis, records, size, model, dims from sdd.repository where name = $1 for update", func(v [][]byte) {
		id, there, analysis, out.Records, size = number(v[0]), string(v[1]), number(v[2]), number(v[3]), number(v[4])
		had = space{string(v[5]), number(v[6])}
	}, p.Repository)
	renew := analysis != index.AnalysisVersion
	if b.err != nil || there == p.Commit && !renew && len(p.Units) == 0 {
		return
	}
	if there != "" && there != p.Commit && p.Older != nil && p.Older(there) {
		b.fail(fault.New(fault.Conflict, "the hub has a later commit of %s, %.12s", p.Repository, there).
			With("push the tip of the default branch, or give --force"))
	}
	old := map[string]*row{}
	b.run("select doc, path, blob from sdd.record where repository = $1", func(v [][]byte) {
		old[string(v[1])] = &row{doc: number(v[0]), path: string(v[1]), blob: string(v[2])}
	}, id)
	if b.err != nil {
		return
	}
	changed, removed, err := compare(p, old, renew)
	b.fail(err)
	out.Changed, out.Removed = len(changed), len(removed)
	size = numbered(changed, old, removed, size)
	if renew {
		b.run("delete from sdd.posting where repository = $1", nil, id)
	}
	b.post(id, p, changed, removed, old, renew)
	b.store(id, changed, removed)
	b.storeVectors(id, p, had, old, changed, removed, out)
	b.run(`update sdd.repository set commit = $2, analysis = $3, size = $4, pushed = now(), records = t.n, words = t.words
		from (select count(*)::int as n, coalesce(sum(length), 0)::bigint as words from sdd.record where repository = $1) t where id = $1`,
		nil, id, p.Commit, index.AnalysisVersion, size)
	out.Records, out.Action = len(p.Files), "pushed"
}

// compare returns the new versions of the records that differ, and the rows of those that the commit no longer has.
func compare(p Push, old map[string]*row, all bool) (changed, removed []*row, err error) {
	list := index.Lister{}
	kept := map[string]bool{}
	for _, f := range p.Files {
		kept[f.Path] = true
		was := old[f.Path]
		if was != nil && was.blob == f.Blob && !all {
			continue
		}
		src, err := f.Read()
		if err != nil {
			return nil, nil, err
		}
		r := &row{doc: -1, path: f.Path, blob: f.Blob, source: src, listed: list.List(record.InRepository(p.Repository, f.Path), src, p.Defaults)}
		r.length = r.listed.Length
		if was != nil {
			r.doc = was.doc
		}
		changed = append(changed, r)
	}
	for path, r := range old {
		if !kept[path] {
			removed = append(removed, r)
		}
	}
	return changed, removed, nil
}

// numbered gives the new records numbers that no other has, free ones first, and returns the number above all.
func numbered(changed []*row, old map[string]*row, removed []*row, size int) int {
	used := make([]bool, size)
	for _, r := range old {
		used[r.doc] = true
	}
	for _, r := range removed {
		used[r.doc] = false
	}
	free := 0
	for _, r := range changed {
		if r.doc >= 0 {
			continue
		}
		for free < size && used[free] {
			free++
		}
		r.doc = free
		free++
		size = max(size, free)
	}
	return size
}

// post writes the postings of the changed records, without those of their old versions and of the removed ones.
func (b *batch) post(id int, p Push, changed, removed []*row, old map[string]*row, fresh bool) {
	gone := map[int]bool{} // numbers whose postings go
	places := map[place][]added{}
	for _, r := range changed {
		for _, t := range r.listed.Terms {
			at := place{t.Term, r.doc / chunkRecords}
			places[at] = append(places[at], added{r, t.Weight})
		}
		gone[r.doc] = true
	}
	if !fresh {
		var before []int
		for _, r := range removed {
			before = append(before, r.doc)
			gone[r.doc] = true
		}
		for _, r := range changed {
			if old[r.path] != nil {
				before = append(before, r.doc)
			}
		}
		list := index.Lister{}
		b.run("select doc, path, source from sdd.record where repository = $1 and doc = any($2)", func(v [][]byte) {
			for _, t := range list.List(record.InRepository(p.Repository, string(v[1])), bytes.Clone(v[2]), p.Defaults).Terms {
				at := place{t.Term, number(v[0]) / chunkRecords}
				places[at] = places[at][:len(places[at]):len(places[at])]
			}
		}, id, before)
	}
	order := slices.SortedFunc(maps.Keys(places), func(a, b place) int { return cmp.Or(strings.Compare(a.term, b.term), a.chunk-b.chunk) })
	terms, chunks := make([][]byte, len(order)), make([]int, len(order))
	for i, at := range order {
		terms[i], chunks[i] = []byte(at.term), at.chunk
	}
	lists := map[place][]byte{} // as the hub had them
	if !fresh && len(order) > 0 {
		b.run(`delete from sdd.posting p using unnest($2::bytea[], $3::int[]) w(term, chunk)
			where p.repository = $1 and p.term = w.term and p.chunk = w.chunk returning p.term, p.chunk, p.list`, func(v [][]byte) {
			lists[place{string(v[0]), number(v[1])}] = bytes.Clone(v[2])
		}, id, terms, chunks)
	}
	if b.err != nil {
		return
	}
	var into copier
	for i, at := range order {
		list, err := merged(lists[at], at, gone, places[at])
		b.fail(err)
		if len(list) > 0 {
			into.values(int4(id), int4(at.chunk), terms[i], list)
		}
	}
	b.copy("sdd.posting (repository, chunk, term, list)", &into)
}

// merged returns a list without the records whose postings go, and with those of the records that have the term.
func merged(list []byte, at place, gone map[int]bool, add []added) ([]byte, error) {
	type posting struct {
		doc, weight, length int
		traits              byte
	}
	var all []posting
	err := index.EachListed(list, func(doc, weight, length int, traits byte) {
		if !gone[at.chunk*chunkRecords+doc] {
			all = append(all, posting{doc, weight, length, traits})
		}
	})
	if err != nil {
		return nil, fault.New(fault.Broken, "the hub's postings are damaged").With("push again with --force")
	}
	for _, r := range add {
		all = append(all, posting{r.doc % chunkRecords, r.weight, r.length, r.listed.Traits})
	}
	slices.SortFunc(all, func(a, b posting) int { return a.doc - b.doc })
	last := -1
	var out []byte
	for _, p := range all {
		out = index.AppendListed(out, last, p.doc, p.weight, p.length, p.traits)
		last = p.doc
	}
	return out, nil
}

func (b *batch) store(id int, changed, removed []*row) {
	var gone []int
	for _, r := range slices.Concat(changed, removed) {
		gone = append(gone, r.doc)
	}
	b.run("delete from sdd.record where repository = $1 and doc = any($2)", nil, id, gone)
	var into copier
	for _, r := range changed {
		into.values(int4(id), int4(r.doc), []byte(r.path), []byte(r.blob), int4(r.length), r.source)
	}
	b.copy("sdd.record (repository, doc, path, blob, length, source)", &into)
}

func (b *batch) copy(into string, rows *copier) {
	if b.err == nil {
		_, err := b.pg.CopyFrom(b.ctx, rows.reader(), "copy "+into+" from stdin binary")
		b.err = failed(b.ctx, err)
	}
}

// copier writes rows in the binary form of COPY.
type copier struct{ b []byte }

func (c *copier) values(values ...[]byte) {
	if c.b == nil {
		c.b = append(c.b, "PGCOPY\n\xff\r\n\x00\x00\x00\x00\x00\x00\x00\x00\x00"...)
	}
	c.b = binary.BigEndian.AppendUint16(c.b, uint16(len(values)))
	for _, v := range values {
		c.b = append(binary.BigEndian.AppendUint32(c.b, uint32(len(v))), v...)
	}
}

func int4(n int) []byte { return binary.BigEndian.AppendUint32(nil, uint32(int32(n))) }

func (c *copier) reader() *bytes.Reader {
	if c.b == nil {
		c.values() // no rows: only the head
		c.b = c.b[:len(c.b)-2]
	}
	return bytes.NewReader(binary.BigEndian.AppendUint16(c.b, 0xffff))
}
