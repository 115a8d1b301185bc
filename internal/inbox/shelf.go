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

	files *index.Follower
	turn  sync.Mutex // held by the look that is under way

	all map[string]*Candidate // by path; its values do not change
}

// look returns every candidate as the files are now or were since the call began, in the order of lists.
func (s *shelf) look(ctx context.Context) ([]*Candidate, error) {
	s.turn.Lock()
	defer s.turn.Unlock()
	if !s.i.st.Exists() {
		return nil, nil
	}
	paths, all, err := s.files.Changed(ctx)
	if err != nil {
		return nil, err
	}
	if all {
		s.all = map[string]*Candidate{}
	}
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

// inOrder is the order of lists: the surest first, then the newest, then by id.
func inOrder(a, b *Candidate) int {
	return cmp.Or(cmp.Compare(b.Confidence, a.Confidence), cmp.Compare(b.Created, a.Created), cmp.Compare(a.ID, b.ID), cmp.Compare(a.path, b.path))
}

// isRecord reports whether there is a record with the candidate's id already.
func (i *Inbox) isRecord(c *Candidate) bool {
	return c.Kind != "" && slices.ContainsFunc(i.ix.Lookup(index.Ref{ID: c.ID, Kind: record.Kind(c.Kind)}), func(e index.Entry) bool { return e.ID == c.ID })
}

// stored reports whether a candidate that was not rejected is a record.
func (i *Inbox) stored(c *Candidate) bool { return c.Status != Rejected && i.isRecord(c) }
