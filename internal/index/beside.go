package index

import (
	"cmp"
	"slices"
	"strings"

	"sdd/internal/record"
)

// A record is tied to the records before and after it (by creation time) in its module, domain or session, to the other
// records of that group, and to the records that it names or that name it.

const (
	linkedPool  = 24  // best records whose links the ranking follows
	besidePool  = 128 // best records whose neighbours the ranking reads
	groupPool   = 12  // best records whose small groups the ranking reads whole
	smallGroup  = 24  // records of a small group
	maxOrdered  = 20_000
	besideReach = 2                // records before and after that count as neighbours
	besideTime  = 24 * 3600 * 1000 // longest time between neighbours, in milliseconds
)

// team is a group with its nodes.
type team struct {
	group
	size    int     // records, with those that are not nodes
	worth   uint64  // of all its nodes together, each word once
	members []int   // nodes
	ordered [][]int // members as runs of neighbours; -1 is a record that was not read
}

// edge is a tie between two nodes.
type edge struct {
	a, b int
}

// tying finds the ties between the records of a ranking.
type tying struct {
	*ranking
	s      *search
	wanted *filter
}

// node returns the node number of the record in that slot; -1 when there are too many nodes, and for one that is only counted.
func (t *tying) node(slot int) int {
	if n, ok := t.at[slot]; ok {
		return n
	}
	if len(t.nodes) >= maxNodes {
		return -1
	}
	l, doc := t.s.at(slot)
	wanted := !l.bare && t.wanted.wants(l, doc)
	if l.bare || !wanted && l.seg.kind(doc) == record.Candidate { // its ties would show other records for words that only it has
		return -1
	}
	n := &node{lang: l.seg.language(doc), wanted: wanted}
	n.Entry, n.outline = l.seg.entry(doc)
	n.Status = t.q.Standing.of(l, doc, n.Status)
	n.standing = standing(n.Kind, strings.ToLower(n.Status))
	n.sortKey = sortKey{gone: record.Gone(n.Status), created: l.seg.created(doc), id: []byte(n.ID), path: []byte(n.Path)}
	t.at[slot] = len(t.nodes)
	t.nodes = append(t.nodes, n)
	return t.at[slot]
}

func (t *tying) tieAll() {
	found := slices.Clone(t.nodes)
	for i := range min(len(found), linkedPool) {
		t.link(i)
	}
	seen := map[group]bool{}
	for i := range min(len(found), besidePool) {
		for _, g := range found[i].groups() {
			if !seen[g] {
				seen[g] = true
				t.join(g, i < groupPool)
			}
		}
	}
}

// link follows the links of node i, both ways.
func (t *tying) link(i int) {
	e := &t.nodes[i].Entry
	for _, l := range e.Links {
		t.ix.contents.named(l.To, func(seg *live, doc int, how nameKind) {
			if how&(byID|byTopicKey|bySlug|byPath) != 0 {
				t.connect(i, t.s.slot(seg, doc))
			}
		})
	}
	for l, p := range having(t.s.segs, groupTerm+linkGroup+nameKey(e.ID)) {
		t.connect(i, t.s.slot(l, p.doc))
	}
}

// connect records a link between node i and the record in a slot.
func (t *tying) connect(i, slot int) {
	n := t.node(slot)
	if n >= 0 && n != i && !slices.Contains(t.edges, edge{i, n}) && !slices.Contains(t.edges, edge{n, i}) {
		t.edges = append(t.edges, edge{i, n})
	}
}

// join records a group: its nodes and their neighbours. When whole is set and the group is small, it adds all its records.
func (t *tying) join(g group, whole bool) {
	type member struct {
		created int64
		id      []byte
		slot    int
	}
	var list []member
	size := 0
	visit := func(term string) {
		for l, p := range having(t.s.segs, term) {
			if size++; size <= maxOrdered {
				list = append(list, member{l.seg.created(p.doc), l.seg.id(p.doc), t.s.slot(l, p.doc)})
			}
		}
	}
	visit(string(g))
	if path, ok := strings.CutPrefix(string(g), groupTerm+codeGroup); ok {
		visit(path) // records that name the file in their text
	}
	if len(list) < 2 {
		return
	}
	slices.SortFunc(list, func(a, b member) int {
		return cmp.Or(cmp.Compare(a.created, b.created), strings.Compare(string(a.id), string(b.id)), a.slot-b.slot)
	})
	list = slices.CompactFunc(list, func(a, b member) bool { return a.slot == b.slot })
	tm := &team{group: g, size: size}
	near := make([]bool, len(list)) // the records to read
	for i, m := range list {
		if _, ok := t.at[m.slot]; !ok {
			continue
		}
		for k := max(0, i-besideReach); k <= min(len(list)-1, i+besideReach); k++ {
			near[k] = near[k] || list[k].created != noDate && max(list[k].created-m.created, m.created-list[k].created) <= besideTime
		}
	}
	var run []int
	end := func() {
		if len(run) > 1 {
			tm.ordered = append(tm.ordered, run)
		}
		run = nil
	}
	for i, m := range list {
		n, ok := t.at[m.slot]
		if !ok {
			n = -1
			if near[i] || whole && len(list) <= smallGroup {
				n = t.node(m.slot)
			}
		}
		if i > 0 && (m.created == noDate || m.created-list[i-1].created > besideTime) {
			end()
		}
		if m.created != noDate {
			run = append(run, n)
		}
		if n >= 0 {
			tm.members = append(tm.members, n)
		}
	}
	end()
	t.teams = append(t.teams, tm)
}

// standing returns the percentage of its score that a record of this status keeps; 0 leaves the record out.
func standing(kind record.Kind, status string) uint64 {
	switch {
	case status == "deleted", status == "rejected" && kind == record.Candidate:
		return 0
	case status == "archived", status == "outdated":
		return 40
	case status == "superseded", status == "stale", status == "rejected", kind == record.Candidate:
		return 85
	}
	return 100
}
