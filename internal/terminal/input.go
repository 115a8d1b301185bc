package terminal

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode"
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

// What keys do in the list and in a document, with the letters that stand for other keys.
var (
	listAliases = map[string]code{"k": up, "j": down, "g": home, "G": end, "l": right}
	openAliases = map[string]code{"k": up, "j": down, "g": home, "G": end, " ": pageDown, "b": pageUp, "h": escape}

	listKeys = map[code]func(m *model){
		up: func(m *model) { m.move(-1) }, pageUp: func(m *model) { m.move(-m.listPage()) },
		down: func(m *model) { m.move(1) }, pageDown: func(m *model) { m.move(m.listPage()) },
		home: func(m *model) { m.choose(0) }, end: func(m *model) { m.choose(1 << 30) },
		tab: func(m *model) { m.nextPanel(1) }, backTab: func(m *model) { m.nextPanel(-1) },
		enter: (*model).openChosen, right: (*model).openChosen, escape: (*model).unmark,
	}
	openKeys = map[code]func(m *model){
		up: func(m *model) { m.turn(-1) }, pageUp: func(m *model) { m.turn(1 - m.pageHeight()) },
		down: func(m *model) { m.turn(1) }, pageDown: func(m *model) { m.turn(m.pageHeight() - 1) },
		enter: func(m *model) { m.turn(1) }, home: func(m *model) { m.turn(-m.docAt) }, end: func(m *model) { m.turn(1 << 30) },
		escape: (*model).close, left: (*model).close, backspace: (*model).close,
		tab: func(m *model) { m.nextConflict(1) }, backTab: func(m *model) { m.nextConflict(-1) },
	}
	listLetters = map[string]func(m *model){
		" ": (*model).mark, "*": (*model).markAll, "J": func(m *model) { m.turn(1) }, "K": func(m *model) { m.turn(-1) },
		"/": func(m *model) { m.ask, m.input, m.home = askFilter, m.filter, m.focus },
	}
	openLetters = map[string]func(m *model){"n": func(m *model) { m.move(1) }, "p": func(m *model) { m.move(-1) }}
)

func (m *model) pressList(k key) request {
	if c, ok := listAliases[k.text]; ok && k.code == char {
		k.code = c
	}
	do := listKeys[k.code]
	if k.code == char {
		do = listLetters[k.text]
	}
	switch {
	case do != nil:
		do(m)
	case k.code == char && k.text >= "1" && k.text <= "4":
		m.focus, m.docAt = int(k.text[0]-'1'), 0
	case k.code == char:
		return m.act(k.text)
	}
	return request{}
}

func (m *model) pressOpen(k key) request {
	if c, ok := openAliases[k.text]; ok && k.code == char {
		k.code = c
	}
	do := openKeys[k.code]
	if k.code == char && !m.prose {
		do = openLetters[k.text]
	}
	switch {
	case do != nil:
		do(m)
	case k.code != char || m.prose:
	case k.text >= "1" && k.text <= "4":
		return m.take(k.text)
	default:
		return m.act(k.text)
	}
	return request{}
}

// listPage is the number of items that a page key moves by.
func (m *model) listPage() int { return max(1, m.shares()[m.focus]-1) }

func (m *model) openChosen() { m.open, m.docAt = m.current() != nil, 0 }

// unmark takes the marks away, else the filter.
func (m *model) unmark() {
	if len(m.marked) > 0 {
		clear(m.marked)
	} else if m.filter != "" {
		m.refilter("")
	}
}

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

func (m *model) close() {
	m.open, m.prose, m.doc, m.laid, m.docAt = false, false, document{}, layout{}, 0
}

func (m *model) turn(n int) {
	most := len(m.lines()) - m.pageHeight()
	m.docAt = max(0, min(m.docAt+n, most))
}

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
	do := refuse
	if yes {
		do = accept
	}
	items := slices.DeleteFunc(m.targets(), func(i item) bool { return i.verb(do) == "" })
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
	verb := r.items[0].verb(r.do)
	if slices.ContainsFunc(r.items, func(i item) bool { return i.verb(r.do) != verb }) {
		verb = map[action]string{accept: "accept", refuse: "refuse"}[r.do]
	}
	if len(r.items) > 1 {
		verb += fmt.Sprintf(" %d", len(r.items))
	}
	return verb
}

