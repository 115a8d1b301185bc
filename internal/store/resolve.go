package store

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"sdd/internal/fault"
	"sdd/internal/journal"
	"sdd/internal/record"
)

// Resolve puts back the lost changes of a record's pending notices, or of one notice by its id. It merges each change
// into the present file, oldest first. A change conflicts when both sides changed the same words: it stays pending,
// Resolve saves the rest and returns a Conflict that shows both texts.
func (s *Store) Resolve(ctx context.Context, name string) (Saved, error) {
	t, notes, err := s.pendingOf(name)
	if err != nil {
		return Saved{}, err
	}
	last := notes[len(notes)-1].Entry
	var done []string
	var both strings.Builder
	saved, err := s.Save(ctx, Edit{Lock: last.Identity(), Record: last.Record, Op: "resolve",
		Resolve: func() (string, error) { return last.Path, nil },
		Apply: func(now []byte, exists bool) ([]byte, error) {
			if !exists {
				return nil, fault.New(fault.NotFound, "the file of %q was renamed or deleted", last.Record).At(shown(last.Path), 0).
					With("git or a search for its title may tell where it is; sdd resolve --dismiss " + last.Record + " drops what was lost")
			}
			done = nil
			both.Reset()
			for _, n := range notes {
				var left []journal.Change
				if now, left = s.restored(t, n, now); len(left) == 0 {
					done = append(done, n.Entry.ID)
				}
				for _, c := range left {
					fmt.Fprintf(&both, "\n\n%s, in the file:\n%s\n\nlost:\n%s", c.Name,
						s.opt.Describe(last.Path, record.Open(now)).Text(c.Name), c.Lost("\n"))
				}
			}
			return now, nil
		}})
	if err == nil && len(done) > 0 {
		err = s.closeNotes(ctx, last.Record, journal.UseBack, done)
	}
	if err == nil && both.Len() > 0 {
		what := "nothing was written"
		if len(done) > 0 {
			what = fmt.Sprintf("%d of %d changes were put back", len(done), len(notes))
		}
		err = fault.New(fault.Conflict, "the same words were changed since, %s%s", what, both.String()).At(shown(last.Path), 0).
			With("merge the two texts by hand; the notice goes when the lost lines are in the file, or with sdd resolve --dismiss " + last.Record)
	}
	return saved, err
}

// restored returns the file with the lost changes of n put back, and the changes that conflict. If the whole save was
// lost, it puts the save's keys back too.
func (s *Store) restored(t *tree, n journal.Note, now []byte) ([]byte, []journal.Change) {
	if want, ok := s.version(t, n.Entry.After, 0); ok && n.Whole() {
		base, ok := []byte(nil), n.Entry.Before == ""
		if !ok {
			base, ok = s.version(t, n.Entry.Before, 0)
		}
		if ok {
			if out, err := s.opt.Merge(n.Entry.Path, base, now, want); err == nil {
				return out, nil
			}
		}
	}
	return s.opt.PutBack(n.Entry.Path, now, n.Open())
}

// Dismiss drops the pending notices of a record, or one notice by its id, and leaves the file as it is.
func (s *Store) Dismiss(ctx context.Context, name string) error {
	_, notes, err := s.pendingOf(name)
	if err != nil {
		return err
	}
	var ids []string
	for _, n := range notes {
		ids = append(ids, n.Entry.ID)
	}
	return s.closeNotes(ctx, notes[0].Entry.Record, journal.UseDismiss, ids)
}

// closeNotes closes notes by their ids.
func (s *Store) closeNotes(ctx context.Context, record, use string, ids []string) error {
	return s.noteDown(ctx, &journal.Entry{Op: journal.Resolved, Record: record, Use: use, Source: ids, Tool: s.opt.Tool,
		Session: s.opt.Session})
}

// noteDown adds an entry to the journal without a save.
func (s *Store) noteDown(ctx context.Context, e *journal.Entry) error {
	t, _, _, err := s.prepare(ctx)
	if err == nil {
		err = s.append(t, e)
	}
	return refused("", err)
}

// pendingOf returns the pending notices of a record, or one notice by its id, oldest first.
func (s *Store) pendingOf(name string) (*tree, []journal.Note, error) {
	t, err := s.open()
	if errors.Is(err, errNoStore) {
		return nil, nil, s.noStore()
	}
	if err != nil {
		return nil, nil, err
	}
	all, _ := t.journal.Pending()
	out := slices.DeleteFunc(all, func(n journal.Note) bool { return n.Entry.Record != name && n.Entry.ID != name })
	if len(out) == 0 {
		return nil, nil, fault.New(fault.NotFound, "nothing of %q waits to be put back", name).
			With("sdd status lists what does")
	}
	return t, out, nil
}
