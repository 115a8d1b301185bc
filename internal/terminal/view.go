package terminal

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"sdd/internal/tty"
)

const (
	wideFrom  = 110 // cells for the chosen record beside the list
	wideLines = 12
	airyFrom  = 20 // lines for blank lines between sections
	wordsFrom = 56 // cells for states in words
	restFrom  = 76 // cells for the types of records

	stateCells  = 9
	leastAnswer = 16 // cells for input
)

// wide reports whether the screen has room for a record beside the list.
func (m *model) wide() bool { return m.width >= wideFrom && m.height >= wideLines }

// listWidth is the width of the list.
func (m *model) listWidth() int {
	if m.wide() {
		return max(60, m.width*45/100)
	}
	return m.width
}

// listHeight is the number of rows on the screen, without the title above and the detail and the keys below.
func (m *model) listHeight() int { return max(1, m.height-3) }

// pageHeight is the number of lines of a document on the screen.
func (m *model) pageHeight() int {
	if m.open {
		return max(1, m.height-2)
	}
	return m.listHeight()
}

// docWidth is the width of a document; 100 at most, since long lines are hard to read.
func (m *model) docWidth() int {
	if m.open {
		return max(1, min(m.width-1, 100))
	}
	return max(1, m.width-m.listWidth()-3)
}

// view is the present frame.
func (m *model) view() frame {
	f := m.viewList()
	if m.open {
		f = m.viewDocument()
	}
	foot := m.foot()
	f.lines = append(f.lines, foot)
	if m.ask != noQuestion {
		f.x, f.y, f.showCursor = min(textWidth(foot.String()), max(0, m.width-1)), len(f.lines)-1, true
	}
	if over := len(f.lines) - max(1, m.height); over > 0 { // keep the foot
		f.lines = f.lines[over:]
		f.y = max(0, f.y-over)
	}
	for n, l := range f.lines {
		if textWidth(l.String()) > m.width {
			f.lines[n] = l.within(m.width)
		}
	}
	return f
}

func (m *model) viewList() frame {
	f := frame{lines: []line{m.title()}}
	cells, room := m.listWidth(), m.listHeight()
	var beside []line
	if m.wide() {
		beside = m.lines()
	}
	for n := range room {
		var l line
		if at := m.top + n; at < len(m.rows) {
			r := m.rows[at]
			l = m.row(r, cells)
			if r.item != nil && r.item.key == m.chosen {
				f.y = len(f.lines)
			}
		}
		if m.wide() {
			l = append(l.within(cells), span{faint, " │ "})
			if at := m.docAt + n; at < len(beside) {
				l = append(l, beside[at]...)
			}
		}
		f.lines = append(f.lines, l)
	}
	f.lines = append(f.lines, m.detail())
	return f
}

// title is the first line: the project and the numbers of items.
func (m *model) title() line {
	words := "sdd  " + m.project
	if m.filter != "" && m.ask != askFilter {
		words += "  filter: " + tty.Safe(m.filter)
	}
	l := text(strong, words)
	if !m.exists {
		return append(l, span{faint, "  no store yet"})
	}
	count := func(n int, word string) string { return fmt.Sprintf("%d %s", n, word) }
	return append(l, span{plain, "  " + strings.Join([]string{
		count(len(m.items[news]), "new"), count(len(m.items[toReview]), "to review"), count(len(m.items[conflicts]), "in conflict"),
	}, ", ")}, span{faint, "  (" + m.figures + ")"})
}

// row is a line of the list.
func (m *model) row(r row, cells int) line {
	if r.item == nil {
		l := text(head, r.heading)
		if strings.HasSuffix(r.heading, "(0)") {
			l = append(l, span{faint, "  none"})
		}
		return l
	}
	i := r.item
	mark, sel := "  ", i.key == m.chosen
	if sel {
		mark = "> "
	}
	why := stateLook(i.State)
	state, room := fit(why.sign, 2), cells-4
	if cells >= wordsFrom {
		state, room = fit(why.word, stateCells), cells-2-stateCells
	}
	rest := age(i.Time, m.now())
	if i.section == news && i.Commit == "" && i.Time == "" {
		rest = "by hand"
	}
	if cells >= restFrom {
		rest = fmt.Sprintf("%-9s %10s", i.Type, rest)
	}
	if rest != "" && cells >= wordsFrom {
		rest = "  " + rest
		room -= textWidth(rest)
	} else {
		rest = ""
	}
	name := fit(oneLine(i.Title), max(1, room))
	if sel {
		return line{{chosen, mark + state + name + rest}}
	}
	return line{{plain, mark}, {why.style, state}, {plain, name}, {faint, rest}}
}

