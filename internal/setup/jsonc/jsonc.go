// Package jsonc changes single members of JSON files that people write, with comments and trailing commas. Every other byte stays.
package jsonc

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/tailscale/hujson"

	"sdd/internal/fault"
	"sdd/internal/lines"
	"sdd/internal/pattern"
)

// Member is a name and its value: a string, bool, int, []string, []any or []Member. A list of Members is an object in that order.
type Member struct {
	Name  string
	Value any
}

const byteOrderMark = "\xef\xbb\xbf"

// mostBrackets bounds how deep a text can be nested: the parser calls itself for each level.
const mostBrackets = 1 << 18

// document is a parsed text and the object at the end of a path in it.
type document struct {
	src    []byte
	root   hujson.Value  // of src with a line end added, and blanks in place of a byte order mark
	empty  bool          // the text has no value at all
	at     *hujson.Value // the last object of the path that exists
	object *hujson.Object
	depth  int // the number of names of the path that lead to it
	member int // the index of the next name of the path in it, -1 when it is missing
}

func (d *document) failAt(at int, text string) error {
	return fault.New(fault.Broken, "%s", text).At("", 1+bytes.Count(d.src[:at], []byte("\n")))
}

func parse(src []byte, path ...string) (*document, error) {
	d := &document{src: src, member: -1}
	if bytes.Count(src, []byte("["))+bytes.Count(src, []byte("{")) > mostBrackets {
		return nil, d.failAt(0, fmt.Sprintf("it holds more than %d brackets", mostBrackets))
	}
	text := append(bytes.Clone(src), '\n') // which ends a comment in the last line
	if bytes.HasPrefix(src, []byte(byteOrderMark)) {
		copy(text, "   ")
	}
	var err error
	d.root, err = hujson.Parse(text)
	if d.root.Value == nil && len(d.root.BeforeExtra) == len(text) {
		d.empty = true
		return d, nil
	}
	if err != nil {
		var line, column int // "hujson: line 1, column 2: why"
		_, _ = fmt.Sscanf(err.Error(), "hujson: line %d, column %d", &line, &column)
		_, why, _ := strings.Cut(strings.TrimPrefix(err.Error(), "hujson: "), ": ")
		if strings.HasPrefix(why, "invalid literal") { // the rest is the value, which may be a secret
			why = "a name or value is not valid JSON"
		}
		return nil, fault.New(fault.Broken, "%s", why).At("", min(line, 1+bytes.Count(src, []byte("\n"))))
	}
	d.at = &d.root
	var ok bool
	if d.object, ok = d.at.Value.(*hujson.Object); !ok {
		return nil, d.failAt(d.at.StartOffset, "the file does not hold an object")
	}
	for n, name := range path {
		if d.member, err = d.find(name); err != nil || d.member < 0 || n == len(path)-1 {
			return d, err
		}
		d.at = &d.object.Members[d.member].Value
		if d.object, ok = d.at.Value.(*hujson.Object); !ok {
			return nil, d.failAt(d.at.StartOffset, "\""+name+"\" is not an object")
		}
		d.depth++
	}
	return d, nil
}

// find returns the index of the member of that name, -1 for none. Two of them are a fault, since programs differ in which they take.
func (d *document) find(name string) (int, error) {
	at := -1
	for i, m := range d.object.Members {
		if m.Name.Value.(hujson.Literal).String() != name {
			continue
		}
		if at >= 0 {
			return -1, d.failAt(m.Name.StartOffset, "the name \""+name+"\" is there twice")
		}
		at = i
	}
	return at, nil
}

func (d *document) has(path []string) bool {
	return !d.empty && d.depth == len(path)-1 && d.member >= 0
}

// pack returns the changed text, which must be valid.
func (d *document) pack() ([]byte, error) {
	out := d.root.Pack()
	out = out[:len(out)-1] // the line end that parse added
	if bytes.HasPrefix(d.src, []byte(byteOrderMark)) {
		copy(out, byteOrderMark)
	}
	if _, err := parse(out); err != nil {
		return nil, fault.New(fault.Internal, "the change would break the file: %v", err)
	}
	return out, nil
}

// Get returns the value at a path as encoding/json does, and the line of its member, from 1. Its fault is Broken and has a line.
func Get(src []byte, path ...string) (value any, line int, ok bool, err error) {
	d, err := parse(src, path...)
	if err != nil || !d.has(path) {
		return nil, 0, false, err
	}
	m := d.object.Members[d.member]
	if err := json.Unmarshal(plain(src[m.Value.StartOffset:m.Value.EndOffset]), &value); err != nil {
		return nil, 0, false, d.failAt(m.Value.StartOffset, "a value is not valid JSON")
	}
	return value, 1 + bytes.Count(src[:m.Name.StartOffset], []byte("\n")), true, nil
}

