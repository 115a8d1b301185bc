package store

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"sync"

	"sdd/internal/fault"
	"sdd/internal/journal"
	"sdd/internal/record"
)

// Last returns the action that sdd undo takes back: the last of the record, of any with id "", without the changes in but; else NotFound.
func (s *Store) Last(id string, but ...journal.Entry) (Action, error) {
	t, err := s.made()
	if err != nil {
		return Action{}, err
	}
	all := s.undoable(t, "", id, but...)
	if len(all) == 0 {
		return Action{}, nothingToUndo()
	}
	return Action{all[0].ActionID(), all}, nil
}

// undoable lists the changes of an action, with the new path of a file that was moved inside its folder since.
func (s *Store) undoable(t *tree, action, id string, but ...journal.Entry) []journal.Entry {
	all := t.journal.Undoable(action, id, false, but...)
	type place struct{ folder, record string }
	at := func(file string) place {
		f, _, err := s.read(t, file, glance)
		if err != nil {
			return place{}
		}
		return place{path.Dir(file), s.describe(file, record.Open(f.Bytes)).Record}
	}
	files := sync.OnceValue(func() map[place][]string {
		all := map[place][]string{}
		_ = s.Scan(context.Background(), func(file string, _ Stat) error { // what cannot be read is not there
			is := at(file)
			all[is] = append(all[is], file)
			return nil
		})
		return all
	})
	for i, e := range all {
		is := place{path.Dir(e.Path), e.Record}
		if t.journal.Expects(e.Path) && at(e.Path) != is && len(files()[is]) == 1 {
			all[i].Path = files()[is][0]
		}
	}
	return all
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

// Leave makes undo pass over an action, so that the next one takes back the action before it.
func (s *Store) Leave(ctx context.Context, a Action) error {
	var ids []string
	for _, e := range a.Changes {
		ids = append(ids, e.ID)
	}
	return s.closeNotes(ctx, a.Changes[0].Record, journal.UseLeave, ids)
}

func nothingToUndo() *fault.Error {
	return fault.New(fault.NotFound, "there is no save to undo").
		With("the journal in " + shown(journal.Folder) + " keeps the saves made in this clone; git has the older versions")
}

// TakeBack takes back the rest of an action, all of it or nothing. A file that was edited by hand since keeps the edit; if both changed the
// same words, TakeBack returns a Conflict and changes nothing. The removed text goes to the trash. When another program changes a file
// meanwhile, the rest may stay: the error has the reason, and the next call continues.
func (s *Store) TakeBack(ctx context.Context, action string) (done []Saved, err error) {
	defer fault.Caught(&err)
	t := fault.Must(s.made())
	all := s.undoable(t, action, "")
	if len(all) == 0 {
		return nil, nothingToUndo()
	}
	// The last change first, but files that the action created before others: with both, an approved candidate would look obsolete.
	slices.Reverse(all)
	made := map[string]bool{}
	for _, e := range all {
		made[e.Path] = made[e.Path] || e.Before == ""
	}
	others := slices.DeleteFunc(slices.Clone(all), func(e journal.Entry) bool { return made[e.Path] })
	all = append(slices.DeleteFunc(all, func(e journal.Entry) bool { return !made[e.Path] }), others...)
	fault.Check(s.undoes(ctx, t, all))
	for _, e := range all {
		done = append(done, fault.Must(s.undo(ctx, t, e)))
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
		return nil, fault.New(fault.Conflict, "there is another file now").At(shown(e.Path), 0).With("rename it, then undo again")
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
	return s.merge(e.Path, after, now, before)
}

func goneSince(e journal.Entry) *fault.Error {
	return fault.New(fault.NotFound, "the file is not here any more: it was renamed or deleted, or is on another branch").At(shown(e.Path), 0).
		With("git or a search for its title may tell where it is")
}

// Restore brings back the file of a record whose last change was its removal, and no other part of the same action.
func (s *Store) Restore(ctx context.Context, id string) (Saved, error) {
	t, err := s.open()
	if err != nil {
		return Saved{}, err
	}
	for _, e := range t.journal.Of(id) {
		if e.Op == journal.Remove {
			return s.undo(ctx, t, e)
		}
		if e.Op == journal.Save || e.Op == journal.Undo {
			break
		}
	}
	return Saved{}, fault.New(fault.NotFound, "%q was not removed here", id).With("git may have it")
}

// Resolve puts back the lost changes of a record's notices, or of one by its id. Words changed on both sides stay pending: a Conflict.
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
					fmt.Fprintf(&both, "\n\n%s, in the file:\n%s\n\nlost:\n%s", c.Name, s.describe(last.Path, record.Open(now)).Text(c.Name), c.Lost("\n"))
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

// restored returns the file with the lost changes of n, and its keys if all of the save was lost, and the changes that conflict.
func (s *Store) restored(t *tree, n journal.Note, now []byte) ([]byte, []journal.Change) {
	if want, ok := s.version(t, n.Entry.After, 0); ok && n.Whole() {
		base, ok := []byte(nil), n.Entry.Before == ""
		if !ok {
			base, ok = s.version(t, n.Entry.Before, 0)
		}
		if ok {
			if out, err := s.merge(n.Entry.Path, base, now, want); err == nil {
				return out, nil
			}
		}
	}
	return s.putBack(n.Entry.Path, now, n.Open())
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
	t, err := s.made()
	if err != nil {
		return nil, nil, err
	}
	all, _ := t.journal.Pending()
	out := slices.DeleteFunc(all, func(n journal.Note) bool { return n.Entry.Record != name && n.Entry.ID != name })
	if len(out) == 0 {
		return nil, nil, fault.New(fault.NotFound, "nothing of %q waits to be put back", name).With("sdd status lists what does")
	}
	return t, out, nil
}
