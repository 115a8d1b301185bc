package index

import (
	"slices"
	"strings"

	"sdd/internal/analysis"
	"sdd/internal/record"
)

// filter decides which records match.
type filter struct {
	types   []record.Type
	project string
	scope   string
	status  string
	stand   Standing
	only    map[*live]bitmap // records of the session; nil without one
	same    map[string]bool  // by project of a record: it is the wanted one
}

// newFilter prepares q's filters. The caller holds the lock of the contents.
func (c *contents) newFilter(q *Query) *filter {
	f := &filter{types: q.Types, project: q.Project, scope: q.Scope, status: q.Status, stand: q.Standing, same: map[string]bool{}}
	if q.Session != "" {
		f.only = map[*live]bitmap{}
		add := func(l *live, doc int) {
			b := f.only[l]
			b.add(doc, l.seg.len())
			f.only[l] = b
		}
		for l, p := range having(c.segs, sessionTerm+analysis.Lower(q.Session)) {
			add(l, p.doc)
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
	if f.only != nil && !f.only[l].has(doc) {
		return false
	}
	if len(f.types) > 0 && !slices.ContainsFunc(f.types, func(t record.Type) bool {
		return t.Kind == l.seg.kind(doc) && (t.Color == "" || strings.EqualFold(string(l.seg.texted(doc, colorText)), t.Color))
	}) {
		return false
	}
	if status, ok := f.stand.other(l, doc); ok && (status == "" || f.status != "" && !strings.EqualFold(status, f.status)) {
		return false
	} else if !ok && f.status != "" && !strings.EqualFold(string(l.seg.texted(doc, statusText)), f.status) {
		return false
	}
	return (f.project == "" || f.inProject(string(l.seg.texted(doc, projectText)))) &&
		(f.scope == "" || strings.EqualFold(string(l.seg.texted(doc, scopeText)), f.scope))
}

func (f *filter) inProject(project string) bool {
	same, known := f.same[project]
	if !known {
		same = strings.EqualFold(project, f.project) || record.SameProject(project, f.project)
		f.same[project] = same
	}
	return same
}
