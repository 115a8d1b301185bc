package store

import (
	"context"
	"time"

	"sdd/internal/journal"
	"sdd/internal/record"
)

// Observe checks a file whose bytes this process did not write; src is nil for a deleted one. It returns the changes of tools that the file
// lacks because an editor saved an older text, and records them as pending, once for all processes. It never writes to a record.
func (s *Store) Observe(path, id string, src []byte) []Notice {
	t, err := s.open()
	if err != nil || check(path) != nil {
		return nil
	}
	if src == nil {
		t.strays.Store(nil)
		s.feed.add(Notice{Kind: NoteRemoved, Record: id, Path: path, Time: s.opt.Now()})
		return nil
	}
	tag := record.Etag(src)
	if saved := t.journal.Saved(path, tag); saved.ByTool {
		if saved.News != nil {
			s.feed.add(Notice{Kind: NoteSaved, Path: path, etag: tag, saved: saved.News})
		} else if s.feed.left(path) { // as after git switched to another branch and back
			s.feed.add(Notice{Kind: NoteEdited, Record: id, Path: path, Time: s.opt.Now(), etag: tag})
		}
		return nil
	}
	found, ok := s.suspect(t, path, src)
	if !ok {
		return nil // a save was under way; the reader of its result calls Observe again
	}
	s.feed.add(Notice{Kind: NoteEdited, Record: id, Path: path, Time: s.opt.Now(), etag: tag})
	return found
}

// Expects reports whether a tool's last save at path left a file there.
func (s *Store) Expects(path string) bool {
	t, err := s.open()
	return err == nil && t.journal.Expects(path)
}

// ObserveAgain is Observe for the bytes from before, when the file changed in between: both may be true of it. It notes no edit.
func (s *Store) ObserveAgain(path string, src []byte) (found []Notice) {
	t, err := s.open()
	if err == nil && check(path) == nil && !t.journal.Saved(path, record.Etag(src)).ByTool {
		found, _ = s.suspect(t, path, src)
	}
	return found
}

func savedNotice(e journal.Entry) Notice {
	kind := NoteSaved
	if e.Op == journal.Remove {
		kind = NoteRemoved
	}
	return Notice{Kind: kind, Record: e.Record, Path: e.Path, Sections: journal.Names(e.Sections),
		Tool: e.Tool, Time: e.Time, etag: e.After}
}

// suspect looks for unreported changes that the file lacks and reported ones that are back, and confirms them; ok is false if it cannot.
func (s *Store) suspect(t *tree, path string, src []byte) (found []Notice, ok bool) {
	if !s.concerned(t, path) {
		return nil, true
	}
	lost, back := s.findings(t, path, record.Open(src))
	switch {
	case len(lost) > 0:
		return s.confirm(t, path, lost[0].Entry.Record)
	case len(back) > 0:
		return s.confirm(t, path, back[0].Record)
	}
	return nil, true
}

// concerned reports whether a tool may have saved the file, here or at a path where no file is now: the user may have renamed it.
func (s *Store) concerned(t *tree, path string) bool {
	here, any := t.journal.Knows(path)
	if here || !any {
		return here
	}
	if known := t.strays.Load(); known != nil {
		return *known
	}
	var files []string
	err := s.Scan(context.Background(), func(p string, _ Stat) error { files = append(files, p); return nil })
	strays := err != nil || t.journal.Stray(files)
	t.strays.Store(&strays)
	return strays
}

const confirmPatience = 2 * time.Second

// confirm reads the file again under the record's lock, and records lost and returned changes. ok is false when it could not check.
func (s *Store) confirm(t *tree, path, which string) (found []Notice, ok bool) {
	t.mu.Lock()
	p, err := t.openPrivate()
	t.mu.Unlock()
	if err == nil {
		ctx, cancel := context.WithTimeout(context.Background(), confirmPatience)
		defer cancel()
		identity := t.journal.LockOf(which)
		unlock, err := s.lock(ctx, p, identity)
		if err != nil {
			return nil, false
		}
		defer unlock()
		s.recoverShard(t, p, shard(identity), "") // a killed save may have written the file
	} // in a read-only store other processes cannot save either
	f, open, err := s.read(t, path, care)
	if err != nil || open {
		return nil, false
	}
	if t.journal.Saved(path, record.Etag(f.Bytes)).ByTool {
		return nil, false
	}
	return s.inspect(t, p != nil, path, record.Open(f.Bytes)), true
}

// inspect records the lost and returned changes of a file if write is true, and returns the newly lost ones. It needs the record's lock.
func (s *Store) inspect(t *tree, write bool, path string, now *record.Doc) []Notice {
	lost, back := s.findings(t, path, now)
	if len(lost) > 0 {
		lost = s.uncommitted(t, path, lost)
	}
	var out []Notice
	for _, e := range journal.OverwrittenIn(path, lost) {
		if write {
			s.append(t, &e)
		}
		out = append(out, noticeOf(journal.NoteOf(e)))
	}
	for _, e := range back {
		if write {
			s.append(t, &e)
		}
	}
	return out
}

// findings returns the changes that a record's file lacks, and the entries that close the notes of changes that are back.
func (s *Store) findings(t *tree, file string, now *record.Doc) (lost []journal.Loss, back []journal.Entry) {
	return t.journal.Findings(file, s.describe(file, now))
}

func (s *Store) diff(path string, before, after *record.Doc) []journal.Change {
	return journal.Diff(s.describe(path, before), s.describe(path, after))
}
