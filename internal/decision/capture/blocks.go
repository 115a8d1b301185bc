package capture

import (
	"slices"
	"strings"
	"unicode/utf8"

	"sdd/internal/markdown"
)

type blockKind uint8

const (
	paragraph blockKind = iota
	listItem
	heading
)

// textBlock is a piece of the text with sentences. Code, quotes, comments and front matter are no blocks.
type textBlock struct {
	kind  blockKind
	text  string // its lines joined by line breaks, markers taken off
	line  int    // 1-based
	level int    // of a heading
	depth int    // how many list items contain it
}

// blocksOf splits a text into blocks. A text that is nested past the limits of the parser has none.
func blocksOf(text string) []textBlock {
	text = strings.ToValidUTF8(strings.TrimPrefix(text, "\ufeff"), "\ufffd")
	s := splitter{}
	body, line := s.frontMatter(strings.ReplaceAll(text, "\r\n", "\n"))
	s.split(body, line, 0)
	return s.out
}

type splitter struct{ out []textBlock }

// frontMatter reads the status in YAML between --- lines at the start, and returns the text after it with its line.
func (s *splitter) frontMatter(text string) (body string, line int) {
	keys, found := strings.CutPrefix(text, "---\n")
	keys, body, closed := strings.Cut(keys, "\n---\n")
	if !found || !closed {
		return text, 1
	}
	line = 2
	for key := range strings.SplitSeq(keys, "\n") {
		if value, ok := strings.CutPrefix(key, "status:"); ok {
			s.out = append(s.out, textBlock{text: "Status: " + strings.Trim(value, ` "'`), line: line})
		}
		line++
	}
	return body, line + 1
}

// split adds the blocks of a text that begins at a line: the whole text, or that of a list item at some depth.
func (s *splitter) split(text string, line, depth int) {
	blocks, err := markdown.Blocks(text)
	if err != nil {
		return
	}
	at := 0
	for i, b := range blocks {
		line += strings.Count(text[at:b.Span.Start], "\n")
		at = b.Span.Start
		underlined := !strings.HasPrefix(strings.TrimLeft(text[at:], " "), "#")
		switch {
		case b.Kind == markdown.Item:
			s.split(b.Text, line, depth+1)
		case b.Kind == markdown.Title && (!underlined || len(b.Text) <= maxLabel): // a longer underlined text is a paragraph of a commit message
			s.out = append(s.out, textBlock{kind: heading, text: b.Text, line: line, level: b.Level})
		case b.Kind != markdown.Other, strings.HasPrefix(b.Text, "<") && !strings.HasPrefix(b.Text, "<!--"):
			s.lines(b.Text, line, depth, depth > 0 && i == 0)
		}
	}
}

// lines splits a paragraph or the start of a list item. A line begins a block of its own when it is an item with a mark that
// Markdown does not know, when it has a label, and after a line that is only a label. Rows of tables are no blocks.
func (s *splitter) lines(text string, line, depth int, inItem bool) {
	var open *textBlock
	last, trailers := "", false // trailers: the block began with a label, so that a line like "Refs: #1" does not belong to it
	for n, l := range strings.Split(text, "\n") {
		l = strings.TrimSpace(l)
		rest, isItem := item(l)
		_, _, _, labelled := label(l)
		switch {
		case isData(l):
			open = nil
			continue
		case isItem || inItem && n == 0:
			s.out = append(s.out, textBlock{kind: listItem, text: rest, line: line + n, depth: depth})
		case open == nil || labelled && depth == 0 || roleOf(last) != noRole || trailers && trailer(l):
			s.out = append(s.out, textBlock{text: l, line: line + n, depth: depth})
			trailers = labelled
		default:
			open.text += "\n" + l
			last = l
			continue
		}
		open = &s.out[len(s.out)-1]
		last = open.text
	}
}

// isData reports whether a line is the row of a table, JSON or the head of a diff.
func isData(l string) bool {
	row := strings.HasPrefix(l, "|") && strings.Count(l, "|") > 1
	begins := func(mark string) bool { return strings.HasPrefix(l, mark) }
	return row || slices.ContainsFunc([]string{`{"`, `[{"`, "diff --git ", "@@ "}, begins)
}

// trailer reports whether a line begins like "Reviewed-by: ".
func trailer(l string) bool {
	name, _, ok := strings.Cut(l, ": ")
	return ok && name != "" && len(name) <= maxLabel/2 && !strings.ContainsAny(name, " \t") && name[0] >= 'A' && name[0] <= 'Z'
}

// item takes the marker off a list item, and a task's box; ok is false for a line without a marker.
func item(l string) (text string, ok bool) {
	text = l
	number := len(l) - len(strings.TrimLeft(l, "0123456789"))
	r, size := utf8.DecodeRuneInString(l[number:])
	if number > 0 && number < 4 && (r == '.' || r == ')') || number == 0 && strings.ContainsRune("-*+•–—·", r) {
		if after := l[number+size:]; strings.HasPrefix(after, " ") || strings.HasPrefix(after, "\t") {
			text, ok = strings.TrimSpace(after), true
		}
	}
	if len(text) > 4 && text[0] == '[' && strings.ContainsRune(" xX", rune(text[1])) && strings.HasPrefix(text[2:], "] ") {
		text = text[4:]
	}
	return text, ok
}
