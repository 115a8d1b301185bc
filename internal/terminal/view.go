package terminal

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

const (
	wideFrom  = 110 // cells from which what is chosen is shown beside the list
	wideLines = 12
	airyFrom  = 20 // lines from which sections stand apart
	wordsFrom = 56 // cells from which the list says states in words
	restFrom  = 76 // cells from which it says what a record is

	stateCells  = 9
	leastAnswer = 16 // cells for what is typed
)

// wide reports whether the screen has room for a record beside the list.
func (m *model) wide() bool { return m.width >= wideFrom && m.height >= wideLines }

// listWidth is how many cells the list has.
func (m *model) listWidth() int {
	if m.wide() {
		return max(60, m.width*45/100)
	}
	return m.width
}

// listHeight is how many rows of the list there is room for: the title is above, what is chosen and the keys below.
func (m *model) listHeight() int { return max(1, m.height-3) }

// pageHeight is how many lines of a document there is room for.
func (m *model) pageHeight() int {
	if m.open {
		return max(1, m.height-2)
	}
	return m.listHeight()
}

// docWidth is how many cells a document has. Long lines are hard to read.
func (m *model) docWidth() int {
	if m.open {
		return max(1, min(m.width-1, 100))
	}
	return max(1, m.width-m.listWidth()-3)
}

// view is what the screen shows now.
func (m *model) view() frame {
	var f frame
	switch {
	case m.open:
		f = m.viewDocument()
	default:
		f = m.viewList()
	}
	foot := m.foot()
	f.lines = append(f.lines, foot)
	if m.ask != noQuestion {
		f.x, f.y, f.showCursor = min(textWidth(foot.String()), max(0, m.width-1)), len(f.lines)-1, true
	}
	if over := len(f.lines) - max(1, m.height); over > 0 { // nothing but the foot fits
		f.lines = f.lines[over:]
		f.y = max(0, f.y-over)
	}
	for n, l := range f.lines {
		f.lines[n] = trimmed(l, m.width)
	}
	return f
}

// trimmed is the line as long as the screen is wide at most.
func trimmed(l line, cells int) line {
	if textWidth(l.String()) <= cells {
		return l
	}
	return l.within(cells)
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

// title is the first line: where this is and how much there is.
func (m *model) title() line {
	words := "sdd  " + m.project
	if m.filter != "" && m.ask != askFilter {
		words += "  filter: " + Safe(m.filter)
	}
	l := text(strong, words)
	if !m.exists {
		return append(l, span{faint, "  no store yet"})
	}
	count := func(n int, word string) string { return fmt.Sprintf("%d %s", n, word) }
	return append(l, span{plain, "  " + strings.Join([]string{
		count(len(m.items[news]), "new"), count(len(m.items[waits]), "to review"), count(len(m.items[conflicts]), "in conflict"),
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

// detail says of the chosen item what the row does not.
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
		return line{{strong, "/"}, {plain, tail(Safe(m.input), m.width-2)}}
	case askReason:
		question := m.asked.Refuse + ", why? (Enter, Esc) "
		if len(question)+leastAnswer > m.width {
			question = "why? "
		}
		return line{{warn, question}, {plain, tail(Safe(m.input), m.width-2-len(question))}}
	case askSure:
		return text(warn, m.asked.Refuse+"? (y, n) ")
	case askUndo:
		return text(warn, "undo the last save of the store? (y, n) ")
	}
	switch {
	case m.busy != "":
		return text(faint, m.busy+" …")
	case m.said != "" && m.failed:
		return text(warn, m.said)
	case m.said != "":
		return text(good, m.said)
	}
	return text(faint, m.keys())
}

// tail is the end of s that fits.
func tail(s string, cells int) string {
	for textWidth(s) > max(1, cells) {
		_, n := utf8.DecodeRuneInString(s)
		s = s[n:]
	}
	return s
}

// keys names as many keys as there is room for, the most useful first.
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

// look is how it is shown why an item is listed: a word, or where there is no room a sign.
type look struct {
	word, sign string
	style      style
}

func stateLook(state string) look {
	switch state {
	case "added", "approved":
		return look{state, "+", good}
	case "changed", "renamed":
		return look{state, "~", warn}
	case "removed":
		return look{state, "-", bad}
	case "pending", "queued":
		return look{state, "?", warn}
	case "outdated", "stale":
		return look{state, "!", warn}
	case "elsewhere":
		return look{"branch", "/", warn}
	case "conflict_markers":
		return look{"markers", "x", bad}
	case "unmerged":
		return look{"unmerged", "x", bad}
	case "overwritten":
		return look{"undone", "x", bad}
	case "displaced":
		return look{"lost", "x", bad}
	}
	return look{"broken", "x", bad}
}
