package record

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"sdd/internal/fault"
	"sdd/internal/frontmatter"
	"sdd/internal/markdown"
)

// conflict is one block of merge markers: byte offsets and lines of the three marker lines.
type conflict struct {
	at   [3]int
	line int
}

// ConflictMarkers returns the line of the first unresolved conflict of src, 0 when there is none. A conflict is
// `<<<<<<<`, `=======` and `>>>>>>>` at the start of lines, in that order and of one length, as git and this program
// write it. A single marker is text (`=======` underlines a heading), and a whole block inside one closed code fence is
// documentation (Fenced).
func ConflictMarkers(src []byte) int {
	if open := unresolved(src); len(open) > 0 {
		return open[0].line
	}
	return 0
}

// Example is a block of merge markers inside a closed code fence.
type Example struct {
	Line     int // of its first marker
	Text     string
	Labelled bool // both outer markers have a label, as git's do
}

// Fenced lists the blocks of merge markers in src that ConflictMarkers treats as documentation. A merge that conflicts
// inside a fence looks the same: only git's index distinguishes them.
func Fenced(src []byte) []Example {
	all := conflicts(src)
	if len(all) == 0 {
		return nil
	}
	open := map[int]bool{}
	for _, c := range unresolved(src) {
		open[c.line] = true
	}
	var fenced []Example
	for _, c := range all {
		if open[c.line] {
			continue
		}
		last := line(src[c.at[2]:])
		fenced = append(fenced, Example{
			Line: c.line, Text: string(src[c.at[0] : c.at[2]+len(last)]), Labelled: labelled(line(src[c.at[0]:])) && labelled(last),
		})
	}
	return fenced
}

// labelled reports whether a marker line has a label.
func labelled(marker []byte) bool {
	return len(bytes.TrimSpace(bytes.TrimLeft(marker, "<>"))) > 0
}

// ConflictAt returns the problem of a file with a merge conflict that begins in that line.
func ConflictAt(line int) Problem {
	text := "a merge conflict begins in line %d: both sides are read, nothing is written until it is resolved"
	return Problem{line, Conflicted, fmt.Sprintf(text, line)}
}

// Unmerged returns the fault of writing to a file that git has in conflict. The conflict begins in that line.
func Unmerged(line int) *fault.Error {
	return broken(line, conflictBegins, "resolve the conflict, by hand or with sdd resolve, git add the file, then save again")
}

const conflictBegins = "a merge conflict begins here"

// unresolved lists the conflicts of src that are not documentation.
//
// The parser decides: it does not see a heading inside a fence, so unresolved puts one in the place of a marker; a later
// heading shows that the fence was closed.
func unresolved(src []byte) []conflict {
	found := conflicts(src)
	if len(found) == 0 {
		return nil
	}
	fm, _ := frontmatter.Parse(src)
	probe := append(bytes.Clone(src), "\n## .\n"...)
	for _, c := range found {
		for _, at := range c.at {
			l := bytes.TrimRight(line(probe[at:]), "\r\n")
			blank(l)
			copy(l, "## .")
		}
	}
	doc, err := markdown.Parse(probe, fm.Body)
	if err != nil || len(doc.Headings) == 0 {
		return found
	}
	heading := make(map[int]bool, len(doc.Headings))
	for _, h := range doc.Headings {
		heading[h.Span.Start] = true
	}
	last := doc.Headings[len(doc.Headings)-1].Span.Start
	fence := firstFence(src[fm.Body:]) + fm.Body
	return slices.DeleteFunc(found, func(c conflict) bool {
		return fence < c.at[0] && last > c.at[2] && !heading[c.at[0]] && !heading[c.at[1]] && !heading[c.at[2]] &&
			// A fence line in between may close one fence and open another.
			firstFence(src[c.at[0]:c.at[2]]) == c.at[2]-c.at[0]
	})
}

// withoutMarkers returns src with spaces in place of the marker lines of conflicts, so that offsets stay and both sides read as plain
// text: `=======` would underline a heading.
func withoutMarkers(src []byte, open []conflict) []byte {
	src = bytes.Clone(src)
	for _, c := range open {
		for _, at := range c.at {
			blank(bytes.TrimRight(line(src[at:]), "\r\n"))
		}
	}
	return src
}

func blank(b []byte) {
	for i := range b {
		b[i] = ' '
	}
}