// detail is the text about the chosen item that its row lacks.
func (m *model) detail() line {
	switch i := m.current(); {
	case i != nil:
		words := i.Note
		if i.By != "" {
			words = i.By + ": " + words
		}
		return text(faint, oneLine(strings.TrimSuffix(words, ": ")))
	case m.filter != "":
		return text(faint, "nothing matches the filter: Esc ends it")
	case !m.exists:
		return text(faint, "the first save makes the store: sdd explore TITLE --goals TEXT")
	}
	return text(faint, "nothing is new, waits or conflicts")
}

func (m *model) viewDocument() frame {
	lines := m.lines()
	f := frame{}
	for n := range m.pageHeight() {
		var l line
		if at := m.docAt + n; at < len(lines) {
			l = lines[at]
		}
		f.lines = append(f.lines, l)
	}
	below := len(lines) - m.docAt - m.pageHeight()
	where := "all of it"
	switch {
	case below == 1:
		where = "1 more line"
	case below > 1:
		where = fmt.Sprintf("%d more lines", below)
	case m.docAt > 0:
		where = "the end"
	}
	f.lines = append(f.lines, text(faint, cut(m.doc.title, max(1, m.width-len(where)-5))+"  -- "+where))
	return f
}

// foot is the last line: a question, a message, or the keys.
func (m *model) foot() line {
	switch m.ask {
	case askFilter:
		return line{{strong, "/"}, {plain, tail(tty.Safe(m.input), m.width-2)}}
	case askReason:
		question := m.asked.Refuse + ", why? (Enter, Esc) "
		if len(question)+leastAnswer > m.width {
			question = "why? "
		}
		return line{{warn, question}, {plain, tail(tty.Safe(m.input), m.width-2-len(question))}}
	case askSure:
		return text(warn, m.asked.Refuse+"? (y, n) ")
	case askUndo:
		return text(warn, "undo the last save of the store? (y, n) ")
	}
	switch {
	case m.busy != "":
		return text(faint, m.busy+" …")
	case m.message != "" && m.failed:
		return text(warn, m.message)
	case m.message != "":
		return text(good, m.message)
	}
	return text(faint, m.keys())
}

// tail is the longest end of s that fits.
func tail(s string, cells int) string {
	for textWidth(s) > max(1, cells) {
		_, n := utf8.DecodeRuneInString(s)
		s = s[n:]
	}
	return s
}

// keys names as many keys as fit, the most useful first.
func (m *model) keys() string {
	var all []string
	i := m.current()
	if m.open {
		all = append(all, "q back")
	} else {
		all = append(all, "q leave", "Enter open")
	}
	if i != nil && !m.prose {
		if i.Accept != "" {
			all = append(all, "a "+i.Accept)
		}
		if i.Refuse != "" {
			all = append(all, "r "+i.Refuse)
		}
		if i.File != "" {
			all = append(all, "e edit")
		}
	}
	switch {
	case !m.open:
		all = append(all, "? keys", "/ filter", "Tab section", "u undo")
	case m.prose:
		all = append(all, "Space more")
	default:
		all = append(all, "Space more", "n next", "p before", "u undo")
	}
	words := ""
	for _, k := range all {
		next := k
		if words != "" {
			next = words + "   " + k
		}
		if textWidth(next) >= m.width {
			break
		}
		words = next
	}
	return words
}

// look is the appearance of an item's state: a word, or a sign when the screen is narrow.
type look struct {
	word, sign string
	style      style
}

var looks = map[string]look{
	"added": {"added", "+", good}, "approved": {"approved", "+", good},
	"changed": {"changed", "~", warn}, "renamed": {"renamed", "~", warn}, "removed": {"removed", "-", bad},
	"pending": {"pending", "?", warn}, "queued": {"queued", "?", warn},
	"outdated": {"outdated", "!", warn}, "stale": {"stale", "!", warn}, "drifted": {"drifted", "!", warn}, "gone": {"gone", "!", bad},
	"elsewhere":        {"branch", "/", warn},
	"conflict_markers": {"markers", "x", bad}, "unmerged": {"unmerged", "x", bad},
	"overwritten": {"undone", "x", bad}, "displaced": {"lost", "x", bad},
}

func stateLook(state string) look {
	if l, ok := looks[state]; ok {
		return l
	}
	return look{"broken", "x", bad}
}