// verb is what accepting or refusing means for the item, "" when it cannot be done.
func (i item) verb(do action) string {
	if do == accept {
		return i.Accept
	}
	return i.Refuse
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

type code byte

const (
	char code = iota // a character
	pasted
	up
	down
	left
	right
	pageUp
	pageDown
	home
	end
	tab
	backTab
	enter
	escape
	backspace
	interrupt // Ctrl-C
	suspend   // Ctrl-Z
	redraw    // Ctrl-L
	clearLine // Ctrl-U
	eraseWord // Ctrl-W
	click
	wheelUp
	wheelDown
	unknown
)

// key is one key press, or a pasted text.
type key struct {
	code code
	text string // of char and pasted
	x, y int    // of click, wheelUp and wheelDown; the first cell is 0, 0
}

const (
	pasteStart = "\x1b[200~"
	pasteEnd   = "\x1b[201~"
)

var controls = [32]code{
	0x02: pageUp, 0x03: interrupt, 0x04: pageDown, 0x06: pageDown, 0x08: backspace, 0x09: tab, 0x0a: enter, 0x0c: redraw, 0x0d: enter,
	0x0e: down, 0x10: up, 0x15: clearLine, 0x17: eraseWord, 0x1a: suspend,
}

// decode reads the first key, and returns its length; 0 for an incomplete key. With whole no more bytes follow.
func decode(in []byte, whole bool) (k key, n int) {
	if k, n = decodePart(in); n > 0 || len(in) == 0 || !whole {
		return k, n
	}
	if len(in) == 1 && in[0] == 0x1b {
		return key{code: escape}, 1
	}
	return key{code: unknown}, len(in)
}

func decodePart(in []byte) (key, int) {
	switch {
	case len(in) == 0 || !utf8.FullRune(in):
		return key{}, 0
	case in[0] == 0x1b:
		return decodeEscape(in)
	case in[0] == 0x7f:
		return key{code: backspace}, 1
	case in[0] < 0x20:
		return key{code: cmp.Or(controls[in[0]], unknown)}, 1
	}
	r, n := utf8.DecodeRune(in)
	if r == utf8.RuneError || unicode.IsControl(r) {
		return key{code: unknown}, n
	}
	return key{code: char, text: string(r)}, n
}

func decodeEscape(in []byte) (key, int) {
	switch {
	case len(in) == 1:
		return key{}, 0
	case in[1] == 0x1b: // Esc twice
		return key{code: escape}, 1
	case in[1] == 'O' && len(in) == 2:
		return key{}, 0
	case in[1] == 'O' && in[2] == 'M': // Enter of the number block
		return key{code: enter}, 3
	case in[1] == 'O':
		return key{code: final(in[2], "")}, 3
	case in[1] != '[' && !utf8.FullRune(in[1:]):
		return key{}, 0
	case in[1] != '[': // Alt and a character
		_, n := utf8.DecodeRune(in[1:])
		return key{code: unknown}, 1 + n
	}
	at := 2
	for at < len(in) && (in[at] < 0x40 || in[at] > 0x7e) {
		if in[at] < 0x20 { // not a sequence
			return key{code: unknown}, at
		}
		at++
	}
	rest, isPaste := bytes.CutPrefix(in, []byte(pasteStart))
	stop := bytes.Index(rest, []byte(pasteEnd))
	switch {
	case at == len(in), isPaste && stop < 0:
		return key{}, 0
	case isPaste:
		return key{code: pasted, text: strings.ToValidUTF8(string(rest[:stop]), "\uFFFD")}, len(pasteStart) + stop + len(pasteEnd)
	case in[2] == '<':
		return mouse(string(in[3:at]), in[at]), at + 1
	}
	return key{code: final(in[at], string(in[2:at]))}, at + 1
}

// mouse reads a report of the mouse: the button, column and row, with M for a press and m for a release.
func mouse(report string, last byte) key {
	var button, x, y int
	n, err := fmt.Sscanf(report, "%d;%d;%d", &button, &x, &y)
	k, ok := map[int]code{0: click, 64: wheelUp, 65: wheelDown}[button]
	if n != 3 || err != nil || x < 1 || y < 1 || last != 'M' || !ok {
		return key{code: unknown}
	}
	return key{code: k, x: x - 1, y: y - 1}
}

// finals are the keys of sequences, by the last byte, with the first parameter before a ~.
var finals = map[string]code{
	"A": up, "B": down, "C": right, "D": left, "H": home, "F": end, "Z": backTab,
	"1~": home, "7~": home, "4~": end, "8~": end, "5~": pageUp, "6~": pageDown,
}

// final is the key of a sequence by its last byte and its parameters; the second parameter is a modifier.
func final(last byte, parameters string) code {
	name := string(last)
	if last == '~' {
		first, _, _ := strings.Cut(parameters, ";")
		name = first + name
	}
	return cmp.Or(finals[name], unknown)
}
