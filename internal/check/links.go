package check

import (
	"bytes"
	"html"
	"strings"
)

// textLink is the destination of a link in a text.
type textLink struct {
	at         place
	start, end int    // of the destination in the file
	raw        string // with its escapes
}

const (
	longestLink = 2000 // bytes of a destination
	mostParens  = 32   // open ones in a destination
)

// linksOf lists the destinations of links in src from offset from on: inline links and images, definitions, and sdd:// addresses,
// but not in code and comments. It scans the lines in linear time, where the inline pass of a Markdown parser can be quadratic.
func linksOf(src []byte, from int) []textLink {
	if !mayLink(src[from:]) {
		return nil
	}
	s := linkScan{src: src}
	s.walk(from)
	last := place{1, 1}
	at := 0
	for i := range s.found {
		l := &s.found[i]
		between := src[at:l.start]
		if n := bytes.LastIndexByte(between, '\n'); n >= 0 {
			last = place{last.line + bytes.Count(between, []byte("\n")), 1}
			between = between[n+1:]
		}
		last.column += len([]rune(string(between)))
		l.at, at = last, l.start
	}
	return s.found
}

// mayLink reports whether src may contain a link.
func mayLink(src []byte) bool {
	return bytes.Contains(src, []byte("](")) || bytes.Contains(src, []byte("]:")) || bytes.Contains(src, []byte("sdd://"))
}

// linkScan is the state of a scan for links.
type linkScan struct {
	src   []byte
	found []textLink

	paragraph int   // its offset, -1 outside
	fence     byte  // the character of the open code fence, 0 outside
	length    int   // of the fence
	items     []int // the column where the text of each open list item begins: text indented that far is not code
	blank     bool  // the last line was blank
	comment   bool  // inside an HTML comment
}

// walk scans the lines, and passes each paragraph to inline.
func (s *linkScan) walk(from int) {
	s.paragraph, s.blank = -1, true
	for line := range bytes.Lines(s.src[from:]) {
		s.line(from, from+len(line))
		from += len(line)
	}
	s.close(len(s.src))
}

// line scans one line, with its line end.
func (s *linkScan) line(at, end int) {
	line := s.src[at:end]
	text, item := lineContent(line)
	switch {
	case s.comment:
		if bytes.Contains(line, []byte("-->")) {
			s.comment = false
		}
		return
	case s.fence != 0:
		if n := fenceLength(text); n >= s.length && text[0] == s.fence && len(bytes.Trim(text, string(s.fence)+" \t\r\n")) == 0 {
			s.fence = 0
		}
		return
	case len(bytes.TrimSpace(text)) == 0:
		s.close(at)
		s.blank = true
		return
	}
	if n := fenceLength(text); n > 0 && (text[0] == '~' || !bytes.Contains(text[n:], []byte("`"))) {
		s.close(at)
		s.fence, s.length, s.blank = text[0], n, false
		return
	}
	indent := columns(line[:len(line)-len(bytes.TrimLeft(line, " \t"))])
	if s.blank || item {
		for n := len(s.items); n > 0 && s.items[n-1] > indent; n-- {
			s.items = s.items[:n-1]
		}
	}
	inner := 0
	if n := len(s.items); n > 0 {
		inner = s.items[n-1]
	}
	if s.blank && indent >= inner+4 && s.paragraph < 0 {
		return // indented code
	}
	if item {
		s.items = append(s.items, columns(line[:len(line)-len(text)]))
	}
	s.blank = false
	if item || text[0] == '#' || text[0] == '|' {
		s.close(at)
	}
	if s.paragraph < 0 {
		s.paragraph = at
	}
	if text[0] == '#' || text[0] == '|' {
		s.close(end)
	}
}

// lineContent returns a line without its quote marks and list markers, and whether it begins a list item.
func lineContent(line []byte) (text []byte, item bool) {
	for {
		text = bytes.TrimLeft(line, " \t>")
		rest := text
		if n := len(rest) - len(bytes.TrimLeft(rest, "0123456789")); n > 0 && n < 10 && n+1 < len(rest) && (rest[n] == '.' || rest[n] == ')') {
			rest = rest[n:]
		} else if len(rest) < 2 || rest[0] != '-' && rest[0] != '*' && rest[0] != '+' {
			return text, item
		}
		if rest[1] != ' ' && rest[1] != '\t' {
			return text, item
		}
		line, item = rest[2:], true
	}
}

// columns returns the width of a line's indentation.
func columns(b []byte) (n int) {
	for _, c := range b {
		n++
		if c == '\t' {
			n = (n + 3) / 4 * 4
		}
	}
	return n
}

// fenceLength returns the length of the code fence that a line begins with, 0 for none.
func fenceLength(text []byte) int {
	if len(text) < 3 || text[0] != '`' && text[0] != '~' {
		return 0
	}
	if n := len(text) - len(bytes.TrimLeft(text, string(text[0]))); n >= 3 {
		return n
	}
	return 0
}

