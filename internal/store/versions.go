package store

import "sdd/internal/record"

// Version returns the bytes of a file's earlier version by its etag, from the trash, or made
// from the journal: a save keeps what it displaced, and what makes its result from that.
// It takes no lock, so an Edit's functions may call it.
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
	for _, e := range s.makers(t, etag) {
		before, ok := []byte(nil), e.Before == ""
		if !ok {
			before, ok = s.version(t, e.Before, depth+1)
		}
		if !ok {
			continue
		}
		if data, ok := apply(before, e.Patch); ok && record.Etag(data) == etag {
			return data, true
		}
	}
	return nil, false
}

// makers returns the entries whose result is that version, the latest first, a few at most.
func (s *Store) makers(t *tree, etag string) []Entry {
	j := &s.journal
	j.mu.Lock()
	defer j.mu.Unlock()
	j.refresh(t)
	var out []Entry
	bits := etagBits(etag)
	for n := len(j.entries) - 1; n >= 0 && len(out) < 3; n-- {
		if m := j.entries[n]; m.after == bits && m.writes() {
			if e, ok := j.load(int32(n)); ok {
				out = append(out, e)
			}
		}
	}
	return out
}

// SectionVersion returns an earlier text of a record's section by its etag. It looks through
// what tools saved and what stood in the files they replaced, as far back as that is kept.
func (s *Store) SectionVersion(id, section, etag string) (string, bool) {
	t, err := s.open()
	if err != nil || !isEtag(etag) {
		return "", false
	}
	name := foldName(section)
	entries := s.entriesOf(t, id)
	for _, e := range entries {
		for _, c := range e.Sections {
			if foldName(c.Name) != name {
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
			if foldName(sec.Name) == name && record.Etag([]byte(sec.Text)) == etag {
				return sec.Text, true
			}
		}
	}
	return "", false
}

const mostEntries = 256

// entriesOf returns what the journal says of a record, the latest first.
func (s *Store) entriesOf(t *tree, id string) []Entry {
	j := &s.journal
	j.mu.Lock()
	defer j.mu.Unlock()
	j.refresh(t)
	var out []Entry
	n, ok := j.records[hash(id)]
	for ; ok && n >= 0 && len(out) < mostEntries; n = j.entries[n].prev {
		if e, ok := j.load(n); ok {
			out = append(out, e)
		}
	}
	return out
}
