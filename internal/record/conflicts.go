package record

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"sdd/internal/fault"
	"sdd/internal/frontmatter"
	"sdd/internal/lines"
	"sdd/internal/markdown"
)

// MarkerSize is the usual length of a conflict marker, in characters.
const MarkerSize = 7

// Block is one block of merge markers, of one length and at the start of lines, as git and this program write it. Texts are whole lines.
type Block struct {
	Line               int    // of its opening marker
	At                 [2]int // its bytes
	Ours, Base, Theirs string
	HasBase            bool // the base is between the markers too
	Labels             struct{ Ours, Base, Theirs string }
	Size               int   // characters of a marker
	Marks              []int // where its marker lines begin
}

// Labelled reports whether both outer markers have a label, as git's do.
func (b Block) Labelled() bool { return b.Labels.Ours != "" && b.Labels.Theirs != "" }

// ConflictMarkers returns the line of the first unresolved conflict of src, 0 when there is none.
func ConflictMarkers(src []byte) int {
	if open := Unresolved(src); len(open) > 0 {
		return open[0].Line
	}
	return 0
}

// Fenced lists the blocks that Unresolved treats as documentation. A merge that conflicts in a fence looks the same, but in git's index.
func Fenced(src []byte) []Block {
	all := Blocks(src)
	if len(all) == 0 {
		return nil
	}
	open := linesOf(Unresolved(src))
	return slices.DeleteFunc(all, func(b Block) bool { return open[b.Line] })
}

// linesOf returns the lines in which blocks begin.
func linesOf(blocks []Block) map[int]bool {
	lines := make(map[int]bool, len(blocks))
	for _, b := range blocks {
		lines[b.Line] = true
	}
	return lines
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

// Unresolved lists the blocks of src that are conflicts: a whole block inside one closed code fence is documentation. The parser decides:
// it sees no heading in a fence, so one is put in the place of a marker; a later heading shows that the fence was closed.
func Unresolved(src []byte) []Block {
	found := Blocks(src)
	if len(found) == 0 {
		return nil
	}
	fm, _ := frontmatter.Parse(src)
	probe := append(withoutMarkers(src, found), "\n## .\n"...)
	for _, b := range found {
		for _, at := range b.Marks {
			copy(probe[at:], "## .")
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
	return slices.DeleteFunc(found, func(b Block) bool {
		end := b.Marks[len(b.Marks)-1]
		return fence < b.At[0] && last > end && !slices.ContainsFunc(b.Marks, func(at int) bool { return heading[at] }) &&
			// A fence line in between may close one fence and open another.
			firstFence(src[b.At[0]:end]) == end-b.At[0]
	})
}

// BothSides returns src with spaces in place of the marker lines of its conflicts.
func BothSides(src []byte) []byte {
	if open := Unresolved(src); len(open) > 0 {
		return withoutMarkers(src, open)
	}
	return src
}

// withoutMarkers returns src with spaces in place of the marker lines, so that offsets stay: `=======` would underline a heading.
func withoutMarkers(src []byte, blocks []Block) []byte {
	src = bytes.Clone(src)
	for _, b := range blocks {
		for _, at := range b.Marks {
			for i := range bytes.TrimRight(lines.First(src[at:]), "\r\n") {
				src[at+i] = ' '
			}
		}
	}
	return src
}

// Blocks lists the blocks of markers in src, also inside fences. Of nested blocks it lists only the outermost.
func Blocks(src []byte) []Block {
	if !bytes.Contains(src, []byte("<<<<<<<")) {
		return nil
	}
	var all []Block
	var b Block
	where, text := Outside, 0
	at := len(src) - len(bytes.TrimPrefix(src, []byte("\ufeff"))) // a merge leaves the byte order mark before the first marker
	for n := 1; at < len(src); n++ {
		l := lines.First(src[at:])
		end := at + len(l)
		c, length := marker(l)
		before, label := string(src[text:at]), string(bytes.TrimSpace(l[length:]))
		switch {
		case c == '<' && (where == Outside || where == Ours && length == b.Size):
			// A second opening of that size before `=`: the first was text.
			b, where = Block{Line: n, Size: length, At: [2]int{at}}, Ours
			b.Labels.Ours = label
		case where == Outside || c == 0 || length != b.Size:
			at = end
			continue
		case c == '|' && where == Ours:
			b.Ours, b.HasBase, b.Labels.Base = before, true, label
			where = Before
		case c == '=' && where == Ours:
			b.Ours, where = before, Theirs
		case c == '=' && where == Before:
			b.Base, where = before, Theirs
		case c == '>' && where == Theirs:
			b.Theirs, b.Labels.Theirs, b.At[1] = before, label, end
			where = Outside
		default:
			at = end
			continue
		}
		if b.Marks = append(b.Marks, at); where == Outside {
			all = append(all, b)
		}
		at, text = end, end
	}
	return all
}

// marker returns the character and length of a marker line, 0 for any other: seven or more of one; a label may follow, not after `=`.
func marker(line []byte) (c byte, length int) {
	if len(line) < MarkerSize || bytes.IndexByte([]byte("<|=>"), line[0]) < 0 {
		return 0, 0
	}
	c = line[0]
	length = len(line) - len(bytes.TrimLeft(line, string(c)))
	rest := bytes.TrimRight(line[length:], "\r\n")
	if length < MarkerSize || len(rest) > 0 && rest[0] != ' ' || c == '=' && len(bytes.TrimSpace(rest)) > 0 {
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

// Parts splits a text at its unresolved merge conflicts. A section may have only some of a conflict's markers; these count too.
func Parts(text string) []Part {
	src := []byte(text)
	found := Blocks(src)
	open := linesOf(Unresolved(src))
	whole := []Part{{Text: text}}
	marked := bytes.Contains(src, []byte("<<<<<<<")) || bytes.Contains(src, []byte(">>>>>>>"))
	if len(open) == 0 && (len(found) > 0 || !marked || firstFence(src) < len(src)) {
		return whole
	}
	documents := func(at int) bool { // a conflict in a fence
		return slices.ContainsFunc(found, func(b Block) bool { return at >= b.At[0] && at < b.At[1] && !open[b.Line] })
	}
	var parts []Part
	now := Part{}
	add := func() {
		if now.Text != "" || now.Side != Outside {
			parts = append(parts, now)
		}
	}
	at := 0
	for l := range bytes.Lines(src) {
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
		case c == '|' && now.Side == Ours:
			to = Before
		}
		if at += len(l); to == now.Side && c != '<' {
			now.Text += string(l)
			continue
		}
		if now.Side == Theirs && to == Outside {
			now.Label, label = label, ""
		}
		add()
		now = Part{Side: to, Label: label}
	}
	add()
	return parts
}

// InWords returns a text with words in the place of conflict markers: Markdown would join the lines around them or make a heading.
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

// firstFence returns the offset of the first line of src that may open or close a code fence, nested or not; len(src) when there is none.
func firstFence(src []byte) int {
	at := 0
	for l := range bytes.Lines(src) {
		if s := bytes.TrimLeft(l, " \t>"); bytes.HasPrefix(s, []byte("```")) || bytes.HasPrefix(s, []byte("~~~")) {
			break
		}
		at += len(l)
	}
	return at
}