// plain returns a parsed value without comments and without commas before closing brackets.
func plain(src []byte) []byte {
	out, _ := hujson.Minimize(append(bytes.Clone(src), '\n'))
	return out
}

// Set returns the text with the value at a path. It creates missing objects of the path; an existing member keeps its place, and its
// bytes when it has that value; a new one comes last. Every other byte stays. An empty text counts as an empty object.
func Set(src []byte, value any, path ...string) ([]byte, error) {
	d, err := parse(src, path...)
	if err != nil {
		return nil, err
	}
	for i := len(path) - 1; i > d.depth; i-- {
		value = []Member{{path[i], value}}
	}
	st := d.style()
	if d.empty {
		text := st.render([]Member{{path[0], value}}, "") + st.newline
		if n := len(src); n > 0 && src[n-1] != '\n' && string(src) != byteOrderMark {
			text = st.newline + text
		}
		return slices.Concat(src, []byte(text)), nil
	}
	if d.member < 0 {
		d.insert(st, path[d.depth], value)
		return d.pack()
	}
	m := &d.object.Members[d.member]
	now := src[m.Value.StartOffset:m.Value.EndOffset]
	if sameValue(now, value) {
		return src, nil
	}
	indent, _ := d.indentOf(m.Name.StartOffset)
	st.flat = st.flat || !bytes.Contains(now, []byte("\n"))
	m.Value.Value = hujson.Literal(st.render(value, indent))
	return d.pack()
}

func sameValue(now []byte, value any) bool {
	var a, b any
	return json.Unmarshal(plain(now), &a) == nil && json.Unmarshal([]byte(Line(value)), &b) == nil && reflect.DeepEqual(a, b)
}

// insert adds a member to the object, after the others and the comments on the last one's line.
func (d *document) insert(st style, name string, value any) {
	o, gap := d.object, " "
	if st.tight {
		gap = ""
	}
	added := hujson.ObjectMember{Name: hujson.Value{Value: hujson.Literal(Quote(name))}}
	if !st.tight {
		added.Value.BeforeExtra = []byte(" ")
	}
	indent, _ := d.indentOf(d.at.StartOffset)
	if n := len(o.Members); n > 0 {
		last := o.Members[n-1]
		if last.Value.AfterExtra != nil { // a trailing comma
			added.Value.AfterExtra = []byte{}
		}
		st.flat = !bytes.Contains(d.src[d.at.StartOffset:d.at.EndOffset], []byte("\n"))
		added.Name.BeforeExtra = []byte(gap)
		own, first := d.indentOf(last.Name.StartOffset)
		closing, alone := d.indentOf(d.at.EndOffset - 1)
		switch {
		case !first:
			own = indent + st.unit
		case alone && strings.HasPrefix(own, closing) && len(own) > len(closing):
			st.unit = own[len(closing):]
		}
		indent = own
	} else if !st.flat {
		if len(bytes.TrimSpace(o.AfterExtra)) == 0 {
			o.AfterExtra = nil
		}
		if n := lineEnd(o.AfterExtra); !bytes.Contains(o.AfterExtra[n:], []byte("\n")) {
			o.AfterExtra = slices.Concat(o.AfterExtra[:n], []byte(st.newline+indent), o.AfterExtra[n:])
		}
		indent += st.unit
	}
	if !st.flat {
		n := lineEnd(o.AfterExtra)
		added.Name.BeforeExtra = slices.Concat(o.AfterExtra[:n], []byte(st.newline+indent))
		o.AfterExtra = o.AfterExtra[n:]
	}
	added.Value.Value = hujson.Literal(st.render(value, indent))
	o.Members = append(o.Members, added)
}

var firstLine = pattern.Late(`(?s)^(?:[^\n/]|/\*.*?\*/)*?(?://[^\n]*?)?(\r?\n)`)

// lineEnd returns the length of the blanks and comments up to the first line end outside of a block comment, 0 without one.
func lineEnd(extra []byte) int {
	if found := firstLine().FindSubmatchIndex(extra); found != nil {
		return found[2]
	}
	return 0
}

// Remove takes out the member at a path, and the objects above that are empty then, from number prune on: 1 is the outermost, 0 none.
func Remove(src []byte, prune int, path ...string) ([]byte, bool, error) {
	d, err := parse(src, path...)
	if err != nil || !d.has(path) {
		return src, false, err
	}
	if prune > 0 && d.depth >= prune && d.alone() {
		return Remove(src, prune, path[:d.depth]...)
	}
	d.cut()
	out, err := d.pack()
	return out, err == nil, err
}

