package store

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"sdd/internal/fault"
)

// Resolve puts back what is pending for a record: it merges, three ways, the file as it is now
// with the version that has the lost change. The same words changed on both sides are a
// Conflict that shows both texts, and nothing is written.
func (s *Store) Resolve(ctx context.Context, record string) (Saved, error) {
	t, notes, err := s.pendingOf(record)
	if err != nil {
		return Saved{}, err
	}
	first := notes[0].entry
	var source []string
	for _, n := range notes {
		source = append(source, n.entry.ID)
	}
	done, err := s.Save(ctx, Edit{Lock: first.lock(), Record: record, Op: "resolve", source: source,
		Resolve: func() (string, error) { return notes[len(notes)-1].entry.Path, nil },
		Apply: func(now []byte, exists bool) ([]byte, error) {
			if !exists {
				return nil, fault.New(fault.NotFound, "the file of %q was renamed or deleted", record).At(shown(first.Path), 0).
					With("git or a search for its title may tell where it is")
			}
			out := now
			for _, n := range notes {
				var err error
				if out, err = s.restored(t, n, out); err != nil {
					return nil, err
				}
			}
			return out, nil
		}})
	if err != nil {
		return Saved{}, err
	}
	return done, s.settleNotes(ctx, record, source)
}

// restored returns the file with what n tells of.
func (s *Store) restored(t *tree, n *note, now []byte) ([]byte, error) {
	base, ok := []byte(nil), n.entry.Before == ""
	if !ok {
		base, ok = s.version(t, n.entry.Before, 0)
	}
	want, ok2 := s.version(t, n.entry.After, 0)
	if ok && ok2 {
		out, err := s.opt.Merge(n.entry.Path, base, now, want)
		if err == nil || !fault.Is(err, fault.Conflict) {
			return out, err
		}
	}
	var both strings.Builder
	have := s.opt.Describe(n.entry.Path, now)
	for _, c := range n.entry.Sections {
		if n.open[foldName(c.Name)] {
			fmt.Fprintf(&both, "\n\n%s, in the file:\n%s\n\nlost:\n%s", c.Name, have.text(foldName(c.Name)), c.After)
		}
	}
	return nil, fault.New(fault.Conflict, "the same words were changed since, nothing was written%s", both.String()).
		At(shown(n.entry.Path), 0).With("merge the two texts by hand; the notice goes when the lost lines are back or the section is saved anew")
}

// Dismiss settles what is pending for a record without putting it back.
func (s *Store) Dismiss(ctx context.Context, record string) error {
	_, notes, err := s.pendingOf(record)
	if err != nil {
		return err
	}
	var source []string
	for _, n := range notes {
		source = append(source, n.entry.ID)
	}
	return s.settleNotes(ctx, record, source)
}

func (s *Store) settleNotes(ctx context.Context, record string, source []string) error {
	t, p, _, err := s.prepare(ctx)
	if err == nil {
		err = s.append(t, p, &Entry{Op: OpResolved, Record: record, Source: source, Tool: s.opt.Tool, Session: s.opt.Session})
	}
	return refused("", err)
}

// pendingOf returns copies of what is pending for a record, oldest first.
func (s *Store) pendingOf(record string) (*tree, []*note, error) {
	t, err := s.open()
	if errors.Is(err, errNoStore) {
		return nil, nil, s.noStore()
	}
	if err != nil {
		return nil, nil, err
	}
	j := &s.journal
	j.mu.Lock()
	defer j.mu.Unlock()
	j.refresh(t)
	var out []*note
	for _, n := range j.notes {
		if n.entry.Record == record {
			c := newNote(n.entry)
			for name := range c.open {
				c.open[name] = n.open[name]
			}
			out = append(out, c)
		}
	}
	if len(out) == 0 {
		return nil, nil, fault.New(fault.NotFound, "nothing of %q waits to be put back", record).
			With("sdd status lists what does")
	}
	return t, out, nil
}
