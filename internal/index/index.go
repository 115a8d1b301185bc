// Package index is the derived full-text index of a store. It finds, ranks and lists records, finds them by name, and
// reports which changed. All it holds comes from the Markdown files; its cache in .sdd/.local/index only saves reading
// them again.
//
// The same files give the same answers, to the byte, whether the index read them one by one, all at once or from the
// cache, and whatever the files held before.
package index

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"sdd/internal/anchor"
	"sdd/internal/record"
	"sdd/internal/store"
)

// Index is the index of one store. It is safe for concurrent use: readers wait neither for each other nor for a refresh that reads files.
type Index struct {
	st   *store.Store
	ctx  context.Context // ends with Close
	stop context.CancelFunc
	work sync.WaitGroup // the background work

	// The fields down to merges belong to the holder of turn, except the atomic ones.
	turn      chan struct{} // held by the refresh or close that is under way
	clock     atomic.Uint64 // counts calls and starts of refreshes
	refreshed uint64        // the start, by clock, of the last refresh that ended
	loaded    atomic.Bool
	watcher   *store.Watcher
	journaled bool // tools have written here, so an editor may have overwritten their changes
	cache     *cache
	closed    bool
	once      bool
	part      bool         // of a collection that is elsewhere
	behind    bool         // a rescan did not finish
	heap      atomic.Int64 // bytes of segments that the first load has made

	merges chan struct{} // held by the merge that is under way

	mu       sync.RWMutex // guards the fields below; the holder of turn may read own without it
	own      settings
	contents *contents
	dirty    int                // records that changed since the cache was written
	unread   map[string]*unread // changed files that wait to be indexed, by path

	later struct { // reads the files that wait
		sync.Mutex
		timer *time.Timer
		since time.Time // when the first of them came; zero when none waits for the timer
	}

	pendingMu sync.Mutex
	pending   map[string]bool // paths that the next update has to read

	feed feed
}

// Entry is the indexed data of a record.
type Entry struct {
	Kind     record.Kind
	Color    string
	ID       string
	TopicKey string
	Title    string
	Slug     string
	Path     string // relative to .sdd, with slashes
	File     string // relative to the store's root
	Project  string
	Scope    string
	Status   string
	Etag     string // "" when the file cannot be read
	Created  string
	Revision int
	Sessions []string // of the front matter
	Size     int64
	Problems []record.Problem // the first few
	Broken   string           // the text of the first problem, "" without one
	Anchors  []anchor.Anchor  // the places in the code that the record names
	Ties
}

// Type returns the value of the type filter that finds the record.
func (e *Entry) Type() string {
	r := record.Record{Kind: e.Kind, Color: e.Color}
	return r.Type()
}

// Query holds the words to search for, and filters. Empty fields do not restrict the result.
type Query struct {
	Text    string
	Types   []record.Type
	Project string // filters are compared without case
	Scope   string
	Status  string
	Session string // of the front matter or the journal
	Limit   int    // 1 to 100
	Cursor  string // of the page before
	Bare    bool   // rank by the words alone and read no file: hits have no place and no snippet

	Standing  Standing
	First     []string   // paths of records that match whatever their words, and come before the others
	Elsewhere *Elsewhere // nil is none

	saved []string // the ids of the records saved in Session, from the journal
}

// Page is one page of the results.
type Page struct {
	Total int // matches, whatever the limit
	Hits  []Hit
	After int // matches behind this page

	cursors []string
}

// CursorAfter returns the cursor of the page that begins behind the first n hits, "" for none.
func (p *Page) CursorAfter(n int) string {
	if n <= 0 || n > len(p.cursors) {
		return ""
	}
	return p.cursors[n-1]
}

// Hit is a record that matches, with its best place. Without a match in the text, Line is the line of the title.
type Hit struct {
	Entry
	Score   float64
	Section string // heading of the section, "" before the first
	Line    int
	Snippet string // the part of the line that matched, for people
	Text    string // the whole line, cut where it is very long
}

// Open returns the index of st. It reads nothing; the first Refresh does.
func Open(st *store.Store) *Index {
	ix := OpenOnce(st)
	ix.once, ix.watcher = false, st.Watch(ix.ctx)
	return ix
}

// OpenOnce returns the index of st for a process that answers once and must start fast: it does not watch the files, and
// Close writes the cache only if many records changed.
func OpenOnce(st *store.Store) *Index {
	ctx, stop := context.WithCancel(context.Background())
	return &Index{
		st: st, ctx: ctx, stop: stop, once: true, turn: make(chan struct{}, 1), merges: make(chan struct{}, 1),
		contents: newContents(), pending: map[string]bool{}, unread: map[string]*unread{},
		cache: &cache{st: st},
	}
}

// Close stops watching and writes the cache if something changed. The index is empty afterwards.
func (ix *Index) Close() {
	ix.mu.Lock()
	ix.stop()
	ix.mu.Unlock()
	ix.later.Lock()
	if ix.later.timer != nil {
		ix.later.timer.Stop()
	}
	ix.later.Unlock()
	ix.turn <- struct{}{}
	defer func() { <-ix.turn }()
	if ix.closed {
		return
	}
	ix.closed = true
	ix.work.Wait()
	ix.merges <- struct{}{}
	defer func() { <-ix.merges }()
	if ix.loaded.Load() && ix.dirty > 0 && !ix.part && (!ix.once || ix.dirty > saveChanged) {
		ix.save()
	}
	ix.loaded.Store(false)
	ix.mu.Lock()
	defer ix.mu.Unlock()
	ix.empty()
}

func (ix *Index) empty() {
	ix.contents.close()
	ix.contents = newContents()
	clear(ix.unread)
}

// Len returns the number of records.
func (ix *Index) Len() int {
	ix.mu.RLock()
	defer ix.mu.RUnlock()
	return ix.contents.count
}

// Broken returns the records that have a problem, by path.
func (ix *Index) Broken() []Entry {
	return ix.entries(func(seg *segment, doc int) bool { return seg.flag(doc, flagProblem) })
}

// Entries returns every record of those kinds, by path; without kinds, of all.
func (ix *Index) Entries(kinds ...record.Kind) []Entry {
	return ix.entries(func(seg *segment, doc int) bool { return len(kinds) == 0 || slices.Contains(kinds, seg.kind(doc)) })
}

func (ix *Index) entries(wanted func(seg *segment, doc int) bool) []Entry {
	ix.mu.RLock()
	defer ix.mu.RUnlock()
	return ix.contents.entries(wanted)
}

func (c *contents) entries(wanted func(seg *segment, doc int) bool) (list []Entry) {
	c.each(func(l *live, doc int) bool {
		if wanted(l.seg, doc) {
			e, _ := l.seg.entry(doc)
			list = append(list, e)
		}
		return true
	})
	sortByPath(list)
	return list
}
