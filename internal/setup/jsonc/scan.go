// Package jsonc changes single members of JSON files that people write: with comments, commas before a closing
// bracket, a byte order mark, any line ends and any indentation. It splices: every byte that does not belong to the
// member stays as it is. A text that it cannot read it does not change.
package jsonc

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/tailscale/hujson"

	"sdd/internal/fault"
)

const byteOrderMark = "\xef\xbb\xbf"

// mostBrackets bounds how deep a text can be nested: the parser calls itself for each level.
const mostBrackets = 1 << 18

func failAt(src []byte, at int, text string) error {
	return fault.New(fault.Broken, "%s", text).At("", 1+bytes.Count(src[:at], []byte("\n")))
}

// member is one of an object.
type member struct {
	key        int // where its key begins
	name       string
	start, end int // of its value
	comma      int // behind its comma, 0 without one
	value      hujson.Value
}

// object is what lies between two braces.
type object struct {
	start, end int // at the opening brace, behind the closing one
	members    []member
}

// objectOf returns the places of an object and its members; ok is false for another value.
func objectOf(v hujson.Value) (o object, ok bool) {
	parsed, ok := v.Value.(*hujson.Object)
	if !ok {
		return o, false
	}
	o = object{start: v.StartOffset, end: v.EndOffset}
	for i, p := range parsed.Members {
		m := member{key: p.Name.StartOffset, name: p.Name.Value.(hujson.Literal).String(), start: p.Value.StartOffset, end: p.Value.EndOffset, value: p.Value}
		if i < len(parsed.Members)-1 || p.Value.AfterExtra != nil {
			m.comma = m.end + len(p.Value.AfterExtra) + 1
		}
		o.members = append(o.members, m)
	}
	return o, true
}

// root reads a whole text; empty says that it has no value at all.
func root(src []byte) (o object, empty bool, err error) {
	if bytes.Count(src, []byte("["))+bytes.Count(src, []byte("{")) > mostBrackets {
		return o, false, failAt(src, 0, fmt.Sprintf("it holds more than %d brackets", mostBrackets))
	}
	text := append(bytes.Clone(src), '\n') // which ends a comment in the last line
	if bytes.HasPrefix(src, []byte(byteOrderMark)) {
		copy(text, "   ")
	}
	v, err := hujson.Parse(text)
	if v.Value == nil && len(v.BeforeExtra) == len(text) {
		return o, true, nil
	}
	if err != nil {
		var line, column int // "hujson: line 1, column 2: why"
		_, _ = fmt.Sscanf(err.Error(), "hujson: line %d, column %d", &line, &column)
		_, why, _ := strings.Cut(strings.TrimPrefix(err.Error(), "hujson: "), ": ")
		if strings.HasPrefix(why, "invalid literal") { // the rest is the value, which may be a secret
			why = "a name or value is not valid JSON"
		}
		return o, false, fault.New(fault.Broken, "%s", why).At("", min(line, 1+bytes.Count(src, []byte("\n"))))
	}
	o, ok := objectOf(v)
	if !ok {
		return o, false, failAt(src, v.StartOffset, "the file does not hold an object")
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
		next, ok := objectOf(m.value)
		if !ok {
			return o, depth, false, failAt(src, m.start, "\""+path[depth]+"\" is not an object")
		}
		o = next
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
	out, _ := hujson.Minimize(append(bytes.Clone(src), '\n'))
	return out
}