// alone reports whether the object has one member and no comment beside it.
func (d *document) alone() bool {
	if len(d.object.Members) != 1 {
		return false
	}
	m := d.object.Members[0]
	return len(bytes.TrimSpace(slices.Concat(m.Name.BeforeExtra, m.Value.AfterExtra, d.object.AfterExtra))) == 0
}

// cut removes the member. The comments before it stay, the blanks between them and it go.
func (d *document) cut() {
	o, i := d.object, d.member
	if d.alone() {
		o.Members, o.AfterExtra = nil, nil
		return
	}
	before, last := o.Members[i].Name.BeforeExtra, i == len(o.Members)-1
	next := &o.AfterExtra
	if !last {
		next = &o.Members[i+1].Name.BeforeExtra
	}
	stays := bytes.TrimRight(before, " \t\r\n")
	following := bytes.TrimLeft(*next, " \t\r")
	if n := bytes.IndexByte(before[len(stays):], '\n'); n >= 0 && inLineComment(stays) && !bytes.HasPrefix(following, []byte("\n")) {
		stays = before[:len(stays)+n+1] // the comment needs its line end
	}
	if len(before) == 0 && !last { // on one line
		*next = bytes.TrimPrefix(*next, []byte(" "))
	}
	*next = slices.Concat(stays, *next)
	if last && i > 0 {
		previous := &o.Members[i-1].Value
		if o.Members[i].Value.AfterExtra != nil { // a trailing comma
			previous.AfterExtra = append([]byte{}, previous.AfterExtra...)
		} else {
			o.AfterExtra = slices.Concat(previous.AfterExtra, o.AfterExtra)
			previous.AfterExtra = nil
		}
	}
	o.Members = slices.Delete(o.Members, i, i+1)
}

// inLineComment reports whether blanks and comments end in a comment that only a line end closes: it swallows a value behind it.
func inLineComment(extra []byte) bool {
	_, err := hujson.Parse(append(bytes.Clone(extra), '0'))
	return err != nil
}

type style struct {
	newline string
	unit    string // of indentation
	flat    bool   // on one line
	tight   bool   // without blanks
}

func (d *document) style() style {
	st := style{newline: lines.Newline(d.src), unit: "  "}
	root, _ := d.root.Value.(*hujson.Object)
	if root == nil || len(root.Members) == 0 {
		return st
	}
	first := root.Members[0]
	if unit, alone := d.indentOf(first.Name.StartOffset); alone && unit != "" {
		st.unit = unit
	}
	st.flat = !bytes.Contains(d.src[d.root.StartOffset:d.root.EndOffset], []byte("\n"))
	st.tight = st.flat && len(first.Value.BeforeExtra) == 0
	return st
}

// indentOf returns the blanks at the start of an offset's line, and whether nothing else precedes the offset on it.
func (d *document) indentOf(at int) (indent string, first bool) {
	start := bytes.LastIndexByte(d.src[:at], '\n') + 1
	line := bytes.TrimPrefix(d.src[start:at], []byte(byteOrderMark))
	blank := line[:len(line)-len(bytes.TrimLeft(line, " \t"))]
	return string(blank), len(blank) == len(line)
}

// render writes a value that begins on a line with that indentation.
func (st style) render(value any, indent string) string {
	space := " "
	if st.tight {
		space = ""
	}
	switch v := value.(type) {
	case string:
		return Quote(v)
	case bool, int:
		return fmt.Sprint(v)
	case []any:
		parts := make([]string, len(v))
		for i, one := range v {
			parts[i] = st.render(one, indent+st.unit)
		}
		return st.list("[", parts, "]", indent)
	case []string:
		parts := make([]string, len(v))
		for i, s := range v {
			parts[i] = Quote(s)
		}
		return style{flat: true, tight: st.tight}.list("[", parts, "]", "")
	case []Member:
		parts := make([]string, len(v))
		for i, m := range v {
			parts[i] = Quote(m.Name) + ":" + space + st.render(m.Value, indent+st.unit)
		}
		return st.list("{", parts, "}", indent)
	}
	panic("jsonc: a value of another type")
}

// list writes parts between brackets, each on a line of its own unless the text is flat.
func (st style) list(open string, parts []string, closing, indent string) string {
	switch {
	case st.tight:
		return open + strings.Join(parts, ",") + closing
	case st.flat || len(parts) == 0:
		return open + strings.Join(parts, ", ") + closing
	}
	in := st.newline + indent + st.unit
	return open + in + strings.Join(parts, ","+in) + st.newline + indent + closing
}

// Line returns a value on one line, which TOML reads too unless it is an object.
func Line(value any) string { return style{flat: true}.render(value, "") }

// Quote returns a text as a JSON string, which is also one of TOML.
func Quote(s string) string { return strings.TrimSuffix(string(lines.JSON(s, "")), "\n") }
