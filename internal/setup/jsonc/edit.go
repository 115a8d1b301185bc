package jsonc

import (
	"bytes"
	"encoding/json"
	"reflect"
	"slices"
	"strings"

	"sdd/internal/fault"
)

// Member is a name and its value: a string, bool, []string or []Member. A list of Members is an object in that order.
type Member struct {
	Name  string
	Value any
}

// style is how a text is set.
type style struct {
	newline string
	unit    string // of indentation
	flat    bool   // on one line
	tight   bool   // without spaces
}

// Quote returns a text as a JSON string, which is one of TOML too.
func Quote(s string) string {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(s); err != nil {
		panic(err) // a string
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// render writes a value whose line is indented by indent.
func (st style) render(value any, indent string) string {
	space := " "
	if st.tight {
		space = ""
	}
	switch v := value.(type) {
	case string:
		return Quote(v)
	case bool:
		if v {
			return "true"
		}
		return "false"
	case []string:
		parts := make([]string, len(v))
		for i, s := range v {
			parts[i] = Quote(s)
		}
		return "[" + strings.Join(parts, ","+space) + "]"
	case []Member:
		parts := make([]string, len(v))
		for i, m := range v {
			parts[i] = Quote(m.Name) + ":" + space + st.render(m.Value, indent+st.unit)
		}
		switch {
		case len(v) == 0:
			return "{}"
		case st.flat:
			return "{" + strings.Join(parts, ","+space) + "}"
		}
		in := st.newline + indent + st.unit
		return "{" + in + strings.Join(parts, ","+in) + st.newline + indent + "}"
	}
	panic("jsonc: a value of another type")
}

// styleOf reads the style off a text.
func styleOf(src []byte, o object) style {
	st := style{newline: "\n", unit: "  "}
	if n := bytes.IndexByte(src, '\n'); n > 0 && src[n-1] == '\r' {
		st.newline = "\r\n"
	}
	if len(o.members) == 0 {
		return st
	}
	m := o.members[0]
	if unit, first := indentOf(src, m.key); first && unit != "" {
		st.unit = unit
	}
	st.flat = !bytes.Contains(src[o.start:o.end], []byte("\n"))
	st.tight = st.flat && src[m.start-1] == ':'
	return st
}

// indentOf returns the white space that the line of a place begins with, and whether nothing else is before it.
func indentOf(src []byte, at int) (indent string, first bool) {
	start := bytes.LastIndexByte(src[:at], '\n') + 1
	line := bytes.TrimPrefix(src[start:at], []byte(byteOrderMark))
	blank := line[:len(line)-len(bytes.TrimLeft(line, " \t"))]
	return string(blank), len(blank) == len(line)
}

// Set returns the text with the value at a path. Objects of the path that are missing are made; a member that is
// there keeps its place, and its bytes where it has that value; a new one comes last. Every other byte stays. An empty text counts as an empty object.
func Set(src []byte, value any, path ...string) ([]byte, error) {
	o, depth, empty, err := follow(src, path)
	if err != nil {
		return nil, err
	}
	for i := len(path) - 1; i > depth; i-- {
		value = []Member{{path[i], value}}
	}
	if empty {
		st := styleOf(src, object{})
		text := st.render([]Member{{path[0], value}}, "") + st.newline
		if n := len(src); n > 0 && src[n-1] != '\n' && string(src) != byteOrderMark {
			text = st.newline + text
		}
		return slices.Concat(src, []byte(text)), nil
	}
	top, _, err := root(src)
	if err != nil {
		return nil, err
	}
	st := styleOf(src, top)
	i, _ := o.find(src, path[depth]) // follow looked
	var out []byte
	if i >= 0 {
		m := o.members[i]
		if same(src[m.start:m.end], value) {
			return src, nil
		}
		indent, _ := indentOf(src, m.key)
		st.flat = st.flat || !bytes.Contains(src[m.start:m.end], []byte("\n"))
		out = slices.Concat(src[:m.start], []byte(st.render(value, indent)), src[m.end:])
	} else {
		out = st.insert(src, o, Member{path[depth], value})
	}
	if _, _, err := root(out); err != nil {
		return nil, fault.New(fault.Internal, "the change would break the file: %v", err)
	}
	return out, nil
}

// same reports whether a value that was read before is already what it is to be.
func same(now []byte, value any) bool {
	var a, b any
	return json.Unmarshal(plain(now), &a) == nil && json.Unmarshal([]byte(style{flat: true}.render(value, "")), &b) == nil && reflect.DeepEqual(a, b)
}

// insert puts a member behind the others.
func (st style) insert(src []byte, o object, m Member) []byte {
	inside := src[o.start:o.end]
	colon := ": "
	if st.tight {
		colon = ":"
	}
	if len(o.members) == 0 {
		indent, _ := indentOf(src, o.start)
		if st.flat {
			text := Quote(m.Name) + colon + st.render(m.Value, "")
			return slices.Concat(src[:o.start+1], []byte(text), src[o.start+1:])
		}
		text := st.newline + indent + st.unit + Quote(m.Name) + colon + st.render(m.Value, indent+st.unit)
		at := o.start + 1
		if blank := bytes.TrimSpace(src[o.start+1 : o.end-1]); len(blank) == 0 {
			return slices.Concat(src[:at], []byte(text+st.newline+indent), src[o.end-1:])
		}
		at = lineEnd(src, at, o.end-1) // comments stay
		if !bytes.Contains(src[at:o.end], []byte("\n")) {
			text += st.newline + indent
		}
		return slices.Concat(src[:at], []byte(text), src[at:])
	}
	last := o.members[len(o.members)-1]
	anchor, before, after := last.end, ",", ""
	if last.comma > 0 {
		anchor, before, after = last.comma, "", ","
	}
	if !bytes.Contains(inside, []byte("\n")) {
		st.flat = true
		gap := " "
		if st.tight {
			gap = ""
		}
		text := before + gap + Quote(m.Name) + colon + st.render(m.Value, "") + after
		return slices.Concat(src[:anchor], []byte(text), src[anchor:])
	}
	indent, first := indentOf(src, last.key)
	if !first {
		outer, _ := indentOf(src, o.start)
		indent = outer + st.unit
	} else if outer, alone := indentOf(src, o.end-1); alone && strings.HasPrefix(indent, outer) && len(indent) > len(outer) {
		st.unit = indent[len(outer):]
	}
	text := st.newline + indent + Quote(m.Name) + colon + st.render(m.Value, indent) + after
	at := lineEnd(src, anchor, o.end-1)
	return slices.Concat(src[:anchor], []byte(before), src[anchor:at], []byte(text), src[at:])
}

// lineEnd returns the end of the line of a place, behind the comments that begin on it, or the place itself where
// something else than blanks and comments follows on the line.
func lineEnd(src []byte, from, limit int) int {
	for at := from; at < limit; {
		switch c := src[at]; {
		case c == '\n' && at > from && src[at-1] == '\r':
			return at - 1
		case c == '\n':
			return at
		case c == ' ' || c == '\t' || c == '\r':
			at++
		case c == '/' && src[at+1] == '/':
			at += max(bytes.IndexByte(src[at:], '\n'), 0)
		case c == '/':
			at += 4 + bytes.Index(src[at+2:], []byte("*/"))
		default:
			return from
		}
	}
	return from
}

// Remove returns the text without the member at a path, and whether there was one. Of the objects on the path that
// are empty then, those from the one that prune names on go with it: 1 is the outermost, 0 removes none. Every other
// byte stays.
func Remove(src []byte, prune int, path ...string) ([]byte, bool, error) {
	o, depth, empty, err := follow(src, path)
	if err != nil || empty || depth < len(path)-1 {
		return src, false, err
	}
	i, _ := o.find(src, path[depth]) // follow looked
	if i < 0 {
		return src, false, nil
	}
	if prune > 0 && depth >= prune && len(o.members) == 1 && alone(src, o) {
		return Remove(src, prune, path[:depth]...)
	}
	out := cut(src, o, i)
	if _, _, err := root(out); err != nil {
		return nil, false, fault.New(fault.Internal, "the change would break the file: %v", err)
	}
	return out, true, nil
}

// alone reports whether an object of one member holds no comment beside it.
func alone(src []byte, o object) bool {
	m := o.members[0]
	return len(bytes.TrimSpace(src[o.start+1:m.key])) == 0 && len(bytes.Trim(src[m.end:o.end-1], " \t\r\n,")) == 0
}

// cut takes a member out, with the comma that it needed.
func cut(src []byte, o object, i int) []byte {
	m := o.members[i]
	if len(o.members) == 1 && alone(src, o) {
		return slices.Concat(src[:o.start+1], src[o.end-1:])
	}
	from := m.key
	for strings.IndexByte(" \t\r\n", src[from-1]) >= 0 {
		from--
	}
	to := max(m.end, m.comma)
	before := o.start + 1
	if i > 0 {
		before = o.members[i-1].comma
	}
	if n := bytes.IndexByte(src[from:m.key], '\n'); n >= 0 && inLineComment(src[before:from]) && !blankLine(src[to:]) {
		from += n + 1 // the comment needs its line end
	}
	if i == len(o.members)-1 && m.comma == 0 && i > 0 {
		comma := o.members[i-1].comma
		return slices.Concat(src[:comma-1], src[comma:from], src[to:])
	}
	return slices.Concat(src[:from], src[to:])
}

// blankLine reports whether a text begins with a line end, blanks aside.
func blankLine(src []byte) bool {
	rest := bytes.TrimLeft(src, " \t\r")
	return len(rest) > 0 && rest[0] == '\n'
}

// inLineComment reports whether blanks and comments end in a comment that only a line end closes.
func inLineComment(src []byte) bool {
	for {
		src = bytes.TrimLeft(src, " \t\r\n")
		end, close := bytes.IndexByte(src, '\n'), 1
		if bytes.HasPrefix(src, []byte("/*")) {
			end, close = bytes.Index(src[2:], []byte("*/")), 4
		}
		switch {
		case !bytes.HasPrefix(src, []byte("/")):
			return false
		case end < 0:
			return true
		}
		src = src[end+close:]
	}
}
