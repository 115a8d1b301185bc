package index

import (
	"bytes"
	"strings"

	"sdd/internal/markdown"
	"sdd/internal/pattern"
)

// A record or a project document answers with passages: a paragraph with its code or short list, an item of a longer
// list, or a table. Headings are not passages; they name the subject of a passage.

// passage is a part of a text that can answer alone: src[from:to], whole lines without the last line end.
type passage struct {
	section  string // the heading of level 2 above it, "" before the first
	heading  string // the nearest heading below that one, "" without
	line     int    // its first line, from 1
	from, to int
	item     bool // of a list
	first    bool // the first below its heading
}

func (p *passage) text(src []byte) string {
	return strings.ToValidUTF8(string(src[p.from:p.to]), "\uFFFD")
}

const (
	maxPassages = 4096 // of one text
	shortList   = 600  // bytes; a list up to this size is one passage
	withLead    = 1200 // bytes of a paragraph with its list or code
	longLabel   = 24   // bytes of a label such as "Note", which belongs to the paragraph below it
	longPassage = 2400 // bytes; a longer paragraph ends with its line
)

// kinds of blocks
const (
	paragraph = iota
	listItem
	codeBlock
	tableRows
)

// block is an unfinished passage.
type block struct {
	passage
	kind int
	list int // the number of the list that an item belongs to
}

// release matches a heading that begins with a version: lists of changes give patches a deeper one.
var release = pattern.Late(`^\[?(?:[Vv]ersion )?v?\d+\.\d+\.\d`)

// linkTarget reports whether a line is only the target of a link, "[name]: address", or a place, "(name)=". A footnote is text.
func linkTarget(line []byte) bool {
	if line[0] == '(' {
		return bytes.HasSuffix(line, []byte(")=")) && bytes.IndexByte(line, ' ') < 0
	}
	name, address, ok := bytes.Cut(line, []byte("]:"))
	words := bytes.Fields(address)
	return ok && len(name) > 1 && name[0] == '[' && name[1] != '^' && bytes.IndexByte(name, ']') < 0 &&
		(len(words) == 1 || len(words) > 1 && bytes.Contains(words[0], []byte("://")) && bytes.ContainsAny(words[1][:1], "\"'("))
}

// passagesOf returns the passages of a text. outline has a record's sections; without one, headings below the title start them.
func passagesOf(src []byte, outline []heading) []passage {
	var blocks []block
	var open *block // blocks[len(blocks)-1], while it accepts lines
	section, sub := "", ""
	lists := 0
	var fence []byte
	at, n := 0, 0
	if bytes.HasPrefix(src, []byte("\ufeff")) {
		at = 3
	}
	if end := frontEnd(src[at:]); end > 0 {
		n = bytes.Count(src[at:at+end], []byte("\n"))
		at += end
	}
	records := len(outline) > 0
	titled := !records && SeveralTitles(src)
	level := 0 // of the section
	begun := func(depth int, name string) {
		switch {
		case depth == 1 && (records || !titled):
			section, sub, titled = "", "", true
		case records || section != "" && depth > level && !release().MatchString(name):
			sub = name
		default:
			section, sub, level = name, "", depth
		}
	}
	begin := func(kind, from, to int) {
		blocks = append(blocks, block{passage{section: section, heading: sub, line: n, from: from, to: to, item: kind == listItem}, kind, lists})
		open = &blocks[len(blocks)-1]
	}
	blank := true
	for at < len(src) && len(blocks) < maxPassages {
		end := bytes.IndexByte(src[at:], '\n')
		next := at + end + 1
		if end < 0 {
			next = len(src)
		}
		n++
		raw := bytes.TrimRight(src[at:next], "\r\n")
		from, to := at, at+len(raw)
		at = next
		text := bytes.TrimLeft(raw, " \t")
		indent := len(raw) - len(text)
		for len(outline) > 0 && outline[0].line < n {
			outline = outline[1:]
		}
		if fence != nil {
			if open != nil {
				open.to = to
			}
			if bytes.HasPrefix(text, fence) && len(bytes.Trim(text, string(fence[:1])+" ")) == 0 {
				fence = nil
				if open != nil && open.kind == codeBlock {
					open = nil
				}
			}
			continue
		}
		switch {
		case len(outline) > 0 && outline[0].line == n:
			section, sub, open = outline[0].name, "", nil
			blank = true
			continue
		case len(text) == 0 || indent < 4 && linkTarget(text):
			blank = true
			if open != nil && open.kind != listItem {
				open = nil
			}
			continue
		case indent < 4 && headingZone(text) != body:
			open, blank = nil, true
			begun(len(text)-len(bytes.TrimLeft(text, "#")), strings.TrimSpace(strings.Trim(string(text), "# ")))
			continue
		case underline(text) && open != nil && open.kind == paragraph && !blank: // a setext heading
			if name := strings.TrimSpace(string(src[open.from:open.to])); !strings.Contains(name, "\n") && !records {
				blocks, open = blocks[:len(blocks)-1], nil
				begun(map[byte]int{'=': 1, '-': 2}[text[0]], name)
			}
			blank = true
			continue
		case markdown.FenceMark(text) > 0:
			fence = text[:markdown.FenceMark(text)]
			if open == nil || indent == 0 || open.kind != listItem {
				begin(codeBlock, from, to)
			} else {
				open.to = to
			}
		case ListMark(text) > 0 && (indent < 2 || open == nil || open.kind != listItem):
			if open == nil || open.kind != listItem || blank && indent == 0 && !sameList(blocks, section, sub) {
				lists++
			}
			begin(listItem, from, to)
			if inner := bytes.TrimLeft(text[ListMark(text):], " "); markdown.FenceMark(inner) > 0 {
				fence = inner[:markdown.FenceMark(inner)]
			}
		case text[0] == '|':
			if open == nil || open.kind != tableRows {
				begin(tableRows, from, to)
			} else {
				open.to = to
			}
		case open == nil || blank && (open.kind != listItem || indent < 2) || open.to-open.from > longPassage:
			if open == nil && indent >= 4 {
				begin(codeBlock, from, to)
			} else {
				begin(paragraph, from, to)
			}
		default:
			open.to = to
		}
		blank = false
	}
	return joined(src[:len(src):len(src)], blocks)
}

