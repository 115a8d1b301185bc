package signal

import (
	"bytes"
	"encoding/json"
	"io"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

const (
	maxDepth   = 4   // JSON in strings of JSON in …
	maxNesting = 512 // objects and arrays within each other
	maxWord    = 32  // bytes of a key or mark that are looked at
)

// marks are the authors of the strings in an object, by its role, its type, or its own key.
var marks = map[string]Source{
	"assistant": Assistant, "model": Assistant, "agent_message": Assistant,
	"user": User, "human": User, "user_message": User,
	"system": System, "developer": System,
	"tool": Tool, "function": Tool, "tool_use": Tool, "tool_result": Tool, "tool_call": Tool, "toolUseResult": Tool,
	"function_call": Tool, "function_call_output": Tool, "custom_tool_call": Tool, "custom_tool_call_output": Tool,
	"local_shell_call": Tool, "local_shell_call_output": Tool, "mcp_tool_call": Tool, "command_execution": Tool,
}

// jsonLine reads the line at the place of the scan as JSON. It reports false, and nothing is read, when it is
// something else. A line that is too long to be looked at as a whole is taken for JSON when it begins like a
// record; where it turns out not to be, it goes on as plain text.
func (s *scanner) jsonLine(in *stream, depth int, from Source) (bool, error) {
	v := in.view(s.ahead)
	v = v[:min(len(v), s.ahead)]
	whole := in.eof && len(v) < s.ahead
	if end := bytes.IndexByte(v, '\n'); end >= 0 {
		v, whole = v[:end], true
	}
	text := bytes.TrimLeft(v, " \t")
	member := len(text) > 0 && text[0] == '"'
	if !whole {
		if member || !record(text) {
			return false, nil
		}
		return true, s.json(in, depth, from, false)
	}
	if !mayHold(text) {
		if !member && record(text) { // most lines of a transcript
			in.skip(len(v))
			return true, nil
		}
		return false, nil
	}
	if member {
		text = bytes.TrimSuffix(bytes.TrimRight(text, " \t\r"), []byte(","))
		s.member = append(append(append(s.member[:0], '{'), text...), '}')
		text = s.member
	}
	if !json.Valid(text) {
		return false, nil
	}
	return true, s.json(in, depth, from, member)
}

// record reports whether text begins like a JSON object with a key, or like an array of such.
func record(text []byte) bool {
	text = bytes.TrimLeft(text[1:], " \t[{")
	return len(text) > 0 && text[0] == '"'
}

// mayHold reports whether JSON text may hold a signal, as it is or escaped.
func mayHold(text []byte) bool {
	return bytes.IndexByte(text, '<') >= 0 || bytes.Contains(text, []byte(`\u003`))
}

// frame is an object or array that the lexer is in.
type frame struct {
	object bool
	from   Source
}

// json scans the string values of the JSON value at the scan's place, or of the member of an object there, and
// stops behind it, or where it is no JSON.
func (s *scanner) json(in *stream, depth int, from Source, member bool) error {
	var stack []frame
	if member {
		stack = append(stack, frame{true, from})
	}
	atKey := member
	under := from // whose words the value is that comes next
	mark := false // it is the value of a role or a type
	for {
		v := in.view(1)
		if len(v) == 0 {
			return nil
		}
		switch b := v[0]; b {
		case ' ', '\t', ':':
		case '\n', '\r':
			return nil
		case ',':
			if len(stack) == 0 {
				return nil
			}
			top := stack[len(stack)-1]
			atKey, under, mark = top.object, top.from, false
		case '{', '[':
			if len(stack) == maxNesting {
				return nil
			}
			stack = append(stack, frame{b == '{', under})
			atKey, mark = b == '{', false
		case '}', ']':
			if len(stack) == 0 {
				return nil
			}
			if stack = stack[:len(stack)-1]; len(stack) == 0 {
				in.skip(1)
				return nil
			}
			atKey = false
		case '"':
			in.skip(1)
			ok := true
			var err error
			switch {
			case atKey:
				var word string
				word, ok = s.word(in)
				atKey, under, mark = false, stack[len(stack)-1].from, word == "role" || word == "type"
				if m, known := marks[word]; known && m == Tool {
					under = Tool
				}
			case mark:
				var word string
				word, ok = s.word(in)
				if m, known := marks[word]; known {
					stack[len(stack)-1].from = m
				}
			default:
				ok, err = s.value(in, depth, under)
			}
			if err != nil || !ok {
				return err
			}
			continue
		default:
			if !scalar(b) {
				return nil
			}
		}
		in.skip(1)
	}
}

// scalar reports whether b may be part of a number, true, false or null.
func scalar(b byte) bool {
	return '0' <= b && b <= '9' || 'a' <= b && b <= 'z' || b == '-' || b == '+' || b == '.' || b == 'E'
}

// value scans the rest of a string as a text of its own. It reports whether the string was well-formed.
func (s *scanner) value(in *stream, depth int, from Source) (bool, error) {
	if v := in.view(1); len(v) > 0 { // most strings are in view and hold no tag
		v = v[:min(len(v), s.ahead)]
		if end := closingQuote(v); end >= 0 && !mayHold(v[:end]) {
			in.skip(end + 1)
			return true, nil
		}
	}
	u := &unescape{in: in}
	text := &s.values[depth]
	text.reset(u, s.ahead, in.line)
	if err := s.text(text, depth+1, from); err != nil {
		return false, err
	}
	return !u.broken, nil
}

// word reads the rest of a short string; of a longer one it returns nothing.
func (s *scanner) word(in *stream) (string, bool) {
	u := &unescape{in: in}
	var word, more [maxWord]byte
	n, err := io.ReadFull(u, word[:])
	for err == nil {
		_, err = io.ReadFull(u, more[:])
		n = 0
	}
	return string(word[:n]), !u.broken
}

// closingQuote returns the place of the quote that ends a string, -1 when it is not in v.
func closingQuote(v []byte) int {
	for at := 0; ; at++ {
		i := bytes.IndexByte(v[at:], '"')
		if i < 0 {
			return -1
		}
		at += i
		n := 0
		for n < at && v[at-1-n] == '\\' {
			n++
		}
		if n%2 == 0 {
			return at
		}
	}
}

// unescape reads the rest of a JSON string from a stream, decoded, and moves behind its closing quote.
type unescape struct {
	in     *stream
	done   bool
	broken bool   // it ended without a quote
	rest   []byte // decoded, and not read yet
	bytes  [utf8.UTFMax]byte
}

func (u *unescape) Read(p []byte) (int, error) {
	n := 0
	for n < len(p) {
		if len(u.rest) > 0 {
			k := copy(p[n:], u.rest)
			n, u.rest = n+k, u.rest[k:]
			continue
		}
		if u.done {
			return n, io.EOF
		}
		v := u.in.view(2 * len(`\u0000`))
		k := 0
		for k < len(v) && k < len(p)-n && v[k] != '"' && v[k] != '\\' && v[k] >= ' ' {
			k++
		}
		if k > 0 {
			n += copy(p[n:], v[:k])
			u.in.skip(k)
			continue
		}
		switch {
		case len(v) > 0 && v[0] == '"':
			u.in.skip(1)
			u.done = true
		case len(v) > 1 && v[0] == '\\':
			u.escape(v)
		default:
			u.done, u.broken = true, true
		}
	}
	return n, nil
}

// escape decodes the escape that v begins with.
func (u *unescape) escape(v []byte) {
	if i := bytes.IndexByte([]byte(`"\/bfnrt`), v[1]); i >= 0 {
		u.bytes[0] = "\"\\/\b\f\n\r\t"[i]
		u.rest = u.bytes[:1]
		u.in.skip(2)
		return
	}
	r, ok := hex(v)
	if !ok {
		u.done, u.broken = true, true
		return
	}
	n := len(`\u0000`)
	if utf16.IsSurrogate(r) {
		low, _ := hex(v[n:])
		if r = utf16.DecodeRune(r, low); r != utf8.RuneError {
			n *= 2
		}
	}
	u.rest = u.bytes[:utf8.EncodeRune(u.bytes[:], r)]
	u.in.skip(n)
}

// hex reads a \u escape.
func hex(v []byte) (rune, bool) {
	if len(v) < len(`\u0000`) || v[0] != '\\' || v[1] != 'u' {
		return 0, false
	}
	r, err := strconv.ParseUint(string(v[2:6]), 16, 16)
	return rune(r), err == nil
}