// close ends the paragraph before end.
func (s *linkScan) close(end int) {
	if s.paragraph >= 0 {
		s.inline(s.paragraph, end)
	}
	s.paragraph = -1
}

// inline finds the links in a paragraph.
func (s *linkScan) inline(from, to int) {
	text := s.src[from:to]
	skip := codeSpans(text)
	open := 0
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case '`':
			if end, ok := skip[i]; ok {
				i = end - 1
			}
		case '<':
			if bytes.HasPrefix(text[i:], []byte("<!--")) {
				n := bytes.Index(text[i:], []byte("-->"))
				if n < 0 {
					s.comment = true
					return
				}
				i += n + 2
			}
		case '[':
			open++
		case ']':
			if open == 0 {
				continue
			}
			open--
			if i+1 >= len(text) {
				continue
			}
			switch text[i+1] {
			case '(':
				i = s.destination(from, text, i+2, true)
			case ':':
				if definesLink(text[:i]) {
					i = s.destination(from, text, i+2, false)
				}
			}
		case 's':
			if bytes.HasPrefix(text[i:], []byte("sdd://")) && (i == 0 || !isWordByte(text[i-1])) {
				n := bytes.IndexFunc(text[i:min(len(text), i+longestLink)], func(r rune) bool {
					return r <= ' ' || strings.ContainsRune("<>()[]{}\"'`|\\", r)
				})
				if n < 0 {
					n = min(len(text), i+longestLink) - i
				}
				raw := strings.TrimRight(string(text[i:i+n]), ".,;:!?*_")
				s.found = append(s.found, textLink{start: from + i, end: from + i + len(raw), raw: raw})
				i += n - 1
			}
		}
	}
}

// definesLink reports whether text, which ends before a closing bracket, ends with the label of a link definition. A footnote's
// label is not one.
func definesLink(text []byte) bool {
	line := text[bytes.LastIndexByte(text, '\n')+1:]
	label := bytes.TrimLeft(line, " >")
	return len(label) > 1 && label[0] == '[' && label[1] != '^' && !bytes.Contains(label[1:], []byte("["))
}

func isWordByte(c byte) bool {
	return c == '_' || c >= 0x80 || '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'z'
}

// destination reads the destination of a link at offset i of text, and returns the offset of the last byte that it read. In
// parentheses the destination ends at the closing one, else at the first blank.
func (s *linkScan) destination(from int, text []byte, i int, parens bool) int {
	start := i
	for start < len(text) && (text[start] == ' ' || text[start] == '\t' || text[start] == '\n' || text[start] == '\r') {
		start++
	}
	end, depth := start, 0
	if start < len(text) && text[start] == '<' {
		start++
		n := bytes.IndexAny(text[start:min(len(text), start+longestLink)], "<>\n")
		if n < 0 || text[start+n] != '>' {
			return i - 1
		}
		end = start + n
	} else {
		for end < len(text) && end-start < longestLink && text[end] > ' ' {
			switch text[end] {
			case '\\':
				end++
			case '(':
				depth++
			case ')':
				depth--
			}
			if depth < 0 && parens {
				break
			}
			if depth > mostParens {
				return i - 1
			}
			end++
		}
		end = min(end, len(text))
		if parens && (end == len(text) || text[end] > ' ' && text[end] != ')') {
			return i - 1
		}
	}
	if start < end {
		s.found = append(s.found, textLink{start: from + start, end: from + end, raw: string(text[start:end])})
	}
	return max(i, end) - 1
}

// codeSpans returns the end of each code span of a paragraph, by the offset of its first backtick.
func codeSpans(text []byte) map[int]int {
	type run struct{ at, n int }
	var runs []run
	for i := 0; i < len(text); i++ {
		if text[i] == '`' {
			n := len(text[i:]) - len(bytes.TrimLeft(text[i:], "`"))
			runs = append(runs, run{i, n})
			i += n - 1
		}
	}
	if len(runs) < 2 {
		return nil
	}
	next := make([]int, len(runs)) // the next run of the same length
	last := map[int]int{}
	for i := len(runs) - 1; i >= 0; i-- {
		next[i] = last[runs[i].n] // 0 is none: the first run follows no other
		last[runs[i].n] = i
	}
	spans := map[int]int{}
	for i := 0; i < len(runs); i++ {
		r := runs[i]
		if r.at > 0 && text[r.at-1] == '\\' || next[i] == 0 {
			continue
		}
		closing := runs[next[i]]
		spans[r.at] = closing.at + closing.n
		i = next[i]
	}
	return spans
}

// plain returns a destination without the escapes of Markdown.
func (l textLink) plain() string {
	var b strings.Builder
	for i := 0; i < len(l.raw); i++ {
		if l.raw[i] == '\\' && i+1 < len(l.raw) && strings.IndexByte("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~", l.raw[i+1]) >= 0 {
			i++
		}
		b.WriteByte(l.raw[i])
	}
	return html.UnescapeString(b.String())
}
