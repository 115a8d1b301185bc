package terminal

import (
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"sdd/internal/fault"
	"sdd/internal/tty"
)

const (
	wideFrom  = 110 // cells for the chosen record beside the list
	wideLines = 12

	leastPanels = panels + 4 // lines for all panels
	wordsFrom   = 56         // cells for states in words
	restFrom    = 76         // cells for the types of records

	stateCells  = 11
	leastAnswer = 16 // cells for input
)

// wide reports whether the screen has room for a record beside the list.
func (m *model) wide() bool { return m.width >= wideFrom && m.height >= wideLines }

func (m *model) listWidth() int {
	if m.wide() {
		return max(60, m.width*45/100)
	}
	return m.width
}

// listHeight is the number of rows on the screen, without the title above and the detail and the keys below.
func (m *model) listHeight() int { return max(1, m.height-3) }

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

// shares is the number of items of each panel. The focused one gets what the others do not need; a low screen shows it alone.
func (m *model) shares() (n [panels]int) {
	room := m.listHeight()
	if room < leastPanels {
		n[m.focus] = room - 1
		return n
	}
	room -= panels
	give := func(p, most int) {
		more := max(0, min(len(m.panels[p].shown)-n[p], most, room))
		n[p], room = n[p]+more, room-more
	}
	for p := range panels {
		if p != m.focus {
			give(p, m.listHeight()/8)
		}
	}
	give(m.focus, room)
	for p := range panels {
		give(p, room)
	}
	return n
}

// row is a line of the list: the heading of a panel, or an item.
type row struct {
	panel, at int
	item      *item // nil for a heading
}

// rows are the lines of the list on the screen. Each panel is scrolled so that its chosen item is among them.
func (m *model) rows() (rows []row) {
	low := m.listHeight() < leastPanels
	for n, share := range m.shares() {
		if low && n != m.focus {
			continue
		}
		p := &m.panels[n]
		p.top = max(0, min(p.top, p.at, len(p.shown)-share), p.at-share+1)
		rows = append(rows, row{panel: n})
		for at := p.top; at < min(p.top+share, len(p.shown)); at++ {
			rows = append(rows, row{n, at, p.shown[at]})
		}
	}
	return rows
}

func (m *model) viewList() frame {
	f := frame{lines: []line{m.title()}}
	cells, rows := m.listWidth(), m.rows()
	var beside []line
	if m.wide() {
		beside = m.lines()
	}
	for n := range m.listHeight() {
		var l line
		if n < len(rows) {
			r := rows[n]
			chosen := r.panel == m.focus && r.at == m.panels[m.focus].at
			switch {
			case r.item == nil:
				l = m.heading(r.panel, cells)
			default:
				l = m.row(r.item, chosen, cells)
			}
			if chosen && (r.item != nil || m.current() == nil) {
				f.y = len(f.lines)
			}
		}
		if m.wide() {
			l = append(l.within(cells), span{faint, " │ "})
			switch at := m.docAt + n; {
			case m.current() == nil || at >= len(beside):
			case n == m.listHeight()-1 && at < len(beside)-1:
				l = append(l, span{faint, fmt.Sprintf("… %d more lines: J, K scroll", len(beside)-at)})
			default:
				l = append(l, beside[at]...)
			}
		}
		f.lines = append(f.lines, l)
	}
	f.lines = append(f.lines, m.detail())
	return f
}

// heading is the first line of a panel: its number and name, and the position of the chosen item.
func (m *model) heading(n, cells int) line {
	p, total, look := &m.panels[n], m.total(n), strong
	words := fmt.Sprint(total)
	switch {
	case n != records && !m.whole:
		words = "…"
	case total == 0:
		words = "none"
	case n == m.focus:
		words = fmt.Sprintf("%d/%d", p.at+1, total)
	}
	if m.filter != "" && m.whole {
		words += fmt.Sprintf(" of %d", len(p.all))
	}
	if n == m.focus {
		look = head
	}
	name := fmt.Sprintf("%d %s", n+1, panelNames[n])
	rule := strings.Repeat("─", max(0, cells-textWidth(name)-textWidth(words)-4))
	return line{{look, name}, {plain, "  " + words + " "}, {faint, rule}}
}

// title is the first line: the project, the branch, and the numbers of records.
func (m *model) title() line {
	l := line{{strong, "sdd  " + m.project}}
	if m.branch != "" {
		l = append(l, span{plain, "  " + m.branch})
	}
	if !m.exists {
		return append(l, span{faint, "  no store yet"})
	}
	if n := len(m.marked); n > 0 {
		l = append(l, span{warn, fmt.Sprintf("  %d marked", n)})
	}
	if m.filter != "" && m.ask != askFilter {
		l = append(l, span{warn, "  /" + tty.Safe(m.filter)})
	}
	return append(l, span{faint, "  " + m.figures})
}

