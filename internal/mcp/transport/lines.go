package transport

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"runtime"
	"slices"
)

// maxMessage bounds a line of input, in bytes.
const maxMessage = 8 << 20

// lineReader splits a stream into lines. It uses at most twice maxMessage for a line.
type lineReader struct {
	r   *bufio.Reader
	buf []byte
}

// line is one line of input.
type line struct {
	text    []byte          // without its end; the caller owns it
	tooLong bool            // the line was over the limit, and text is empty
	id      json.RawMessage // of the request in a line that is too long, nil if it has none
	cut     bool            // the stream ended before the line did
}

func newLineReader(r io.Reader) *lineReader {
	return &lineReader{r: bufio.NewReaderSize(r, 64<<10)}
}

// waiting reports whether the buffer has a part of the next line.
func (l *lineReader) waiting() bool { return l.r.Buffered() > 0 }

// next returns the next line. After the last one it returns io.EOF, or the error of the stream.
func (l *lineReader) next() (line, error) {
	l.buf = nil
	for {
		part, err := l.r.ReadSlice('\n')
		if len(l.buf)+len(part) > maxMessage+len("\r\n") {
			return l.skip(part, err)
		}
		l.buf = append(roomFor(l.buf, len(part), maxMessage+len("\r\n")), part...)
		switch err {
		case bufio.ErrBufferFull:
		case nil:
			text := bytes.TrimRight(l.buf, "\r\n")
			if len(text) > maxMessage {
				return l.skip(nil, nil)
			}
			return line{text: text}, nil
		default:
			if len(l.buf) == 0 {
				return line{}, err
			}
			return line{text: l.buf, cut: true}, nil
		}
	}
}

// large is the size of a message, in bytes, above which the reader manages memory.
const large = 1 << 20

// roomFor returns buf with room for n more bytes, in total at most most. It grows in few large steps, which leave less garbage.
// Before the first step above large it frees the garbage of earlier messages, so that large messages do not add up, and then
// allocates the maximum.
func roomFor(buf []byte, n, most int) []byte {
	need := len(buf) + n
	switch {
	case need <= cap(buf):
		return buf
	case need <= large:
		return slices.Grow(buf, min(max(need, 4*cap(buf)), most)-len(buf))
	}
	runtime.GC()
	return slices.Grow(buf, most-len(buf))
}

// skip reads to the end of a line that is too long and keeps only the id.
func (l *lineReader) skip(part []byte, err error) (line, error) {
	var s idScanner
	s.scan(l.buf)
	l.buf = nil
	for {
		s.scan(part)
		if err == nil || err != bufio.ErrBufferFull {
			return line{tooLong: true, id: s.id(), cut: err != nil}, nil
		}
		part, err = l.r.ReadSlice('\n')
	}
}

// idScanner finds the id of a JSON-RPC request in a text that is never in memory as a whole, so
// that the server can answer the request with an error.
type idScanner struct {
	depth   int
	quoted  bool // inside a string
	escaped bool
	wanted  bool   // the next value is the id
	word    []byte // the current name or simple value in the outermost object
	found   []byte
}

// maxID bounds an id, in bytes.
const maxID = 4096

func (s *idScanner) scan(b []byte) {
	for _, c := range b {
		if s.quoted {
			s.keep(c)
			switch {
			case s.escaped:
				s.escaped = false
			case c == '\\':
				s.escaped = true
			case c == '"':
				s.quoted = false
			}
			continue
		}
		switch c {
		case '"':
			s.quoted, s.word = true, s.word[:0]
			s.keep(c)
		case '{', '[':
			s.depth++
			s.wanted = false
		case ':':
			s.wanted = s.depth == 1 && string(s.word) == `"id"`
			s.word = s.word[:0]
		case ',', '}', ']':
			if s.wanted && s.depth == 1 {
				s.found = append([]byte(nil), s.word...)
			}
			s.wanted, s.word = false, s.word[:0]
			if c != ',' {
				s.depth--
			}
		case ' ', '\t', '\r', '\n':
		default:
			s.keep(c)
		}
	}
}

func (s *idScanner) keep(c byte) {
	if s.depth == 1 && len(s.word) <= maxID {
		s.word = append(s.word, c)
	}
}

// id returns the id, nil if it found no valid one.
func (s *idScanner) id() json.RawMessage {
	if id, _, err := readID(s.found); err == nil {
		return id
	}
	return nil
}
