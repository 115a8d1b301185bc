package store

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"runtime/debug"
	"time"

	"sdd/internal/config"
	"sdd/internal/fault"
	"sdd/internal/journal"
	"sdd/internal/record"
)

// How a save works, and what it promises.
//
//	lock(identity) → resolve → read → change → temp, fsync → exchange with the file
//	  → is what came out what was read? else exchange back, and again from resolve
//	  → fsync folder, the journal beside it → displaced file into the trash → unlock
//
// Tools exclude each other by the lock. Editors take no lock, so the save checks the file that comes out of the exchange. If an editor
// saved, or has the file open to save in place, its file goes back at once; the save waits for the editor (100 ms while the file is only
// open, five seconds while it changes), and starts again from the editor's text:
//
//   - It is searched for acknowledged changes that it undid (observe.go), as any text that no tool wrote.
//   - It is merged with the save three ways, when it had undone nothing and Merge finds no conflict. Else Change runs on it, and replaces
//     the editor's words only in the sections that it names; they are in the trash and the journal, and pending (NoteDisplaced).
//   - A Change that fails on it (if_match, say) fails the save; the record is as the editor left it.
//
// The file of a program that keeps it open without writing is displaced, but stays in .local/tmp, and recover.go checks it again later.
//
// A crash leaves the old file or the new one, since the exchange is one step, and in .local/tmp what recover.go handles. The file is synced
// before the exchange and its folder after it. Only against an editor that saves every few milliseconds the file is synced after the
// exchange, since the save would never succeed otherwise; recover.go repairs a loss of power at that moment.

// Edit is one change of one record.
type Edit struct {
	Lock   string // the identity to lock; "" is Record
	Record string // the record's id, for the journal

	// Resolve returns the path of the record or of a new one, relative to .sdd, under the lock; again when the file comes or goes.
	Resolve func() (path string, err error)
	// Change makes the new version, from record.NoFile for a missing file. It is pure: it runs again when an editor saved, and without the
	// lock to find that nothing would change.
	Change func(before *record.Doc, exists bool) (after *record.Doc, err error)
	// Apply is Change for a caller that edits bytes.
	Apply func(before []byte, exists bool) (after []byte, err error)
	// Allow is for Remove, which has no new version; nil allows any. Remove may call it again.
	Allow func(now []byte) error
	// Changed lists the sections that differ, while the new version is written, never at the same time as Change. nil uses Describe.
	Changed func(before, after *record.Doc) []journal.Change
	// Merge merges an editor's text (ours) and the result of Change (theirs). If it is nil or fails, Change runs on the editor's text.
	Merge func(base, ours, theirs []byte) ([]byte, error)
	// Done is called once for a change on disk, before another tool can change the record, in order. It must not save under this lock.
	Done func(Saved)

	// InConflict allows a file that git has in conflict, with its markers in a code fence.
	InConflict bool

	Op            string // the use case, for the journal
	Tool, Session string // "" is the value of Options

	kind   journal.Op // journal.Save when ""
	source []string   // entries this one answers
}

// Saved is the result of a save.
type Saved struct {
	Path          string
	Before, After []byte      // the file's bytes; nil for no file
	Doc           *record.Doc // of After, nil where there is no file
	Created       bool
	Unchanged     bool // nothing differed, and the save wrote nothing
	Stat          Stat // of the file as written; zero when it has changed since
	Notices       []Notice
}

const (
	mostAttempts = 10 // starts, when folders vanish
	mostRounds   = 20 // exchanges of two files until the right one stays
	lateRounds   = 4  // rounds after which the editor saves faster than the disk syncs
)

// Save makes one durable change. Without an error it is on disk, and no process or editor that saved at the same time has lost anything;
// else the record is as it was, but for what others did. Faults: those of Resolve and Change, Outside, Broken (no readable file, or in
// conflict), Invalid (too large), Unwritable, Unavailable (the lock).
func (s *Store) Save(ctx context.Context, e Edit) (Saved, error) {
	e = s.complete(e)
	if s.texts != nil {
		return s.saveText(e)
	}
	if s.untouched() {
		if done, ok, err := s.rehearse(ctx, e); ok || err != nil {
			return done, err
		}
	}
	begun := false
	done, err := s.guarded(ctx, e, func(w *saving, ctx context.Context) (Saved, error) {
		begun = true
		return w.run(ctx)
	})
	if err == nil && done.Created {
		s.created.Store(true)
	}
	if !begun && fault.Is(err, fault.Unwritable) {
		if same, ok, _ := s.rehearse(ctx, e); ok {
			return same, nil
		}
	}
	return done, err
}

