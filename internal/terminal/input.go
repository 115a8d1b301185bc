package terminal

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"sdd/internal/record"
)

// press handles a key, and returns the action that the runner must do.
func (m *model) press(k key) request {
	m.touched = true
	switch {
	case k.code == interrupt:
		return request{do: leave}
	case k.code == suspend:
		return request{do: stop}
	case k.code == redraw:
		return request{do: paint}
	case k.code == click || k.code == wheelUp || k.code == wheelDown:
		m.point(k)
		return request{}
	case m.ask != noQuestion:
		return m.answer(k)
	case k.code == char && k.text == "q":
		return request{do: leave}
	}
	if k.code != unknown {
		m.message = ""
	}
	if m.open {
		return m.pressOpen(k)
	}
	return m.pressList(k)
}

// listKeys and openKeys are the letters for other keys, in the list and in a document.
var (
	listKeys = map[string]code{"k": up, "j": down, "g": home, "G": end, "l": right}
	openKeys = map[string]code{"k": up, "j": down, "g": home, "G": end, " ": pageDown, "b": pageUp, "h": escape}
)

func (m *model) pressList(k key) request {
	if c, ok := listKeys[k.text]; ok && k.code == char {
		k.code = c
	}
	page := max(1, m.shares()[m.focus]-1)
	switch k.code {
	case up:
		m.move(-1)
	case down:
		m.move(1)
	case pageUp:
		m.move(-page)
	case pageDown:
		m.move(page)
	case home:
		m.choose(0)
	case end:
		m.choose(1 << 30)
	case tab:
		m.nextPanel(1)
	case backTab:
		m.nextPanel(-1)
	case enter, right:
		m.open, m.docAt = m.current() != nil, 0
	case escape:
		switch {
		case len(m.marked) > 0:
			clear(m.marked)
		case m.filter != "":
			m.refilter("")
		}
	case char:
		switch k.text {
		case "1", "2", "3", "4":
			m.focus, m.docAt = int(k.text[0]-'1'), 0
		case "/":
			m.ask, m.input = askFilter, m.filter
			m.home = m.focus
		case " ":
			m.mark()
		case "*":
			m.markAll()
		case "J":
			m.turn(1)
		case "K":
			m.turn(-1)
		default:
			return m.act(k.text)
		}
	}
	return request{}
}

func (m *model) pressOpen(k key) request {
	if c, ok := openKeys[k.text]; ok && k.code == char {
		k.code = c
	}
	switch k.code {
	case up:
		m.turn(-1)
	case down, enter:
		m.turn(1)
	case pageUp:
		m.turn(1 - m.pageHeight())
	case pageDown:
		m.turn(m.pageHeight() - 1)
	case home:
		m.turn(-m.docAt)
	case end:
		m.turn(1 << 30)
	case escape, left, backspace:
		m.close()
	case tab:
		m.nextConflict(1)
	case backTab:
		m.nextConflict(-1)
	case char:
		switch {
		case m.prose:
		case k.text == "n":
			m.move(1)
		case k.text == "p":
			m.move(-1)
		case k.text >= "1" && k.text <= "4":
			return m.take(k.text)
		default:
			return m.act(k.text)
		}
	}
	return request{}
}

// wheelLines is the number of lines that a step of the wheel moves.
const wheelLines = 3

// point handles the mouse: the wheel moves what is below it; a click chooses, and opens what is chosen.
func (m *model) point(k key) {
	step := 0
	switch k.code {
	case wheelUp:
		step = -wheelLines
	case wheelDown:
		step = wheelLines
	}
	switch rows := m.rows(); {
	case m.ask != noQuestion:
	case m.open || m.wide() && k.x >= m.listWidth():
		m.turn(step)
	case k.y < 1 || k.y > len(rows):
	case step != 0:
		m.focus = rows[k.y-1].panel
		m.move(step)
	default:
		r, was := rows[k.y-1], m.chosenKey()
		if m.focus = r.panel; r.item != nil {
			m.choose(r.at)
			m.open = r.item.key == was
		}
	}
}

// close goes back to the list.
func (m *model) close() {
	m.open, m.prose, m.doc, m.laid, m.docAt = false, false, document{}, layout{}, 0
}

// turn scrolls the document by n lines.
func (m *model) turn(n int) {
	most := len(m.lines()) - m.pageHeight()
	m.docAt = max(0, min(m.docAt+n, most))
}

