package extract

import (
	"bytes"
	"slices"
	"strings"

	"sdd/internal/fact/discovery"
)

// Source files are looked at with their comments blanked out, so that what is commented out is not there, and once more
// with their strings blanked out too, so that braces and keywords count only where they are code. Blanked texts are as
// long as the source: offsets and lines stay what they are.

// version is one version of a file.
type version struct {
	path string
	raw  []byte // as committed
	text []byte // nil where there is no file
	lang string

	found  map[int][]item // by reader
	ends   []int          // offsets of the line ends
	work   int
	broken bool // a reader could not parse it: what it lacks is not gone

	masked bool
	code   []byte // without comments
	bare   []byte // without comments and what strings hold
}

func newVersion(path string, text []byte) *version {
	raw := text
	text = bytes.TrimPrefix(text, []byte("\xef\xbb\xbf"))
	if bytes.Contains(text, []byte("\r\n")) {
		text = bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n"))
	}
	return &version{path: path, raw: raw, text: text, lang: discovery.Language(path)}
}

// line returns the number of the line at an offset.
func (v *version) line(at int) int {
	if v.ends == nil {
		v.ends = []int{}
		for i, b := range v.text {
			if b == '\n' {
				v.ends = append(v.ends, i)
			}
		}
	}
	n, _ := slices.BinarySearch(v.ends, at)
	return n + 1
}

// find returns the line on which a word stands first, 0 for none.
func (v *version) find(word string) int {
	if word == "" || v.spent(len(v.text)/8) {
		return 0
	}
	if i := bytes.Index(v.text, []byte(word)); i >= 0 {
		return v.line(i)
	}
	return 0
}

// spent counts work that is done again and again on one file, and reports whether that is more than any file needs that
// somebody wrote.
func (v *version) spent(n int) bool {
	v.work += n
	return v.work > 16*len(v.text)+1<<20
}

// each calls f for every line of code that holds one of the marks, without its end, with the line's number. Patterns are
// costly; they are tried on such lines only.
func (v *version) each(marks []string, f func(n int, line string)) {
	v.mask()
	n := 0
	for l := range strings.Lines(string(v.code)) {
		n++
		if len(l) > maxLine {
			continue
		}
		for _, m := range marks {
			if strings.Contains(l, m) {
				f(n, strings.TrimSuffix(l, "\n"))
				break
			}
		}
	}
}

// maxLine is how long a line is that somebody wrote.
const maxLine = 2000

func (v *version) mask() {
	if !v.masked {
		v.code, v.bare = blank(v.text, v.lang, strings.ToLower(v.path))
		v.masked = true
	}
}

// comments are the marks of comments by language.
type comments struct {
	line   []string
	block  [2]string
	triple bool // """ and ''' begin long strings
	back   bool // backquotes hold strings of several lines
	single bool // single quotes hold strings
}

func commentsOf(lang, path string) comments {
	switch lang {
	case "Python":
		return comments{line: []string{"#"}, triple: true, single: true}
	case "Ruby", "Elixir", "Shell", "R", "Julia":
		return comments{line: []string{"#"}, triple: lang == "Elixir", single: true}
	case "PHP":
		return comments{line: []string{"//", "#"}, block: [2]string{"/*", "*/"}, single: true}
	case "SQL":
		return comments{line: []string{"--"}, block: [2]string{"/*", "*/"}, single: true}
	case "JavaScript", "TypeScript", "Vue", "Svelte", "Dart":
		return comments{line: []string{"//"}, block: [2]string{"/*", "*/"}, back: true, single: true}
	case "Go":
		return comments{line: []string{"//"}, block: [2]string{"/*", "*/"}, back: true}
	case "Terraform":
		return comments{line: []string{"#", "//"}, block: [2]string{"/*", "*/"}}
	case "GraphQL":
		return comments{line: []string{"#"}, triple: true}
	case "Kotlin", "Scala", "Java", "C#", "Swift":
		return comments{line: []string{"//"}, block: [2]string{"/*", "*/"}, triple: true}
	case "":
		if strings.HasSuffix(path, ".prisma") {
			return comments{line: []string{"//"}}
		}
		if strings.HasSuffix(path, ".gql") || strings.HasSuffix(path, ".graphqls") {
			return comments{line: []string{"#"}, triple: true}
		}
		return comments{line: []string{"#"}, single: true}
	}
	return comments{line: []string{"//"}, block: [2]string{"/*", "*/"}}
}

