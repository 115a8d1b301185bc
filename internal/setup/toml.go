package setup

import (
	"bytes"
	"errors"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/BurntSushi/toml"

	"sdd/internal/fault"
	"sdd/internal/lines"
	"sdd/internal/setup/jsonc"
)

// A table is added and removed as lines. A parser reads the file before and after: a change with any other effect is refused.

type tomlTable struct{ path []string }

func readTOML(src []byte) (map[string]any, error) {
	all := map[string]any{}
	err := toml.Unmarshal(src, &all)
	if bad, ok := errors.AsType[toml.ParseError](err); ok {
		return nil, fault.New(fault.Broken, "%s", bad.Message).At("", bad.Position.Line)
	}
	if err != nil {
		return nil, fault.New(fault.Broken, "%v", err)
	}
	return all, nil
}

func (t tomlTable) get(src []byte) (value any, line int, ok bool, err error) {
	all, err := readTOML(src)
	if value, ok = t.in(all); ok {
		line = t.line(src)
	}
	return value, line, ok, err
}

func (t tomlTable) line(src []byte) int {
	start, _ := t.find(src)
	if parts := t.parts(src); start < 0 && len(parts) > 0 {
		start = parts[0].start
	}
	return lineOf(src, max(start, 0))
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

// without returns the values of a file without the table, and without the tables above it that are empty then.
func (t tomlTable) without(all map[string]any) map[string]any {
	all = maps.Clone(all)
	below, ok := all[t.path[0]].(map[string]any)
	if ok && len(t.path) > 1 {
		all[t.path[0]] = tomlTable{t.path[1:]}.without(below)
	}
	if rest, ok := all[t.path[0]].(map[string]any); len(t.path) == 1 || ok && len(rest) == 0 {
		delete(all, t.path[0])
	}
	return all
}

// set returns the file with those keys in the table; its other keys stay. A new table comes last.
func (t tomlTable) set(src []byte, entry []jsonc.Member) (out []byte, err error) {
	defer fault.Caught(&err)
	all := fault.Must(readTOML(src))
	start, _ := t.find(src)
	top, _ := tomlTable{t.path[:1]}.find(src)
	_, there := t.in(all)
	switch {
	case there && start < 0:
		name := strings.Join(t.path, ".")
		return nil, fault.New(fault.Broken, "%s is there, but not as a table with a heading of its own", name).At("", t.line(src))
	case !there && all[t.path[0]] != nil && top < 0: // parsers differ in what may be added then
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

func (tomlTable) kept([]byte) int { return 0 }

func (t tomlTable) remove(src []byte, _ int) ([]byte, bool, error) {
	all, err := readTOML(src)
	if _, there := t.in(all); !there {
		return src, false, err
	}
	out := src
	if start, end := t.find(src); start >= 0 {
		out = withoutBlockAt(src, start, end)
	} else {
		for _, p := range slices.Backward(t.parts(src)) {
			out = slices.Concat(out[:p.start], out[p.end:])
		}
	}
	if err := t.check(all, out, nil); err != nil {
		return nil, false, fault.Of(err).At("", t.line(src))
	}
	return out, true, nil
}

// check compares a file before and after a change: the table has the entry, or is gone without one, and everything else is the same.
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

func tomlLine(m jsonc.Member) string { return m.Name + " = " + jsonc.Line(m.Value) }

// setKey replaces a key of the table whose heading is at start, or adds it below the heading.
func (t tomlTable) setKey(src []byte, start int, m jsonc.Member) []byte {
	line := []byte(tomlLine(m))
	key := tomlTable{append(slices.Clone(t.path), m.Name)}
	for _, s := range statements(src) {
		if s.start > start && s.heading {
			break
		}
		if _, ok := key.in(s.values); ok && s.start > start {
			text := bytes.TrimRight(src[s.start:s.end], "\r\n")
			return slices.Concat(src[:s.start], line, src[s.start+len(text):])
		}
	}
	at, newline := lines.End(src, start), []byte(lines.Newline(src))
	if !bytes.HasSuffix(src[:at], []byte("\n")) {
		return slices.Concat(src[:at], newline, line)
	}
	return slices.Concat(src[:at], line, newline, src[at:])
}

// statement is a heading, or a key with its value. Blank lines and comments between statements belong to none.
type statement struct {
	start, end int
	heading    bool
	values     map[string]any // of the statement below its heading
}

// statements splits a file that the parser accepts.
func statements(src []byte) (all []statement) {
	var heading []byte
	start := len(src) - len(bytes.TrimPrefix(src, []byte(byteOrderMark)))
	for at := start; at < len(src); {
		at = lines.End(src, at)
		text := bytes.TrimSpace(src[start:at])
		if len(text) == 0 || text[0] == '#' {
			start = at
			continue
		}
		s := statement{start: start, end: at, heading: text[0] == '['}
		if s.heading {
			heading = nil
		}
		values, err := readTOML(slices.Concat(heading, src[start:at]))
		if err != nil {
			continue // it goes on in the next line
		}
		if s.heading {
			heading = src[start:at]
		}
		if !bytes.HasPrefix(text, []byte("[[")) {
			s.values = values
		}
		all, start = append(all, s), at
	}
	return all
}

// find returns the start and end of the table under headings, with the tables below it; start is -1 when no heading names it.
func (t tomlTable) find(src []byte) (start, end int) {
	start = -1
	for _, s := range statements(src) {
		_, ours := t.in(s.values)
		switch {
		case s.heading && start >= 0 && !ours:
			return start, end
		case s.heading && ours && start < 0:
			start = s.start
		}
		if start >= 0 {
			end = s.end
		}
	}
	return start, end
}

// parts returns the keys that make the table when no heading names it: with dots, or in braces.
func (t tomlTable) parts(src []byte) []statement {
	return slices.DeleteFunc(statements(src), func(s statement) bool {
		_, ours := t.in(s.values)
		return s.heading || !ours
	})
}
