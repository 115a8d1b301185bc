package store

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"sdd/internal/journal"
)

// NoticeKind is the kind of event that a notice reports.
type NoticeKind string

const (
	// A file lacks a tool's change, as an editor saved an older text. Pending until Resolve, Dismiss, a later save, or until it is back.
	NoteOverwritten NoticeKind = "overwritten"
	// A file lacks an editor's words, as a tool saved in the same moment. Pending until Resolve, Dismiss, or until they are back.
	NoteDisplaced NoticeKind = "displaced"

	NoteEdited  NoticeKind = "edited"  // the user edited or created the file, or git did
	NoteSaved   NoticeKind = "saved"   // a tool saved it
	NoteRemoved NoticeKind = "removed" // the file no longer exists

	// The save is on disk, but the journal could not be written: no undo for it.
	NoteUnjournaled NoticeKind = "unjournaled"
)

// Notice reports one change of one record.
type Notice struct {
	Kind     NoticeKind
	ID       string // of a pending one
	Record   string
	Path     string
	To       string           // of a removed file: the one that has the record now
	Sections []string         // the known ones
	Lost     []journal.Change // of a pending notice: the changes that are not in the file
	Tool     string           // the tool that saved, if one did
	Time     time.Time

	caller string // of this process, that saved
	etag   string
	saved  *journal.Ref // the entry of a save that Notices reads
}

// Pending reports whether the notice has lost changes to put back.
func (n Notice) Pending() bool { return n.Kind == NoteOverwritten || n.Kind == NoteDisplaced }

// Text returns the notice in one line, with the next step.
func (n Notice) Text() string {
	name, file := cmp.Or(n.Record, shown(n.Path)), shown(n.Path)
	if n.Record != "" {
		file = n.Record + ": " + file
	}
	where := ""
	if in := titled(n.Sections); len(in) > 0 {
		where = " in " + strings.Join(in, ", ")
	}
	switch n.Kind {
	case NoteOverwritten:
		return fmt.Sprintf("%s: an older text, saved by an editor or put back by git, undid the change%s (lost: %s); sdd resolve %s "+
			"puts it back, with --dismiss it is dropped", name, where, n.LostText(), name)
	case NoteDisplaced:
		return fmt.Sprintf("%s: words that an editor saved in the same moment as a tool are not in the file%s (lost: %s); sdd resolve %s "+
			"puts them back, with --dismiss they are dropped", name, where, n.LostText(), name)
	case NoteSaved:
		return fmt.Sprintf("%s: saved by %s%s", name, cmp.Or(n.Tool, "another process"), where)
	case NoteRemoved:
		if n.To != "" {
			return file + " was renamed to " + shown(n.To)
		}
		return file + " is gone"
	case NoteUnjournaled:
		return fmt.Sprintf("%s: saved, but the journal could not be written; this save cannot be undone", name)
	}
	return file + " was edited"
}

// mostLost is the length of the lost words in a notice, in characters.
const mostLost = 120

// LostText returns the lost words in one line, cut after mostLost characters.
func (n Notice) LostText() string {
	var all []string
	for _, c := range n.Lost {
		all = append(all, c.Lost(" / "))
	}
	text := []rune(strings.Join(all, " / "))
	if len(text) > mostLost {
		return string(text[:mostLost]) + "…"
	}
	return string(text)
}

// Cursor is a position in the feed; a new client begins with the zero Cursor.
type Cursor struct{ n uint64 }

// feed has the latest thousand notices since this process started.
type feed struct {
	mu   sync.Mutex
	last uint64
	ring []Notice
}

const feedSize = 1000

func (f *feed) add(n Notice) {
	f.mu.Lock()
	defer f.mu.Unlock()
	late := f.ring[max(0, len(f.ring)-256):]
	for i, old := range slices.Backward(late) {
		if old.Path != n.Path {
			continue
		}
		switch same := old.etag == n.etag; {
		case n.Kind == NoteRemoved && old.Kind == NoteRemoved && (n.caller == "") != (old.caller == ""):
			if n.caller != "" { // Observe saw that the file is gone before the removal was noted
				late[i] = n
			}
			return
		case n.Kind == NoteRemoved:
			// the index reports each once
		case same && old.Kind == n.Kind && old.ID == n.ID, same && old.Kind == NoteSaved && n.Kind == NoteEdited:
			return // already in the feed
		case same && old.Kind == NoteEdited && n.Kind == NoteSaved:
			late[i] = n // Observe read the file before the save's entry was in the journal
			return
		}
		break
	}
	f.last++
	f.ring = append(f.ring, n)
	if len(f.ring) > 2*feedSize {
		f.ring = slices.Clone(f.ring[feedSize:])
	}
}

// left reports whether the latest notice of a file is that a hand edited or removed it.
func (f *feed) left(path string) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, n := range slices.Backward(f.ring) {
		if n.Path == path {
			return n.Kind == NoteEdited || n.Kind == NoteRemoved
		}
	}
	return false
}

// Notices returns the events since the cursor, oldest first, and the next cursor: saves by other callers, edits and removals by hand, new
// pending notices; for the zero Cursor all pending ones. Callers first bring the index up to date, as it knows only what Observe saw.
func (s *Store) Notices(since Cursor, caller string) ([]Notice, Cursor) {
	pending := s.Pending() // also adds the notices of other processes
	news, now := s.feed.since(since)
	if since.n == 0 {
		return pending, now
	}
	news = slices.DeleteFunc(news, func(n Notice) bool { return caller != "" && n.caller == caller })
	if t, err := s.open(); err == nil {
		for i, n := range news {
			if n.saved != nil {
				if e, ok := t.journal.Entry(*n.saved); ok {
					news[i] = savedNotice(e)
				}
			}
		}
	}
	return news, now
}

// since returns the notices after the cursor, and the cursor for the next call.
func (f *feed) since(c Cursor) ([]Notice, Cursor) {
	f.mu.Lock()
	defer f.mu.Unlock()
	now := Cursor{f.last + 1}
	n := min(int(now.n-min(c.n, now.n)), len(f.ring))
	return slices.Clone(f.ring[len(f.ring)-n:]), now
}

// Pending returns the notices of lost changes that were neither put back nor dismissed, oldest first.
func (s *Store) Pending() []Notice {
	t, err := s.open()
	if err != nil {
		return nil
	}
	if s.leftovers.Load() {
		t.mu.Lock()
		p := t.private
		t.mu.Unlock()
		if p != nil {
			s.recover(t, p) // after an error the next save tries again
		}
	}
	all, news := t.journal.Pending()
	var out []Notice
	for _, n := range all {
		out = append(out, noticeOf(&n))
	}
	for _, n := range news {
		s.feed.add(noticeOf(&n))
	}
	return out
}

func noticeOf(n *journal.Note) Notice {
	out := Notice{
		Kind: NoteOverwritten, ID: n.Entry.ID, Record: n.Entry.Record, Path: n.Entry.Path, Lost: n.Open(),
		Tool: n.Entry.Tool, Time: n.Entry.Time, etag: n.Entry.After,
	}
	if n.Entry.Op == journal.Displaced {
		out.Kind = NoteDisplaced
	}
	out.Sections = journal.Names(out.Lost)
	return out
}