// conflicts lists the blocks of markers in src, also inside fences. Of nested blocks it lists only the outermost.
func conflicts(src []byte) []conflict {
	if !bytes.Contains(src, []byte("<<<<<<<")) {
		return nil
	}
	var found []conflict
	var open conflict
	size, stage := 0, 0
	for at, n := 0, 1; at < len(src); n++ {
		end := at + len(line(src[at:]))
		c, length := marker(src[at:end])
		switch {
		case c == '<' && (stage == 0 || stage == 1 && length == size):
			// A second opening of that size before `=`: the first was text.
			open, size, stage = conflict{at: [3]int{at}, line: n}, length, 1
		case c == '=' && stage == 1 && length == size:
			open.at[1], stage = at, 2
		case c == '>' && stage == 2 && length == size:
			open.at[2], stage = at, 0
			found = append(found, open)
		}
		at = end
	}
	return found
}

// line returns the first line of src with its end.
func line(src []byte) []byte {
	if i := bytes.IndexByte(src, '\n'); i >= 0 {
		return src[:i+1]
	}
	return src
}

// marker returns the character and length of the marker line, 0 for any other line. A marker is seven or more of one
// character at the start of the line; a label may follow after a space, but not after `=`.
func marker(line []byte) (c byte, length int) {
	if len(line) < 7 || line[0] != '<' && line[0] != '=' && line[0] != '>' {
		return 0, 0
	}
	line = bytes.TrimRight(line, "\r\n")
	c = line[0]
	length = len(line) - len(bytes.TrimLeft(line, string(c)))
	rest := line[length:]
	if length < 7 || len(rest) > 0 && rest[0] != ' ' || c == '=' && len(bytes.TrimSpace(rest)) > 0 {
		return 0, 0
	}
	return c, length
}

// Side is the place of a part of a text: outside of merge conflicts, or on a side of one.
type Side int

const (
	Outside Side = iota
	Ours
	Before // the base, if git wrote it
	Theirs
)

// Part is a stretch of a text without marker lines, and the label of the marker above it.
type Part struct {
	Side  Side
	Label string
	Text  string
}

// Parts splits a text at its unresolved merge conflicts. A section may have only some of a conflict's markers; these
// count too. A text without conflicts is one part.
func Parts(text string) []Part {
	src := []byte(text)
	found, open := conflicts(src), unresolved(src)
	whole := []Part{{Text: text}}
	marked := bytes.Contains(src, []byte("<<<<<<<")) || bytes.Contains(src, []byte(">>>>>>>"))
	if len(open) == 0 && (len(found) > 0 || !marked || firstFence(src) < len(src)) {
		return whole
	}
	documents := func(at int) bool { // a conflict in a fence
		return slices.ContainsFunc(found, func(c conflict) bool { return at >= c.at[0] && at <= c.at[2] && !slices.Contains(open, c) })
	}
	var parts []Part
	now := Part{}
	for at := 0; at < len(src); {
		l := line(src[at:])
		to, label := now.Side, string(bytes.TrimSpace(bytes.TrimLeft(l, "<|=>")))
		c, _ := marker(l)
		switch {
		case documents(at):
		case c == '<':
			to = Ours
		case c == '=' && (now.Side == Ours || now.Side == Before),
			c == '=' && now.Side == Outside && bytes.Contains(src[at:], []byte("\n>>>>>>>")):
			to = Theirs
		case c == '>':
			to = Outside
		case now.Side == Ours && bytes.HasPrefix(l, []byte("|||||||")):
			to = Before
		}
		if at += len(l); to == now.Side && c != '<' {
			now.Text += string(l)
			continue
		}
		if now.Side == Theirs && to == Outside {
			now.Label, label = label, ""
		}
		if now.Text != "" || now.Side != Outside {
			parts = append(parts, now)
		}
		now = Part{Side: to, Label: label}
	}
	if now.Text != "" || now.Side != Outside {
		parts = append(parts, now)
	}
	return parts
}

// InWords returns a text with words in the place of conflict markers: Markdown would join the lines around a marker or
// turn them into a heading.
func InWords(text string) string {
	parts := Parts(text)
	if len(parts) == 1 && parts[0].Side == Outside {
		return text
	}
	var b strings.Builder
	for i, p := range parts {
		name := [...]string{
			Outside: "end of the merge conflict", Ours: "merge conflict, one side", Before: "before both", Theirs: "the other side",
		}[p.Side]
		if p.Label != "" {
			name += ", " + p.Label
		}
		if i > 0 || p.Side != Outside {
			b.WriteString("\n(" + name + ")\n\n")
		}
		b.WriteString(p.Text)
	}
	return b.String()
}

// firstFence returns the offset of the first line of src that may open or close a code fence, nested or not; len(src)
// when there is none.
func firstFence(src []byte) int {
	for at := 0; at < len(src); {
		l := line(src[at:])
		s := bytes.TrimLeft(l, " \t>")
		if bytes.HasPrefix(s, []byte("```")) || bytes.HasPrefix(s, []byte("~~~")) {
			return at
		}
		at += len(l)
	}
	return len(src)
}