// nextPanel goes to the next panel with items.
func (m *model) nextPanel(step int) {
	for n := 1; n < panels; n++ {
		p := (m.focus + step*n + panels*n) % panels
		if len(m.panels[p].shown) > 0 {
			m.focus, m.docAt = p, 0
			return
		}
	}
}

// act handles the letters for the chosen item, or for the marked ones.
func (m *model) act(letter string) request {
	i := m.current()
	switch letter {
	case "?":
		m.openText(help())
		return request{}
	case "u":
		if m.canUndo {
			return request{do: takeBack}
		}
		return request{do: nameLast}
	case "a", "r", "e", "o", "y":
	default:
		return request{}
	}
	switch {
	case i == nil:
		m.say("there is nothing here", true)
	case letter == "o":
		return request{do: browse, items: []item{*i}}
	case letter == "y":
		return request{do: copyID, items: []item{*i}}
	case letter == "e" && i.File == "":
		m.say("it waits in the queue and has no file yet: a approves it, r rejects it", true)
	case letter == "e":
		return request{do: edit, items: []item{*i}}
	default:
		return m.review(letter == "a")
	}
	return request{}
}

// review accepts or refuses the marked items, else the chosen one. More than one, and a refusal, need an answer first.
func (m *model) review(yes bool) request {
	do, verb := refuse, func(i item) string { return i.Refuse }
	if yes {
		do, verb = accept, func(i item) string { return i.Accept }
	}
	items := slices.DeleteFunc(m.targets(), func(i item) bool { return verb(i) == "" })
	m.pending, m.input = request{do: do, items: items}, ""
	switch {
	case len(items) == 0 && yes:
		m.say("there is nothing to approve here: e opens it in your editor", true)
	case len(items) == 0:
		m.say("there is nothing to reject here: e opens it in your editor", true)
	case yes && len(items) == 1 && items[0].key == m.chosenKey():
		return m.pending
	case !yes && slices.ContainsFunc(items, func(i item) bool { return i.WantsReason() }):
		m.ask = askReason
	default:
		m.ask = askSure
	}
	return request{}
}

// verb is the name of the request's action: what it does to the items, and to how many.
func (r request) verb() string {
	switch {
	case r.do == undoLast:
		return "undo"
	case r.do == take:
		return "take " + r.reason
	case len(r.items) == 0:
		return ""
	}
	of := func(i item) string {
		if r.do == accept {
			return i.Accept
		}
		return i.Refuse
	}
	verb := of(r.items[0])
	for _, i := range r.items {
		if of(i) != verb && r.do == accept {
			verb = "accept"
		} else if of(i) != verb {
			verb = "refuse"
		}
	}
	if len(r.items) > 1 {
		verb += fmt.Sprintf(" %d", len(r.items))
	}
	return verb
}

// answer handles a key while a question is open.
func (m *model) answer(k key) request {
	if m.ask == askSure || m.ask == askUndo {
		if k.code == unknown {
			return request{}
		}
		m.ask = noQuestion
		if k.code == char && strings.EqualFold(k.text, "y") || k.code == enter {
			return m.pending
		}
		return request{}
	}
	switch k.code {
	case escape:
		filter := m.ask == askFilter
		if m.ask = noQuestion; filter {
			m.refilter("")
		}
		return request{}
	case enter:
		question := m.ask
		if m.ask = noQuestion; question == askReason {
			m.pending.reason = m.input
			return m.pending
		}
		return request{}
	case char, pasted:
		m.input += record.OneLine(k.text)
		if k.text == " " {
			m.input += " "
		}
	case backspace:
		m.input = eraseLast(m.input)
	case clearLine:
		m.input = ""
	case eraseWord:
		words := strings.TrimRight(m.input, " ")
		m.input = words[:strings.LastIndexByte(words, ' ')+1]
	case up, down, pageUp, pageDown:
		if m.ask == askFilter { // these keys move in the list
			return m.pressList(k)
		}
	}
	if m.ask == askFilter && m.filter != m.input {
		m.refilter(m.input)
	}
	return request{}
}

// eraseLast removes the last character with its combining marks.
func eraseLast(s string) string {
	for s != "" {
		r, n := utf8.DecodeLastRuneInString(s)
		s = s[:len(s)-n]
		if runeWidth(r) > 0 {
			break
		}
	}
	return s
}
