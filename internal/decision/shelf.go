package decision

import (
	"context"
	"path"
	"slices"
	"strings"
	"sync"

	"sdd/internal/fault"
	"sdd/internal/index"
	"sdd/internal/record"
)

// The index finds records; what a decision says and how decisions hang together is in their files. The shelf keeps that of
// every decision by the etag of its file, and reads a file again only when the index tells that it changed.

type shelf struct {
	d *Decisions

	files *index.Follower

	turn  sync.Mutex           // held by the sync that is under way; guards what follows
	read  map[string]*Decision // records by path
	place inPlace
	words lexicon
	now   *snapshot // nil when it has to be made
}

// snapshot is all decisions at one moment. It does not change but for what is worked out when it is first asked for.
type snapshot struct {
	list []Decision     // the newest first
	byID map[string]int // place in list
	// names has the places of decisions by slug and by the name of the file.
	names map[string][]int
	out   [][]edge // of each decision, the links that it names
	in    [][]edge // and those that name it

	meanings func() map[string][]int
	ranking  func() *ranking
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
func (s *shelf) sync(ctx context.Context) (*snapshot, error) {
	s.turn.Lock()
	defer s.turn.Unlock()
	paths, all, err := s.files.Changed(ctx)
	if err != nil {
		return nil, err
	}
	if all {
		s.read, s.now = map[string]*Decision{}, nil
	}
	for _, p := range paths {
		if s.load(p) {
			s.now = nil
		}
	}
	if s.place.refresh(s.d.st.Dir()) {
		s.now = nil
	}
	if s.now == nil {
		s.now = s.snapshot()
	}
	return s.now, nil
}

// load reads a file again and reports whether it says something else.
func (s *shelf) load(path string) bool {
	f, err := s.d.st.Read(path)
	was := s.read[path]
	switch {
	case fault.Is(err, fault.NotFound):
		delete(s.read, path)
		return was != nil
	case err != nil, was != nil && was.Etag == record.Etag(f.Bytes):
		return false // what cannot be read stays as it was
	}
	s.read[path] = read(path, f.Bytes)
	return true
}

// snapshot puts the decisions in order and links them.
func (s *shelf) snapshot() *snapshot {
	n := &snapshot{byID: map[string]int{}, names: map[string][]int{}}
	own := make(map[string]bool, len(s.read))
	order := make([]*Decision, 0, len(s.read))
	for _, d := range s.read {
		order = append(order, d)
		own[d.ID] = true
	}
	in := s.place.decisions(own)
	for i := range in {
		order = append(order, &in[i])
	}
	slices.SortFunc(order, byAge)
	n.list = make([]Decision, len(order))
	for i, d := range order {
		n.list[i] = *d
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
	s.place.supersede(n)
	n.meanings = sync.OnceValue(func() map[string][]int { return s.words.byMeaning(n.list) })
	n.ranking = sync.OnceValue(func() *ranking { return s.words.rank(n.list) })
	return n
}

// stemOf is the name of a file without its ending, in lower case.
func stemOf(file string) string {
	return strings.ToLower(strings.TrimSuffix(path.Base(file), path.Ext(file)))
}

// link makes the links of a decision lead to ids.
func (n *snapshot) link(i int) {
	d := &n.list[i]
	seen := map[int]bool{i: true}
	follow := func(kind string, refs []string) []string {
		out := slices.Clone(refs)
		for k, ref := range refs {
			to, ok := n.find(ref)
			if !ok {
				continue
			}
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

// find returns the place of the only decision that ref names.
func (n *snapshot) find(ref string) (int, bool) {
	found := n.named(ref)
	if len(found) != 1 {
		return 0, false
	}
	return found[0], true
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
		err := fault.New(fault.NotFound, "there is no decision %q", brief(ref)).For(arg)
		if near := d.nearest(s, ref); len(near) > 0 {
			return 0, err.With("nearest: " + strings.Join(near, ", "))
		}
		return 0, err.With("sdd decide list shows the ids")
	}
	var ids []string
	for _, i := range found {
		ids = append(ids, s.list[i].ID+" ("+s.list[i].File+")")
	}
	return 0, fault.New(fault.Ambiguous, "%d decisions are called %q: %s", len(found), brief(ref), strings.Join(ids, ", ")).For(arg).
		With("give the id or the file")
}

const mostNear = 3

// nearest are the ids of the decisions that a caller may have meant.
func (d *Decisions) nearest(s *snapshot, ref string) []string {
	var near []string
	add := func(id string) {
		if len(near) < mostNear && !slices.Contains(near, id) {
			near = append(near, id)
		}
	}
	for _, e := range d.ix.Suggest(strings.TrimPrefix(ref, "decision/"), 10) {
		if e.Kind == record.Decision {
			add(e.ID)
		}
	}
	for _, h := range s.ranking().best(content(strings.ReplaceAll(ref, "-", " ")), mostNear) {
		add(s.list[h.at].ID)
	}
	return near
}

func brief(s string) string {
	s = record.Inline(strings.ToValidUTF8(s, "\uFFFD"))
	if rs := []rune(s); len(rs) > 100 {
		return string(rs[:100]) + "…"
	}
	return s
}
