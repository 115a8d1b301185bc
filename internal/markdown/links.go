package markdown

import (
	"bytes"
	"html"
	"strings"

	"sdd/internal/pattern"
)

// Link is the destination of a link in a text, or a code span without its backticks.
type Link struct {
	Line, Column int    // from 1, in characters
	Start, End   int    // offsets in the file
	Raw          string // with its escapes
}

const (
	longestLink = 2000 // bytes of a destination
	mostParens  = 32   // open ones in a destination
)

// Links lists the destinations in src from offset from on, not in code and comments, in linear time, which inline parsers do not keep.
func Links(src []byte, from int) []Link {
	text := src[from:]
	if !bytes.Contains(text, []byte("](")) && !bytes.Contains(text, []byte("]:")) && !bytes.Contains(text, []byte("sdd://")) {
		return nil
	}
	return located(src, scanLinks(src, from).found)
}

// located sets the places of links, which are in order.
func located(src []byte, links []Link) []Link {
	line, column, at := 1, 1, 0
	for i := range links {
		l := &links[i]
		between := src[at:l.Start]
		if n := bytes.LastIndexByte(between, '\n'); n >= 0 {
			line, column = line+bytes.Count(between, []byte("\n")), 1
			between = between[n+1:]
		}
		column += len([]rune(string(between)))
		l.Line, l.Column, at = line, column, l.Start
	}
	return links
}

// CodeSpans lists the code spans of src from offset from on, outside code blocks.
func CodeSpans(src []byte, from int) []Link {
	if bytes.Count(src[from:], []byte("`")) < 2 {
		return nil
	}
	return located(src, scanLinks(src, from).spans)
}

// linkScan collects the links and code spans of a text.
type linkScan struct {
	src   []byte
	found []Link
	spans []Link // code spans, without their backticks
}

// scanLinks passes each paragraph outside of code blocks and comments to inline.
func scanLinks(src []byte, from int) linkScan {
	s := linkScan{src: src}
	code, err := Code(src, from)
	if err != nil {
		return s // nested too deep to be read as Markdown
	}
	paragraph, at := from, from
	flush := func(end int) {
		s.inline(paragraph, end)
		paragraph = end
	}
	for line := range bytes.Lines(src[from:]) {
		end := at + len(line)
		text := bytes.TrimLeft(line, " \t\r\n>")
		alone := len(text) == 0 || text[0] == '#' || text[0] == '|'
		if len(code) > 0 && at >= code[0].Start {
			flush(at)
			paragraph = end
			if end >= code[0].End {
				code = code[1:]
			}
		} else if alone || beginsItem(text) {
			flush(at)
		}
		if at = end; alone {
			flush(at)
		}
	}
	flush(at)
	return s
}

// beginsItem reports whether a line begins with the marker of a list item.
func beginsItem(text []byte) bool {
	rest := bytes.TrimLeft(text, "0123456789")
	if len(rest) == len(text) {
		return len(text) > 1 && strings.IndexByte("-*+", text[0]) >= 0 && (text[1] == ' ' || text[1] == '\t')
	}
	return len(rest) > 1 && (rest[0] == '.' || rest[0] == ')') && (rest[1] == ' ' || rest[1] == '\t')
}

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
				marks := runLength(text[i:end])
				s.spans = append(s.spans, Link{Start: from + i + marks, End: from + end - marks, Raw: string(text[i+marks : end-marks])})
				i = end - 1
			}
		case '<':
			if bytes.HasPrefix(text[i:], []byte("<!--")) {
				n := bytes.Index(text[i:], []byte("-->"))
				if n < 0 {
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
				s.found = append(s.found, Link{Start: from + i, End: from + i + len(raw), Raw: raw})
				i += n - 1
			}
		}
	}
}

// definesLink reports whether text, up to a closing bracket, ends with the label of a link definition. A footnote's is none.
func definesLink(text []byte) bool {
	line := text[bytes.LastIndexByte(text, '\n')+1:]
	label := bytes.TrimLeft(line, " >")
	return len(label) > 1 && label[0] == '[' && label[1] != '^' && !bytes.Contains(label[1:], []byte("["))
}

func isWordByte(c byte) bool {
	return c == '_' || c >= 0x80 || '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'z'
}

// destination reads the destination at offset i and returns the last byte that it read. It ends at the closing parenthesis or a blank.
func (s *linkScan) destination(from int, text []byte, i int, parens bool) int {
	start := len(text) - len(bytes.TrimLeft(text[i:], blank))
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
		s.found = append(s.found, Link{Start: from + start, End: from + end, Raw: string(text[start:end])})
	}
	return max(i, end) - 1
}

// codeSpans returns the end of each code span of a paragraph, by the offset of its first backtick.
func codeSpans(text []byte) map[int]int {
	type run struct{ at, n int }
	var runs []run
	for i := 0; i < len(text); i++ {
		if text[i] == '`' {
			n := runLength(text[i:])
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

// Plain returns a destination without the escapes of Markdown.
func (l Link) Plain() string {
	return html.UnescapeString(escaped().ReplaceAllString(l.Raw, "$1"))
}

var escaped = pattern.Late(`\\([[:punct:]])`)
