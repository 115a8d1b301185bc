package store

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"slices"

	"sdd/internal/fault"
	"sdd/internal/journal"
	"sdd/internal/record"
)

// Last returns the action that Undo would take back: the last one that changed the record, or any record when id is "".
// It returns NotFound when there is none.
func (s *Store) Last(id string) (Action, error) {
	t, err := s.open()
	if errors.Is(err, errNoStore) {
		return Action{}, s.noStore()
	}
	if err != nil {
		return Action{}, err
	}
	all := t.journal.Undoable("", id, false)
	if len(all) == 0 {
		return Action{}, nothingToUndo()
	}
	return Action{all[0].ActionID(), all}, nil
}

// Acted returns the requested changes made under the context since WithAction.
func (s *Store) Acted(ctx context.Context) (a Action) {
	t, err := s.open()
	if id := actingIn(ctx).id; err == nil && id != "" {
		if a.Changes = t.journal.Undoable(id, "", true); len(a.Changes) > 0 {
			a.ID = id
		}
	}
	return a
}

func nothingToUndo() *fault.Error {
	return fault.New(fault.NotFound, "there is no save to undo").
		With("the journal in " + shown(journal.Folder) + " keeps the saves made in this clone; git has the older versions")
}

// Undo takes back the last action: of the record, or of the whole store when id is "". See TakeBack.
func (s *Store) Undo(ctx context.Context, id string) ([]Saved, error) {
	a, err := s.Last(id)
	if err != nil {
		return nil, err
	}
	return s.TakeBack(ctx, a.ID)
}

// TakeBack takes back the rest of an action, all of it or nothing. A file that was edited by hand since keeps the edit;
// if both changed the same words, TakeBack returns a Conflict and changes nothing. The removed text goes to the trash,
// so that no undo loses anything. When another program changes a file meanwhile, the rest may stay: the error has the
// reason, and the next call continues.
func (s *Store) TakeBack(ctx context.Context, action string) ([]Saved, error) {
	t, err := s.open()
	if errors.Is(err, errNoStore) {
		return nil, s.noStore()
	}
	if err != nil {
		return nil, err
	}
	all := t.journal.Undoable(action, "", false)
	if len(all) == 0 {
		return nil, nothingToUndo()
	}
	// The last change comes first. But the files that the action created go before others come back: with both present,
	// an approved candidate would look obsolete.
	slices.Reverse(all)
	made := map[string]bool{}
	for _, e := range all {
		made[e.Path] = made[e.Path] || e.Before == ""
	}
	slices.SortStableFunc(all, func(a, b journal.Entry) int {
		switch {
		case made[a.Path] == made[b.Path]:
			return 0
		case made[a.Path]:
			return -1
		}
		return 1
	})
	if err := s.undoes(ctx, t, all); err != nil {
		return nil, err
	}
	var done []Saved
	for _, e := range all {
		saved, err := s.undo(ctx, t, e)
		if err != nil {
			return done, err
		}
		done = append(done, saved)
	}
	return done, nil
}

// undoes returns the reason why these changes cannot be taken back in this order. It writes nothing.
func (s *Store) undoes(ctx context.Context, t *tree, all []journal.Entry) error {
	type state struct {
		bytes  []byte
		exists bool
	}
	files := map[string]state{}
	for _, e := range all {
		now, seen := files[e.Path]
		if !seen {
			f, _, err := s.read(t, e.Path, glance)
			if err != nil && !errors.Is(err, fs.ErrNotExist) {
				return err
			}
			now = state{f.Bytes, err == nil}
		}
		after, err := s.without(ctx, t, e, now.bytes, now.exists)
		if err != nil {
			return err
		}
		files[e.Path] = state{after, after != nil}
	}
	return nil
}

// undo takes one change back.
func (s *Store) undo(ctx context.Context, t *tree, e journal.Entry) (Saved, error) {
	at := func() (string, error) { return e.Path, nil }
	if e.Before == "" { // the change created the file
		return s.Remove(ctx, Edit{Lock: e.Identity(), Record: e.Record, Resolve: at, Op: "undo", kind: journal.Undo, source: []string{e.ID},
			Allow: func(now []byte) error {
				_, err := s.without(ctx, t, e, now, true)
				return err
			}})
	}
	saved, err := s.Save(ctx, Edit{Lock: e.Identity(), Record: e.Record, Resolve: at, Op: "undo", kind: journal.Undo, source: []string{e.ID},
		InConflict: true, // undo also takes back the result of sdd resolve
		Apply:      func(now []byte, exists bool) ([]byte, error) { return s.without(ctx, t, e, now, exists) }})
	if err == nil && saved.Unchanged { // an editor had taken it back already: the next undo continues before it
		tag := record.Etag(saved.After)
		err = s.noteDown(ctx, &journal.Entry{Op: journal.Undo, Record: e.Record, Path: e.Path, Before: tag, After: tag, Lock: e.Lock, Use: "undo",
			Tool: s.opt.Tool, Session: s.opt.Session, Source: []string{e.ID}})
	}
	return saved, err
}

// without returns the file with the change e taken back, nil for no file.
func (s *Store) without(ctx context.Context, t *tree, e journal.Entry, now []byte, exists bool) ([]byte, error) {
	if e.Before == "" {
		switch {
		case !exists:
			return nil, goneSince(e)
		case record.Etag(now) != e.After:
			return nil, fault.New(fault.Conflict, "the file was edited since it was made").At(shown(e.Path), 0).
				With("delete it by hand if you do not want it")
		}
		return nil, nil
	}
	before, ok := s.version(t, e.Before, 0)
	if !ok {
		return nil, fault.New(fault.NotFound, "the version before the last save of %q is not kept any more", e.Record).
			At(shown(e.Path), 0).With("git may have it: git log -p " + shown(e.Path))
	}
	if exists && record.Etag(now) != e.After {
		if err := s.refuseUnmerged(ctx, e.Path, e.Path, now); err != nil {
			return nil, err
		}
	}
	switch {
	case e.After == "" && exists && !bytes.Equal(now, before): // e removed the file
		return nil, fault.New(fault.Conflict, "there is another file now").At(shown(e.Path), 0).
			With("rename it, then undo again")
	case e.After != "" && !exists:
		return nil, goneSince(e)
	case e.After == "" || record.Etag(now) == e.After || bytes.Equal(now, before):
		return before, nil
	}
	after, ok := s.version(t, e.After, 0)
	if !ok {
		return nil, fault.New(fault.Conflict, "the file was edited since the save, and the saved version is not kept any more").
			At(shown(e.Path), 0).With("take the change back by hand")
	}
	return s.opt.Merge(e.Path, after, now, before)
}

func goneSince(e journal.Entry) *fault.Error {
	return fault.New(fault.NotFound, "the file was renamed or deleted by hand since the save").At(shown(e.Path), 0).
		With("git or a search for its title may tell where it is")
}

// Restore brings back the file of a record whose last change was its removal, and no other part of the same action.
func (s *Store) Restore(ctx context.Context, id string) (Saved, error) {
	t, err := s.open()
	if err != nil {
		return Saved{}, err
	}
	for _, e := range t.journal.Of(id) {
		if e.Op == journal.Save || e.Op == journal.Remove || e.Op == journal.Undo {
			if e.Op == journal.Remove {
				return s.undo(ctx, t, e)
			}
			break
		}
	}
	return Saved{}, fault.New(fault.NotFound, "%q was not removed here", id).With("git may have it")
}
