package store

import (
	"context"
	"errors"
	"io/fs"

	"sdd/internal/fault"
	"sdd/internal/journal"
	"sdd/internal/record"
)

// Remove moves a record's file to the trash; Undo brings it back. It refuses what e.Allow refuses. If an editor saves in the same
// moment, Remove passes its text to Allow too.
func (s *Store) Remove(ctx context.Context, e Edit) (Saved, error) {
	if e.kind == "" {
		e.kind = journal.Remove
	}
	return s.guarded(ctx, s.complete(e), func(w *saving, ctx context.Context) (Saved, error) {
		for range mostRounds {
			done, err := w.remove()
			if !errors.Is(err, errChanged) {
				return done, err
			}
		}
		return Saved{}, w.unsettled()
	})
}

func (w *saving) remove() (Saved, error) {
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
	if w.e.Allow != nil {
		if err := w.e.Allow(was.Bytes); err != nil {
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
