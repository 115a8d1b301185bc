package transport

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"regexp"

	"sdd/internal/pattern"
)

// maxMessage bounds a message of a client, in bytes.
const maxMessage = 4 << 20

// lineReader splits a stream into lines. It keeps at most maxMessage bytes of a line.
type lineReader struct{ r *bufio.Reader }

// line is one line of input.
type line struct {
	text    []byte          // without its end; the caller owns it
	tooLong bool            // the line was over the limit, and text is empty
	id      json.RawMessage // of the request in a line that is too long, nil if it has none
	cut     bool            // the stream ended before the line did
}

func newLineReader(r io.Reader) *lineReader {
	return &lineReader{bufio.NewReaderSize(r, 64<<10)}
}

// waiting reports whether the buffer has a part of the next line.
func (l *lineReader) waiting() bool { return l.r.Buffered() > 0 }

// next returns the next line. After the last one it returns io.EOF, or the error of the stream.
func (l *lineReader) next() (line, error) {
	var text bytes.Buffer
	var end []byte // of a line that is too long
	for {
		part, err := l.r.ReadSlice('\n')
		if text.Len()+len(part) <= maxMessage+len("\r\n") && end == nil {
			text.Write(part)
		} else {
			end = append(end, part...)
			end = end[max(0, len(end)-maxID):]
		}
		switch {
		case err == bufio.ErrBufferFull:
		case err != nil && text.Len() == 0:
			return line{}, err
		case end != nil:
			return line{tooLong: true, id: idOf(text.Bytes()[:maxID], end), cut: err != nil}, nil
		default:
			whole := bytes.TrimRight(text.Bytes(), "\r\n")
			if len(whole) > maxMessage {
				return line{tooLong: true, id: idOf(whole[:maxID], whole[len(whole)-maxID:])}, nil
			}
			return line{text: whole, cut: err != nil}, nil
		}
	}
}

// maxID bounds an id, in bytes.
const maxID = 4096

// The places where clients write the id of a request: at the start of the message or at its end. Neither pattern matches inside
// of a string or of a nested object.
var (
	idFirst = pattern.Late(`^\s*\{\s*(?:"jsonrpc"\s*:\s*"2\.0"\s*,\s*)?"id"\s*:\s*(-?\d+|"[^"\\]*")\s*,`)
	idLast  = pattern.Late(`,\s*"id"\s*:\s*(-?\d+|"[^"\\]*")\s*\}\s*$`)
)

// idOf finds the id in the first and last bytes of a request, so that the server can answer it with an error.
func idOf(start, end []byte) json.RawMessage {
	for _, at := range []struct {
		pattern *regexp.Regexp
		text    []byte
	}{{idLast(), end}, {idFirst(), start}} {
		if m := at.pattern.FindSubmatch(at.text); m != nil {
			return bytes.Clone(m[1])
		}
	}
	return nil
}
