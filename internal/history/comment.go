package history

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"sdd/internal/lines"
	"sdd/internal/markdown"
	"sdd/internal/record"
)

// Stored text is data on a page that others read: a comment has it only in code spans and fences, each line with a mark, mentions
// broken up, so that it is no Markdown, no HTML and no command of the service.

const (
	maxComment   = 65536 // GitHub's limit in characters; the code counts bytes, which are never fewer
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

func newComment() *comment { return &comment{room: maxComment - commentSpare} }

// add writes a block. If it does not fit, the note at the end lists subject.
func (p *comment) add(subject, block string) {
	if len(block) > p.room {
		p.left = append(p.left, subject)
		return
	}
	p.b.WriteString(block)
	p.room -= len(block)
}

// entry is a block below a heading. If it does not fit, the note at the end lists the subject.
type entry struct{ subject, block string }

// addAll writes entries, the first one with the heading.
func (p *comment) addAll(title string, entries []entry) {
	heading := "### " + title + "\n\n"
	for _, e := range entries {
		p.add(e.subject, heading+e.block)
		heading = ""
	}
}

// addList writes a heading and a list, with a blank line below it.
func (p *comment) addList(title string, entries []entry) {
	if len(entries) > 0 {
		entries[len(entries)-1].block += "\n"
	}
	p.addAll(title, entries)
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

// code is stored text as a code span on one line, cut where it is long.
func code(s string) string {
	s = defuse(record.OneLine(s))
	if s == "" {
		return "` `"
	}
	return markdown.CodeSpan(cut(s, maxInline))
}

// fence is rows as a code fence of a difference.
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

// defuse replaces control characters and those that change the direction of writing, and parts an @ from the name that follows.
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
	return s[:lines.Border(s, n)] + " …"
}
