package store

import (
	"sdd/internal/journal"
	"sdd/internal/record"
)

// Version returns an earlier version of a file by its etag, from the trash or from the journal: a save keeps the
// displaced file, and the patch from that to its result. Version takes no lock, so an Edit's functions may call it.
func (s *Store) Version(etag string) ([]byte, bool) {
	t, err := s.open()
	if err != nil {
		return nil, false
	}
	return s.version(t, etag, 0)
}

const mostPatches = 32 // one on top of the other

func (s *Store) version(t *tree, etag string, depth int) ([]byte, bool) {
	if data, ok := t.fromTrash(etag); ok {
		return data, true
	}
	if depth == mostPatches || !isEtag(etag) {
		return nil, false
	}
	for _, e := range t.journal.Makers(etag) {
		before, ok := []byte(nil), e.Before == ""
		if !ok {
			before, ok = s.version(t, e.Before, depth+1)
		}
		if !ok {
			continue
		}
		if data, ok := journal.Apply(before, e.Patch); ok && record.Etag(data) == etag {
			return data, true
		}
	}
	return nil, false
}

// SectionVersion returns an earlier text of a record's section by its etag. It searches the kept versions that tools
// saved and those that they replaced.
func (s *Store) SectionVersion(id, section, etag string) (string, bool) {
	t, err := s.open()
	if err != nil || !isEtag(etag) {
		return "", false
	}
	name := journal.FoldName(section)
	entries := t.journal.Of(id)
	for _, e := range entries {
		for _, c := range e.Sections {
			if journal.FoldName(c.Name) != name {
				continue
			}
			for _, text := range []string{c.After, c.Before} {
				if record.Etag([]byte(text)) == etag {
					return text, true
				}
			}
		}
	}
	for _, e := range entries {
		data, ok := t.fromTrash(e.Before)
		if !ok {
			continue
		}
		for _, sec := range s.opt.Describe(e.Path, record.Open(data)).Sections {
			if journal.FoldName(sec.Name) == name && record.Etag([]byte(sec.Text)) == etag {
				return sec.Text, true
			}
		}
	}
	return "", false
}

// Entries returns the journal's entries of a record in this clone, the latest first: saves, removals, undos and
// overwritten changes. The journal is local and bounded, so entries may be missing.
func (s *Store) Entries(record string) []journal.Entry {
	t, err := s.open()
	if err != nil {
		return nil
	}
	return t.journal.Of(record)
}

// SavedIn returns the ids of the records that tools saved in a session, by the journal. Sessions are compared without
// case.
func (s *Store) SavedIn(session string) []string {
	t, err := s.open()
	if err != nil {
		return nil
	}
	return t.journal.SavedIn(session)
}

// append adds an entry to the journal.
func (s *Store) append(t *tree, e *journal.Entry) error {
	e.ID, e.Time = s.nonce(), s.opt.Now().UTC()
	return t.journal.Append(e)
}
