package learning

import (
	"cmp"
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"sync"

	"sdd/internal/index"
	"sdd/internal/index/records"
	"sdd/internal/record"
)

// The index finds ideas; lists also need values (impact, agents, content …) that only the files have. The cache keeps
// every idea parsed, with a sorted list and maps. Close writes it to .sdd/.local/learning/book for the next process,
// which then reads only the files that changed since.

type cache struct {
	l *Learnings
	records.Kind[Idea]

	turn   sync.Mutex // held by the sync that is under way
	loaded bool

	mu      sync.Mutex        // guards written
	written map[string]string // etags of this process's saves, by path

	state   sync.RWMutex       // guards All and the fields below
	byName  map[string][]*Idea // by id and alias; nil until needed
	sorted  []*Idea            // newest first; nil until needed. A returned list is never changed
	policy  string             // learning.on_parent_done of the verdicts
	judged  bool               // every idea has its verdict
	head    string             // the checked-out commit of the verdicts
	commits map[string]commitVerdict
	dirty   bool // the file needs an update
}

// sync updates the cache to every file as it was at the start of the call or later.
func (b *cache) sync(ctx context.Context) error {
	b.turn.Lock()
	defer b.turn.Unlock()
	first, notify := !b.loaded, true
	if first {
		notify = b.load()
	}
	updates, err := b.Updates(ctx)
	if err != nil {
		return err
	}
	b.state.Lock()
	b.take(updates)
	b.dirty = b.dirty || len(updates) > 0
	b.state.Unlock()
	if notify {
		b.notify(updates)
	}
	b.loaded = true
	return b.judge(ctx, first || len(updates) > 0)
}

func (b *cache) wrote(path string, src []byte) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.written == nil {
		b.written = map[string]string{}
	}
	b.written[path] = record.Etag(src)
}

// take applies updates of ideas. The caller holds the lock.
func (b *cache) take(updates []index.Update[Idea]) {
	if len(updates) > 0 {
		b.sorted, b.byName = nil, nil
	}
	b.Apply(updates)
}

// notify raises the events of updates that other programs wrote.
func (b *cache) notify(updates []index.Update[Idea]) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, u := range updates {
		if u.Now == nil || b.written[u.Path] != u.Now.Etag {
			b.l.events.saw(u.Was, u.Now)
		}
	}
}

// names returns the id and the aliases, in the form in which ids are compared.
func (i *Idea) names() []string {
	names := []string{foldID(i.ID)}
	for _, a := range i.Aliases {
		names = record.Union(names, foldID(a))
	}
	return names
}

func foldID(id string) string { return strings.ToLower(strings.TrimSpace(id)) }

// named returns the ideas with that id or, if there are none, with that alias.
func (b *cache) named(id string) []*Idea {
	b.state.Lock()
	defer b.state.Unlock()
	return b.namedLocked(id)
}

func (b *cache) namedLocked(id string) []*Idea {
	if b.byName == nil {
		b.byName = map[string][]*Idea{}
		for _, i := range b.All {
			for _, name := range i.names() {
				b.byName[name] = append(b.byName[name], i)
			}
		}
	}
	all := slices.Clone(b.byName[foldID(id)])
	exact := func(i *Idea) bool { return foldID(i.ID) == foldID(id) }
	if slices.ContainsFunc(all, exact) {
		all = slices.DeleteFunc(all, func(i *Idea) bool { return !exact(i) })
	}
	slices.SortFunc(all, func(a, b *Idea) int { return cmp.Compare(a.path, b.path) })
	return all
}

func (b *cache) newest() []*Idea {
	b.state.Lock()
	defer b.state.Unlock()
	if b.sorted == nil {
		b.sorted = slices.SortedFunc(maps.Values(b.All), byAge)
	}
	return b.sorted
}

// byAge is the order of lists: newest first, then by id; those without `created` come last.
func byAge(a, b *Idea) int {
	return cmp.Or(cmp.Compare(b.created, a.created), cmp.Compare(a.ID, b.ID), cmp.Compare(a.path, b.path))
}

// sortKey is what byAge compares, as record.Page needs it.
func sortKey(i *Idea) []any { return []any{&i.created, &i.ID, &i.path} }

// learnings returns all learnings in an order; equal ones newest first.
func (b *cache) learnings(order func(a, b *Idea) int) []*Idea {
	all := slices.DeleteFunc(slices.Clone(b.newest()), func(i *Idea) bool { return !i.Learning() })
	slices.SortStableFunc(all, order)
	return all
}

// tier returns the first sort key of injected learnings.
func (i *Idea) tier() int {
	t := 2 * (slices.Index(Impacts, cmp.Or(i.Impact, "medium")) + 1)
	if i.Validated {
		t++
	}
	return t
}

// known returns the idea of a file with that etag, nil when the cache lacks it. Callers must not change it.
func (b *cache) known(path, etag string) *Idea {
	b.state.RLock()
	defer b.state.RUnlock()
	if i := b.All[path]; i != nil && i.Etag == etag && etag != "" {
		return i
	}
	return nil
}

// close writes the cache for the next process and empties it.
func (b *cache) close() {
	b.turn.Lock()
	defer b.turn.Unlock()
	b.Close()
	if b.loaded {
		b.store()
	}
	b.loaded = false
}

// one returns the only idea that id names: an id, alias or file.
func (l *Learnings) one(id string) (*Idea, error) {
	found := l.cache.named(id)
	if len(found) == 0 {
		l.cache.state.RLock()
		found = l.cache.Named(id)
		l.cache.state.RUnlock()
	}
	return l.cache.Only("ids", id, found)
}

// The cache on disk holds the ideas by the etag of their files, and the verdicts of the commits. An unreadable file
// counts as missing. From it the next process also sees the changes before its start.

const (
	cacheName = "book"
	mostCache = 256 << 20
)

// cacheFile is the content of the file.
type cacheFile struct {
	Head    string
	Ideas   []cachedIdea
	Commits map[string]commitVerdict
}

// cachedIdea is an idea with the values that its JSON lacks.
type cachedIdea struct {
	Idea
	Imported      string
	Path          string
	Broken, White bool
	Files         []string
}

// store writes the cache for the next process.
func (b *cache) store() {
	b.state.RLock()
	defer b.state.RUnlock()
	if !b.dirty {
		return
	}
	f := cacheFile{Head: b.head, Commits: b.commits}
	for _, i := range b.All {
		kept := cachedIdea{*i, i.Imported, i.path, i.broken, i.white, i.files}
		kept.Verdict = nil
		f.Ideas = append(f.Ideas, kept)
	}
	if src, err := json.Marshal(f); err == nil {
		b.l.st.WritePrivate(localFolder, cacheName, src)
	}
}

// load reads the ideas that an earlier process stored, and reports whether there were any.
func (b *cache) load() (found bool) {
	var f cacheFile
	src, _ := b.l.readPrivate(localFolder, cacheName, mostCache)
	if found = json.Unmarshal(src, &f) == nil; !found {
		f = cacheFile{}
	}
	b.state.Lock()
	defer b.state.Unlock()
	b.All, b.sorted, b.byName = map[string]*Idea{}, nil, nil
	b.head, b.commits, b.dirty = f.Head, f.Commits, false
	for n := range f.Ideas {
		kept := &f.Ideas[n]
		i := &kept.Idea
		i.Imported, i.path, i.files = kept.Imported, kept.Path, kept.Files
		i.broken, i.white, i.created = kept.Broken, kept.White, record.Moment(i.Created)
		b.All[i.path] = i
	}
	return found
}
