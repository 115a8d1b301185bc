package transcript

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"

	"sdd/internal/lines"
	"sdd/internal/pattern"
)

// readLines gives every line up to maxLine bytes to record, with its number. The last line counts only when it is whole JSON.
func readLines(r *bufio.Reader, record func(line []byte, n int) error) error {
	var line []byte
	for n := 1; ; n++ {
		var end error
		if line, end = lines.Read(r, line[:0], maxLine+1); end != nil && end != io.EOF {
			return end
		}
		if text := bytes.TrimSpace(line); len(line) <= maxLine && len(text) > 0 && text[0] == '{' {
			if err := record(text, n); err != nil {
				return err
			}
		}
		if end != nil {
			return nil
		}
	}
}

func startsJSON(head []byte) bool {
	head = bytes.TrimLeft(bytes.TrimPrefix(head, []byte("\ufeff")), " \r\n\t")
	return len(head) > 0 && head[0] == '{'
}

var recordStart = pattern.Late(`^\s*\{\s*"(?:kind|type|id|\$set|\$rewindTo)"\s*:`)

// isDocument reports whether a file with this beginning is one JSON object over the whole file.
func isDocument(head []byte) bool {
	if !startsJSON(head) {
		return false
	}
	line, _, whole := bytes.Cut(head, []byte("\n"))
	return !json.Valid(line) && (!recordStart().Match(line) || whole && len(bytes.TrimSpace(line)) == 1)
}

// readDocument gives the objects in the arrays of a document's root to record, each with its line. It holds one at a time; half an
// object at the end is left out.
func readDocument(r *bufio.Reader, record func(line []byte, n int) error) error {
	var buf []byte
	var open []byte // the brackets that are open
	line, start := 1, 0
	inString, escaped, long := false, false, false
	for {
		c, err := r.ReadByte()
		if err != nil {
			if err == io.EOF {
				return nil
			}
			return err
		}
		if c == '\n' {
			line++
		}
		if len(open) >= 3 && !long {
			buf = append(buf, c)
			if long = len(buf) > maxLine; long {
				buf = buf[:0]
			}
		}
		switch {
		case escaped:
			escaped = false
		case inString:
			escaped, inString = c == '\\', c != '"'
		case c == '"':
			inString = true
		case c == '{' || c == '[':
			if len(open) < 1000 {
				open = append(open, c)
			}
			if len(open) == 3 && string(open) == "{[{" {
				buf, start, long = append(buf[:0], c), line, false
			}
		case (c == '}' || c == ']') && len(open) > 0:
			if string(open) == "{[{" && !long && len(buf) > 0 {
				if err := record(buf, start); err != nil {
					return err
				}
				buf = buf[:0]
			}
			open = open[:len(open)-1]
		}
	}
}