func (m *model) row(i *item, chosen bool, cells int) line {
	mark := []byte("  ")
	if chosen {
		mark[0] = '>'
	}
	if m.marked[i.key] {
		mark[1] = '*'
	}
	why := stateLook(i.State)
	if i.panel == records {
		why = recordLook(i, cells < restFrom)
	}
	state, room := fit(why.sign, 2), cells-4
	if cells >= wordsFrom {
		state, room = fit(why.word, stateCells), cells-2-stateCells
	}
	rest := age(i.Time, m.now())
	if i.panel == news && i.Commit == "" && i.Time == "" {
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
	name := oneLine(i.Title)
	if i.State == "elsewhere" {
		name = strings.TrimPrefix(i.By, "branch ") + ": " + name
	}
	name = fit(name, max(1, room))
	if chosen {
		return line{{selected, string(mark) + state + name + rest}}
	}
	return line{{plain, string(mark)}, {why.style, state}, {plain, name}, {faint, rest}}
}

// detail is the text about the chosen item that its row lacks.
func (m *model) detail() line {
	switch i := m.current(); {
	case i != nil:
		words := i.Note
		if i.By != "" && i.State != "elsewhere" {
			words = i.By + ": " + words
		}
		return text(faint, oneLine(strings.TrimSuffix(words, ": ")))
	case m.filter != "":
		return text(faint, "nothing here matches: Esc ends the filter")
	case m.refused != nil:
		return text(faint, "no save can make a store: "+oneLine(fault.Of(m.refused).OneLine()))
	case !m.exists:
		return text(faint, "the first save makes the store: sdd explore TITLE --goals TEXT")
	case !m.whole:
		return text(faint, "reading the records …")
	}
	return text(faint, "nothing here")
}

func (m *model) viewDocument() frame {
	lines, chosen := m.lines(), m.conflictAt()
	f := frame{}
	for n := range m.pageHeight() {
		var l line
		if at := m.docAt + n; at < len(lines) {
			l = lines[at]
			if at == chosen {
				l = text(selected, "> "+l.String())
			}
		}
		f.lines = append(f.lines, l)
	}
	below := len(lines) - m.docAt - m.pageHeight()
	where := "all of it"
	switch {
	case below > 0:
		where = fault.Count(below, "more line", "more lines")
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
		question := m.pending.verb() + ", why? (Enter, Esc) "
		if len(question)+leastAnswer > m.width {
			question = "why? "
		}
		return line{{warn, question}, {plain, tail(tty.Safe(m.input), m.width-2-len(question))}}
	case askSure:
		return text(warn, m.pending.verb()+"? (y, n) ")
	case askUndo:
		return text(warn, cut("undo "+oneLine(m.pending.reason), m.width-10)+"? (y, n) ")
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
	all := []string{"q quit"}
	i := m.current()
	if m.open {
		all = append(all, "Esc back")
	} else {
		all = append(all, "Enter open")
	}
	if m.open && len(m.doc.conflicts) > 0 {
		all = append(all, "1 ours")
		if m.doc.conflicts[m.conflict].hasBase {
			all = append(all, "2 base")
		}
		all = append(all, "3 theirs", "4 both", "Tab next conflict")
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
		all = append(all, "/ search", "1-4 panel", "? keys", "u undo", "Space mark", "o page", "y copy id")
	case m.prose:
		all = append(all, "Space more")
	default:
		all = append(all, "n next", "p before", "Space more", "? keys", "u undo", "o page", "y copy id")
	}
	words := ""
	for _, k := range all {
		next := strings.TrimLeft(words+"   "+k, " ")
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

// recordLook is the appearance of a record in the list of all: on a narrow list, a record in force has its type instead of its state.
func recordLook(i *item, narrow bool) look {
	l := looks[i.State]
	if l.word == "" {
		l = look{i.State, "·", faint}
	}
	if narrow && (l.word == "" || l.word == "active" || l.word == "accepted") {
		l.word, l.sign = i.Type, "·"
	}
	return l
}

func stateLook(state string) look {
	if l, ok := looks[state]; ok {
		return l
	}
	return look{"broken", "x", bad}
}

// age is the time since a stamp of a record or commit, in few characters; "" for a stamp that cannot be parsed.
func age(stamp string, now time.Time) string {
	t, err := time.Parse(time.RFC3339, stamp)
	day := false
	if err != nil {
		t, err = time.Parse(time.DateOnly, stamp)
		day = true
	}
	if err != nil {
		return ""
	}
	switch d := now.Sub(t); {
	case day && d > -14*time.Hour && d < 24*time.Hour: // where the user is, the day may have begun
		return "today"
	case d < -time.Minute:
		return t.Format(time.DateOnly)
	case d < time.Minute:
		return "now"
	case d < time.Hour:
		return fmt.Sprintf("%d min", d/time.Minute)
	case d < 24*time.Hour:
		return fmt.Sprintf("%d h", d/time.Hour)
	case d < 60*24*time.Hour:
		return fmt.Sprintf("%d d", d/(24*time.Hour))
	case d < 2*365*24*time.Hour:
		return fmt.Sprintf("%d months", d/(30*24*time.Hour))
	default:
		return fmt.Sprintf("%d years", d/(365*24*time.Hour))
	}
}
