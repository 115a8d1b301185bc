package store

// Entries returns what the journal of this clone says of a record, by its id, the latest first: saves, removals,
// undos and what editors overwrote. The journal is local and bounded, so they are some of what happened, never all.
func (s *Store) Entries(record string) []Entry {
	t, err := s.open()
	if err != nil {
		return nil
	}
	return s.entriesOf(t, record)
}
