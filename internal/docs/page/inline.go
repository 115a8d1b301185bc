package page

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/html/atom"

	"sdd/internal/markdown"
	"sdd/internal/pattern"
)

// spans builds a line of Markdown. It folds white space, and closes marks directly at the text.
type spans struct {
	r        *renderer
	b        strings.Builder
	space    bool // a blank must precede the next text
	emphasis int  // elements around
	link     int
}

func (r *renderer) inline(n int32) string {
	s := &spans{r: r}
	s.children(n)
	return s.text()
}

// text escapes what would make a line of the paragraph something else: a heading, a list, a quote, a rule.
func (s *spans) text() string {
	lines := strings.Split(strings.TrimSpace(s.b.String()), "\n")
	for i, l := range lines {
		lines[i] = startOfLine(l)
	}
	return strings.Join(lines, "\n")
}

func (s *spans) node(n int32) {
	p := s.r.p
	x := &p.nodes[n]
	if x.text {
		s.words(p.content(n))
		return
	}
	if p.dropped(n) || s.r.full() {
		return
	}
	switch x.tag {
	case atom.Br:
		if s.b.Len() > 0 && !strings.HasSuffix(s.b.String(), "\n") {
			s.b.WriteString("\\\n")
		}
		s.space = false
	case atom.Img:
		s.image(n)
	case atom.Code, atom.Tt, atom.Kbd, atom.Samp:
		s.code(p.verbatim(n))
	case atom.Em, atom.I, atom.Cite, atom.Dfn, atom.Var, atom.Strong, atom.B:
		mark := "*"
		if x.tag == atom.Strong || x.tag == atom.B {
			mark = "**"
		}
		if s.emphasis++; s.emphasis > 1 {
			s.children(n)
		} else {
			s.around(mark, n)
		}
		s.emphasis--
	case atom.Del, atom.S:
		s.around("~~", n)
	case atom.Q:
		s.raw("“")
		s.children(n)
		s.space = false
		s.b.WriteString("”")
	case atom.A:
		s.anchor(n)
	case atom.Math:
		if tex := p.tagged(n, atom.Annotation); tex != 0 {
			n = tex
		}
		s.code(p.verbatim(n))
	case atom.Span:
		switch {
		case p.has(n, "math", "arithmatex"):
			s.code(trimMath(p.verbatim(n)))
		case p.has(n, "literal"):
			s.code(p.verbatim(n))
		default:
			s.children(n)
		}
	default:
		if block(x.tag) {
			s.space = s.b.Len() > 0
		}
		s.children(n)
		if block(x.tag) {
			s.space = s.b.Len() > 0
		}
	}
}

func (s *spans) children(n int32) {
	for c := s.r.p.nodes[n].first; c != 0; c = s.r.p.nodes[c].next {
		s.node(c)
	}
}

func edges(t string) (before, after bool) {
	first, _ := utf8.DecodeRuneInString(t)
	last, _ := utf8.DecodeLastRuneInString(t)
	return unicode.IsSpace(first), unicode.IsSpace(last)
}

// words adds text of the page, escaped so that Markdown shows it unchanged.
func (s *spans) words(t string) {
	if t == "" {
		return
	}
	before, after := edges(t)
	s.space = s.space || before
	rest := strings.TrimSpace(t)
	for word := range strings.FieldsSeq(t) {
		rest = strings.TrimSpace(rest[len(word):])
		s.raw(escape(word, s.link > 0, rest == "" && !after))
		s.space = true
	}
	s.space = after
}

// raw adds Markdown, after a pending blank.
func (s *spans) raw(t string) {
	if s.space && s.b.Len() > 0 && !strings.HasSuffix(s.b.String(), "\n") {
		s.b.WriteByte(' ')
	}
	s.space = false
	s.b.WriteString(t)
}

// place adds Markdown, which may be empty; before and after say whether blanks surround it.
func (s *spans) place(t string, before, after bool) {
	s.space = s.space || before
	if t != "" {
		s.raw(t)
	}
	s.space = s.space || after
}

