package setup

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"sdd/internal/secrets"
)

// A unified diff shows people a change of a file before it is made. It masks secrets around the change, and shortens long lines.

const (
	diffContext = 3
	diffColumns = 240 // of a line, in characters
)

// unifiedDiff returns the lines of a diff, "" when nothing differs.
func unifiedDiff(name string, before, after []byte, existed, exists bool) string {
	from, to := name, name
	if !existed {
		from = "/dev/null"
	}
	if !exists {
		to = "/dev/null"
	}
	ops := diffOps(shownLines(before), shownLines(after))
	var b strings.Builder
	for at := 0; at < len(ops); {
		if ops[at].kind == ' ' {
			at++
			continue
		}
		start, end, same := max(at-diffContext, 0), at, 0
		for end < len(ops) && same <= 2*diffContext {
			if same++; ops[end].kind != ' ' {
				same = 0
			}
			end++
		}
		end -= max(same-diffContext, 0)
		writeHunk(&b, ops[:start], ops[start:end])
		at = end
	}
	if b.Len() == 0 {
		return ""
	}
	return "--- " + from + "\n+++ " + to + "\n" + b.String()
}

// diffOp is a line that stays ' ', goes '-' or is new '+'.
type diffOp struct {
	kind byte
	text string
}

func writeHunk(b *strings.Builder, above, hunk []diffOp) {
	count := func(ops []diffOp, without byte) (n int) {
		for _, op := range ops {
			if op.kind != without {
				n++
			}
		}
		return n
	}
	side := func(without byte) string {
		first, lines := count(above, without)+1, count(hunk, without)
		if lines == 0 {
			first--
		}
		if lines == 1 {
			return fmt.Sprint(first)
		}
		return fmt.Sprintf("%d,%d", first, lines)
	}
	fmt.Fprintf(b, "@@ -%s +%s @@\n", side('+'), side('-'))
	from := 0 // the length of what the two lines of a pair share
	for i, op := range hunk {
		text, end := strings.CutSuffix(op.text, "\n")
		if op.kind == '-' && i+1 < len(hunk) && hunk[i+1].kind == '+' {
			from = commonStart(op.text, hunk[i+1].text)
		}
		b.WriteString(string(op.kind) + cutLine(strings.TrimSuffix(text, "\r"), from) + "\n")
		if op.kind != '-' {
			from = 0
		}
		if !end {
			b.WriteString("\\ No newline at end of file\n")
		}
	}
}

// commonStart is the length of what two lines share at their start.
func commonStart(a, b string) int {
	n := 0
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	return n
}

// cutLine returns a line, of a long one the part around an offset.
func cutLine(s string, at int) string {
	if utf8.RuneCountInString(s) <= diffColumns {
		return s
	}
	start := max(min(at-diffColumns/4, len(s)-diffColumns), 0)
	end := min(start+diffColumns, len(s))
	text := strings.ToValidUTF8(s[start:end], "")
	if start > 0 {
		text = "… " + text
	}
	if end < len(s) {
		text += " …"
	}
	return text
}

// shownLines returns the lines of a text with their ends and with masked secrets.
func shownLines(src []byte) []string {
	var b bytes.Buffer
	at := 0
	for _, s := range secrets.Scan(src) {
		b.Write(src[at:s.Start])
		b.WriteString("…")
		at = s.End
	}
	b.Write(src[at:])
	return slices.Collect(strings.Lines(b.String()))
}

// diffOps compares lines. Where they differ it goes on at the nearest line that comes in both.
func diffOps(a, b []string) (ops []diffOp) {
	add := func(kind byte, lines []string) {
		for _, l := range lines {
			ops = append(ops, diffOp{kind, l})
		}
	}
	for len(a) > 0 && len(b) > 0 {
		if a[0] == b[0] {
			add(' ', a[:1])
			a, b = a[1:], b[1:]
			continue
		}
		gone, more := slices.Index(a, b[0]), slices.Index(b, a[0])
		switch {
		case more > 0 && (gone < 0 || more <= gone):
			add('+', b[:more])
			b = b[more:]
		case gone > 0:
			add('-', a[:gone])
			a = a[gone:]
		default:
			add('-', a[:1])
			add('+', b[:1])
			a, b = a[1:], b[1:]
		}
	}
	add('-', a)
	add('+', b)
	return ops
}
