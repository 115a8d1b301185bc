// Package jsonc changes single members of JSON files that people write: with comments, commas before a closing
// bracket, a byte order mark, any line ends and any indentation. It splices: every byte that does not belong to the
// member stays as it is. A text that it cannot read it does not change.
package jsonc

import (
	"bytes"
	"encoding/json"

	"sdd/internal/fault"
)

const (
	byteOrderMark = "\xef\xbb\xbf"
	maxDepth      = 1000
)

// scanner walks over a text.
type scanner struct {
	src   []byte
	at    int
	depth int
}

// fail is a fault that is Broken, with the line where the scanner stands.
func (s *scanner) fail(text string) error { return failAt(s.src, s.at, text) }

func failAt(src []byte, at int, text string) error {
	at = min(at, len(src))
	return fault.New(fault.Broken, "%s", text).At("", 1+bytes.Count(src[:at], []byte("\n")))
}

// blank passes over white space and comments.
func (s *scanner) blank() error {
	for s.at < len(s.src) {
		switch c := s.src[s.at]; {
		case c == ' ' || c == '\t' || c == '\r' || c == '\n':
			s.at++
		case c == '/' && s.at+1 < len(s.src) && s.src[s.at+1] == '/':
			n := bytes.IndexByte(s.src[s.at:], '\n')
			if n < 0 {
				s.at = len(s.src)
				return nil
			}
			s.at += n + 1
		case c == '/' && s.at+1 < len(s.src) && s.src[s.at+1] == '*':
			n := bytes.Index(s.src[s.at+2:], []byte("*/"))
			if n < 0 {
				return s.fail("a comment has no end")
			}
			s.at += n + 4
		default:
			return nil
		}
	}
	return nil
}

// peek returns the next byte, 0 at the end.
func (s *scanner) peek() byte {
	if s.at < len(s.src) {
		return s.src[s.at]
	}
	return 0
}

// text passes over a string.
func (s *scanner) text() error {
	start, plain := s.at, true
	for s.at++; s.at < len(s.src); s.at++ {
		switch c := s.src[s.at]; {
		case c == '\\':
			s.at++
			plain = false
		case c == '\n':
			return s.fail("a string has no end in its line")
		case c < ' ':
			plain = false
		case c == '"':
			s.at++
			if !plain && !json.Valid(s.src[start:s.at]) {
				s.at = start
				return s.fail("a string is not valid JSON")
			}
			return nil
		}
	}
	s.at = start
	return s.fail("a string has no end")
}

// value passes over one value.
func (s *scanner) value() error {
	switch c := s.peek(); {
	case c == '{':
		_, err := s.object()
		return err
	case c == '[':
		return s.list()
	case c == '"':
		return s.text()
	case c == 0 && s.at >= len(s.src):
		return s.fail("the file ends where a value is due")
	}
	start := s.at
	for s.at < len(s.src) && (s.src[s.at] == '-' || s.src[s.at] == '+' || s.src[s.at] == '.' || '0' <= s.src[s.at] && s.src[s.at] <= '9' ||
		'a' <= s.src[s.at] && s.src[s.at] <= 'z' || 'A' <= s.src[s.at] && s.src[s.at] <= 'Z') {
		s.at++
	}
	if !json.Valid(s.src[start:s.at]) {
		s.at = start
		return s.fail("a value is not valid JSON")
	}
	return nil
}

func (s *scanner) deeper() error {
	if s.depth++; s.depth > maxDepth {
		return s.fail("values are nested deeper than 1000 levels")
	}
	return nil
}

func (s *scanner) list() error {
	if err := s.deeper(); err != nil {
		return err
	}
	for s.at++; ; {
		if err := s.blank(); err != nil {
			return err
		}
		if s.peek() == ']' {
			s.at++
			s.depth--
			return nil
		}
		if err := s.value(); err != nil {
			return err
		}
		if err := s.blank(); err != nil {
			return err
		}
		switch s.peek() {
		case ',':
			s.at++
		case ']':
		default:
			return s.fail("a comma or ] is missing")
		}
	}
}

// member is one of an object.
type member struct {
	key        int // where its key begins
	name       string
	start, end int // of its value
	comma      int // behind its comma, 0 without one
}

// object is what lies between two braces.
type object struct {
	start, end int // at the opening brace, behind the closing one
	members    []member
}

