package inbox

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"sync"

	"sdd/internal/fault"
	"sdd/internal/index"
	"sdd/internal/record"
)

// shelf keeps every candidate as its file says, and reads a file again only when the index tells that it changed.
type shelf struct {
	i *Inbox

	turn   sync.Mutex // held by the look that is under way
	cancel func()
	loaded bool

	mu      sync.Mutex
	changed map[string]bool

	all map[string]*Candidate // by path; its values do not change
}

// look returns every candidate as the files are now or were since the call began, in the order of lists.
func (s *shelf) look(ctx context.Context) ([]*Candidate, error) {
	s.turn.Lock()
	defer s.turn.Unlock()
	if s.cancel == nil {
		s.changed, s.all = map[string]bool{}, map[string]*Candidate{}
		s.cancel = s.i.ix.Subscribe(s.told)
	}
	if !s.i.st.Exists() {
		return nil, nil
	}
	if err := s.i.ix.Refresh(ctx); err != nil {
		return nil, err
	}
	s.mu.Lock()
	if !s.loaded {
		for _, e := range s.i.ix.Entries() {
			if e.Kind == record.Candidate {
				s.changed[e.Path] = true
			}
		}
		s.loaded = true
	}
	paths := slices.Collect(maps.Keys(s.changed))
	clear(s.changed)
	s.mu.Unlock()
	for _, path := range paths {
		f, err := s.i.st.Read(path)
		switch {
		case err == nil:
			s.all[path] = parse(path, f.Bytes)
		case fault.Is(err, fault.NotFound):
			delete(s.all, path)
		}
	}
	return slices.SortedFunc(maps.Values(s.all), inOrder), nil
}

// told is called by the index.
func (s *shelf) told(changes []index.Change) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, c := range changes {
		if k, _ := record.KindOf(c.Path); k == record.Candidate {
			s.changed[c.Path] = true
		}
	}
}

func (s *shelf) close() {
	s.turn.Lock()
	defer s.turn.Unlock()
	if s.cancel != nil {
		s.cancel()
		s.cancel, s.loaded = nil, false
	}
}

// inOrder is the order of lists: the surest first, then the newest, then by id.
func inOrder(a, b *Candidate) int {
	return cmp.Or(cmp.Compare(b.Confidence, a.Confidence), cmp.Compare(b.Created, a.Created), cmp.Compare(a.ID, b.ID), cmp.Compare(a.path, b.path))
}

// isRecord reports whether there is a record with the candidate's id already.
func (i *Inbox) isRecord(c *Candidate) bool {
	return c.Kind != "" && slices.ContainsFunc(i.ix.Lookup(index.Ref{ID: c.ID, Kind: record.Kind(c.Kind)}), func(e index.Entry) bool { return e.ID == c.ID })
}

// waiting returns the candidates that are not records yet: a process that died between the two leaves both, and somebody may
// have stored the same in another way.
func (i *Inbox) waiting(ctx context.Context) ([]*Candidate, error) {
	all, err := i.shelf.look(ctx)
	return slices.DeleteFunc(all, func(c *Candidate) bool { return c.Status != Rejected && i.isRecord(c) }), err
}
