package setup

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/BurntSushi/toml"

	"sdd/internal/fault"
	"sdd/internal/setup/jsonc"
)

// A table of a TOML file is put in and taken out as lines of text. What the file says is read before and after by a
// parser: a change that would do anything else is not made.

// tomlTable is where a table of that path lies.
type tomlTable struct{ path []string }

func readTOML(src []byte) (map[string]any, error) {
	all := map[string]any{}
	err := toml.Unmarshal(src, &all)
	var bad toml.ParseError
	if errors.As(err, &bad) {
		return nil, fault.New(fault.Broken, "%s", bad.Message).At("", bad.Position.Line)
	}
	if err != nil {
		return nil, fault.New(fault.Broken, "%v", err)
	}
	return all, nil
}

// get returns the table as a map; ok is false where there is none.
func (t tomlTable) get(src []byte) (value any, line int, ok bool, err error) {
	all, err := readTOML(src)
	if err != nil {
		return nil, 0, false, err
	}
	if value, ok = t.in(all); ok {
		line = t.line(src)
	}
	return value, line, ok, nil
}

// line is where a table that is there begins.
func (t tomlTable) line(src []byte) int {
	start, _ := t.find(src)
	if parts := t.parts(src); start < 0 && len(parts) > 0 {
		start = parts[0].start
	}
	return 1 + bytes.Count(src[:max(start, 0)], []byte("\n"))
}

func (t tomlTable) in(all map[string]any) (any, bool) {
	at := all
	for i, name := range t.path {
		value, ok := at[name]
		if i == len(t.path)-1 || !ok {
			return value, ok
		}
		if at, ok = value.(map[string]any); !ok {
			return nil, false
		}
	}
	return nil, false
}

// without takes the table out of what a file says, and those above it that are empty then.
func (t tomlTable) without(all map[string]any) map[string]any {
	all = maps.Clone(all)
	below, ok := all[t.path[0]].(map[string]any)
	if len(t.path) == 1 {
		delete(all, t.path[0])
	} else if ok {
		if below = (tomlTable{t.path[1:]}).without(below); len(below) > 0 {
			all[t.path[0]] = below
		} else {
			delete(all, t.path[0])
		}
	}
	return all
}

// set returns the file with those keys in the table; other keys of it stay. A new one comes last.
func (t tomlTable) set(src []byte, entry []jsonc.Member) ([]byte, error) {
	all, err := readTOML(src)
	if err != nil {
		return nil, err
	}
	var out []byte
	start, _ := t.find(src)
	_, there := t.in(all)
	switch {
	case there && start < 0:
		return nil, fault.New(fault.Broken, "%s is there, but not as a table with a heading of its own", strings.Join(t.path, ".")).At("", t.line(src))
	case !there && t.closed(all, src):
		return nil, fault.New(fault.Broken, "%s is written in braces or with dots, and takes no table with a heading", t.path[0])
	case !there:
		text := "[" + strings.Join(t.path, ".") + "]\n"
		for _, m := range entry {
			text += tomlLine(m) + "\n"
		}
		out = withBlockBehind(src, text)
	default:
		out = slices.Clone(src)
		for _, m := range slices.Backward(entry) {
			out = t.setKey(out, start, m)
		}
	}
	return out, t.check(all, out, entry)
}

// closed reports whether the table above this one is there, but under no heading: parsers differ in what may be added then.
func (t tomlTable) closed(all map[string]any, src []byte) bool {
	start, _ := tomlTable{t.path[:1]}.find(src)
	return all[t.path[0]] != nil && start < 0
}

// remove returns the file without the table.
func (t tomlTable) remove(src []byte, _ int) ([]byte, bool, error) {
	all, err := readTOML(src)
	if err != nil {
		return nil, false, err
	}
	if _, there := t.in(all); !there {
		return src, false, nil
	}
	out := src
	if start, end := t.find(src); start >= 0 {
		out = withoutBlockAt(src, start, end)
	} else {
		for _, p := range slices.Backward(t.parts(src)) {
			out = concat(out[:p.start], nil, out[p.end:])
		}
	}
	if err := t.check(all, out, nil); err != nil {
		return nil, false, fault.Of(err).At("", t.line(src))
	}
	return out, true, nil
}

// check compares what a file said and says: the table holds the entry, or is gone without one, and all else is the same.
func (t tomlTable) check(before map[string]any, out []byte, entry []jsonc.Member) error {
	after, err := readTOML(out)
	if err == nil && !reflect.DeepEqual(t.without(before), t.without(after)) {
		err = errors.New("it would say something else elsewhere")
	}
	if err == nil {
		now, there := t.in(after)
		if there != (entry != nil) || there && !sameEntry(now, entry) {
			err = errors.New("it would not say what it should")
		}
	}
	if err != nil {
		return fault.New(fault.Broken, "the table %s cannot be changed here: %v", strings.Join(t.path, "."), err)
	}
	return nil
}

