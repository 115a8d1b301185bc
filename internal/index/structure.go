package index

import (
	"slices"
	"strings"

	"sdd/internal/record"
)

// What a record is tied to says as much about it as its words. A group (domain, module, code,
// session) is scored as if it were one document, so that one whose records have different words of
// the question counts more than one in which a single record has one; each record in it gets a
// share. Records that name each other get a share of each other's score.

// Shares in percent.
const (
	moduleShare  = 22
	codeShare    = 25
	sessionShare = 15
	domainShare  = 16
	linkShare    = 35
	mentionShare = 20

	fedBelow = 40 // of the best score, up to which feedback counts
	fedMost  = 15 // of the best score that it adds at most

	coverShare = 60 // of a score for having all words of the question
	phraseBest = 60 // added to a score for having them all in a row
)

const (
	tiedPool    = 24  // best records whose ties are followed
	maxGroup    = 256 // records of a group that has no share for those without a word of the question
	knownLeast  = 34  // how much of a question some record has to have, in percent
	groupLeast  = 50  // or some group
	nearLeast   = 14  // how much for records to be shown as the nearest there are
	nearMost    = 6   // how many are
	lastShare   = 3   // of the best score that the last record has, in percent
	foreignNeed = 35  // what a word that no record has counts where few are in the language of the question, in percent
)

// web is the best records, what they are tied to, and their scores.
type web struct {
	r     *ranking
	s     *search
	nodes []node
	at    map[int]int // by slot
	only  bitmap
	teams map[group]*team
	order []*team
	edges []edge

	need uint64   // of all telling words
	got  []uint32 // scores of the concept in hand, by node
}

// node is a record. What it is called aliases its segment.
type node struct {
	candidate
	why    Why
	ranks  uint8
	own    uint64 // score by its own words
	cover  uint64 // of need, in hundredths
	fed    uint64 // score by what the best records have in common
	extra  uint64 // from what it is tied to
	wanted bool   // passes the filters
}

// team is a group with the nodes in it.
type team struct {
	group
	size    int // records, beyond nodes too
	members []int
	score   uint64
	cover   uint64
}

// edge is a tie between two records.
type edge struct {
	a, b  int
	by    string
	share uint64
}

func newWeb(r *ranking, s *search, pool []candidate) *web {
	w := &web{r: r, s: s, at: map[int]int{}, teams: map[group]*team{}}
	ranks := r.named(s)
	for _, x := range pool {
		w.nodes[w.node(x.slot, true)].ranks = ranks[x.slot]
	}
	if r.q.Without&Structure == 0 {
		for i := range min(len(pool), tiedPool) {
			w.tie(i)
		}
	}
	return w
}

// node returns the number of the record in that slot.
func (w *web) node(slot int, wanted bool) int {
	if n, ok := w.at[slot]; ok {
		return n
	}
	l, doc := w.s.at(slot)
	n := len(w.nodes)
	w.nodes = append(w.nodes, node{
		candidate: candidate{sortKey{created: l.seg.created(doc), id: l.seg.id(doc), path: l.seg.path(doc)}, slot}, wanted: wanted,
	})
	w.at[slot] = n
	w.only.add(slot, w.s.slots)
	return n
}

// entry returns what the index has of node i.
func (w *web) entry(i int) (Entry, []heading, language) {
	l, doc := w.s.at(w.nodes[i].slot)
	e, outline := l.seg.entry(doc)
	e.Status = w.r.q.Standing.of(l, doc, e.Status)
	return e, outline, l.seg.language(doc)
}

// tie follows the ties of node i.
func (w *web) tie(i int) {
	e, _, _ := w.entry(i)
	for _, g := range e.groups() {
		w.join(g)
	}
	name := func(to string, by string) {
		w.r.ix.contents.named(to, func(l *live, doc int, how nameKind) {
			if how&(byID|byTopicKey|bySlug|byPath) != 0 && !l.dead.has(doc) {
				w.connect(i, w.s.base[slices.Index(w.s.segs, l)]+doc, by, linkShare)
			}
		})
	}
	for _, l := range e.Links {
		name(l.To, l.By)
	}
	id := nameKey(e.ID)
	for k, l := range w.s.segs {
		for p := l.seg.read(l.seg.find(groupTerm + linkGroup + id)); p.next(); {
			if !l.dead.has(p.doc) {
				w.connect(i, w.s.base[k]+p.doc, "", linkShare)
			}
		}
		for p := l.seg.read(l.seg.find(id)); p.next(); {
			if !l.dead.has(p.doc) {
				w.connect(i, w.s.base[k]+p.doc, "mentions", mentionShare)
			}
		}
	}
}

