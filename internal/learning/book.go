package learning

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"
	"sync"

	"sdd/internal/fault"
	"sdd/internal/index"
	"sdd/internal/record"
	"sdd/internal/store"
)

// The index finds ideas; what a list of them needs to know (impact, agents, content …) is in their files. The book
// keeps that of every idea by the etag of its file, and reads a file again only when the index tells that it
// changed. Between processes it is handed on in .sdd/.local/learning/book, as a cache that may be missing.

type book struct {
	l *Learnings

	files  *index.Follower
	turn   sync.Mutex // held by the sync that is under way
	loaded bool

	mu   sync.Mutex        // guards what saves tell of
	mine map[string]string // etags that this process wrote, by path

	state   sync.RWMutex // guards what follows
	ideas   map[string]*Idea
	byID    map[string][]*Idea // by id and alias
	byChild map[string][]*Idea // learnings by parent, as they name it
	sorted  []*Idea            // newest first; nil when it has to be made. Who has the list keeps it as it is
	ranked  []*Idea            // learnings, the most important first; likewise
	aged    []*Idea            // learnings, the oldest first; likewise
	pending []intent           // parents that a call is setting to done
	policy  string             // learning.on_parent_done that the verdicts are of
	judged  bool               // every idea has its verdict
	head    string             // the commit that the verdicts are of
	commits map[string]commitVerdict
	dirty   bool // it differs from what is on disk
}

// sync makes the book show every file as it is now or was since the call began.
func (b *book) sync(ctx context.Context) error {
	b.turn.Lock()
	defer b.turn.Unlock()
	paths, all, err := b.files.Changed(ctx)
	if err != nil {
		return err
	}
	if all {
		b.load()
		paths = nil
	}
	return b.judge(ctx, b.read(paths, true))
}

// load reads all ideas, as far as the cache does not have them.
func (b *book) load() {
	kept, found := b.restore()
	b.state.Lock()
	b.ideas, b.byID, b.byChild = map[string]*Idea{}, map[string][]*Idea{}, map[string][]*Idea{}
	b.sorted, b.ranked, b.aged, b.dirty = nil, nil, nil, false
	var unknown []string
	for _, e := range b.l.ix.Entries(record.Idea) {
		if i := kept[e.Path]; i != nil {
			delete(kept, e.Path)
			b.add(i)
			if i.Etag == e.Etag {
				continue
			}
		}
		unknown = append(unknown, e.Path)
	}
	for path, i := range kept { // what is gone since
		b.add(i)
		unknown = append(unknown, path)
	}
	b.state.Unlock()
	slices.Sort(unknown)
	b.read(unknown, found)
	b.loaded, b.judged = true, false
}

// wrote is told of a file that this process has just written.
func (b *book) wrote(path string, src []byte) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.mine == nil {
		b.mine = map[string]string{}
	}
	b.mine[path] = record.Etag(src)
	b.files.Wrote(path)
}

// read reads files again and returns the ideas of those that differ, before and after. watched says that what differs
// happened since the book was last looked at.
func (b *book) read(paths []string, watched bool) (differ []*Idea) {
	for _, path := range paths {
		var now *Idea
		if f, err := b.l.st.Read(path); err == nil {
			now = parse(path, f.Bytes)
		} else if !fault.Is(err, fault.NotFound) {
			continue // it stays as it was last read
		}
		b.state.Lock()
		was := b.ideas[path]
		if was == nil && now == nil || was != nil && now != nil && was.Etag == now.Etag {
			b.state.Unlock()
			continue
		}
		if was != nil {
			b.remove(was)
			differ = append(differ, was)
		}
		if now != nil {
			b.add(now)
			differ = append(differ, now)
		}
		b.dirty = true
		b.state.Unlock()
		b.mu.Lock()
		own := now != nil && b.mine[path] == now.Etag
		b.mu.Unlock()
		if watched && !own {
			b.l.events.saw(was, now)
		}
	}
	return differ
}

func (b *book) add(i *Idea) {
	b.ideas[i.path] = i
	for _, name := range i.names() {
		b.byID[name] = append(b.byID[name], i)
	}
	if i.Learning() && i.Parent != "" {
		b.byChild[foldID(i.Parent)] = append(b.byChild[foldID(i.Parent)], i)
	}
	b.sorted = with(b.sorted, i, byAge)
	if i.Learning() {
		b.ranked, b.aged = with(b.ranked, i, byTier), with(b.aged, i, oldestFirst)
	}
}

// with returns a sorted list with one more; nil stays nil, for it has to be made anyway.
func with(list []*Idea, i *Idea, order func(a, b *Idea) int) []*Idea {
	if list == nil {
		return nil
	}
	at, _ := slices.BinarySearchFunc(list, i, order)
	out := make([]*Idea, 0, len(list)+16)
	return append(append(append(out, list[:at]...), i), list[at:]...)
}

// without returns a list without one.
func without(list []*Idea, i *Idea) []*Idea {
	if at := slices.Index(list, i); at >= 0 {
		return append(slices.Clone(list[:at]), list[at+1:]...)
	}
	return list
}

func (b *book) remove(i *Idea) {
	delete(b.ideas, i.path)
	drop := func(m map[string][]*Idea, key string) {
		m[key] = slices.DeleteFunc(slices.Clone(m[key]), func(o *Idea) bool { return o == i })
		if len(m[key]) == 0 {
			delete(m, key)
		}
	}
	for _, name := range i.names() {
		drop(b.byID, name)
	}
	if i.Learning() && i.Parent != "" {
		drop(b.byChild, foldID(i.Parent))
	}
	b.sorted, b.ranked, b.aged = without(b.sorted, i), without(b.ranked, i), without(b.aged, i)
}

