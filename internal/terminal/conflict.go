package terminal

import (
	"fmt"
	"slices"

	"sdd/internal/merge"
	"sdd/internal/record"
)

// conflict is an unresolved conflict of the file that a document shows.
type conflict struct {
	line    int // of the file
	part    int // of the document: its heading
	hasBase bool
}

// file adds the text of a file. Each conflict is shown as its sides, with the numbers of the keys that take them.
func (d *document) file(src []byte) {
	from, all := 0, record.Unresolved(src)
	for n, b := range all {
		d.prose(string(src[from:b.At[0]]))
		from = b.At[1]
		d.conflicts = append(d.conflicts, conflict{b.Line, len(d.parts), b.HasBase})
		d.add(head, fmt.Sprintf("Conflict %d of %d, line %d", n+1, len(all), b.Line))
		d.side(1, b.Labels.Ours, good, b.Ours)
		if b.HasBase {
			d.side(2, b.Labels.Base, faint, b.Base)
		}
		d.side(3, b.Labels.Theirs, warn, b.Theirs)
		d.add(plain, "")
	}
	d.prose(string(src[from:]))
	d.etag = record.Etag(src)
}

// side adds a side of a conflict: its number, name and label, and its text.
func (d *document) side(n int, label string, s style, text string) {
	name := fmt.Sprintf("%d %s", n, merge.Sides[n-1])
	if label != "" && label != merge.Sides[n-1] {
		name += " · " + oneLine(label)
	}
	if text == "" {
		text = "(nothing)"
	}
	d.add(strong, name)
	d.add(s, text)
}

// conflictAt is the line of the document with the chosen conflict's heading, -1 for none.
func (m *model) conflictAt() int {
	if m.conflict >= len(m.doc.conflicts) {
		return -1
	}
	before := document{parts: m.doc.parts[:m.doc.conflicts[m.conflict].part]}
	return len(before.lines(m.docWidth()))
}

// seesConflict reports whether the heading of the chosen conflict is on the screen; else it scrolls there.
func (m *model) seesConflict() bool {
	at := m.conflictAt()
	if at >= m.docAt && at < m.docAt+m.pageHeight()-1 {
		return true
	}
	m.turn(at - m.docAt - 1)
	return false
}

// nextConflict chooses the conflict n further on, round the end.
func (m *model) nextConflict(n int) {
	if all := len(m.doc.conflicts); all > 0 {
		m.conflict = (m.conflict + n + all) % all
		m.seesConflict()
	}
}

// take asks for the side with that key in the place of the chosen conflict, once the user can see it.
func (m *model) take(letter string) request {
	n := slices.Index([]string{"1", "2", "3", "4"}, letter)
	i := m.current()
	if n < 0 || i == nil || m.conflict >= len(m.doc.conflicts) || !m.seesConflict() {
		return request{}
	}
	c := m.doc.conflicts[m.conflict]
	if merge.Sides[n] == "base" && !c.hasBase {
		m.say("this conflict shows no base", true)
		return request{}
	}
	of := *i
	of.Etag = m.doc.etag
	return request{do: take, items: []item{of}, reason: merge.Sides[n], line: c.line}
}
