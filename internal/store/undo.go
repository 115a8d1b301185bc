package store

import (
	"bytes"
	"context"
	"errors"

	"sdd/internal/fault"
	"sdd/internal/record"
)

// Undo takes back the last save or removal by a tool that has not been taken back yet: of the
// record, or of the whole store when id is "". A file that was edited by hand since keeps
// the edit; where both changed the same words it is a Conflict and nothing happens. What Undo
// takes away goes to the trash, so that no undo loses anything.
func (s *Store) Undo(ctx context.Context, id string) (Saved, error) {
	t, err := s.open()
	if errors.Is(err, errNoStore) {
		return Saved{}, s.noStore()
	}
	if err != nil {
		return Saved{}, err
	}
	e, ok := s.lastDone(t, id)
	if !ok {
		return Saved{}, fault.New(fault.NotFound, "there is no save to undo").
			With("the journal in " + shown(journalFolder) + " keeps the saves made in this clone; git has the older versions")
	}
	var before []byte
	if e.Before != "" {
		if before, ok = s.version(t, e.Before, 0); !ok {
			return Saved{}, fault.New(fault.NotFound, "the version before the last save of %q is not kept any more", e.Record).
				At(shown(e.Path), 0).With("git may have it: git log -p " + shown(e.Path))
		}
	}
	at := func() (string, error) { return e.Path, nil }
	if e.Before == "" { // it made the file
		return s.Remove(ctx, Removal{Lock: e.lock(), Record: e.Record, Resolve: at, Op: "undo", kind: OpUndo, source: []string{e.ID},
			Allow: func(now []byte) error {
				if record.Etag(now) != e.After {
					return fault.New(fault.Conflict, "the file was edited since it was made").At(shown(e.Path), 0).
						With("delete it by hand if you do not want it")
				}
				return nil
			}})
	}
	return s.Save(ctx, Edit{Lock: e.lock(), Record: e.Record, Resolve: at, Op: "undo", kind: OpUndo, source: []string{e.ID},
		InConflict: true, // what sdd resolve did is taken back, too
		Apply: func(now []byte, exists bool) ([]byte, error) {
			if exists && record.Etag(now) != e.After {
				if err := s.refuseUnmerged(ctx, e.Path, e.Path, now); err != nil {
					return nil, err
				}
			}
			return s.takeBack(t, e, before, now, exists)
		}})
}

// takeBack returns the file without what e did to it.
func (s *Store) takeBack(t *tree, e Entry, before, now []byte, exists bool) ([]byte, error) {
	switch {
	case e.After == "" && exists && !bytes.Equal(now, before): // e removed the file
		return nil, fault.New(fault.Conflict, "there is another file now").At(shown(e.Path), 0).
			With("rename it, then undo again")
	case e.After != "" && !exists:
		return nil, fault.New(fault.NotFound, "the file was renamed or deleted by hand since the save").At(shown(e.Path), 0).
			With("git or a search for its title may tell where it is")
	case e.After == "" || record.Etag(now) == e.After || bytes.Equal(now, before):
		return before, nil
	}
	after, ok := s.version(t, e.After, 0)
	if !ok {
		return nil, fault.New(fault.Conflict, "the file was edited since the save, and the saved version is not kept any more").At(shown(e.Path), 0).
			With("take the change back by hand")
	}
	return s.opt.Merge(e.Path, after, now, before)
}

// lastDone returns the last entry that changed a file and was not undone.
func (s *Store) lastDone(t *tree, id string) (Entry, bool) {
	j := &s.journal
	j.mu.Lock()
	defer j.mu.Unlock()
	j.refresh(t)
	undone := map[string]bool{}
	for n := int32(len(j.entries)) - 1; n >= 0; n-- {
		m := j.entries[n]
		if !m.writes() || id != "" && m.record != hash(id) {
			continue
		}
		e, ok := j.load(n)
		switch {
		case !ok:
			return Entry{}, false
		case e.Op == OpUndo:
			for _, id := range e.Source {
				undone[id] = true
			}
		case !undone[e.ID]:
			return e, true
		}
	}
	return Entry{}, false
}
