package signal

import (
	"bytes"
	"strings"

	"sdd/internal/pattern"
)

// event is what the walk over a text stops at.
type event int

const (
	none      event = iota
	openTag         // a tag outside code
	hiddenTag       // a tag in code
	jsonLine        // a line that may be JSON
)

// fence is the code fence that a text is in, of length 0 outside any.
type fence struct {
	char   byte
	length int
	quotes int  // number of > before it
	list   bool // in a list, where it may be indented
	at     int  // where its first line begins
}

const (
	maxRun        = 64      // backticks; a longer run is text
	maxSpan       = 2 << 10 // bytes of a code span: each payload looks so far ahead anew
	maxContainers = 16      // list markers and > before a line's text
)

// code finds the parts of a text that are Markdown code, as the scan goes on.
type code struct {
	json      bool // stop at lines that may be JSON
	lineStart bool
	list      bool // the lines belong to a list item
	fence     fence
	hidden    int // learnings in the open fence

	spanEnd int // where the code span ends that the walk is in
}

// next walks from i and returns the first stop, or none at the end of the text.
func (c *code) next(v []byte, i int) (int, event) {
	for i < len(v) {
		if c.lineStart {
			at, e := c.line(v, i)
			if i = at; e != none {
				return i, e
			}
			continue
		}
		stops, stop := "\n<`\\", len(v)
		hides := c.fence.length > 0
		if i < c.spanEnd {
			hides, stop = true, c.spanEnd
		}
		if hides {
			stops = "\n<"
		}
		n := bytes.IndexAny(v[i:stop], stops)
		if n < 0 {
			i = stop
			continue
		}
		i += n
		switch v[i] {
		case '\n':
			c.lineStart = i >= c.spanEnd
			i++
		case '<':
			if _, n := bareTag(v[i:]); n == 0 {
				i++
			} else if hides {
				return i, hiddenTag
			} else {
				return i, openTag
			}
		case '\\':
			if i++; i < len(v) && (v[i] == '`' || v[i] == '\\') {
				i++
			}
		case '`':
			n := run(v[i:], '`')
			c.spanEnd = max(c.spanEnd, c.span(v, i, n))
			i += n
		}
	}
	return i, none
}

// span returns where the code span ends that a run of n backticks at i begins, 0 when none of that length follows in its paragraph.
func (c *code) span(v []byte, i, n int) int {
	end := min(len(v), i+maxSpan)
	for at := i + n; at < end; {
		switch v[at] {
		case '`':
			k := run(v[at:], '`')
			if at += k; k == n && n < maxRun {
				return at
			}
		case '\n':
			if at++; c.separates(v[at:end]) {
				return 0
			}
		default:
			at++
		}
	}
	return 0
}

// separates reports whether the line that v begins with belongs to another paragraph than the one before.
func (c *code) separates(v []byte) bool {
	p := c.prefix(v)
	v = v[p.length:]
	if len(v) == 0 || p.quotes > 0 || p.marker {
		return true
	}
	switch v[0] {
	case '\n', '\r', '#', '|':
		return true
	case '<':
		t, n := bareTag(v)
		return n > 0 && !t.closing
	case '{':
		return c.json && bytes.HasPrefix(v, []byte(`{"`))
	}
	_, ok := c.opens(v, p)
	return ok
}

// line looks at the line that begins at i. It returns where the walk goes on.
func (c *code) line(v []byte, i int) (int, event) {
	c.lineStart = false
	l := v[i:]
	if c.fence.length > 0 {
		length, over := c.closes(l)
		if !over {
			return i, none
		}
		c.fence = fence{}
		if length > 0 {
			return i + length, none
		}
	}
	p := c.prefix(l)
	rest := l[p.length:]
	if len(rest) == 0 || rest[0] == '\n' || rest[0] == '\r' {
		return i, none
	}
	if p.marker {
		c.list = true
	} else if p.indent == 0 && p.quotes == 0 {
		c.list = false
	}
	if f, ok := c.opens(rest, p); ok {
		c.fence, c.hidden = f, 0
		c.fence.at = i
		return i, none
	}
	if c.json && p.quotes == 0 && !p.marker && (rest[0] == '{' || rest[0] == '[' || rest[0] == '"') {
		return i, jsonLine
	}
	return i, none
}

// prefix is the part of a line before its text.
type prefix struct {
	length int
	indent int // blanks before the text, a tab counts as four
	quotes int
	marker bool // of a list item
}

func (c *code) prefix(l []byte) (p prefix) {
	for range maxContainers {
		var blanks int
		blanks, p.indent = indent(l[p.length:])
		p.length += blanks
		rest := l[p.length:]
		if len(rest) > 0 && rest[0] == '>' && p.indent <= 3 {
			p.quotes++
			p.length++
		} else if n := marker(rest); n > 0 && (p.indent <= 3 || c.list || p.marker) {
			p.marker = true
			p.length += n
		} else {
			break
		}
	}
	return p
}

// indent returns the number of blanks that l begins with and their width, a tab counting as four.
func indent(l []byte) (n, width int) {
	for n < len(l) && (l[n] == ' ' || l[n] == '\t') {
		if width++; l[n] == '\t' {
			width += 3
		}
		n++
	}
	return n, width
}

var listMarker = pattern.Late(`^(?:[-*+]|[0-9]{1,9}[.)])[ \t]`)

// marker returns the length of the list marker that l begins with without its blank, 0 when there is none.
func marker(l []byte) int {
	if len(l) == 0 || strings.IndexByte("-*+0123456789", l[0]) < 0 {
		return 0
	}
	return max(0, len(listMarker().Find(l[:min(len(l), 12)]))-1)
}

// opens reads the fence that a line's text begins with.
func (c *code) opens(text []byte, p prefix) (fence, bool) {
	if len(text) == 0 || text[0] != '`' && text[0] != '~' {
		return fence{}, false
	}
	list := p.marker || c.list
	n := run(text, text[0])
	if n < 3 || p.indent > 3 && !list {
		return fence{}, false
	}
	if text[0] == '`' && bytes.IndexByte(firstLine(text[n:]), '`') >= 0 {
		return fence{}, false
	}
	return fence{char: text[0], length: n, quotes: p.quotes, list: list}, true
}

// closes reports whether the open fence is over with this line, and the line's length, 0 if only the quote around the fence ended.
func (c *code) closes(l []byte) (int, bool) {
	at := 0
	for range c.fence.quotes {
		n, _ := indent(l[at:])
		if at += n; at == len(l) || l[at] != '>' {
			return 0, true
		}
		at++
	}
	blanks, width := indent(l[at:])
	if at += blanks; at == len(l) || l[at] != c.fence.char || width > 3 && !c.fence.list && c.fence.quotes == 0 {
		return 0, false
	}
	n := run(l[at:], c.fence.char)
	rest := firstLine(l[at+n:])
	if n < c.fence.length || len(bytes.TrimRight(rest, " \t\r")) > 0 {
		return 0, false
	}
	return at + n + len(rest), true
}

// run returns how many bytes b v begins with.
func run(v []byte, b byte) int { return len(v) - len(bytes.TrimLeft(v, string(b))) }

// firstLine is v up to its first line end.
func firstLine(v []byte) []byte {
	line, _, _ := bytes.Cut(v, []byte("\n"))
	return line
}