// guarded calls f under the record's lock, and again when folders of the store are removed meanwhile.
func (s *Store) guarded(ctx context.Context, e Edit, f func(*saving, context.Context) (Saved, error)) (done Saved, err error) {
	for range mostAttempts {
		if done, err = s.guardedOnce(ctx, e, f); !errors.Is(err, errMoved) {
			return done, err
		}
	}
	return done, fault.New(fault.Unwritable, "the folders of %s are gone or keep being moved; nothing was written", Folder).
		With("make sure that the folder which holds " + Folder + " exists, and save again")
}

func (s *Store) guardedOnce(ctx context.Context, e Edit, f func(*saving, context.Context) (Saved, error)) (done Saved, err error) {
	t, p, _, err := s.prepare(ctx)
	if err != nil {
		return Saved{}, err
	}
	defer func() {
		if errors.Is(err, errMoved) {
			t.mu.Lock()
			t.private = nil // the next write opens the private folders again
			t.mu.Unlock()
		}
	}()
	unlock, err := s.lock(ctx, p, e.Lock)
	if err != nil {
		return Saved{}, blocked("", err)
	}
	defer unlock()
	caller, _ := ctx.Value(callerKey{}).(string)
	return f(&saving{s: s, t: t, p: p, e: e, caller: caller, acting: actingIn(ctx)}, ctx)
}

func (s *Store) complete(e Edit) Edit {
	e.Lock, e.kind = cmp.Or(e.Lock, e.Record), cmp.Or(e.kind, journal.Save)
	e.Tool, e.Session = cmp.Or(e.Tool, s.opt.Tool), cmp.Or(e.Session, s.opt.Session)
	if apply := e.Apply; e.Change == nil {
		e.Change = func(before *record.Doc, exists bool) (*record.Doc, error) {
			after, err := apply(before.Src, exists)
			if err != nil || exists && bytes.Equal(after, before.Src) {
				return before, err
			}
			return record.Open(after), nil
		}
	}
	return e
}

// untouched reports whether no tool has saved here, as in a fresh clone. There, taking a lock would create the first folders.
func (s *Store) untouched() bool {
	if s.locked.Load() {
		return false
	}
	t, err := s.open()
	if err != nil {
		return false
	}
	_, err = t.root.Lstat(locksFolder)
	return errors.Is(err, fs.ErrNotExist)
}

// rehearse finds out, without a lock, whether a save would change nothing.
func (s *Store) rehearse(ctx context.Context, e Edit) (Saved, bool, error) {
	t, err := s.open()
	if err != nil {
		return Saved{}, false, err
	}
	at, err := e.Resolve()
	if err != nil {
		return Saved{}, false, err
	}
	f, _, err := s.read(t, at, glance)
	if err != nil || s.doubts(at) {
		return Saved{}, false, nil
	}
	if !e.InConflict {
		if err := s.refuseUnmerged(ctx, at, at, f.Bytes); err != nil {
			return Saved{}, false, err
		}
	}
	now := record.Open(f.Bytes)
	after, err := e.Change(now, true)
	if err != nil || after.Etag != now.Etag {
		return Saved{}, false, err
	}
	return unchanged(at, now, f.Stat), true, nil
}

func unchanged(path string, now *record.Doc, st Stat) Saved {
	return Saved{Path: path, Before: now.Src, After: now.Src, Doc: now, Unchanged: true, Stat: st}
}

// doubts reports whether the disk failed to confirm a file. Systems forget failed writes, so the next save writes it anew in any case.
func (s *Store) doubts(path string) bool {
	_, does := s.doubted.Load(path)
	return does
}

// saving is a save under way. It holds the lock.
type saving struct {
	s *Store
	t *tree
	p *private
	e Edit

	caller    string
	acting    acting
	path      string
	to        place
	before    *record.Doc   // the version in the file
	after     *record.Doc   // the version that replaces it
	change    journal.Entry // the journal entry of the change, complete when worked returns
	worked    func()
	nonce     string // of the save's file in .local/tmp
	rounds    int
	raced     *race
	notices   []Notice
	displaced *journal.Entry // an editor's words that this save replaces
}

// place is a name in a folder; the folder is open if it exists.
type place struct {
	*dir
	folder, name string
}

func (p *place) close() {
	if p.dir != nil {
		p.Close()
	}
}

