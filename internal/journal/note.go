package journal

import (
	"path"
	"slices"
)

// Note is an entry about a change that its file lacks, or about words of an editor that a save replaced. A section is open until the file
// has the words, someone dismisses them, or a later save removes them or gives the whole section; one that only adds text does not, as its
// caller may not know of the loss. Closed notes are kept, since undo may take back the entry that closed them.
type Note struct {
	Entry    Entry
	n        int32              // its position in the journal
	closed   map[string]closing // by folded name of the section
	returned bool               // Pending has returned it
}

// closing is the entry that closed a section of a note, and whether the file has the change again. If not, later checks skip the change.
type closing struct {
	by   string
	n    int32 // the position of that entry in the journal
	back bool
}

// Use of a Resolved entry.
const (
	UseBack    = "back"    // the file has the words again
	UseDismiss = "dismiss" // the user dismissed them
	UseLeave   = "leave"   // undo passes over the changes in Source
)

// NoteOf returns the note of an entry.
func NoteOf(e Entry) *Note { return &Note{Entry: e, n: none, closed: map[string]closing{}} }

// Whole reports whether all sections of the note are open.
func (n *Note) Whole() bool { return len(n.closed) == 0 }

func (n *Note) isAbout(a Loss) bool {
	return slices.Contains(n.Entry.Source, a.Entry.ID) && slices.ContainsFunc(n.Entry.Sections, func(c Change) bool {
		return FoldName(c.Name) == FoldName(a.change.Name)
	})
}

// Open returns the changes that are not closed.
func (n *Note) Open() []Change {
	return slices.DeleteFunc(slices.Clone(n.Entry.Sections), func(c Change) bool {
		_, closed := n.closed[FoldName(c.Name)]
		return closed
	})
}

func (n *Note) close(c Change, by closing) {
	if _, closed := n.closed[FoldName(c.Name)]; !closed {
		n.closed[FoldName(c.Name)] = by
	}
}

// in reports whether a section's text has the whole change. all are the lines of the whole file: the user may have moved words.
func (c Change) in(text string, all lineSet) bool {
	added, removed := c.added(), c.removed()
	switch {
	case len(added) > 0:
		return len(added.without(all)) == 0
	case len(removed) > 0:
		return 2*len(removed.common(linesOf(text))) < len(removed)
	}
	return !sameText(c.Before, text)
}

func (c Change) added() lineSet { return linesOf(c.After).without(linesOf(c.Before)) }

func (c Change) removed() lineSet { return linesOf(c.Before).without(linesOf(c.After)) }

// backIn returns the open changes that the file has again.
func (n *Note) backIn(d File) []Change {
	all := d.lines()
	return slices.DeleteFunc(n.Open(), func(c Change) bool { return !c.in(d.Text(c.Name), all) })
}

// closedBy reports whether a later save leaves nothing to put back, and whether it brought the change back. None supersedes a user's words.
func (n *Note) closedBy(e Entry, c, later Change) (closed, back bool) {
	after := linesOf(later.After)
	if c.in(later.After, after) {
		return true, true
	}
	if n.Entry.Op == Displaced || e.Op != Save { // an undo takes back the closing of the note
		return false, false
	}
	taken := linesOf(later.Before).without(after)
	added := c.added()
	return later.Whole || len(added) > 0 && len(added.without(after).without(taken)) == 0, false
}

// noteEntry updates the notes with one more entry.
func (j *Journal) noteEntry(at int32, line []byte) {
	m := j.entries[at]
	notes := j.noted[m.record]
	if !m.is(Overwritten, Displaced) && len(notes) == 0 {
		return
	}
	e, ok := parseEntry(line)
	if !ok {
		return
	}
	if m.is(Overwritten, Displaced) {
		n := NoteOf(e)
		n.n = at
		j.notes, j.noted[m.record] = append(j.notes, n), append(notes, n)
		return
	}
	if e.Op == Resolved && len(e.Sections) == 0 {
		at = j.lastWrite(at) // the save of resolve has the words that it put back
	}
	for _, n := range notes {
		n.see(m, e, at)
	}
}

// see closes the notes that an entry resolves, and reopens those whose closing it takes back.
func (n *Note) see(m mark, e Entry, at int32) {
	switch {
	case e.Op == Resolved:
		if slices.Contains(e.Source, n.Entry.ID) {
			which := e.Sections
			if len(which) == 0 {
				which = n.Entry.Sections
			}
			for _, c := range which {
				n.close(c, closing{e.ID, at, e.Use != UseDismiss})
			}
		}
		return
	case !m.writes() || path.Dir(e.Path) != path.Dir(n.Entry.Path):
		return
	}
	undone := func(id string) bool { return e.Op == Undo && slices.Contains(e.Source, id) }
	for name, c := range n.closed {
		if undone(c.by) {
			delete(n.closed, name)
		}
	}
	for _, c := range n.Open() {
		if m.after == 0 || slices.ContainsFunc(n.Entry.Source, undone) {
			n.close(c, closing{e.ID, at, false})
			continue
		}
		for _, later := range e.Sections {
			if FoldName(later.Name) == FoldName(c.Name) {
				if closed, back := n.closedBy(e, c, later); closed {
					n.close(c, closing{e.ID, at, back})
				}
			}
		}
	}
}