// tomlLine writes a key.
func tomlLine(m jsonc.Member) string {
	switch v := m.Value.(type) {
	case []string:
		parts := make([]string, len(v))
		for i, s := range v {
			parts[i] = jsonc.Quote(s)
		}
		return m.Name + " = [" + strings.Join(parts, ", ") + "]"
	case string:
		return m.Name + " = " + jsonc.Quote(v)
	}
	return fmt.Sprintf("%s = %v", m.Name, m.Value)
}

// setKey changes the line of a key of the table that begins at start, or puts one in below the heading.
func (t tomlTable) setKey(src []byte, start int, m jsonc.Member) []byte {
	line := []byte(tomlLine(m))
	at := start
	for first := true; at < len(src); first = false {
		next := lineAfter(src, at)
		text := bytes.TrimRight(src[at:next], "\r\n")
		if _, heading := tomlHeading(text); heading && !first {
			break
		}
		if name, _, ok := bytes.Cut(text, []byte("=")); ok && string(bytes.TrimSpace(name)) == m.Name {
			return concat(src[:at], line, src[at+len(text):])
		}
		at = next
	}
	at = lineAfter(src, start)
	if !bytes.HasSuffix(src[:at], []byte("\n")) {
		return concat(src[:at], []byte(newlineOf(src)+string(line)), nil)
	}
	return concat(src[:at], []byte(string(line)+newlineOf(src)), src[at:])
}

// find returns where the table begins and ends, those below it included, and the blank and comment lines behind it not;
// start is -1 where no heading names it.
func (t tomlTable) find(src []byte) (start, end int) {
	start = -1
	open := "" // the quotes of a text of several lines
	for at := 0; at < len(src); {
		next := lineAfter(src, at)
		text := bytes.TrimSpace(src[at:next])
		path, heading := tomlHeading(text)
		if open != "" {
			path, heading = nil, false
		}
		open = tomlQuotes(open, string(text))
		ours := len(path) >= len(t.path) && slices.Equal(path[:len(t.path)], t.path)
		switch {
		case heading && start >= 0 && !ours:
			return start, end
		case heading && ours && start < 0:
			start = at
		}
		if start >= 0 && len(text) > 0 && text[0] != '#' {
			end = next
		}
		at = next
	}
	return start, end
}

// tomlPart is a statement of a file.
type tomlPart struct{ start, end int }

// parts returns the statements that make the table where no heading names it: with dots, or in braces.
func (t tomlTable) parts(src []byte) (parts []tomlPart) {
	var heading []byte
	start := len(src) - len(bytes.TrimPrefix(src, []byte(byteOrderMark)))
	for at := start; at < len(src); {
		at = lineAfter(src, at)
		if _, ok := tomlHeading(src[start:at]); ok {
			heading, start = src[start:at], at
			continue
		}
		said, err := readTOML(concat(heading, src[start:at], nil))
		if err != nil {
			continue // it goes on in the next line
		}
		if _, there := t.in(said); there {
			parts = append(parts, tomlPart{start, at})
		}
		start = at
	}
	return parts
}

// tomlQuotes returns the quotes of a text of several lines that is open behind a line, "" where none is.
func tomlQuotes(open, line string) string {
	if open == "" && strings.HasPrefix(line, "#") {
		return ""
	}
	for {
		if open == "" {
			single, double := strings.Index(line, "'''"), strings.Index(line, `"""`)
			switch {
			case single < 0 && double < 0:
				return ""
			case double < 0 || single >= 0 && single < double:
				open, line = "'''", line[single+3:]
			default:
				open, line = `"""`, line[double+3:]
			}
		}
		_, rest, closes := strings.Cut(line, open)
		if !closes {
			return open
		}
		open, line = "", rest
	}
}

func lineAfter(src []byte, at int) int {
	if n := bytes.IndexByte(src[at:], '\n'); n >= 0 {
		return at + n + 1
	}
	return len(src)
}

// tomlHeading reads a line as the heading of a table. One of a list of tables is one without a path.
func tomlHeading(line []byte) (path []string, ok bool) {
	line = bytes.TrimPrefix(bytes.TrimSpace(line), []byte(byteOrderMark))
	if bytes.HasPrefix(line, []byte("[[")) {
		return nil, true
	}
	rest, ok := bytes.CutPrefix(line, []byte("["))
	for ok {
		rest = bytes.TrimLeft(rest, " \t")
		var name string
		if len(rest) > 0 && (rest[0] == '"' || rest[0] == '\'') {
			n := bytes.IndexByte(rest[1:], rest[0])
			if n < 0 {
				return nil, false
			}
			name, rest = string(rest[1:n+1]), rest[n+2:]
		} else {
			n := bytes.IndexAny(rest, ".] \t")
			if n <= 0 {
				return nil, false
			}
			name, rest = string(rest[:n]), rest[n:]
		}
		path = append(path, name)
		rest = bytes.TrimLeft(rest, " \t")
		if len(rest) > 0 && rest[0] == ']' {
			rest = bytes.TrimSpace(rest[1:])
			return path, len(rest) == 0 || rest[0] == '#'
		}
		rest, ok = bytes.CutPrefix(rest, []byte("."))
	}
	return nil, false
}
