package store

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strings"
)

// Entries returns what the journal of this clone says of a record, by its id, the latest first: saves, removals,
// undos and what editors overwrote. The journal is local and bounded, so they are some of what happened, never all.
func (s *Store) Entries(record string) []Entry {
	t, err := s.open()
	if err != nil {
		return nil
	}
	return s.entriesOf(t, record)
}

// SavedIn returns the ids of the records that tools saved in a session, as far as the journal tells. Sessions are
// compared without case.
func (s *Store) SavedIn(session string) []string {
	t, err := s.open()
	if err != nil {
		return nil
	}
	d, err := t.dir(journalFolder)
	if err != nil {
		return nil
	}
	defer d.Close()
	nums, _ := segmentNumbers(d)
	seen := map[string]bool{}
	for _, n := range nums {
		data, err := d.read(segmentName(n))
		if err != nil {
			continue // dropped meanwhile
		}
		for line := range bytes.Lines(data) {
			line = bytes.TrimSuffix(line, newline)
			_, rest, ok := bytes.Cut(line, []byte(`,"session":`)) // quotation marks in texts are escaped
			end := stringEnd(rest)
			var name string
			if !ok || end < 0 || json.Unmarshal(rest[:end], &name) != nil || !strings.EqualFold(name, session) {
				continue
			}
			if h, ok := parseHead(line); ok {
				seen[h.record] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(seen))
}

var newline = []byte("\n")