// connect notes a tie of node i with the record in a slot; by is "" when that one names the node.
func (w *web) connect(i, slot int, by string, share uint64) {
	n := w.node(slot, false)
	if n == i || len(w.edges) >= 8*rankPool {
		return
	}
	if by == "" {
		other, _, _ := w.entry(n)
		for _, l := range other.Links {
			if by == "" && strings.EqualFold(l.To, string(w.nodes[i].id)) {
				by = l.By
			}
		}
	}
	for _, x := range w.edges {
		if x.a == i && x.b == n || x.a == n && x.b == i {
			return
		}
	}
	w.edges = append(w.edges, edge{i, n, by, share})
}

// join notes a group with those of its records that may get a share.
func (w *web) join(g group) {
	if w.teams[g] != nil {
		return
	}
	t := &team{group: g}
	w.teams[g] = t
	var slots []int
	visit := func(term string) {
		for k, l := range w.s.segs {
			for p := l.seg.read(l.seg.find(term)); p.next(); {
				if l.dead.has(p.doc) {
					continue
				}
				slot := w.s.base[k] + p.doc
				if t.size++; t.size <= maxGroup {
					slots = append(slots, slot)
				} else if _, ok := w.at[slot]; ok {
					slots = append(slots, slot)
				}
			}
		}
	}
	visit(string(g))
	if path, ok := strings.CutPrefix(string(g), groupTerm+codeGroup); ok {
		visit(path) // those that name the file in their text
	}
	if t.size < 2 {
		return
	}
	for _, slot := range slots {
		if _, ok := w.at[slot]; ok || t.size <= maxGroup {
			if n := w.node(slot, false); !slices.Contains(t.members, n) {
				t.members = append(t.members, n)
			}
		}
	}
	w.order = append(w.order, t)
}

// score scores nodes and groups.
func (w *web) score() error {
	wanted := w.r.ix.contents.newFilter(&Query{Types: w.r.q.Types, Project: w.r.q.Project, Scope: w.r.q.Scope})
	for i := range w.nodes {
		n := &w.nodes[i]
		if !n.wanted {
			l, doc := w.s.at(n.slot)
			n.wanted = wanted.wants(l, doc)
		}
	}
	in := w.r.in
	w.got = make([]uint32, len(w.nodes))
	holds := make([]uint8, len(w.nodes))
	w.s.only = w.only
	defer func() { w.s.only = nil }()
	for i := range in.concepts {
		a := &in.words[i]
		need := uint64(a.need)
		if a.idle {
			need = 0
		} else if a.absent {
			if in.foreign {
				need = need * foreignNeed / 100
			}
			if a.gram {
				need /= 3
			}
		}
		w.need += need
		err := w.s.shares(in, i, func(slot uint32, add uint32, how how) {
			n := w.at[int(slot)]
			if a.feedback {
				w.nodes[n].fed += uint64(add)
				return
			}
			w.got[n], holds[n] = add, uint8(hold[how])
			w.nodes[n].own += uint64(add)
			w.nodes[n].cover += need * hold[how]
		})
		if err != nil {
			return err
		}
		if a.feedback {
			continue
		}
		for _, t := range w.order {
			t.hear(w.got, holds, need)
		}
		clear(w.got)
		clear(holds)
	}
	w.share()
	return nil
}

// hear adds to a group what its records have of a word: as much as the best of them, and some more
// when several have it.
func (t *team) hear(got []uint32, holds []uint8, need uint64) {
	var best, sum uint64
	var holding uint8
	for _, n := range t.members {
		best = max(best, uint64(got[n]))
		sum += uint64(got[n])
		holding = max(holding, holds[n])
	}
	t.score += best + min(best, sum-best)/2
	t.cover += need * uint64(holding)
}

// shares gives every node its own score and its share of what it is tied to.
func (w *web) share() {
	in := w.r.in
	pairs := uint64(in.pairs())
	for i := range w.nodes {
		n := &w.nodes[i]
		if w.need > 0 {
			n.own = n.own * (100 - coverShare + coverShare*n.cover/(100*w.need)) / 100
		}
		if near := uint64(w.r.spot[string(n.path)].pairs); pairs > 0 {
			n.own += n.own * phraseBest * near / pairs / 100
		}
	}
	share := make([]uint64, len(w.nodes)) // of the best group
	for _, t := range w.order {
		if w.need > 0 {
			t.score = t.score * (100 - coverShare + coverShare*t.cover/(100*w.need)) / 100
		}
		percent, by := t.worth(w.s.n)
		add := t.score * percent / 100
		for _, m := range t.members {
			if n := &w.nodes[m]; add > share[m] {
				share[m] = add
				n.why.Neighbour, n.why.By = t.name(), by
			}
		}
	}
	for i := range w.nodes {
		w.nodes[i].extra = share[i]
	}
	links := make([]uint64, len(w.nodes))
	give := func(from, to int, x *edge) {
		n := &w.nodes[to]
		if add := w.nodes[from].own * x.share / 100; add > links[to] {
			links[to] = add
			if add > share[to] {
				n.why.Neighbour, n.why.By = string(w.nodes[from].id), x.by
			}
		}
	}
	for i := range w.edges {
		x := &w.edges[i]
		give(x.a, x.b, x)
		give(x.b, x.a, x)
	}
	var best uint64
	for i := range w.nodes {
		w.nodes[i].extra += links[i]
		best = max(best, w.nodes[i].own+w.nodes[i].extra)
	}
	for i := range w.nodes {
		if n := &w.nodes[i]; n.own+n.extra < best*fedBelow/100 {
			n.extra += min(n.fed, best*fedMost/100)
		} else {
			n.fed = 0
		}
	}
}

