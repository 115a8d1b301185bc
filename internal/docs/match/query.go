package match

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"sdd/internal/pattern"
)

// query is the searched name, in the forms that the scores compare.
type query struct {
	raw      string // without blanks around it
	plain    string // without the marks of reStructuredText and of calls; in its own case
	folded   string
	squeezed string // folded, letters and digits only
	tokens   []string
	dotted   bool // has more than one component
	words    bool // has a blank
	aligned  *aligned
	parts    int // components
}

var (
	roleMark  = pattern.Late("^:[A-Za-z0-9_+.:-]+:`(.*)`$")
	titleMark = pattern.Late("^[^<>`]*<([^<>`]+)>$")
	arguments = pattern.Late(`^([^\s()]+)\s?\(.*\)$`)
)

// plainForm strips the markup around a name: :py:meth:`~a.b`, `a.b`, @a.b, a.b(x, y), a::b.
func plainForm(s string) string {
	s = strings.TrimSpace(s)
	if m := roleMark().FindStringSubmatch(s); m != nil {
		s = m[1]
		if m := titleMark().FindStringSubmatch(s); m != nil {
			s = m[1]
		}
	}
	s = strings.Trim(s, "`")
	s = strings.TrimLeft(s, "~!@")
	if m := arguments().FindStringSubmatch(s); m != nil {
		s = m[1]
	}
	s = strings.TrimSuffix(s, "()")
	return strings.TrimSpace(strings.ReplaceAll(s, "::", "."))
}

func newQuery(s string) *query {
	q := &query{raw: strings.TrimSpace(s), plain: plainForm(s)}
	if q.plain == "" {
		q.plain = q.raw // only marks: the query means them
	}
	q.folded = fold(q.plain)
	q.squeezed = squeeze(q.folded)
	q.tokens = strings.FieldsFunc(q.folded, func(r rune) bool { return !letter(r) })
	q.parts = 1 + strings.Count(q.folded, ".")
	q.dotted = q.parts > 1
	q.words = strings.ContainsFunc(q.folded, unicode.IsSpace)
	q.aligned = newAligned(q.folded)
	return q
}

// fold returns s in lower case, with its scopes separated by dots.
func fold(s string) string {
	if strings.Contains(s, "::") {
		s = strings.ReplaceAll(s, "::", ".")
	}
	return strings.ToLower(s)
}

func letter(r rune) bool {
	if r < utf8.RuneSelf {
		return 'a' <= r && r <= 'z' || '0' <= r && r <= '9' || 'A' <= r && r <= 'Z'
	}
	return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r)
}

// squeeze returns the letters and digits of s.
func squeeze(s string) string {
	if !strings.ContainsFunc(s, func(r rune) bool { return !letter(r) }) {
		return s
	}
	return strings.Map(func(r rune) rune {
		if letter(r) {
			return r
		}
		return -1
	}, s)
}
