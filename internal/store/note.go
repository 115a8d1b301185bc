package store

import (
	"path"
	"slices"
)

// note is an entry of the journal that waits to be seen to: a change that is gone from its file, or words of an editor that
// gave way to a save. Each waits by itself, section by section, until the words are in the file, a person or agent drops
// them, or a later save supersedes them: it took them away, or gave the whole section. A save that only adds something may
// not know of the loss. Notes that wait no more are kept, since undo may take back what closed them.
type note struct {
	entry  Entry
	n      int32              // where it stands in the journal
	closed map[string]closing // by folded name of the section
	told   bool               // to the feed
}

// closing says which entry closed a section of a note, and whether its change is in the file again. One that is not is
// not looked for any more.
type closing struct {
	by   string
	n    int32 // where that stands in the journal
	back bool
}

// Use of an OpResolved entry.
const (
	useBack    = "back"    // the words were found in the file
	useDismiss = "dismiss" // nobody wants them
)

func newNote(e Entry, n int32) *note { return &note{entry: e, n: n, closed: map[string]closing{}} }

// tells reports whether it is about that change.
func (n *note) tells(a acked) bool {
	return slices.Contains(n.entry.Source, a.entry.ID) && slices.ContainsFunc(n.entry.Sections, func(c SectionChange) bool {
		return foldName(c.Name) == foldName(a.change.Name)
	})
}

// open returns the changes that wait.
func (n *note) open() []SectionChange {
	return slices.DeleteFunc(slices.Clone(n.entry.Sections), func(c SectionChange) bool {
		_, closed := n.closed[foldName(c.Name)]
		return closed
	})
}

func (n *note) close(c SectionChange, by closing) {
	if _, closed := n.closed[foldName(c.Name)]; !closed {
		n.closed[foldName(c.Name)] = by
	}
}

// in reports whether all that the change did is in a section's text. all are the lines of the whole file: words may have been moved.
func (c SectionChange) in(text string, all lineSet) bool {
	added, removed := c.added(), c.removed()
	switch {
	case len(added) > 0:
		return len(added.without(all)) == 0
	case len(removed) > 0:
		return 2*len(removed.common(linesOf(text))) < len(removed)
	}
	return !sameText(c.Before, text)
}

func (c SectionChange) added() lineSet { return linesOf(c.After).without(linesOf(c.Before)) }

func (c SectionChange) removed() lineSet { return linesOf(c.Before).without(linesOf(c.After)) }

// backIn returns which of the changes that wait are in the file again.
func (n *note) backIn(d Description) []SectionChange {
	all := linesOf()
	for _, s := range d.Sections {
		all.add(s.Text)
	}
	return slices.DeleteFunc(n.open(), func(c SectionChange) bool { return !c.in(d.text(foldName(c.Name)), all) })
}

// settledBy reports whether a later save of the section leaves nothing to be put back there, and whether that is because it brought the
// change back. A person's words are never superseded.
func (n *note) settledBy(e Entry, c, later SectionChange) (settled, back bool) {
	after := linesOf(later.After)
	if c.in(later.After, after) {
		return true, true
	}
	if n.entry.Op == OpDisplaced || e.Op != OpSave { // an undo takes back what closed the note
		return false, false
	}
	taken := linesOf(later.Before).without(after)
	added := c.added()
	return later.Whole || len(added) > 0 && len(added.without(after).without(taken)) == 0, false
}

func (n *note) notice() Notice {
	out := Notice{
		Kind: NoteOverwritten, ID: n.entry.ID, Record: n.entry.Record, Path: n.entry.Path,
		Tool: n.entry.Tool, Session: n.entry.Session, Time: n.entry.Time, etag: n.entry.After,
	}
	if n.entry.Op == OpDisplaced {
		out.Kind = NoteDisplaced
	}
	for _, c := range n.open() {
		out.Sections = append(out.Sections, c.Name)
		out.Lost = append(out.Lost, c)
	}
	return out
}

// noteEntry keeps the notes up to date with one entry more.
func (j *journal) noteEntry(at int32, line []byte) {
	m := j.entries[at]
	mine := j.noted[m.record]
	if !m.is(OpOverwritten, OpDisplaced) && len(mine) == 0 {
		return
	}
	e, ok := parseEntry(line)
	if !ok {
		return
	}
	if m.is(OpOverwritten, OpDisplaced) {
		n := newNote(e, at)
		j.notes, j.noted[m.record] = append(j.notes, n), append(mine, n)
		return
	}
	if e.Op == OpResolved && len(e.Sections) == 0 {
		at = j.lastWrite(at) // what resolve put back is in its save
	}
	for _, n := range mine {
		n.see(m, e, at)
	}
}

// see closes what an entry settles, and opens what it takes back.
func (n *note) see(m mark, e Entry, at int32) {
	switch {
	case e.Op == OpResolved:
		if slices.Contains(e.Source, n.entry.ID) {
			which := e.Sections
			if len(which) == 0 {
				which = n.entry.Sections
			}
			for _, c := range which {
				n.close(c, closing{e.ID, at, e.Use != useDismiss})
			}
		}
		return
	case !m.writes() || path.Dir(e.Path) != path.Dir(n.entry.Path):
		return
	}
	undone := func(id string) bool { return e.Op == OpUndo && slices.Contains(e.Source, id) }
	for name, c := range n.closed {
		if undone(c.by) {
			delete(n.closed, name)
		}
	}
	for _, c := range n.open() {
		if m.after == 0 || slices.ContainsFunc(n.entry.Source, undone) {
			n.close(c, closing{e.ID, at, false})
			continue
		}
		for _, later := range e.Sections {
			if foldName(later.Name) == foldName(c.Name) {
				if settled, back := n.settledBy(e, c, later); settled {
					n.close(c, closing{e.ID, at, back})
				}
			}
		}
	}
}

// fresh returns the notes the feed has not been told of.
func (j *journal) fresh() []*note {
	var out []*note
	for _, n := range j.notes {
		if !n.told && len(n.open()) > 0 {
			out = append(out, n)
		}
		n.told = true
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
		if len(n.open()) > 0 {
			out[etagBits(n.entry.Before)] = true
			out[etagBits(n.entry.After)] = true
		}
	}
	return out
}