func (w *saving) run(ctx context.Context) (Saved, error) {
	for start := time.Now(); time.Since(start) < saveWait(); w.rounds++ {
		if err := ctx.Err(); err != nil {
			return Saved{}, &fault.Error{Code: fault.Unavailable, Message: "the call was cancelled; nothing was written", Cause: err}
		}
		done, err := w.once(ctx)
		if errors.Is(err, errChanged) {
			continue
		}
		if err == nil && !done.Unchanged && w.e.Done != nil {
			w.e.Done(done)
		}
		return done, err
	}
	return Saved{}, w.unsettled()
}

func (w *saving) unsettled() error {
	return fault.New(fault.Unavailable, "the file keeps changing; nothing was written").At(shown(w.path), 0).
		With("wait until the other program is done, then try again")
}

// errChanged reports that the file was created or removed between read and write, so the save resolves and reads it again.
var errChanged = errors.New("changed meanwhile")

func (w *saving) once(ctx context.Context) (Saved, error) {
	was := w.path
	var err error
	if w.path, err = w.e.Resolve(); err != nil {
		return Saved{}, err
	}
	if w.path != was {
		w.raced = nil
	}
	if err := w.find(); err != nil {
		return Saved{}, err
	}
	defer w.to.close()
	now, open, err := w.read()
	exists := err == nil
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return Saved{}, err
	}
	w.before = record.NoFile()
	if exists {
		w.before = record.Open(now.Bytes)
	}
	if !w.e.InConflict {
		if err := w.s.refuseUnmerged(ctx, w.path, path.Join(w.to.folder, w.to.name), now.Bytes); err != nil {
			return Saved{}, err
		}
	}
	if w.after, err = w.changed(exists); err != nil {
		return Saved{}, err
	}
	if exists && w.after.Etag == w.before.Etag && w.raced == nil && !w.s.doubts(w.path) {
		w.check()
		out := unchanged(w.path, w.before, now.Stat)
		out.Notices = w.notices
		return out, nil
	}
	if limit := w.s.limit(); int64(len(w.after.Src)) > limit {
		return Saved{}, fault.New(fault.Invalid, "the file would have %d bytes, at most %d are allowed", len(w.after.Src), limit).
			At(shown(w.path), 0).With("shorten or clear a section, or raise limits.file in " + shown(config.Name))
	}
	earlier := w.raced // the first race is noted beside work
	w.worked = beside(func() { w.work(earlier) })
	defer w.worked()
	if w.to.dir == nil {
		if w.to.dir, err = w.t.ensureDir(w.to.folder); err != nil {
			return Saved{}, blocked(w.path, err)
		}
	}
	if !exists {
		return w.create()
	}
	return w.replace(now.Stat, open)
}

// find opens the folder of the file, and follows a symbolic link.
func (w *saving) find() error {
	if err := check(w.path); err != nil {
		return err
	}
	at := w.path
	for {
		d, err := w.t.dir(path.Dir(at))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return refused(w.path, err)
		}
		w.to = place{d, path.Dir(at), path.Base(at)}
		if d == nil {
			return nil // no save has created the folder yet
		}
		fi, err := d.Lstat(w.to.name)
		if err != nil || fi.Mode()&fs.ModeSymlink == 0 {
			return nil
		}
		d.Close()
		next, err := w.t.follow(at)
		if err != nil {
			return err
		}
		at = next
	}
}

// read reads the file. It waits for a missing one where a tool has saved: some editors rename the old file away first.
func (w *saving) read() (f File, open bool, err error) {
	for range 10 {
		err = fs.ErrNotExist
		if w.to.dir != nil {
			f, open, err = w.s.readIn(w.to.dir, w.to.name, w.path, care)
		}
		if !errors.Is(err, fs.ErrNotExist) || !w.t.journal.Expects(w.path) {
			break
		}
		time.Sleep(5 * time.Millisecond)
	}
	return f, open, err
}

func (w *saving) create() (Saved, error) {
	name := w.tempName("", w.after.Etag)
	written, err := w.p.tmp.write(name.String(), w.after.Src, nil, true)
	if err == nil {
		err = w.s.at("written")
	}
	if err == nil {
		err = w.t.place(w.p.tmp, name.String(), w.to.dir, w.to.name)
	}
	if err != nil {
		w.p.tmp.Remove(name.String())
		if errors.Is(err, fs.ErrExist) {
			return Saved{}, errChanged
		}
		return Saved{}, blocked(w.path, err)
	}
	return w.finish(written, nil)
}

