package markdown

import (
	"strings"
	"unicode/utf8"
)

// content returns u's text without wrapping, markers, indentation and boxes, but code and HTML with their lines and spaces.
func (u *unit) content() string {
	if u.contentCache == nil {
		s := contentOf(u.kind, u.own)
		if u.kind == sectionUnit {
			s = strings.Repeat("#", u.level) + " " + joinWords(u.name)
		}
		u.contentCache = &s
	}
	return *u.contentCache
}

func contentOf(kind unitKind, own string) string {
	switch kind {
	case itemUnit:
		h, body := cutHead(own)
		if opensCode(body) {
			return dedented(strings.Repeat(" ", h.column(false))+body, h.column(false))
		}
		return joinWords(body)
	case proseUnit, referenceUnit, headingUnit:
		return joinWords(own)
	case ruleUnit:
		return "---"
	case quoteUnit:
		return quoteText(own)
	case tableUnit:
		return tableText(own)
	}
	return dedented(own, columns(own[:len(own)-len(strings.TrimLeft(own, " \t"))], 0))
}

// opensCode reports whether an item begins with a block in which spaces have meaning.
func opensCode(body string) bool {
	return strings.HasPrefix(body, "```") || strings.HasPrefix(body, "~~~") || strings.HasPrefix(body, "<") || strings.HasPrefix(body, "    ")
}

// joinWords puts one space between words. It returns a part of s if s has that form already.
func joinWords(s string) string {
	s = strings.Trim(s, blank)
	for i := 0; i < len(s); i++ {
		if c := s[i]; c == '\n' || c == '\t' || c == '\r' || c == ' ' && s[i-1] == ' ' || c >= utf8.RuneSelf {
			return strings.Join(strings.FieldsFunc(s, func(r rune) bool { return strings.ContainsRune(blank, r) }), " ")
		}
	}
	return s
}

func quoteText(own string) string {
	var b strings.Builder
	for line := range strings.Lines(own) {
		line = strings.TrimLeft(line, " \t")
		line = strings.TrimPrefix(line, ">")
		b.WriteString(strings.TrimPrefix(line, " "))
	}
	if strings.Contains(own, "```") || strings.Contains(own, "~~~") || strings.Contains(own, "\n>     ") {
		return dedented(b.String(), 0)
	}
	return joinWords(b.String())
}

func tableText(own string) string {
	var b strings.Builder
	for line := range strings.Lines(own) {
		b.WriteString(tableRow(line))
		b.WriteByte('\n')
	}
	return b.String()
}

// tableRow returns a row without padding, and a delimiter row with one dash in each cell.
func tableRow(line string) string {
	row := strings.Trim(line, blank)
	row = strings.TrimSuffix(strings.TrimPrefix(row, "|"), "|")
	cells := strings.Split(row, "|")
	rule := strings.Trim(row, "|:- \t") == ""
	for i, c := range cells {
		c = joinWords(c)
		for rule && strings.Contains(c, "--") {
			c = strings.ReplaceAll(c, "--", "-")
		}
		cells[i] = c
	}
	return strings.Join(cells, "|")
}

// head is the start of a list item's first line.
type head struct {
	indent string // white space before the marker
	number string // digits of an ordered item's marker, else ""
	mark   string // the bullet, or . or ) after the number
	pad    string // white space after the marker
	box    string // a task box with the space after it, else ""
}

// cutHead splits an item's own lines into its head and its text.
func cutHead(own string) (head, string) {
	var h head
	rest := own
	take := func(set string) (taken string) {
		taken = rest[:len(rest)-len(strings.TrimLeft(rest, set))]
		rest = rest[len(taken):]
		return taken
	}
	h.indent = take(" \t")
	h.number = take("0123456789")
	if rest != "" && strings.IndexByte("-*+.)", rest[0]) >= 0 {
		h.mark, rest = rest[:1], rest[1:]
	}
	h.pad = take(" \t")
	if columns(h.pad, h.markEnd()) > 4 { // an indented code block begins one column after the marker
		rest = h.pad[1:] + rest
		h.pad = h.pad[:1]
	}
	if len(rest) > 3 && rest[0] == '[' && rest[2] == ']' && strings.IndexByte(" xX", rest[1]) >= 0 && (rest[3] == ' ' || rest[3] == '\t') {
		h.box, rest = rest[:3], rest[3:]
		h.box += take(" \t")
	}
	return h, rest
}

func (h head) String() string { return h.marker() + h.box }

// marker returns all before the box and the text.
func (h head) marker() string { return h.indent + h.number + h.mark + h.pad }

// markEnd returns the column after the marker.
func (h head) markEnd() int { return columns(h.indent, 0) + len(h.number) + len(h.mark) }

// column returns the indentation of the item's text and of all blocks in the item.
func (h head) column(empty bool) int {
	end := h.markEnd()
	if empty || h.pad == "" {
		return end + 1
	}
	return end + columns(h.pad, end)
}

// state returns the box in its normal form: "", "[ ]" or "[x]".
func (h head) state() string {
	if h.box == "" {
		return ""
	}
	return strings.ToLower(h.box[:3])
}

// item splits an item's own lines; other units have an empty head.
func (u *unit) item() (head, string) {
	if u.kind != itemUnit {
		return head{}, u.own
	}
	if u.itemHead == nil {
		h, body := cutHead(u.own)
		u.itemHead, u.itemBody = &h, body
	}
	return *u.itemHead, u.itemBody
}

// body returns u's own text after an item's head.
func (u *unit) body() string {
	_, body := u.item()
	return body
}

// box returns the state of an item's task box.
func (u *unit) box() string {
	h, _ := u.item()
	return h.state()
}

// column returns the indentation of the units under u.
func (u *unit) column() int {
	switch {
	case u.kind == headingUnit:
		return u.parent.column()
	case u.kind != itemUnit:
		return 0
	}
	h, body := u.item()
	return h.column(strings.Trim(body, blank) == "")
}

// columns returns the width of white space that begins at column from.
func columns(space string, from int) int {
	at := from
	for i := range len(space) {
		if space[i] == '\t' {
			at += 4 - at%4
		} else {
			at++
		}
	}
	return at - from
}

// dedent removes up to n columns of white space from the start of a line. It reports whether the line had all n.
func dedent(line string, n int) (string, bool) {
	at := 0
	for i := range len(line) {
		if at >= n {
			return strings.Repeat(" ", at-n) + line[i:], true
		}
		switch line[i] {
		case ' ':
			at++
		case '\t':
			at += 4 - at%4
		default:
			return line[i:], false
		}
	}
	return "", at >= n
}

// reindent moves lines from one column to another. It leaves lines with less indentation (lazy continuations) unchanged.
func reindent(text string, from, to int) string {
	if from == to {
		return text
	}
	var b strings.Builder
	for line := range strings.Lines(text) {
		if rest, ok := dedent(line, from); ok && strings.Trim(rest, blank) != "" {
			line = strings.Repeat(" ", to) + rest
		}
		b.WriteString(line)
	}
	return b.String()
}

// dedented removes up to n columns of indentation from each line, and makes line ends LF.
func dedented(text string, n int) string {
	if n == 0 && !strings.Contains(text, "\r") {
		return text
	}
	var b strings.Builder
	for line := range strings.Lines(text) {
		line, _ = dedent(strings.TrimRight(line, "\r\n"), n)
		b.WriteString(line)
		b.WriteByte('\n')
	}
	return b.String()
}