func (s *scanner) object() (object, error) {
	o := object{start: s.at}
	if err := s.deeper(); err != nil {
		return o, err
	}
	for s.at++; ; {
		if err := s.blank(); err != nil {
			return o, err
		}
		if s.peek() == '}' {
			s.at++
			s.depth--
			o.end = s.at
			return o, nil
		}
		if s.peek() != '"' {
			return o, s.fail("a name in quotes is missing")
		}
		m := member{key: s.at}
		if err := s.text(); err != nil {
			return o, err
		}
		if key := s.src[m.key:s.at]; bytes.IndexByte(key, '\\') < 0 {
			m.name = string(key[1 : len(key)-1])
		} else if err := json.Unmarshal(key, &m.name); err != nil {
			return o, s.fail("a name is not valid JSON")
		}
		if err := s.blank(); err != nil {
			return o, err
		}
		if s.peek() != ':' {
			return o, s.fail("a colon is missing")
		}
		s.at++
		if err := s.blank(); err != nil {
			return o, err
		}
		m.start = s.at
		if err := s.value(); err != nil {
			return o, err
		}
		m.end = s.at
		if err := s.blank(); err != nil {
			return o, err
		}
		switch s.peek() {
		case ',':
			s.at++
			m.comma = s.at
		case '}':
		default:
			return o, s.fail("a comma or } is missing")
		}
		o.members = append(o.members, m)
	}
}

// root reads a whole text; empty says that it has no value at all.
func root(src []byte) (o object, empty bool, err error) {
	s := &scanner{src: src}
	if bytes.HasPrefix(src, []byte(byteOrderMark)) {
		s.at = len(byteOrderMark)
	}
	if err := s.blank(); err != nil {
		return o, false, err
	}
	if s.at == len(src) {
		return o, true, nil
	}
	if s.peek() != '{' {
		return o, false, s.fail("the file does not hold an object")
	}
	if o, err = s.object(); err != nil {
		return o, false, err
	}
	if err := s.blank(); err != nil {
		return o, false, err
	}
	if s.at != len(src) {
		return o, false, s.fail("something follows the object")
	}
	return o, false, nil
}

// find returns the member of that name. Two of them are a fault: which one a program takes is not said.
func (o object) find(src []byte, name string) (int, error) {
	at := -1
	for i, m := range o.members {
		if m.name != name {
			continue
		}
		if at >= 0 {
			return -1, failAt(src, m.key, "the name \""+name+"\" is there twice")
		}
		at = i
	}
	return at, nil
}

// objectAt reads the object that begins at a place of a text that was read before.
func objectAt(src []byte, at int) (object, error) { return (&scanner{src: src, at: at}).object() }

// follow goes down a path and returns the last object that there is, and how many names of the path led to it.
func follow(src []byte, path []string) (o object, depth int, empty bool, err error) {
	o, empty, err = root(src)
	if err != nil || empty {
		return o, 0, empty, err
	}
	for depth < len(path)-1 {
		i, err := o.find(src, path[depth])
		if err != nil || i < 0 {
			return o, depth, false, err
		}
		m := o.members[i]
		if src[m.start] != '{' {
			return o, depth, false, failAt(src, m.start, "\""+path[depth]+"\" is not an object")
		}
		if o, err = objectAt(src, m.start); err != nil {
			return o, depth, false, err
		}
		depth++
	}
	_, err = o.find(src, path[len(path)-1])
	return o, depth, false, err
}

// Get returns the value at a path as encoding/json does, and the line on which its member begins, from 1; ok is false
// where there is none. Its fault is Broken and has a line.
func Get(src []byte, path ...string) (value any, line int, ok bool, err error) {
	o, depth, empty, err := follow(src, path)
	if err != nil || empty || depth < len(path)-1 {
		return nil, 0, false, err
	}
	i, _ := o.find(src, path[depth]) // follow looked
	if i < 0 {
		return nil, 0, false, nil
	}
	m := o.members[i]
	if err := json.Unmarshal(plain(src[m.start:m.end]), &value); err != nil {
		return nil, 0, false, failAt(src, m.start, "a value is not valid JSON")
	}
	return value, 1 + bytes.Count(src[:m.key], []byte("\n")), true, nil
}

// plain returns a value that was read before without comments and without commas before closing brackets.
func plain(src []byte) []byte {
	s := &scanner{src: src}
	var out []byte
	for {
		if s.blank() != nil || s.at >= len(src) {
			return out
		}
		start := s.at
		switch s.src[s.at] {
		case '"':
			if s.text() != nil {
				return out
			}
		case '}', ']':
			out = bytes.TrimSuffix(out, []byte(","))
			s.at++
		default:
			s.at++
		}
		out = append(out, src[start:s.at]...)
	}
}
