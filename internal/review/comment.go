package review

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"sdd/internal/markdown"
)

// What records say is data on a page that others read (law 10). It stands only inside code spans and code fences, each
// line behind a mark, so that it is neither Markdown nor HTML nor a command of the service; what is left
// of a mention is broken up, since programs that listen to mentions do not look at Markdown.

const (
	maxComment   = 65536 // what GitHub takes, in characters: fewer bytes than that are always fewer characters
	commentSpare = 512   // of it, for the note on what was left out
	maxBlock     = 12000 // of one record
	maxRow       = 2000  // of one line
	maxInline    = 160
)

// comment is Markdown of a bounded size. Blocks that do not fit are left out and counted.
type comment struct {
	b    strings.Builder
	room int
	left []string
}

func newComment(size int) *comment { return &comment{room: size - commentSpare} }

// add writes a block. If it does not fit, what says what it is about.
func (p *comment) add(what, block string) bool {
	if len(block) > p.room {
		p.left = append(p.left, what)
		return false
	}
	p.b.WriteString(block)
	p.room -= len(block)
	return true
}

// String is the comment with a note on what was left out.
func (p *comment) String() string {
	if len(p.left) == 0 {
		return p.b.String()
	}
	note := fmt.Sprintf("\n_Left out, because a comment holds %d characters: %d more, from ", maxComment, len(p.left))
	names := code(p.left[0])
	for _, n := range p.left[1:] {
		if len(note)+len(names)+len(n) > commentSpare-80 {
			names += " and others"
			break
		}
		names += ", " + code(n)
	}
	return p.b.String() + note + names + ". `sdd diff` shows all of it._\n"
}

// code is stored text as a code span of one line, cut where it is long.
func code(s string) string {
	s = defuse(oneLine(s))
	if s == "" {
		return "` `"
	}
	s = cut(s, maxInline)
	mark := strings.Repeat("`", markdown.LongestRun(s, '`')+1)
	if strings.HasPrefix(s, "`") || strings.HasSuffix(s, "`") {
		s = " " + s + " "
	}
	return mark + s + mark
}

// fence is rows as a code fence in the colours of a difference.
func fence(rows []Row) string {
	var b strings.Builder
	for i, r := range rows {
		l := cut(defuse(r.Text), maxRow)
		if r.Mark == MarkSection {
			l = "@@ " + l + " @@"
		} else {
			l = string(rune(r.Mark)) + " " + l
		}
		if b.Len()+len(l) > maxBlock {
			fmt.Fprintf(&b, "  … and %d more lines\n", len(rows)-i)
			break
		}
		b.WriteString(strings.TrimRight(l, " \t") + "\n")
	}
	mark := strings.Repeat("`", max(3, markdown.LongestRun(b.String(), '`')+1))
	return mark + "diff\n" + b.String() + mark + "\n"
}

// defuse makes text harmless for who reads it raw: control characters and those that change the direction of
// writing are shown as such, and an @ stands apart from the name behind it.
func defuse(s string) string {
	var b strings.Builder
	for i, r := range s {
		switch {
		case r == '\t' || r == '\n':
		case unicode.IsControl(r), unicode.Is(unicode.Bidi_Control, r), r == '\u2028', r == '\u2029', r == utf8.RuneError:
			r = utf8.RuneError
		}
		b.WriteRune(r)
		if r == '@' {
			if next, _ := utf8.DecodeRuneInString(s[i+1:]); unicode.IsLetter(next) || unicode.IsDigit(next) || next == '_' || next == '-' {
				b.WriteRune('\u200b')
			}
		}
	}
	return b.String()
}

// cut shortens text to about n bytes.
func cut(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n] + " …"
}