// blank returns src without comments, and without comments and strings.
func blank(src []byte, lang, path string) (code, bare []byte) {
	c := commentsOf(lang, path)
	code, bare = slices.Clone(src), slices.Clone(src)
	wipe := func(b []byte, from, to int) {
		for i := from; i < to && i < len(b); i++ {
			if b[i] != '\n' {
				b[i] = ' '
			}
		}
	}
	text := string(src)
	lineStart := true
	for i := 0; i < len(text); {
		rest := text[i:]
		if n := c.comment(rest, lineStart); n > 0 {
			wipe(code, i, i+n)
			wipe(bare, i, i+n)
			i += n
			continue
		}
		ch := text[i]
		switch {
		case c.triple && (strings.HasPrefix(rest, `"""`) || strings.HasPrefix(rest, "'''") && c.single):
			end := strings.Index(rest[3:], rest[:3])
			n := len(rest)
			if end >= 0 {
				n = end + 6
			}
			if lineStart { // documentation
				wipe(code, i, i+n)
			}
			wipe(bare, i, i+n)
			i += n
		case ch == '"', ch == '\'' && c.single, ch == '`' && c.back:
			n := 1
			for n < len(rest) && rest[n] != ch && (rest[n] != '\n' || ch == '`') {
				if rest[n] == '\\' && !(ch == '`' && lang == "Go") {
					n++
				}
				n++
			}
			n = min(n, len(rest))
			wipe(bare, i+1, i+n)
			i += n
			if i < len(text) && text[i] == ch {
				i++
			}
			lineStart = false
		case ch == '\'' && !c.single: // a character, or a lifetime
			n := 1
			if len(rest) > 2 && rest[1] != '\\' && rest[2] == '\'' {
				n = 3
			} else if len(rest) > 3 && rest[1] == '\\' {
				if end := strings.IndexByte(rest[2:min(len(rest), 12)], '\''); end >= 0 {
					n = end + 3
				}
			}
			wipe(bare, i, i+n)
			i += n
			lineStart = false
		default:
			if ch == '\n' {
				lineStart = true
			} else if ch != ' ' && ch != '\t' {
				lineStart = false
			}
			i++
		}
	}
	return code, bare
}

// comment returns how long the comment is that rest begins with, 0 for none.
func (c comments) comment(rest string, lineStart bool) int {
	for _, mark := range c.line {
		if strings.HasPrefix(rest, mark) && (mark != "#" || lineStart || !strings.HasPrefix(rest, "#{") && !strings.HasPrefix(rest, "#[")) {
			if mark == "#" && strings.HasPrefix(rest, "#[") { // an attribute of PHP
				return 0
			}
			if end := strings.IndexByte(rest, '\n'); end >= 0 {
				return end
			}
			return len(rest)
		}
	}
	if c.block[0] != "" && strings.HasPrefix(rest, c.block[0]) {
		if end := strings.Index(rest[2:], c.block[1]); end >= 0 {
			return end + 4
		}
		return len(rest)
	}
	return 0
}

// depths returns how many braces are open at the start of each line.
func depths(bare []byte) (at []int) {
	depth := 0
	at = append(at, 0)
	for _, ch := range bare {
		switch ch {
		case '{':
			depth++
		case '}':
			depth = max(0, depth-1)
		case '\n':
			at = append(at, depth)
		}
	}
	return at
}

// sameTokens reports whether two versions differ in white space, comments, quotes and trailing commas only.
func sameTokens(a, b *version) bool {
	if a.text == nil || b.text == nil {
		return false
	}
	a.mask()
	b.mask()
	i, j := 0, 0
	for {
		x, nextI := nextToken(a.code, i)
		y, nextJ := nextToken(b.code, j)
		if !bytes.Equal(x, y) {
			return false
		}
		if x == nil {
			return true
		}
		i, j = nextI, nextJ
	}
}

var quote = []byte{'"'}

// nextToken returns the word or mark of text at or behind i, nil at its end, and where the next one may be. There is one kind
// of quotes, and no comma or semicolon before a closing mark.
func nextToken(text []byte, i int) (t []byte, next int) {
	for i < len(text) {
		c := text[i]
		switch {
		case c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == ';':
			i++
		case wordByte(c):
			end := i + 1
			for end < len(text) && wordByte(text[end]) {
				end++
			}
			return text[i:end], end
		case c == '\'' || c == '`':
			return quote, i + 1
		case c == ',':
			rest := bytes.TrimLeft(text[i+1:min(len(text), i+200)], " \t\n\r")
			if len(rest) > 0 && bytes.IndexByte([]byte(")]}"), rest[0]) >= 0 {
				i++
				continue
			}
			return text[i : i+1], i + 1
		default:
			return text[i : i+1], i + 1
		}
	}
	return nil, i
}

func wordByte(c byte) bool {
	return c >= 0x80 || c == '_' || c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'z'
}

// difference returns the lines of code that only one of the versions has: what reads nothing in them finds no change. It
// is much cheaper than any reader.
func difference(before, after *version) string {
	before.mask()
	after.mask()
	count := map[string]int{}
	for l := range bytes.Lines(before.code) {
		count[string(bytes.TrimSpace(l))]++
	}
	var out strings.Builder
	for l := range bytes.Lines(after.code) {
		l = bytes.TrimSpace(l)
		if n := count[string(l)]; n > 0 {
			count[string(l)]--
			continue
		}
		out.Write(l)
		out.WriteByte('\n')
	}
	for l, n := range count {
		if n > 0 {
			out.WriteString(l)
			out.WriteByte('\n')
		}
	}
	return out.String()
}
