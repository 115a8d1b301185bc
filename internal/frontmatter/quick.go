package frontmatter

import (
	"strings"
	"unicode/utf8"
)

// quick reads the simple blocks that nearly every record has in a tenth of the time of a YAML parser, which matters for 100,000 files at
// start-up. At the first byte that may mean something else it stops, and the library reads the block. FuzzQuick compares both.
type quick struct {
	items []node
	keys  []Key
	line  int
}

// readQuick fills d from the block, or reports false and leaves d as it was.
func (d *Doc) readQuick() bool {
	q := quick{items: make([]node, 0, 16), keys: make([]Key, 0, 8), line: 1}
	if d.YAML.Start > len(bom) {
		q.line = 2 // below the opening line
	}
	if !q.block(string(d.Src[d.YAML.Start:d.YAML.End]), d.YAML.Start) {
		return false
	}
	d.root = node{kind: kindTable, style: styleBlock, items: q.items}
	d.Keys = q.keys
	return true
}

// block reads text, which is at an offset of Doc.Src.
func (q *quick) block(text string, at int) bool {
	var open *node // the value of the line before, if it was empty and may become a list
	column := 0    // of its items or keys
	for whole := range strings.Lines(text) {
		span := Span{at, at + len(whole)}
		at = span.End
		line, ended := strings.CutSuffix(whole, "\n")
		if ended {
			line = strings.TrimSuffix(line, "\r")
		}
		switch {
		case !isTame(line):
			return false
		case line == "" || line[0] == '#':
			open = nil
		case line[0] == ' ' || line[0] == '-':
			if open == nil || !q.nested(open, &column, line) {
				return false
			}
			q.keys[len(q.keys)-1].Span.End = span.End
		default:
			items, ok := q.pair(q.items, line)
			if !ok {
				return false
			}
			q.items, open = items, nil
			if n := &items[len(items)-1]; n.isEmpty() {
				open = n
			}
			q.keys = append(q.keys, Key{Name: items[len(items)-2].text, Line: q.line, Span: span})
		}
		q.line++
	}
	return true
}

// isTame reports whether line has no character that YAML treats specially or refuses.
func isTame(line string) bool {
	for i := 0; i < len(line); i++ {
		if c := line[i]; c < ' ' || c == 0x7f {
			return false
		} else if c >= utf8.RuneSelf {
			return !strings.ContainsFunc(line[i:], func(r rune) bool { return r == utf8.RuneError || isWild(r) })
		}
	}
	return true
}

// isWild reports whether YAML does not allow r, or not everywhere.
func isWild(r rune) bool {
	switch r {
	case 0x2028, 0x2029, 0xfeff, 0xfffe, 0xffff:
		return true
	}
	return r < ' ' || r >= 0x7f && r < 0xa0
}

// pair appends `key: value` to a table's items. The value is empty if the line has none.
func (q *quick) pair(items []node, line string) ([]node, bool) {
	name, rest, ok := strings.Cut(line, ":")
	if !ok || !isKeyName(name) || len(name) > 128 || name[0] == '-' || '0' <= name[0] && name[0] <= '9' ||
		rest != "" && rest[0] != ' ' || !takes(items, name) {
		return nil, false
	}
	var n node
	if rest = strings.TrimLeft(rest, " "); rest != "" && rest[0] != '#' {
		read := quickScalar
		if rest[0] == '[' {
			read = quickList
		}
		if n, rest, ok = read(rest); !ok || !isRest(rest) {
			return nil, false
		}
	}
	return append(items, node{text: name, line: q.line}, n), true
}

// nested reads `- value` or `key: value` below an open key. column is that of its items or keys.
func (q *quick) nested(open *node, column *int, line string) bool {
	text := strings.TrimLeft(line, " ")
	indent := len(line) - len(text)
	list := node{kind: kindTable, style: styleBlock}
	ok := false
	if item, is := strings.CutPrefix(text, "- "); is {
		list.kind = kindList
		if item = strings.TrimLeft(item, " "); item == "" || item[0] == '#' {
			return false
		}
		n, rest, read := quickScalar(item)
		list.items, ok = append(open.items, n), read && isRest(rest)
	} else if indent > 0 {
		list.items, ok = q.pair(open.items, text)
		ok = ok && !list.items[len(list.items)-1].isEmpty()
	}
	if !ok || open.kind != kindScalar && (open.kind != list.kind || *column != indent) {
		return false
	}
	*open, *column = list, indent
	return true
}

// mostKeys is how many keys of one table quick takes: it looks for duplicates in quadratic time.
const mostKeys = 64

// takes reports whether a table with these keys and values can have another key of that name.
func takes(items []node, name string) bool {
	for k := 0; k < len(items); k += 2 {
		if items[k].text == name {
			return false
		}
	}
	return len(items) < 2*mostKeys
}

// quickScalar reads a quoted value without escapes or a plain one up to its comment, and returns the rest of the line.
func quickScalar(s string) (n node, rest string, ok bool) {
	switch c := s[0]; c {
	case '"':
		body, rest, ok := strings.Cut(s[1:], `"`)
		return node{text: body, style: styleDouble}, rest, ok && strings.IndexByte(body, '\\') < 0
	case '\'':
		body, rest, ok := strings.Cut(s[1:], "'")
		return node{text: body, style: styleSingle}, rest, ok && !strings.HasPrefix(rest, "'")
	case '-', '+', '.':
		if len(s) == 1 || !isKeyByte(s[1]) || s[1] == '-' {
			return n, "", false
		}
	case '?', ':', ',', '[', ']', '{', '}', '#', '&', '*', '!', '|', '>', '%', '@', '`', '<', '=':
		return n, "", false
	}
	text, _, _ := strings.Cut(s, " #")
	text = strings.TrimRight(text, " ")
	return node{text: text}, "", !strings.Contains(text, ": ") && !strings.HasSuffix(text, ":")
}

// quickList reads `[a, "b"]` or `[]` on one line, and returns the rest of the line.
func quickList(s string) (n node, rest string, ok bool) {
	n = node{kind: kindList, style: styleFlow}
	rest = strings.TrimLeft(s[1:], " ")
	if after, empty := strings.CutPrefix(rest, "]"); empty {
		return n, after, true
	}
	for {
		var item node
		if item, rest, ok = flowScalar(rest); !ok {
			return n, "", false
		}
		n.items = append(n.items, item)
		rest = strings.TrimLeft(rest, " ")
		if after, end := strings.CutPrefix(rest, "]"); end {
			return n, after, true
		}
		if rest, ok = strings.CutPrefix(rest, ","); !ok {
			return n, "", false
		}
		rest = strings.TrimLeft(rest, " ")
	}
}

// flowScalar reads a value between brackets.
func flowScalar(s string) (n node, rest string, ok bool) {
	if s != "" && (s[0] == '"' || s[0] == '\'') {
		return quickScalar(s)
	}
	end := 0
	for end < len(s) && isFlowPlain(s[end]) {
		end++
	}
	text := strings.TrimRight(s[:end], " ")
	return node{text: text}, s[end:], text != "" && strings.IndexByte("-.+@", text[0]) < 0
}

func isFlowPlain(c byte) bool {
	return isKeyByte(c) || c == ' ' || c == '/' || c == '.' || c == '@' || c == '+' || c >= utf8.RuneSelf
}

// isRest reports whether only spaces and a comment follow a value.
func isRest(s string) bool {
	text := strings.TrimLeft(s, " ")
	return text == "" || len(text) < len(s) && text[0] == '#'
}
