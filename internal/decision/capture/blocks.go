package capture

import (
	"strings"
	"unicode/utf8"

	"sdd/internal/markdown"
)

type blockKind uint8

const (
	paragraph blockKind = iota
	listItem
	heading
	tableRow
)

// textBlock is a piece of the text with sentences. Code, quotes, comments and front matter are no blocks.
type textBlock struct {
	kind  blockKind
	text  string // its lines joined by line breaks, markers taken off
	line  int    // 1-based
	level int    // of a heading
	depth int    // of a list item: blanks before it
	cells []cell // of a table's row
}

type cell struct{ head, text string }

// blocksOf splits a text into blocks, in one pass over its lines.
func blocksOf(text string) []textBlock {
	text = strings.ToValidUTF8(strings.TrimPrefix(text, "\ufeff"), "\ufffd")
	s := scanner{lines: strings.Split(strings.ReplaceAll(text, "\r\n", "\n"), "\n")}
	s.headings(text)
	s.frontMatter()
	for s.at < len(s.lines) {
		s.line()
	}
	s.flush()
	return s.out
}

type scanner struct {
	lines []string
	at    int
	heads map[int]markdown.Heading // by 1-based line
	out   []textBlock

	open     bool // a block is being collected
	current  textBlock
	parts    []string
	inList   bool
	blank    bool // the line before was blank
	columns  []string
	trailers bool // the open block began with a label: a line like "Refs: #1" does not belong to it
}

// headings parses the headings of the text. A text that cannot be parsed (nested past the limits) has none.
func (s *scanner) headings(text string) {
	doc, err := markdown.Parse([]byte(text), 0)
	if err != nil {
		return
	}
	s.heads = make(map[int]markdown.Heading, len(doc.Headings))
	for _, h := range doc.Headings {
		s.heads[h.Line] = h
	}
}

// frontMatter skips YAML between --- lines at the start.
func (s *scanner) frontMatter() {
	if strings.TrimRight(s.lines[0], " ") != "---" {
		return
	}
	for i, l := range s.lines[1:] {
		if strings.TrimRight(l, " ") == "---" {
			for j, k := range s.lines[1 : i+1] {
				if value, ok := strings.CutPrefix(k, "status:"); ok {
					s.out = append(s.out, textBlock{kind: paragraph, text: "Status: " + strings.Trim(value, ` "'`), line: j + 2})
				}
			}
			s.at = i + 2
			return
		}
	}
}

func (s *scanner) flush() {
	if s.open {
		s.current.text = strings.Join(s.parts, "\n")
		s.out = append(s.out, s.current)
	}
	s.open, s.parts = false, nil
}

func (s *scanner) begin(b textBlock, text string) {
	s.flush()
	s.open, s.current, s.parts = true, b, append(s.parts, text)
	s.current.line = s.at + 1
}

// line takes the next line, or all lines of a fence or comment.
func (s *scanner) line() {
	l := s.lines[s.at]
	if h, ok := s.heads[s.at+1]; ok && s.isHeading(l, h) {
		s.flush()
		s.out = append(s.out, textBlock{kind: heading, text: h.Text, line: s.at + 1, level: h.Level})
		s.at += max(1, s.headingLines(h))
		s.inList, s.blank, s.columns = false, true, nil
		return
	}
	trimmed := strings.TrimLeft(l, " \t")
	indent := width(l[:len(l)-len(trimmed)])
	switch {
	case strings.TrimSpace(trimmed) == "":
		s.flush()
		s.blank, s.columns = true, nil
		s.at++
		return
	case fenceOf(trimmed) != "":
		s.fence(trimmed)
	case trimmed[0] == '>':
		s.flush()
		s.at++
	case strings.HasPrefix(trimmed, "<!--"):
		s.comment()
	case indent >= 4 && s.blank && !s.inList, strings.HasPrefix(trimmed, `{"`), strings.HasPrefix(trimmed, `[{"`),
		strings.HasPrefix(l, "diff --git "), strings.HasPrefix(l, "@@ "):
		s.flush() // code, data, the head of a diff
		s.at++
		return // what follows without a blank line is indented code too
	case strings.HasPrefix(trimmed, "|") && strings.Count(trimmed, "|") > 1:
		s.row(trimmed)
		s.at++
	default:
		s.prose(l, trimmed, indent)
		s.at++
	}
	s.blank = false
}

