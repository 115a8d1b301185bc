package terminal

import (
	"strings"
	"unicode/utf8"

	"sdd/internal/record"
)

// press handles a key, and returns the action that the runner must do.
func (m *model) press(k key) request {
	switch {
	case k.code == interrupt:
		return request{do: leave}
	case k.code == suspend:
		return request{do: stop}
	case k.code == redraw:
		return request{do: paint}
	case m.ask != noQuestion:
		return m.answer(k)
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
	openKeys = map[string]code{"k": up, "j": down, "g": home, "G": end, " ": pageDown, "b": pageUp, "q": escape, "h": escape}
)

func (m *model) pressList(k key) request {
	if c, ok := listKeys[k.text]; ok && k.code == char {
		k.code = c
	}
	switch k.code {
	case up:
		m.choose(m.at - 1)
	case down:
		m.choose(m.at + 1)
	case pageUp:
		m.choose(m.at - m.listHeight())
	case pageDown:
		m.choose(m.at + m.listHeight())
	case home:
		m.choose(0)
	case end:
		m.choose(len(m.shown()) - 1)
	case tab:
		m.section(1)
	case backTab:
		m.section(-1)
	case enter, right:
		m.open, m.docAt = m.current() != nil, 0
	case escape:
		if m.filter == "" {
			return request{do: leave}
		}
		m.filter = ""
		m.list()
	case char:
		switch k.text {
		case "q":
			return request{do: leave}
		case "/":
			m.ask, m.input = askFilter, m.filter
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
	case char:
		switch {
		case m.prose:
		case k.text == "n":
			m.choose(m.at + 1)
		case k.text == "p":
			m.choose(m.at - 1)
		default:
			return m.act(k.text)
		}
	}
	return request{}
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

// section goes to the first item of the next section with items.
func (m *model) section(step int) {
	all, i := m.shown(), m.current()
	if i == nil {
		return
	}
	for n := 1; n <= sections; n++ {
		want := (i.section + step*n + sections*n) % sections
		for k, other := range all {
			if other.section == want {
				m.choose(k)
				return
			}
		}
	}
}

// act handles the letters for the chosen item.
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
		m.ask, m.input = askUndo, ""
		return request{}
	case "a", "r", "e":
	default:
		return request{}
	}
	switch {
	case i == nil:
		m.say("there is nothing here", true)
	case letter == "a" && i.Accept == "":
		m.say("there is nothing to approve here: e opens it in your editor", true)
	case letter == "r" && i.Refuse == "":
		m.say("there is nothing to reject here: e opens it in your editor", true)
	case letter == "e" && i.File == "":
		m.say("it waits in the queue and has no file yet: a approves it, r rejects it", true)
	case letter == "a":
		return request{do: accept, item: *i}
	case letter == "e":
		return request{do: edit, item: *i}
	default:
		m.ask, m.input, m.asked = askSure, "", *i
		if i.WantsReason() {
			m.ask = askReason
		}
	}
	return request{}
}

// answer handles a key while a question is open.
func (m *model) answer(k key) request {
	if m.ask == askSure || m.ask == askUndo {
		question := m.ask
		if k.code == unknown {
			return request{}
		}
		m.ask = noQuestion
		yes := k.code == char && strings.EqualFold(k.text, "y") || k.code == enter
		switch {
		case !yes:
			return request{}
		case question == askUndo:
			return request{do: undoLast}
		}
		return request{do: refuse, item: m.asked}
	}
	switch k.code {
	case escape:
		if m.ask == askFilter {
			m.filter = ""
			m.list()
		}
		m.ask = noQuestion
		return request{}
	case enter:
		question := m.ask
		if m.ask = noQuestion; question == askReason {
			return request{do: refuse, item: m.asked, reason: m.input}
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
		m.filter = m.input
		m.at = 0
		m.chosen = ""
		m.list()
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
