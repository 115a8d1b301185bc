package terminal

import (
	"strings"
	"unicode/utf8"

	"sdd/internal/record"
)

// press takes a key in and says what has to be done.
func (m *model) press(k key) wish {
	switch {
	case k.code == interrupt:
		return wish{do: leave}
	case k.code == suspend:
		return wish{do: stop}
	case k.code == redraw:
		return wish{do: paint}
	case m.ask != noQuestion:
		return m.answer(k)
	}
	if k.code != unknown {
		m.said = ""
	}
	if m.open {
		return m.pressOpen(k)
	}
	return m.pressList(k)
}

func (m *model) pressList(k key) wish {
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
			return wish{do: leave}
		}
		m.filter = ""
		m.list()
	case char:
		switch k.text {
		case "k":
			m.choose(m.at - 1)
		case "j":
			m.choose(m.at + 1)
		case "g":
			m.choose(0)
		case "G":
			m.choose(len(m.shown()) - 1)
		case "l":
			m.open, m.docAt = m.current() != nil, 0
		case "q":
			return wish{do: leave}
		case "/":
			m.ask, m.input = askFilter, m.filter
		default:
			return m.act(k.text)
		}
	}
	return wish{}
}

func (m *model) pressOpen(k key) wish {
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
		switch k.text {
		case "k":
			m.turn(-1)
		case "j":
			m.turn(1)
		case " ":
			m.turn(m.pageHeight() - 1)
		case "b":
			m.turn(1 - m.pageHeight())
		case "g":
			m.turn(-m.docAt)
		case "G":
			m.turn(1 << 30)
		case "q", "h":
			m.close()
		case "n", "p":
			if m.prose {
				break
			}
			if k.text == "n" {
				m.choose(m.at + 1)
			} else {
				m.choose(m.at - 1)
			}
		default:
			if !m.prose {
				return m.act(k.text)
			}
		}
	}
	return wish{}
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

// section goes to the first item of the next section that has any.
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

// act is what the letters for the chosen item do.
func (m *model) act(letter string) wish {
	i := m.current()
	switch letter {
	case "?":
		m.openText(help())
		return wish{}
	case "u":
		if m.canUndo {
			return wish{do: takeBack}
		}
		m.ask, m.input = askUndo, ""
		return wish{}
	case "a", "r", "e":
	default:
		return wish{}
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
		return wish{do: accept, item: *i}
	case letter == "e":
		return wish{do: edit, item: *i}
	default:
		m.ask, m.input, m.asked = askSure, "", *i
		if i.WantsReason() {
			m.ask = askReason
		}
	}
	return wish{}
}

// answer takes a key in while a question is asked.
func (m *model) answer(k key) wish {
	if m.ask == askSure || m.ask == askUndo {
		question := m.ask
		if k.code == unknown {
			return wish{}
		}
		m.ask = noQuestion
		yes := k.code == char && strings.EqualFold(k.text, "y") || k.code == enter
		switch {
		case !yes:
			return wish{}
		case question == askUndo:
			return wish{do: undoLast}
		}
		return wish{do: refuse, item: m.asked}
	}
	switch k.code {
	case escape:
		if m.ask == askFilter {
			m.filter = ""
			m.list()
		}
		m.ask = noQuestion
		return wish{}
	case enter:
		question := m.ask
		if m.ask = noQuestion; question == askReason {
			return wish{do: refuse, item: m.asked, reason: m.input}
		}
		return wish{}
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
		if m.ask == askFilter { // the list goes on to move
			return m.pressList(k)
		}
	}
	if m.ask == askFilter && m.filter != m.input {
		m.filter = m.input
		m.at = 0
		m.chosen = ""
		m.list()
	}
	return wish{}
}

// eraseLast takes the last character off, with what joins it.
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