func (w *saving) tempName(before, after string) tempName {
	w.nonce = w.s.nonce()
	return tempName{shard: shard(w.e.Lock), nonce: w.nonce, before: before, after: after, path: w.path}
}

// finish waits until the folder is on disk, writes the journal meanwhile, and discards the displaced file.
func (w *saving) finish(written temp, old *displaced) (Saved, error) {
	out := Saved{Path: w.path, Before: w.before.Src, After: w.after.Src, Doc: w.after, Created: w.before.Etag == ""}
	if err := w.s.at("placed"); err != nil {
		return Saved{}, err
	}
	late := written.file != nil
	entered := beside(func() {
		w.enter(&out, written.stat)
		if old != nil && !late {
			w.discard(*old)
		}
	})
	err := written.sync()
	if err == nil {
		err = syncFolder(w.to.file)
	}
	if err == nil {
		err = w.s.at("confirmed")
	}
	entered()
	if old != nil && late {
		w.discard(*old)
	}
	if err != nil {
		w.s.doubted.Store(w.path, true)
		return Saved{}, &fault.Error{Code: fault.Unwritable, Message: "the file was written, but the disk does not confirm it: " + err.Error(),
			Hint: "check the disk, then save again", File: shown(w.path), Cause: err}
	}
	w.s.doubted.Delete(w.path)
	w.s.prune(w.t, w.p, len(out.Before))
	return out, nil
}

// work makes the journal entry of the change while the save writes the file. An editor may have read the version of an earlier round,
// which was in place for a moment, and saved a text made from it: what that text has of the change is this save's too.
func (w *saving) work(earlier *race) {
	was, is := w.before, w.after
	if earlier != nil && was.Etag == is.Etag {
		was, is = earlier.base, earlier.after
	}
	w.change = w.entry(w.e.kind, w.sections(was, is))
	if earlier != nil && was == w.before {
		w.change.Sections = journal.AndOther(w.change.Sections, w.sections(earlier.base, earlier.after))
	}
	w.change.Before, w.change.After, w.change.Revision = was.Etag, is.Etag, is.Revision()
	w.change.Patch = journal.Patch(was.Src, is.Src)
}

// sections lists the sections that differ.
func (w *saving) sections(was, is *record.Doc) []journal.Change {
	if w.e.Changed != nil {
		return w.e.Changed(was, is)
	}
	return w.s.diff(w.path, was, is)
}

// enter writes the save to the journal and completes out.
func (w *saving) enter(out *Saved, written Stat) {
	w.worked()
	if fi, err := w.to.Lstat(w.to.name); err == nil {
		if st := statOf(fi); st.Ino == written.Ino && st.Size == written.Size && st.Mtime == written.Mtime {
			out.Stat = st
		}
	}
	if !out.Created {
		w.check()
		out.Notices = w.notices
	}
	w.note(&w.change, out)
	if d := w.displaced; d != nil && w.t.keep(w.p, w.s.nonce(), w.before) == nil && w.s.append(w.t, d) == nil {
		out.Notices = append(out.Notices, noticeOf(journal.NoteOf(*d)))
	}
}

// beside runs f in a goroutine. wait returns when f has ended, and panics as f did.
func beside(f func()) (wait func()) {
	done, thrown := make(chan struct{}), ""
	go func() {
		defer close(done)
		defer func() {
			if p := recover(); p != nil {
				thrown = fmt.Sprintf("%v\n%s", p, debug.Stack())
			}
		}()
		f()
	}()
	return func() {
		<-done
		if thrown != "" {
			panic(thrown)
		}
	}
}

// note adds an entry to the journal. The record is on disk by then, so the save succeeds even if the journal cannot be written.
func (w *saving) note(e *journal.Entry, out *Saved) {
	if w.s.append(w.t, e) != nil {
		out.Notices = append(out.Notices, Notice{Kind: NoteUnjournaled, Record: w.e.Record, Path: w.path, Time: w.s.opt.Now()})
		return
	}
	n := savedNotice(*e)
	n.caller = w.caller
	w.s.feed.add(n)
}

func (w *saving) entry(op journal.Op, changed []journal.Change) journal.Entry {
	e := journal.Entry{Op: op, Record: w.e.Record, Path: w.path, Use: w.e.Op, Tool: w.e.Tool, Session: w.e.Session,
		Action: w.acting.id, Own: w.acting.own, Source: w.e.source, Sections: changed}
	if w.e.Lock != e.Record {
		e.Lock = w.e.Lock
	}
	return e
}
