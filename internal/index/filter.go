package index

import (
	"slices"
	"strings"

	"sdd/internal/record"
)

// filter decides which records match. It compares each facet once per segment.
type filter struct {
	types   []record.Type
	project string
	scope   string
	status  string
	stand   Standing
	session bool // only records of the session
	only    map[*live]bitmap

	ended map[*live][]int8     // for each facet: 0 unknown, 1 a status that no longer counts, -1 one that counts
	known map[*live]*[4][]int8 // for each facet of a segment: 0 unknown, 1 wanted, -1 not wanted
}

// facets in the order in which a document holds them
const (
	projectFacet = iota
	scopeFacet
	statusFacet
	colorFacet
)

// newFilter prepares q's filters. The caller holds the lock of the contents.
func (c *contents) newFilter(q *Query) *filter {
	f := &filter{types: q.Types, project: q.Project, scope: q.Scope, status: q.Status, stand: q.Standing, known: map[*live]*[4][]int8{}}
	if q.Session != "" {
		f.session = true
		f.only = map[*live]bitmap{}
		add := func(l *live, doc int) {
			b := f.only[l]
			b.add(doc, l.seg.len())
			f.only[l] = b
		}
		for _, id := range c.order {
			l := c.segs[id]
			for p := l.seg.read(l.seg.find(sessionTerm + lower(q.Session))); p.next(); {
				add(l, p.doc)
			}
		}
		for _, id := range q.saved {
			c.named(id, func(l *live, doc int, by nameKind) {
				if by&byID != 0 {
					add(l, doc)
				}
			})
		}
	}
	return f
}

// wants reports whether a living record passes.
func (f *filter) wants(l *live, doc int) bool {
	if f.session && !f.only[l].has(doc) {
		return false
	}
	if len(f.types) > 0 && !slices.ContainsFunc(f.types, func(t record.Type) bool {
		return t.Kind == l.seg.kind(doc) && (t.Color == "" || f.facet(l, doc, colorFacet, t.Color))
	}) {
		return false
	}
	if status, ok := f.stand.other(l, doc); ok && (status == "" || f.status != "" && !strings.EqualFold(status, f.status)) {
		return false
	} else if !ok && f.status != "" && !f.facet(l, doc, statusFacet, f.status) {
		return false
	}
	return (f.project == "" || f.facet(l, doc, projectFacet, f.project)) &&
		(f.scope == "" || f.facet(l, doc, scopeFacet, f.scope))
}

func (f *filter) facet(l *live, doc, which int, want string) bool {
	id := l.seg.u32(doc, atProject+4*which)
	if int64(id) >= int64(l.seg.facetCount()) {
		return false
	}
	known := f.known[l]
	if known == nil {
		known = new([4][]int8)
		f.known[l] = known
	}
	if which == colorFacet { // a query may want several colors
		return strings.EqualFold(string(l.seg.facet(id)), want)
	}
	if known[which] == nil {
		known[which] = make([]int8, l.seg.facetCount())
	}
	verdict := &known[which][id]
	if *verdict == 0 {
		*verdict = -1
		have := string(l.seg.facet(id))
		if strings.EqualFold(have, want) || which == projectFacet && record.SameProject(have, want) {
			*verdict = 1
		}
	}
	return *verdict > 0
}
