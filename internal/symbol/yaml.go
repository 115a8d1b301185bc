package symbol

import (
	"slices"
	"strings"
)

const deepestKey = 3 // keys in the path of a symbol

// readYAML makes a symbol of each key down to the third level, outside lists. Indentation counts, but not its width.
func readYAML(f *File, src string) (imports [][2]int) {
	y := &yamlReader{f: f, lines: strings.Split(strings.TrimSuffix(src, "\n"), "\n"), columns: []int{-1}}
	for n := 0; n < len(y.lines); n++ {
		line := y.lines[n]
		col := len(line) - len(strings.TrimLeft(line, " "))
		rest := strings.TrimRight(line[col:], " \t")
		switch {
		case rest == "" || rest[0] == '#':
			continue
		case col == 0 && (rest == "---" || rest == "..." || strings.HasPrefix(rest, "--- ") || rest[0] == '%'):
			y.dedent(-1, n)
			y.put(layout, rest, n)
			y.last = n
			continue
		}
		for strings.HasPrefix(rest, "- ") || rest == "-" { // an entry of a list
			y.block(2*col+1, n)
			y.put(mark, "-", n)
			cut := len(rest) - len(strings.TrimLeft(rest[1:], " "))
			rest, col = rest[cut:], col+cut
		}
		if rest != "" && rest[0] != '#' {
			y.block(2*col, n)
			n = y.content(n, col, rest)
		}
		y.last = n
	}
	y.dedent(-1, y.last)
	return nil
}

type yamlReader struct {
	f       *File
	lines   []string
	columns []int // of the blocks around
	keys    []yamlKey
	last    int // the last line with content
}

// yamlKey is a key whose block is not over.
type yamlKey struct {
	name        string
	col         int // twice
	line, token int
	list        bool // in an entry of a list
}

func (y *yamlReader) put(kind tokenKind, s string, line int) {
	y.f.toks = append(y.f.toks, token{s, int32(line + 1), kind})
}

// block begins and ends blocks for content at a column: twice the column, one more for the mark of a list's entry.
func (y *yamlReader) block(col, line int) {
	y.dedent(col, line)
	if y.columns[len(y.columns)-1] < col {
		y.columns = append(y.columns, col)
		y.put(layout, ">", line)
	}
}

func (y *yamlReader) dedent(col, line int) {
	for len(y.keys) > 0 && y.keys[len(y.keys)-1].col >= col {
		y.end()
	}
	for len(y.columns) > 1 && y.columns[len(y.columns)-1] > col {
		y.columns = y.columns[:len(y.columns)-1]
		y.put(layout, "<", line)
	}
}

// end adds the symbol of the last key, whose block is over.
func (y *yamlReader) end() {
	k := y.keys[len(y.keys)-1]
	if len(y.keys) <= deepestKey && !k.list {
		name := ""
		for _, key := range y.keys {
			name = dotted(name, key.name)
		}
		y.f.add(name, Value, k.line+1, y.last+1, y.f.toks[k.token:])
	}
	y.keys = y.keys[:len(y.keys)-1]
}

