package check

import (
	"context"
	"path"
	"time"

	"sdd/internal/anchor"
	"sdd/internal/index"
	"sdd/internal/record"
	"sdd/internal/store"
)

// mostLinked is how many decisions Text reads to compare their links.
const mostLinked = 64

// Text checks a text that an editor has not saved yet, as the record in path, relative to .sdd. It takes the other records from the
// index as it is, and reads only the decisions that the text's links lead to. It compares no names of files. tree has the code
// that records name, nil for none; it starts git only for places that are gone, and for shortSearch at most.
func Text(ctx context.Context, st *store.Store, ix *index.Index, tree *anchor.Tree, path string, src []byte) []Finding {
	c := newChecker(st)
	p := c.inspect(path, src)
	if c.tree = tree; tree != nil {
		soon, stop := context.WithTimeout(ctx, shortSearch)
		c.judge(soon, []*page{p})
		stop()
	}
	own := names{}
	own.add(p)
	c.resolve(p, func(name string) bool { return own.has(name) || len(named(ix, name)) > 0 })
	twins := []*page{p}
	for _, e := range ix.Lookup(index.Ref{ID: p.id}) {
		if e.Path != path {
			twins = append(twins, &page{path: e.Path, readable: true, id: e.ID, kind: e.Kind})
		}
	}
	duplicates(twins)
	if p.kind == record.Decision {
		decisions(c.linked(ctx, ix, p), []*page{p})
	}
	r := Report{}
	r.collect([]*page{p}, nil, c.severities)
	return r.Findings
}

const shortSearch = 50 * time.Millisecond // for the new places of code, while an editor waits

// named returns the records by a name that references may use.
func named(ix *index.Index, name string) []index.Entry {
	all := ix.Lookup(index.Ref{ID: name})
	if base := path.Base(name); len(all) == 0 && record.IsHexID(base) {
		all = ix.Lookup(index.Ref{ID: base})
	}
	return all
}

// linked returns a decision with those that its links lead to, and those that name it.
func (c *checker) linked(ctx context.Context, ix *index.Index, p *page) []*page {
	all := []*page{p}
	seen := map[string]bool{p.path: true}
	add := func(entries []index.Entry) {
		for _, e := range entries {
			if e.Kind != record.Decision || seen[e.Path] || len(all) > mostLinked || ctx.Err() != nil {
				continue
			}
			seen[e.Path] = true
			if f, err := c.st.Read(e.Path); err == nil {
				all = append(all, c.inspect(e.Path, f.Bytes))
			}
		}
	}
	add(ix.Linking(p.names...))
	for i := 0; i < len(all); i++ {
		for _, r := range all[i].refs {
			if r.key == supersedesKey || r.key == dependsOnKey {
				add(named(ix, r.value))
			}
		}
	}
	return all
}

// Mend returns a text with everything corrected that --fix would correct, and what was corrected.
func Mend(st *store.Store, path string, src []byte) ([]byte, []Fixed) {
	return newChecker(st).mend(path, src)
}
