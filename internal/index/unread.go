package index

import (
	"context"
	"hash/crc32"
	"maps"
	"slices"
	"strings"
	"time"

	"sdd/internal/fault"
	"sdd/internal/frontmatter"
	"sdd/internal/record"
	"sdd/internal/store"
)

// To save, one has to know which file holds a record now; what words the files have that others changed
// meanwhile is of no interest. Indexing them costs more than the save itself, and many processes
// that save would index each other's records each time. So a file that changed is only identified
// at first, and its words are read by the next Refresh, or when it is quiet.

// unread is a file whose words wait to be indexed.
type unread struct {
	Entry
	key   string // its id, as names are compared
	gone  bool
	words []string // of the title
	marks uint64   // a bit for each word: titles without a word in common differ in bits
}

const (
	quiet      = 50 * time.Millisecond // without a change, after which what waits is read
	quietShort = 5 * time.Millisecond  // where somebody waits to be told
	longest    = 5 * time.Second       // that a file waits while the server runs
	mostUnread = 2048                  // files that wait
	bite       = 64                    // files read in the background at once, so that a call need not wait long
)

// Holders returns the records that have that id in the files as they are now or were since the call began. Candidates, which have
// the id of the record that they may become, are not among them.
func (ix *Index) Holders(ctx context.Context, id string) ([]Entry, error) {
	records, _, err := ix.HoldersAndCandidates(ctx, id)
	return records, err
}

// HoldersAndCandidates is Holders, with the candidates of that id.
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
		if l.dead.has(doc) {
			return
		}
		if e, _ := l.seg.entry(doc); ix.unread[e.Path] == nil {
			put(e)
		}
	}
	ix.contents.keyed(key, 0, byID, add)
	if slug, ok := strings.CutPrefix(key, topicFolder); ok {
		ix.contents.keyed(slug, ofTopic, byID, add)
	}
	for _, u := range ix.unread {
		if !u.gone && u.key == key {
			put(u.Entry)
		}
	}
	sortNewest(records)
	sortNewest(candidates)
	return records, candidates, nil
}

// Taken reports whether there is a record at that path, as far as is known.
func (ix *Index) Taken(path string) bool {
	ix.mu.RLock()
	defer ix.mu.RUnlock()
	if u := ix.unread[path]; u != nil {
		return !u.gone
	}
	_, ok := ix.contents.find(path)
	return ok
}

// identify finds out who the record in a file is that changed. It is called by who has the turn.
func (ix *Index) identify(path string) error {
	if _, ok := record.KindOf(path); !ok {
		return nil
	}
	f, err := ix.st.Read(path)
	var u *unread
	switch {
	case fault.Is(err, fault.NotFound):
		if known, was := ix.known(path); known {
			was.Etag = "" // whatever comes there is new
			u = &unread{Entry: was, gone: true}
		}
	case err != nil: // what it is takes a closer look
		return ix.read(ix.ctx, jobsOf([]string{path}))
	default:
		etag := record.Etag(f.Bytes)
		ix.mu.RLock()
		was := ix.unread[path]
		ix.mu.RUnlock()
		if was != nil && !was.gone && was.Etag == etag {
			return nil
		}
		u = newUnread(path, f.Bytes, ix.own.Defaults)
		u.Etag = etag
		if known, was := ix.known(path); !known || was.Etag != etag {
			ix.st.Observe(path, f.Bytes)
		}
	}
	ix.mu.Lock()
	defer ix.mu.Unlock()
	if u == nil {
		delete(ix.unread, path)
		return nil
	}
	ix.unread[path] = u
	return nil
}

// newUnread reads who the record in src is: from its front matter where that names it, else from all of it.
func newUnread(path string, src []byte, d record.Defaults) *unread {
	head := src
	if fm, err := frontmatter.Parse(src); err == nil && fm.String("title") != "" {
		head = src[:fm.Body]
	}
	doc := parse(path, head, store.Stat{}, d)
	u := &unread{Entry: doc.Entry, key: nameKey(doc.ID), words: titleWords(doc.Title)}
	u.marks = marksOf(u.words)
	return u
}

func marksOf(words []string) (marks uint64) {
	for _, w := range words {
		marks |= 1 << (crc32.ChecksumIEEE([]byte(w)) & 63)
	}
	return marks
}

// observed reports whether the store was told of that text of a file.
func (ix *Index) observed(path, etag string) bool {
	ix.mu.RLock()
	defer ix.mu.RUnlock()
	u := ix.unread[path]
	return u != nil && u.Etag == etag
}

// waitingUnread returns the files that wait, and forgets those of them that are in the index when done is called.
func (ix *Index) waitingUnread() (paths []string, done func()) {
	ix.mu.RLock()
	defer ix.mu.RUnlock()
	now := maps.Clone(ix.unread)
	return slices.Sorted(maps.Keys(now)), func() { ix.forgetUnread(now) }
}

// forgetUnread forgets files that wait, but for those that changed again since.
func (ix *Index) forgetUnread(read map[string]*unread) {
	ix.mu.Lock()
	defer ix.mu.Unlock()
	for path, u := range read {
		if ix.unread[path] == u {
			delete(ix.unread, path)
		}
	}
}

// soon makes what waits be read when no more comes.
func (ix *Index) soon() {
	ix.mu.RLock()
	n := len(ix.unread)
	ix.mu.RUnlock()
	if n == 0 {
		return
	}
	pause := quiet
	if ix.feed.heard() {
		pause = quietShort
	}
	ix.later.Lock()
	defer ix.later.Unlock()
	if ix.ctx.Err() != nil {
		return
	}
	now := time.Now()
	if ix.later.timer == nil {
		ix.later.since = now
		ix.later.timer = time.AfterFunc(pause, ix.catchUp)
		return
	}
	if n > mostUnread || now.Sub(ix.later.since) > longest {
		pause = 0
	}
	if ix.later.timer.Stop() { // else it runs, and takes all there is
		ix.later.timer.Reset(pause)
	}
}

// catchUp reads what waits, some files at a time.
func (ix *Index) catchUp() {
	for {
		more, err := ix.readSome()
		if err == nil && more {
			continue
		}
		ix.later.Lock()
		ix.later.timer = nil
		ix.later.Unlock()
		return // after an error the next Refresh tries again
	}
}

// readSome reads some of the files that wait, and reports whether there are more.
func (ix *Index) readSome() (more bool, err error) {
	if err := ix.take(ix.ctx); err != nil {
		return false, err
	}
	defer func() { <-ix.turn }()
	if !ix.loaded.Load() {
		return false, nil
	}
	ix.mu.RLock()
	some := map[string]*unread{}
	for path, u := range ix.unread {
		if some[path] = u; len(some) == bite {
			break
		}
	}
	more = len(ix.unread) > len(some)
	ix.mu.RUnlock()
	if len(some) == 0 {
		return false, nil
	}
	if err := ix.read(ix.ctx, jobsOf(slices.Sorted(maps.Keys(some)))); err != nil {
		return false, err
	}
	ix.forgetUnread(some)
	return more, nil
}