// inner renders the children of n separately: the text, and whether blanks precede and follow it.
func (s *spans) inner(n int32) (text string, before, after bool) {
	t := &spans{r: s.r, emphasis: s.emphasis, link: s.link}
	t.children(n)
	before, _ = edges(s.r.p.verbatim(n))
	return strings.TrimSpace(t.b.String()), before, t.space
}

// around adds the children of n between marks.
func (s *spans) around(mark string, n int32) {
	text, before, after := s.inner(n)
	// Marks work only at the start of a word: inside one Markdown would show them.
	last, _ := utf8.DecodeLastRuneInString(s.b.String())
	if text != "" && (s.space || before || !unicode.IsLetter(last) && !unicode.IsDigit(last) && last != '*') {
		text = mark + text + mark
	}
	s.place(text, before, after)
}

func (s *spans) code(t string) {
	before, after := edges(t)
	if t = oneLine(t); t != "" {
		before = before || strings.HasSuffix(s.b.String(), "`") // adjacent spans would merge
		t = markdown.CodeSpan(t)
	}
	s.place(t, before, after)
}

func (s *spans) anchor(n int32) {
	to := s.r.link(s.r.p.get(n, "href"))
	if to == "" || s.link > 0 {
		s.children(n)
		return
	}
	s.link++
	text, before, after := s.inner(n)
	s.link--
	if text != "" {
		text = "[" + text + "](" + to + ")"
	}
	s.place(text, before, after)
}

func (s *spans) image(n int32) {
	alt := oneLine(s.r.p.get(n, "alt"))
	if s.r.p.has(n, "math") {
		s.code(alt)
		return
	}
	to := s.r.link(s.r.p.get(n, "src"))
	if to == "" {
		s.words(alt)
		return
	}
	s.raw("![" + escape(alt, true, true) + "](" + to + ")")
}

// trimMath strips the marks that MathJax looks for.
func trimMath(t string) string {
	t = strings.TrimSpace(t)
	for _, m := range [][2]string{{`\(`, `\)`}, {`\[`, `\]`}, {"$$", "$$"}, {"$", "$"}} {
		if len(t) >= len(m[0])+len(m[1]) && strings.HasPrefix(t, m[0]) && strings.HasSuffix(t, m[1]) {
			return strings.TrimSpace(t[len(m[0]) : len(t)-len(m[1])])
		}
	}
	return t
}

// escape writes a word so that Markdown shows it as it is. label: it is in a link's text; open: it may go on in what follows.
func escape(word string, label, open bool) string {
	if !strings.ContainsAny(word, "\\`*_<&[]~") {
		return word
	}
	var b strings.Builder
	for i := 0; i < len(word); i++ {
		var before, after byte // 0 at the word's ends
		if i > 0 {
			before = word[i-1]
		}
		if i+1 < len(word) {
			after = word[i+1]
		}
		mark := false
		switch word[i] {
		case '\\':
			mark = after == 0 || after > ' ' && after < 0x7f && !alnum(after)
		case '`':
			mark = true
		case '*':
			mark = len(word) > 1 || open
		case '_':
			mark = before == 0 || after == 0 || !alnum(before) || !alnum(after)
		case '<':
			mark = after == 0 && open || alnum(after) || after == '/' || after == '!' || after == '?'
		case '[':
			mark = label || open && strings.Trim(word[i:], "[") == ""
		case ']':
			mark = label || after == '(' || after == '[' || after == ':' || after == 0 && open
		case '&':
			mark = after == 0 && open || strings.IndexByte(word[i:], ';') > 0 || open && after != 0
		case '~':
			mark = before == '~' || after == '~'
		}
		if mark {
			b.WriteByte('\\')
		}
		b.WriteByte(word[i])
	}
	return b.String()
}

func alnum(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c >= utf8.RuneSelf
}

func startOfLine(l string) string {
	if l == "" {
		return l
	}
	switch l[0] {
	case '#', '>', '=', '~':
		return `\` + l
	case '-', '+', '*':
		// A bullet or a rule; marks of emphasis are meant.
		if len(l) == 1 || l[1] == ' ' || strings.Trim(l, string(l[0])+" ") == "" {
			return `\` + l
		}
	}
	return numbered().ReplaceAllString(l, `$1\$2`)
}

var numbered = pattern.Late(`^(\d{1,9})([.)](?: |$))`)