// content reads the key and value that begin at a column of line n, and returns the last line that it read.
func (y *yamlReader) content(n, col int, s string) int {
	if key, rest, ok := yamlKeyOf(s); ok {
		inList := slices.ContainsFunc(y.columns, func(c int) bool { return c > 0 && c%2 == 1 })
		y.keys = append(y.keys, yamlKey{key, 2 * col, n, len(y.f.toks), inList})
		y.put(word, key, n)
		y.put(mark, ":", n)
		s = rest
	}
	flow := 0
	for {
		s = strings.TrimLeft(s, " \t")
		if s == "" || s[0] == '#' {
			if flow == 0 || n+1 >= len(y.lines) {
				return n
			}
			n++
			s = y.lines[n]
			continue
		}
		switch c := s[0]; {
		case (c == '|' || c == '>') && flow == 0:
			return y.scalar(n, col, s)
		case c == '"' || c == '\'':
			n, s = y.quoted(n, s)
		case strings.IndexByte("{}[],", c) >= 0:
			switch {
			case c == '{' || c == '[':
				flow++
			case c != ',':
				if flow = max(flow-1, 0); len(y.f.toks) > 0 && y.f.toks[len(y.f.toks)-1].text == "," && y.f.toks[len(y.f.toks)-1].kind == mark {
					y.f.toks = y.f.toks[:len(y.f.toks)-1]
				}
			}
			y.put(mark, s[:1], n)
			s = s[1:]
		default:
			i := 1
			for i < len(s) && s[i] != ' ' && s[i] != '\t' && (flow == 0 || strings.IndexByte("{}[],", s[i]) < 0) && !(flow > 0 && s[i] == ':' &&
				(i+1 == len(s) || s[i+1] == ' ')) {
				i++
			}
			y.put(number, s[:i], n)
			s = s[i:]
		}
	}
}

func yamlKeyOf(s string) (key, rest string, ok bool) {
	if s[0] == '"' || s[0] == '\'' {
		end := strings.IndexByte(s[1:], s[0])
		if end < 0 || !strings.HasPrefix(strings.TrimLeft(s[end+2:], " "), ":") {
			return "", "", false
		}
		_, rest, _ = strings.Cut(s[end+2:], ":")
		return s[1 : end+1], rest, end > 0
	}
	if strings.IndexByte("{[|>&*!%@`", s[0]) >= 0 {
		return "", "", false
	}
	for i := range len(s) {
		switch {
		case s[i] == ':' && (i+1 == len(s) || s[i+1] == ' ' || s[i+1] == '\t'):
			return strings.TrimRight(s[:i], " "), s[i+1:], i > 0
		case s[i] == '#' && i > 0 && s[i-1] == ' ':
			return "", "", false
		}
	}
	return "", "", false
}

// scalar reads the lines of a block scalar of a key at a column, whose header is s.
func (y *yamlReader) scalar(n, col int, s string) int {
	header, _, _ := strings.Cut(s, " ")
	y.put(mark, header, n)
	margin := -1
	last := n
	for n+1 < len(y.lines) {
		line := y.lines[n+1]
		in := len(line) - len(strings.TrimLeft(line, " "))
		blank := strings.TrimSpace(line) == ""
		if !blank && in <= col && !(col == 0 && in == 0 && len(y.keys) == 0) {
			break
		}
		n++
		if blank {
			continue
		}
		if margin < 0 {
			margin = in
		}
		for ; last+1 < n && last > 0 && y.f.toks[len(y.f.toks)-1].kind == text; last++ {
			y.put(text, "", n)
		}
		y.put(text, strings.TrimRight(line[min(margin, in):], " \t"), n)
		last = n
	}
	return last
}

// quoted reads a string in quotes, perhaps of several lines, and returns what follows it.
func (y *yamlReader) quoted(n int, s string) (int, string) {
	q, from := s[0], n
	var b strings.Builder
	s = s[1:]
	for {
		i := 0
		for i < len(s) && s[i] != q {
			if s[i] == '\\' && q == '"' {
				i++
			}
			i++
		}
		i = min(i, len(s))
		b.WriteString(s[:i])
		if i < len(s) {
			if q == '\'' && i+1 < len(s) && s[i+1] == q {
				b.WriteByte(q)
				s = s[i+2:]
				continue
			}
			s = s[i+1:]
			break
		}
		if n+1 >= len(y.lines) {
			s = ""
			break
		}
		n++
		b.WriteByte(' ')
		s = strings.TrimLeft(y.lines[n], " \t")
	}
	t := b.String()
	if q == '"' && strings.Contains(t, `\`) {
		t = `"` + t // escapes count
	}
	y.put(text, t, from)
	return n, s
}
