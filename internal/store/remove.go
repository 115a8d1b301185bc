package store

import (
	"context"
	"errors"
	"io/fs"

	"sdd/internal/fault"
	"sdd/internal/journal"
	"sdd/internal/record"
)

// Removal is the removal of one record's file.
type Removal struct {
	Lock, Record string
	Resolve      func() (path string, err error)
	Allow        func(now []byte) error // nil allows any; a removal may call it again, as a save does Edit.Apply

	Op            string
	Tool, Session string

	kind   journal.Op
	source []string
}

// Remove moves a record's file to the trash; Undo brings it back. If an editor saves in the same moment, Remove passes
// its text to Allow too.
func (s *Store) Remove(ctx context.Context, r Removal) (Saved, error) {
	if r.kind == "" {
		r.kind = journal.Remove
	}
	e := s.complete(Edit{Lock: r.Lock, Record: r.Record, Resolve: r.Resolve, Op: r.Op, Tool: r.Tool, Session: r.Session,
		kind: r.kind, source: r.source})
	return s.guarded(ctx, e, func(w *saving, ctx context.Context) (Saved, error) {
		for range mostRounds {
			done, err := w.remove(r.Allow)
			if !errors.Is(err, errChanged) {
				return done, err
			}
		}
		return Saved{}, w.unsettled()
	})
}

func (w *saving) remove(allow func([]byte) error) (Saved, error) {
	var err error
	if w.path, err = w.e.Resolve(); err != nil {
		return Saved{}, err
	}
	if err := w.find(); err != nil {
		return Saved{}, err
	}
	defer w.to.close()
	was, open, err := w.read()
	if errors.Is(err, fs.ErrNotExist) {
		return Saved{}, fault.New(fault.NotFound, "there is no file %q", shown(w.path)).At(shown(w.path), 0).
			With("it may have been renamed or deleted; search for its title")
	}
	if err != nil {
		return Saved{}, err
	}
	if allow != nil {
		if err := allow(was.Bytes); err != nil {
			return Saved{}, err
		}
	}
	w.before = record.Open(was.Bytes)
	name := w.tempName(w.before.Etag, "")
	name.displaced = true
	if err := w.t.move(w.to.dir, w.to.name, w.p.tmp, name.String()); err != nil {
		return Saved{}, blocked(w.path, err)
	}
	out := w.peek(name, w.before)
	if out.err != nil || out.open && !open || out.Etag != w.before.Etag {
		// An editor saved just now: its file goes back, unless it has saved once more.
		if w.t.place(w.p.tmp, name.String(), w.to.dir, w.to.name) != nil {
			w.discard(out)
		}
		return Saved{}, errChanged
	}
	done, err := w.removed()
	w.discard(out)
	return done, err
}

func (w *saving) removed() (Saved, error) {
	if err := syncFolder(w.to.file); err != nil {
		return Saved{}, refused(w.path, err)
	}
	entry := w.entry(w.e.kind, w.s.diff(w.path, w.before, record.NoFile()))
	entry.Before = w.before.Etag
	out := Saved{Path: w.path, Before: w.before.Src}
	w.note(&entry, &out)
	w.s.prune(w.t, w.p, len(out.Before))
	return out, nil
}
