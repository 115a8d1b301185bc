package decision

import (
	"context"
	"path"
	"slices"
	"strings"
	"sync"

	"sdd/internal/fault"
	"sdd/internal/index"
	"sdd/internal/index/records"
	"sdd/internal/record"
)

// The index finds records; what a decision contains and how decisions are linked is in their files. The cache keeps every
// decision parsed, and makes a new snapshot when a file changed.

type cache struct {
	root string // of the store

	turn sync.Mutex // held by the sync that is under way; guards what follows
	records.Kind[Decision]
	inPlace  inPlace
	snapshot *snapshot // nil when it has to be made
}

// snapshot is all decisions at one moment. Only meanings and ranking are made later, when they are first needed.
type snapshot struct {
	list []Decision     // the newest first
	byID map[string]int // place in list
	// names has the places of decisions by slug and by the name of the file.
	names map[string][]int
	out   [][]edge // by decision: its own links
	in    [][]edge // by decision: the links of others to it

	meanings func() map[string][]int
	ranking  func() *ranking

	indexed   sync.Once
	elsewhere *index.Elsewhere // the records in place
}

// edge is a link from a decision to another.
type edge struct {
	from, to int
	kind     string // supersedes, depends_on or relates_to
}

// Kinds of links, in the order in which they are followed.
const (
	supersedesLink = "supersedes"
	dependsOnLink  = "depends_on"
	relatesToLink  = "relates_to"
)

// sync returns every decision as its file is now or was since the call began.
func (c *cache) sync(ctx context.Context) (*snapshot, error) {
	c.turn.Lock()
	defer c.turn.Unlock()
	updates, err := c.Updates(ctx)
	if err != nil {
		return nil, err
	}
	c.Apply(updates)
	if c.inPlace.refresh(c.root) || len(updates) > 0 || c.snapshot == nil {
		c.snapshot = c.newSnapshot()
	}
	return c.snapshot, nil
}

// newSnapshot puts the decisions in order and links them.
func (c *cache) newSnapshot() *snapshot {
	n := &snapshot{byID: map[string]int{}, names: map[string][]int{}}
	own := make(map[string]bool, len(c.All))
	var order []*Decision
	for _, d := range c.All {
		order = append(order, d)
		own[d.ID] = true
	}
	for _, d := range c.inPlace.decisions(own) {
		order = append(order, &d)
	}
	slices.SortFunc(order, byAge)
	for _, d := range order {
		n.list = append(n.list, *d)
	}
	n.out, n.in = make([][]edge, len(n.list)), make([][]edge, len(n.list))
	for i := range n.list {
		d := &n.list[i]
		if _, ok := n.byID[d.ID]; !ok {
			n.byID[d.ID] = i
		}
		slug, stem := d.ID[strings.LastIndexByte(d.ID, '/')+1:], stemOf(d.File)
		n.names[slug] = append(n.names[slug], i)
		if stem != slug {
			n.names[stem] = append(n.names[stem], i)
		}
	}
	for i := range n.list {
		n.link(i)
	}
	for i := range n.list {
		for _, e := range n.in[i] {
			by := &n.list[e.from]
			if e.kind == supersedesLink && by.Status == accepted && (n.list[i].SupersededBy == "" || n.list[i].SupersededBy > by.ID) {
				n.list[i].SupersededBy = by.ID
			}
		}
	}
	c.inPlace.supersede(n)
	n.meanings = sync.OnceValue(func() map[string][]int { return byMeaning(n.list) })
	n.ranking = sync.OnceValue(func() *ranking { return newRanking(n.list) })
	return n
}

// stemOf is the name of a file without its ending, in lower case.
func stemOf(file string) string {
	return strings.ToLower(strings.TrimSuffix(path.Base(file), path.Ext(file)))
}

// link resolves the links of a decision to ids.
func (n *snapshot) link(i int) {
	d := &n.list[i]
	seen := map[int]bool{i: true}
	follow := func(kind string, refs []string) []string {
		out := slices.Clone(refs)
		for k, ref := range refs {
			found := n.named(ref)
			if len(found) != 1 {
				continue
			}
			to := found[0]
			out[k] = n.list[to].ID
			if !seen[to] {
				seen[to] = true
				e := edge{i, to, kind}
				n.out[i], n.in[to] = append(n.out[i], e), append(n.in[to], e)
			}
		}
		return out
	}
	d.Supersedes = follow(supersedesLink, d.Supersedes)
	d.DependsOn = follow(dependsOnLink, d.DependsOn)
	d.RelatesTo = follow(relatesToLink, d.RelatesTo)
}

// named returns the places of the decisions that ref names: by id, else by file, slug or title.
func (n *snapshot) named(ref string) []int {
	ref = strings.TrimSpace(ref)
	low := strings.ToLower(strings.TrimPrefix(strings.TrimPrefix(ref, "sdd://"), "./"))
	if i, ok := n.byID[low]; ok {
		return []int{i}
	}
	if strings.HasSuffix(low, ".md") || strings.HasSuffix(low, ".markdown") {
		var found []int
		for _, i := range n.names[stemOf(low)] {
			if file := "/" + strings.ToLower(n.list[i].File); strings.HasSuffix(file, "/"+low) {
				found = append(found, i)
			}
		}
		return found
	}
	if found := n.names[strings.TrimPrefix(low, "decision/")]; len(found) > 0 {
		return found
	}
	return n.names[record.Slug(ref)]
}

// one returns the place of the only decision that ref names.
func (d *Decisions) one(s *snapshot, arg, ref string) (int, error) {
	found := s.named(ref)
	switch len(found) {
	case 1:
		return found[0], nil
	case 0:
		return 0, index.NotFound(arg, "decision", ref,
			d.ix.Nearest(record.Decision, strings.TrimPrefix(ref, "decision/"), 3), "sdd decide list shows the ids")
	}
	var ids []string
	for _, i := range found {
		ids = append(ids, s.list[i].ID+" ("+s.list[i].File+")")
	}
	return 0, fault.New(fault.Ambiguous, "%d decisions are called %q: %s", len(found), record.Brief(ref), strings.Join(ids, ", ")).For(arg).
		With("give the id or the file")
}