// worth returns the share that a record has of the score of its group, and how it is tied to it. In
// a group of nearly all records nobody learns anything from being in it.
func (t *team) worth(n int) (percent uint64, by string) {
	switch kind := string(t.group[:1]); {
	case kind == sessionTerm:
		percent, by = sessionShare, "session"
	case t.group[1:2] == moduleGroup:
		percent, by = moduleShare, "module"
	case t.group[1:2] == codeGroup:
		percent, by = codeShare, "code_ref"
	default:
		percent, by = domainShare, "domain"
	}
	return percent * uint64(idf(n, t.size)) / uint64(idf(n, 1)), by
}

// name is what the group is called.
func (t *team) name() string {
	if string(t.group[:1]) == sessionTerm {
		return string(t.group[1:])
	}
	return strings.TrimPrefix(strings.ReplaceAll(string(t.group[2:]), "\x00", "/"), "/")
}

// known reports whether some record, or group, has enough of what the question is about; near, whether
// some record has so much that it may be meant.
func (w *web) known() (known, near bool) {
	for i := range w.nodes {
		n := &w.nodes[i]
		if n.ranks > 0 || w.need > 0 && n.wanted && n.cover >= knownLeast*w.need {
			return true, true
		}
		near = near || w.need > 0 && n.wanted && n.cover >= nearLeast*w.need
	}
	for _, t := range w.order {
		if w.need > 0 && t.cover >= groupLeast*w.need {
			return true, true
		}
	}
	return false, near
}

// nearest returns the records that have most of the question by their own words.
func (w *web) nearest() []chosen {
	for i := range w.nodes {
		n := &w.nodes[i]
		if n.extra, n.fed = 0, 0; n.cover < nearLeast*w.need {
			n.wanted = false
		}
	}
	list := w.best()
	return list[:min(len(list), nearMost)]
}

// best returns the records of the answer, in order.
func (w *web) best() []chosen {
	var order []int
	var most uint64
	for i := range w.nodes {
		n := &w.nodes[i]
		sum := (n.own + n.extra) * w.standing(n) / 100
		n.score, n.rank = uint32(min(sum, 1<<32-1)), n.ranks
		if n.wanted && (sum > 0 || n.rank > 0 && w.standing(n) > 0) {
			most = max(most, sum)
			order = append(order, i)
		}
	}
	order = slices.DeleteFunc(order, func(i int) bool {
		return w.nodes[i].rank == 0 && uint64(w.nodes[i].score)*100 < most*lastShare
	})
	slices.SortFunc(order, func(a, b int) int { return w.nodes[a].before(&w.nodes[b].sortKey) })
	var list []chosen
	for _, i := range order[:min(len(order), w.r.q.Limit)] {
		n := &w.nodes[i]
		n.why.Feedback = n.fed > 0
		if n.extra <= n.own/8 {
			n.why.Neighbour, n.why.By = "", ""
		}
		c := chosen{candidate: n.candidate, why: n.why}
		c.Entry, c.outline, c.lang = w.entry(i)
		c.id, c.path = []byte(c.ID), []byte(c.Path) // what they were is gone with the lock
		list = append(list, c)
	}
	return list
}

// standing is what the status of a record leaves of its score, in percent; 0 leaves the record out.
func (w *web) standing(n *node) uint64 {
	l, doc := w.s.at(n.slot)
	kind := l.seg.kind(doc)
	status := w.r.q.Standing.of(l, doc, string(l.seg.facet(l.seg.u32(doc, atStatus))))
	switch n.gone = record.Gone(status); {
	case status == "deleted", status == "rejected" && kind == record.Candidate:
		return 0
	case status == "archived", status == "outdated":
		return 40
	case status == "superseded", status == "stale", status == "rejected", kind == record.Candidate:
		return 85
	}
	return 100
}

// shares calls f for each of the wanted records that has word i, with what it gets for it.
func (s *search) shares(in *inquiry, i int, f func(slot, add uint32, how how)) error {
	s.hits = s.hits[:0]
	defer func() {
		for _, slot := range s.hits {
			s.best[slot] = 0
		}
	}()
	for k := range in.words[i].stages {
		st := &in.words[i].stages[k]
		from := len(s.hits)
		if err := s.takeStage(st); err != nil {
			return err
		}
		for _, slot := range s.hits[from:] {
			f(slot, s.worth(slot, st.idf, in.concepts[i].weight), st.how)
			s.best[slot] = settled
		}
	}
	return nil
}