// isHeading refuses a long paragraph that an underline makes a heading, as in commit messages.
func (s *scanner) isHeading(l string, h markdown.Heading) bool {
	return strings.HasPrefix(strings.TrimLeft(l, " "), "#") || len(h.Text) <= maxLabel
}

func (s *scanner) headingLines(h markdown.Heading) int {
	if strings.HasPrefix(strings.TrimLeft(s.lines[s.at], " "), "#") {
		return 1
	}
	return 2 + strings.Count(strings.TrimSpace(h.Text), "\n")
}

func (s *scanner) prose(l, trimmed string, indent int) {
	if text, ok := item(trimmed); ok {
		s.inList = true
		s.begin(textBlock{kind: listItem, depth: indent}, text)
		return
	}
	if s.inList && indent == 0 && s.blank {
		s.inList = false
	}
	_, _, _, labelled := label(trimmed)
	if !s.open || labelled && indent == 0 || s.bare(s.parts[len(s.parts)-1]) || s.trailers && trailer(trimmed) {
		s.begin(textBlock{kind: paragraph, depth: indent}, trimmed)
		s.trailers = labelled
		return
	}
	s.parts = append(s.parts, trimmed)
}

// trailer reports whether a line begins like "Reviewed-by: ".
func trailer(l string) bool {
	name, _, ok := strings.Cut(l, ": ")
	return ok && name != "" && len(name) <= maxLabel/2 && !strings.ContainsAny(name, " \t") && name[0] >= 'A' && name[0] <= 'Z'
}

// bare reports whether a line is only a label: the next line begins a block.
func (s *scanner) bare(l string) bool {
	r, _ := roleOf(l)
	return r != noRole
}

// row takes a row of a table.
func (s *scanner) row(l string) {
	s.flush()
	fields := strings.Split(strings.Trim(strings.TrimSpace(l), "|"), "|")
	for i := range fields {
		fields[i] = strings.TrimSpace(fields[i])
	}
	if strings.Trim(strings.Join(fields, ""), "-: ") == "" {
		return
	}
	if s.columns == nil {
		s.columns = fields
	}
	b := textBlock{kind: tableRow, line: s.at + 1, text: l}
	for i, f := range fields {
		c := cell{text: f}
		if i < len(s.columns) {
			c.head = s.columns[i]
		}
		b.cells = append(b.cells, c)
	}
	s.out = append(s.out, b)
}

func fenceOf(trimmed string) string {
	for _, c := range []string{"`", "~"} {
		n := len(trimmed) - len(strings.TrimLeft(trimmed, c))
		if n >= 3 && (c == "~" || !strings.Contains(trimmed[n:], "`")) {
			return trimmed[:n]
		}
	}
	return ""
}

// fence skips a code block, to its end or that of the text.
func (s *scanner) fence(trimmed string) {
	s.flush()
	open := fenceOf(trimmed)
	for s.at++; s.at < len(s.lines); s.at++ {
		l := strings.TrimSpace(s.lines[s.at])
		if len(l) >= len(open) && strings.Trim(l, open[:1]) == "" {
			s.at++
			return
		}
	}
}

func (s *scanner) comment() {
	s.flush()
	for ; s.at < len(s.lines); s.at++ {
		if strings.Contains(s.lines[s.at], "-->") {
			s.at++
			return
		}
	}
}

// item takes the marker off a list item, and a task's box.
func item(trimmed string) (string, bool) {
	n := 0
	for n < len(trimmed) && n < 4 && '0' <= trimmed[n] && trimmed[n] <= '9' {
		n++
	}
	switch r, size := utf8.DecodeRuneInString(trimmed[n:]); {
	case n > 0 && (r == '.' || r == ')'), n == 0 && strings.ContainsRune("-*+•–—·", r):
		n += size
	default:
		return "", false
	}
	if n >= len(trimmed) || trimmed[n] != ' ' && trimmed[n] != '\t' {
		return "", false
	}
	text := strings.TrimLeft(trimmed[n:], " \t")
	if len(text) > 4 && text[0] == '[' && strings.ContainsRune(" xX", rune(text[1])) && strings.HasPrefix(text[2:], "] ") {
		text = text[4:]
	}
	return text, true
}

func width(blank string) int {
	n := 0
	for _, c := range blank {
		if n++; c == '\t' {
			n += 3
		}
	}
	return n
}