// names are the id and the aliases, as ids are compared.
func (i *Idea) names() []string {
	names := []string{foldID(i.ID)}
	for _, a := range i.Aliases {
		if a = foldID(a); !slices.Contains(names, a) {
			names = append(names, a)
		}
	}
	return names
}

func foldID(id string) string { return strings.ToLower(strings.TrimSpace(id)) }

// named returns the ideas that have that id or alias; an id wins over an alias.
func (b *book) named(id string) []*Idea {
	b.state.RLock()
	defer b.state.RUnlock()
	return b.namedLocked(id)
}

func (b *book) namedLocked(id string) []*Idea {
	all := b.byID[foldID(id)]
	var exact []*Idea
	for _, i := range all {
		if foldID(i.ID) == foldID(id) {
			exact = append(exact, i)
		}
	}
	if len(exact) > 0 {
		all = exact
	}
	all = slices.Clone(all)
	slices.SortFunc(all, func(a, b *Idea) int { return cmp.Compare(a.path, b.path) })
	return all
}

// childrenOf returns the learnings whose parent is that one, by any of its names.
func (b *book) childrenOf(names []string) []*Idea {
	b.state.RLock()
	defer b.state.RUnlock()
	var out []*Idea
	for _, n := range names {
		out = append(out, b.byChild[foldID(n)]...)
	}
	slices.SortFunc(out, func(a, b *Idea) int { return cmp.Compare(a.ID, b.ID) })
	return out
}

// newest returns all ideas, newest first.
func (b *book) newest() []*Idea {
	b.state.Lock()
	defer b.state.Unlock()
	return b.newestLocked()
}

func (b *book) newestLocked() []*Idea {
	if b.sorted == nil {
		b.sorted = slices.SortedFunc(maps.Values(b.ideas), byAge)
	}
	return b.sorted
}

// learnings returns all learnings in an order. It needs the lock.
func (b *book) learnings(order func(a, b *Idea) int) []*Idea {
	out := []*Idea{}
	for _, i := range b.newestLocked() {
		if i.Learning() {
			out = append(out, i)
		}
	}
	slices.SortFunc(out, order)
	return out
}

// byAge is the order of lists: newest first, then by id; those that do not say when come last.
func byAge(a, b *Idea) int {
	return cmp.Or(cmp.Compare(b.created, a.created), cmp.Compare(a.ID, b.ID), cmp.Compare(a.path, b.path))
}

// byTier is the order of injections without a query: the most important first, then as in lists.
func byTier(a, b *Idea) int { return cmp.Or(cmp.Compare(b.tier(), a.tier()), byAge(a, b)) }

// mostImportant returns all learnings: the highest impact first, validated ones first, newest first.
func (b *book) mostImportant() []*Idea {
	b.state.Lock()
	defer b.state.Unlock()
	if b.ranked == nil {
		b.ranked = b.learnings(byTier)
	}
	return b.ranked
}

// oldest returns all learnings, the oldest first; those that do not say when come last.
func (b *book) oldest() []*Idea {
	b.state.Lock()
	defer b.state.Unlock()
	if b.aged == nil {
		b.aged = b.learnings(oldestFirst)
	}
	return b.aged
}

// tier is what decides first how early a learning is injected.
func (i *Idea) tier() int {
	t := 2 * (slices.Index(Impacts, i.Impact) + 1)
	if i.Impact == "" {
		t = 2 * (slices.Index(Impacts, "medium") + 1)
	}
	if i.Validated {
		t++
	}
	return t
}

// known returns the idea of a file with that etag, nil when the book does not have it. It must not be changed.
func (b *book) known(path, etag string) *Idea {
	b.state.RLock()
	defer b.state.RUnlock()
	if i := b.ideas[path]; i != nil && i.Etag == etag && etag != "" {
		return i
	}
	return nil
}

// close hands the book on and forgets it.
func (b *book) close() {
	b.turn.Lock()
	defer b.turn.Unlock()
	b.files.Close()
	if b.loaded {
		b.hand()
	}
	b.loaded = false
}

// one returns the only idea that id names, by id, alias or file.
func (l *Learnings) one(id string) (*Idea, error) {
	if strings.TrimSpace(id) == "" {
		return nil, fault.New(fault.Invalid, "an id is required").For("ids").With("a list of the ideas shows their ids")
	}
	found := l.book.named(id)
	if len(found) == 0 {
		l.book.state.RLock()
		if i := l.book.ideas[strings.TrimPrefix(strings.TrimSpace(id), store.Folder+"/")]; i != nil {
			found = []*Idea{i}
		}
		l.book.state.RUnlock()
	}
	switch len(found) {
	case 1:
		return found[0], nil
	case 0:
		err := fault.New(fault.NotFound, "there is no idea %q", record.Brief(id)).For("ids")
		var near []string
		for _, e := range l.ix.Suggest(id, 10) {
			if e.Kind == record.Idea && len(near) < 3 {
				near = append(near, e.ID)
			}
		}
		if len(near) > 0 {
			return nil, err.With("nearest: " + strings.Join(near, ", "))
		}
		return nil, err.With("a list of the ideas shows their ids")
	}
	var files []string
	for _, i := range found {
		files = append(files, i.File)
	}
	return nil, fault.New(fault.Ambiguous, "%d files hold the idea %q: %s", len(found), record.Brief(id), strings.Join(files, ", ")).
		For("ids").With("merge them into one by hand and delete the others, or give a file")
}
