package store

import "slices"

// note is a pending entry of the journal: an overwritten change or displaced words.
type note struct {
	entry Entry
	open  map[string]bool // sections not yet settled, by folded name
	told  bool            // to the feed
}

func newNote(e Entry) *note {
	n := &note{entry: e, open: map[string]bool{}}
	for _, c := range e.Sections {
		n.open[foldName(c.Name)] = true
	}
	return n
}

// missing reports whether what n tells of is still not in a section. gone are the changes of
// tools that are not there.
func (n *note) missing(section string, gone []acked, now Description) bool {
	if n.entry.Op == OpOverwritten {
		return slices.ContainsFunc(gone, func(g acked) bool { return slices.Contains(n.entry.Source, g.id) })
	}
	lines := linesOf()
	for _, s := range now.Sections {
		lines.add(s.Text)
	}
	for _, c := range n.entry.Sections {
		if foldName(c.Name) == section {
			return len(linesOf(c.After).without(linesOf(c.Before)).without(lines)) > 0
		}
	}
	return false
}

// settledBy reports whether a later change of a section leaves nothing to be put back there: it has brought the lost words
// back, or it says something else in the place of what stands there, and so has taken the matter over. Who only adds something
// may not know of the loss. A person's words stay pending.
func (n *note) settledBy(later SectionChange) bool {
	after := linesOf(later.After)
	if len(linesOf(later.Before).without(after)) > 0 {
		return true
	}
	for _, c := range n.entry.Sections {
		if foldName(c.Name) == foldName(later.Name) {
			return len(linesOf(c.After).without(linesOf(c.Before)).without(after)) == 0
		}
	}
	return true
}

func (n *note) notice() Notice {
	out := Notice{
		Kind: NoteOverwritten, ID: n.entry.ID, Record: n.entry.Record, Path: n.entry.Path,
		Tool: n.entry.Tool, Session: n.entry.Session, Time: n.entry.Time, etag: n.entry.After,
	}
	if n.entry.Op == OpDisplaced {
		out.Kind = NoteDisplaced
	}
	for _, c := range n.entry.Sections {
		if n.open[foldName(c.Name)] {
			out.Sections = append(out.Sections, c.Name)
		}
	}
	return out
}

// noteEntry keeps j.notes up to date with one entry more.
func (j *journal) noteEntry(m mark, line []byte) {
	mine := slices.ContainsFunc(j.notes, func(n *note) bool { return hash(n.entry.Record) == m.record })
	if !m.is(OpOverwritten, OpDisplaced, OpResolved) && !mine {
		return
	}
	e, ok := parseEntry(line)
	if !ok {
		return
	}
	switch e.Op {
	case OpOverwritten, OpDisplaced:
		j.notes = append(j.notes, newNote(e))
	case OpResolved:
		j.drop(func(n *note) bool { return slices.Contains(e.Source, n.entry.ID) })
	case OpRemove:
		j.drop(func(n *note) bool { return n.entry.Record == e.Record })
	case OpSave, OpUndo:
		for _, n := range j.notes {
			if n.entry.Record == e.Record && n.entry.Op == OpOverwritten {
				for _, c := range e.Sections {
					if n.settledBy(c) {
						delete(n.open, foldName(c.Name))
					}
				}
			}
		}
		j.drop(func(n *note) bool { return n.entry.Op == OpOverwritten && len(n.open) == 0 })
	}
}

func (j *journal) drop(which func(*note) bool) { j.notes = slices.DeleteFunc(j.notes, which) }

// fresh returns the notes the feed has not been told of.
func (j *journal) fresh() []*note {
	var out []*note
	for _, n := range j.notes {
		if !n.told {
			n.told = true
			out = append(out, n)
		}
	}
	return out
}

// needed returns the etags that undo and pending notes need from the trash.
func (s *Store) needed(t *tree) map[uint64]bool {
	j := &s.journal
	j.mu.Lock()
	defer j.mu.Unlock()
	j.refresh(t)
	out := map[uint64]bool{}
	for _, n := range j.records {
		if n = j.lastWrite(n); n >= 0 {
			out[j.entries[n].before] = true
		}
	}
	for _, n := range j.notes {
		out[etagBits(n.entry.Before)] = true
		out[etagBits(n.entry.After)] = true
	}
	return out
}