// SeveralTitles reports whether a text has several headings of level 1, as a list of releases has.
func SeveralTitles(src []byte) bool {
	titles, fenced := 0, false
	var before []byte
	for line := range bytes.Lines(src) {
		line = bytes.TrimRight(line, " \r\n")
		switch {
		case bytes.HasPrefix(line, []byte("```")):
			fenced = !fenced
		case !fenced && (bytes.HasPrefix(line, []byte("# ")) || len(before) > 0 && len(line) > 2 && len(bytes.Trim(line, "=")) == 0):
			titles++
		}
		before = line
	}
	return titles > 1
}

func sameList(blocks []block, section, sub string) bool {
	last := &blocks[len(blocks)-1]
	return last.kind == listItem && last.section == section && last.heading == sub
}

func underline(text []byte) bool {
	t := bytes.TrimRight(text, " ")
	return len(t) > 2 && (len(bytes.Trim(t, "=")) == 0 || len(bytes.Trim(t, "-")) == 0)
}

// ListMark returns the length of the mark of a list item at the start of a line, 0 where none is.
func ListMark(text []byte) int {
	if len(text) > 1 && (text[0] == '-' || text[0] == '*' || text[0] == '+') && (text[1] == ' ' || text[1] == '\t') {
		return 2
	}
	i := 0
	for i < len(text) && i < 9 && '0' <= text[i] && text[i] <= '9' {
		i++
	}
	if i > 0 && i+1 < len(text) && (text[i] == '.' || text[i] == ')') && text[i+1] == ' ' {
		return i + 2
	}
	return 0
}

// joined makes passages of blocks: it joins a short list into one, and keeps a paragraph or label with the block that it introduces.
func joined(src []byte, blocks []block) []passage {
	list := make([]passage, 0, len(blocks))
	for i := 0; i < len(blocks); {
		b := blocks[i]
		k := i + 1
		if b.kind == listItem {
			for k < len(blocks) && blocks[k].kind == listItem && blocks[k].list == b.list && blocks[k].section == b.section &&
				blocks[k].heading == b.heading {
				k++
			}
			if blocks[k-1].to-b.from > shortList {
				for _, one := range blocks[i:k] {
					list = append(list, one.passage)
				}
				i = k
				continue
			}
			b.to, b.item = blocks[k-1].to, false
		}
		i = k
		if comment(src[b.from:b.to]) {
			continue
		}
		if last := len(list) - 1; last >= 0 && !list[last].item && list[last].section == b.section &&
			list[last].heading == b.heading && b.to-list[last].from <= withLead && (b.kind == codeBlock ||
			(b.kind != paragraph || list[last].to-list[last].from <= longLabel) && leads(src[list[last].from:list[last].to])) {
			list[last].to = b.to
			continue
		}
		list = append(list, b.passage)
	}
	for i := range list {
		p := &list[i]
		p.first = p.section+p.heading != "" && (i == 0 || list[i-1].section != p.section || list[i-1].heading != p.heading)
	}
	return list
}

// leads reports whether a paragraph introduces the list or table below it: its last sentence has no end.
func leads(text []byte) bool {
	text = bytes.TrimSpace(text)
	return len(text) > 0 && bytes.IndexByte([]byte(".!?"), text[len(text)-1]) < 0
}

func comment(text []byte) bool {
	text = bytes.TrimSpace(text)
	return bytes.HasPrefix(text, []byte("<!--")) && bytes.Index(text, []byte("-->")) == len(text)-3
}
