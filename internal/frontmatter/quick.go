package frontmatter

import (
	"strings"
	"unicode/utf8"
)

// quick reads the simple blocks that nearly every record has in a tenth of the time of a YAML parser, which matters for 100,000 files at
// start-up. At the first byte that may mean something else it stops, and the library reads the block. FuzzQuick compares both.
type quick struct {
	text  string // the block
	base  int    // offset of text in Doc.Src
	items []node
	keys  []Key
	line  int
}

// readQuick fills d from the block, or reports false and leaves d as it was.
func (d *Doc) readQuick() bool {
	q := quick{
		text:  string(d.Src[d.YAML.Start:d.YAML.End]),
		base:  d.YAML.Start,
		items: make([]node, 0, 16),
		keys:  make([]Key, 0, 8),
		line:  1,
	}
	if d.YAML.Start > len(bom) {
		q.line = 2 // below the opening line
	}
	if !q.block() {
		return false
	}
	d.root = node{kind: kindTable, style: styleBlock, items: q.items}
	d.Keys = q.keys
	return true
}

func (q *quick) block() bool {
	var open *node // the value of the line before, if it was empty and may become a list
	column := 0    // of its items or keys
	for at := 0; at < len(q.text); q.line++ {
		end, next := len(q.text), len(q.text)
		if i := strings.IndexByte(q.text[at:], '\n'); i >= 0 {
			end, next = at+i, at+i+1
			if end > at && q.text[end-1] == '\r' {
				end--
			}
		}
		if !isTame(q.text[at:end]) {
			return false
		}
		switch {
		case at == end || q.text[at] == '#':
			open = nil
		case q.text[at] == ' ' || q.text[at] == '-':
			if open == nil || !q.nested(open, &column, at, end) {
				return false
			}
			q.keys[len(q.keys)-1].Span.End = q.base + next
		default:
			items, ok := q.pair(q.items, at, end)
			if !ok {
				return false
			}
			q.items, open = items, nil
			if n := &items[len(items)-1]; n.isEmpty() {
				open = n
			}
			q.keys = append(q.keys, Key{Name: items[len(items)-2].text, Line: q.line, Span: Span{q.base + at, q.base + next}})
		}
		at = next
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
func (q *quick) pair(items []node, at, end int) ([]node, bool) {
	i, ok := q.key(at, end)
	if !ok || !takes(items, q.text[at:i]) {
		return nil, false
	}
	n := node{}
	if value := q.spaces(i+1, end); value < end && q.text[value] != '#' {
		read, next := q.scalar, 0
		if q.text[value] == '[' {
			read = q.flow
		}
		if n, next, ok = read(value, end); !ok || !q.isRest(next, end) {
			return nil, false
		}
	}
	return append(items, node{text: q.text[at:i], line: q.line}, n), true
}

// nested reads `- value` or `key: value` below an open key. column is that of its items or keys.
func (q *quick) nested(open *node, column *int, at, end int) bool {
	start := q.spaces(at, end)
	list := node{kind: kindTable, style: styleBlock}
	ok := false
	if strings.HasPrefix(q.text[start:end], "- ") {
		list.kind = kindList
		value := q.spaces(start+1, end)
		if value == end || q.text[value] == '#' {
			return false
		}
		n, next, read := q.scalar(value, end)
		list.items, ok = append(open.items, n), read && q.isRest(next, end)
	} else if start > at {
		list.items, ok = q.pair(open.items, start, end)
		ok = ok && !list.items[len(list.items)-1].isEmpty()
	}
	if !ok || open.kind != kindScalar && (open.kind != list.kind || *column != start-at) {
		return false
	}
	*open, *column = list, start-at
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

// key finds the end of a plain key with a colon after it.
func (q *quick) key(at, end int) (to int, ok bool) {
	for to = at; to < end && isKeyByte(q.text[to]); {
		to++
	}
	return to, to > at && to < end && to-at <= 128 && q.text[at] != '-' && (q.text[at] < '0' || '9' < q.text[at]) &&
		q.text[to] == ':' && (to+1 == end || q.text[to+1] == ' ')
}

// scalar reads a quoted value without escapes or a plain one up to its comment.
func (q *quick) scalar(at, end int) (n node, next int, ok bool) {
	switch c := q.text[at]; c {
	case '"', '\'':
		i := strings.IndexByte(q.text[at+1:end], c)
		if i < 0 {
			return n, 0, false
		}
		body := q.text[at+1 : at+1+i]
		next = at + i + 2
		if c == '"' {
			return node{text: body, style: styleDouble}, next, strings.IndexByte(body, '\\') < 0
		}
		return node{text: body, style: styleSingle}, next, next == end || q.text[next] != '\''
	case '-', '+', '.':
		if at+1 == end || !isKeyByte(q.text[at+1]) || q.text[at+1] == '-' {
			return n, 0, false
		}
	case '?', ':', ',', '[', ']', '{', '}', '#', '&', '*', '!', '|', '>', '%', '@', '`', '<', '=':
		return n, 0, false
	}
	stop := end
	for i := at + 1; i < end; i++ {
		if q.text[i] == ':' && (i+1 == end || q.text[i+1] == ' ') {
			return n, 0, false
		}
		if q.text[i] == '#' && q.text[i-1] == ' ' {
			stop = i
			break
		}
	}
	for q.text[stop-1] == ' ' {
		stop--
	}
	return node{text: q.text[at:stop]}, stop, true
}

// flow reads `[a, "b"]` or `[]` on one line.
func (q *quick) flow(at, end int) (n node, next int, ok bool) {
	n = node{kind: kindList, style: styleFlow}
	for i := q.spaces(at+1, end); i < end; i = q.spaces(i+1, end) {
		if len(n.items) > 0 || q.text[i] != ']' {
			var value node
			if value, i, ok = q.flowScalar(i, end); !ok {
				return n, 0, false
			}
			n.items = append(n.items, value)
			i = q.spaces(i, end)
		}
		if i < end && q.text[i] == ']' {
			return n, i + 1, true
		}
		if i == end || q.text[i] != ',' {
			return n, 0, false
		}
	}
	return n, 0, false
}

// flowScalar reads a value between brackets.
func (q *quick) flowScalar(at, end int) (n node, next int, ok bool) {
	if at == end {
		return n, 0, false
	}
	if c := q.text[at]; c == '"' || c == '\'' {
		return q.scalar(at, end)
	}
	stop := at
	for stop < end && isFlowPlain(q.text[stop]) {
		stop++
	}
	cut := stop
	for cut > at && q.text[cut-1] == ' ' {
		cut--
	}
	if cut == at || strings.IndexByte("-.+@", q.text[at]) >= 0 {
		return n, 0, false
	}
	return node{text: q.text[at:cut]}, stop, true
}

func isFlowPlain(c byte) bool {
	return isKeyByte(c) || c == ' ' || c == '/' || c == '.' || c == '@' || c == '+' || c >= utf8.RuneSelf
}

func (q *quick) spaces(at, end int) int {
	for at < end && q.text[at] == ' ' {
		at++
	}
	return at
}

// isRest reports whether only spaces and a comment follow a value.
func (q *quick) isRest(at, end int) bool {
	i := q.spaces(at, end)
	return i == end || i > at && q.text[i] == '#'
}
