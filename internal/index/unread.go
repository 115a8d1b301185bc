package index

import (
	"context"
	"maps"
	"slices"
	"strings"
	"time"

	"sdd/internal/fault"
	"sdd/internal/record"
	"sdd/internal/store"
)

// A save needs to know which file holds a record now; it does not need the words of files that others changed. Indexing
// those words costs more than the save, and many processes that save would index each other's records each time. So the
// index first only identifies the record in a changed file. The next Refresh, or the background after a quiet moment,
// reads the words.

// unread is a changed file whose words wait to be indexed.
type unread struct {
	Entry
	path  string
	etag  string     // "" when the file is gone or cannot be read
	stat  store.Stat // of a file that this process wrote; zero for others
	key   string     // its id, as names are compared
	gone  bool
	words []string // of the title
}

const (
	quiet      = time.Second          // the time without a save after which the index reads the files that wait
	quietShort = 5 * time.Millisecond // the same while a subscriber waits for changes
	longest    = 30 * time.Second     // the longest wait of a file while the server runs
	mostUnread = 2048                 // the most files that wait
	bite       = 64                   // files read in the background at once, so that a call does not wait long
)

// Holders returns the records with that id as the files are now, without candidates, which have the id of what they may become.
func (ix *Index) Holders(ctx context.Context, id string) ([]Entry, error) {
	records, _, err := ix.HoldersAndCandidates(ctx, id)
	return records, err
}

// HoldersAndCandidates is Holders; it also returns the candidates with that id.
func (ix *Index) HoldersAndCandidates(ctx context.Context, id string) (records, candidates []Entry, err error) {
	if err := ix.refresh(ctx, true); err != nil {
		return nil, nil, err
	}
	key := nameKey(id)
	ix.mu.RLock()
	defer ix.mu.RUnlock()
	put := func(e Entry) {
		if e.Kind == record.Candidate {
			candidates = append(candidates, e)
		} else {
			records = append(records, e)
		}
	}
	add := func(l *live, doc int, _ nameKind) {
		if e, _ := l.seg.entry(doc); ix.unread[e.Path] == nil {
			put(e)
		}
	}
	ix.contents.keyed(key, byID, add)
	for _, u := range ix.unread {
		if !u.gone && u.key == key {
			put(u.Entry)
		}
	}
	sortNewest(records)
	sortNewest(candidates)
	return records, candidates, nil
}

// Taken reports whether the index knows a record at that path.
func (ix *Index) Taken(path string) bool {
	ix.mu.RLock()
	defer ix.mu.RUnlock()
	if u := ix.unread[path]; u != nil {
		return !u.gone
	}
	_, ok := ix.contents.find(path)
	return ok
}

// FreePath returns path for a new record with that id. When a file renamed by hand has that path, it adds a hash of the id.
func (ix *Index) FreePath(path, id string) string {
	if !ix.Taken(path) {
		return path
	}
	return strings.TrimSuffix(path, ".md") + "-" + record.Etag([]byte(id))[:6] + ".md"
}

// identify finds out which record a changed file holds. The caller has the turn.
func (ix *Index) identify(path string) error {
	if _, ok := record.KindOf(path); !ok {
		return nil
	}
	ix.mu.RLock()
	was := ix.unread[path]
	ix.mu.RUnlock()
	if was != nil && ix.st.Still(path, was.stat) {
		return nil // only the own save changed it
	}
	f, err := ix.st.Read(path)
	var u *unread
	switch {
	case fault.Is(err, fault.NotFound):
		if known, was := ix.known(path); known {
			if !ix.observed(path, "") {
				ix.st.Observe(path, was.ID, nil)
			}
			u = &unread{path: path, Entry: was, gone: true} // a record that comes to this path is new
		}
	case err != nil: // reading the whole file will show what it is
		return ix.read(ix.ctx, []string{path})
	default:
		etag := record.Etag(f.Bytes)
		if was != nil && !was.gone && was.etag == etag {
			ix.st.ObserveAgain(path, f.Bytes)
			return nil
		}
		u = newUnread(path, f.Bytes, ix.own.Defaults)
		if known, was := ix.known(path); known && was.Etag == etag {
			ix.st.ObserveAgain(path, f.Bytes)
		} else {
			ix.st.Observe(path, u.ID, f.Bytes)
		}
	}
	ix.mu.Lock()
	defer ix.mu.Unlock()
	if u == nil {
		delete(ix.unread, path)
		return nil
	}
	ix.unread[u.path] = u
	return nil
}

// newUnread identifies the record in src: by its front matter where that suffices, else by the whole text.
func newUnread(path string, src []byte, d record.Defaults) *unread {
	etag := record.Etag(src)
	var doc *document
	if head, ok := record.Front(src); ok {
		doc = documentOf(head.Record(path, d), head.Src, store.Stat{})
	} else {
		doc = parse(path, src, store.Stat{}, d)
	}
	u := &unread{path: path, Entry: doc.Entry, etag: etag, key: nameKey(doc.ID), words: titleWords(doc.Title)}
	u.Etag = etag
	return u
}

// observed reports whether the store knows that version of a file.
func (ix *Index) observed(path, etag string) bool {
	ix.mu.RLock()
	defer ix.mu.RUnlock()
	u := ix.unread[path]
	return u != nil && u.etag == etag
}

// waitingUnread returns files that wait, and whether there are more. done removes those that have not changed again.
func (ix *Index) waitingUnread(most int) (paths []string, more bool, done func()) {
	ix.mu.RLock()
	defer ix.mu.RUnlock()
	now := map[string]*unread{}
	for path, u := range ix.unread {
		if len(now) < most {
			now[path] = u
		}
	}
	return slices.Sorted(maps.Keys(now)), len(now) < len(ix.unread), func() {
		ix.mu.Lock()
		defer ix.mu.Unlock()
		maps.DeleteFunc(ix.unread, func(path string, u *unread) bool { return now[path] == u })
	}
}

// soon starts the timer that reads the waiting files: processes that save need the processor, and not the words.
func (ix *Index) soon() {
	ix.mu.RLock()
	n := len(ix.unread)
	ix.mu.RUnlock()
	if n == 0 || ix.ctx.Err() != nil {
		return
	}
	pause := quiet
	if ix.feed.awaited() {
		pause = quietShort
	}
	l := &ix.later
	l.Lock()
	defer l.Unlock()
	if l.since.IsZero() {
		l.since = time.Now()
	}
	if n > mostUnread || time.Since(l.since) > longest {
		pause = 0
	}
	if l.timer == nil {
		l.timer = time.AfterFunc(pause, ix.catchUp)
	} else {
		l.timer.Reset(pause)
	}
}

// catchUp reads the waiting files in small groups. After an error the next Refresh tries again.
func (ix *Index) catchUp() {
	ix.later.Lock()
	ix.later.since = time.Time{}
	ix.later.Unlock()
	for {
		if more, err := ix.readSome(); !more || err != nil {
			return
		}
	}
}

// readSome reads some of the waiting files, and reports whether there are more.
func (ix *Index) readSome() (more bool, err error) {
	if err := ix.take(ix.ctx); err != nil {
		return false, err
	}
	defer func() { <-ix.turn }()
	if !ix.loaded.Load() {
		return false, nil
	}
	paths, more, done := ix.waitingUnread(bite)
	if len(paths) == 0 {
		return false, nil
	}
	if err := ix.read(ix.ctx, paths); err != nil {
		return false, err
	}
	done()
	return more, nil
}
