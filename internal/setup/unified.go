package setup

import (
	"bytes"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/rogpeppe/go-internal/diff"

	"sdd/internal/secrets"
)

const diffColumns = 240 // of a line, in characters

// unifiedDiff shows people a change of a file before it is made, "" when nothing differs. It masks secrets around the change, and shortens
// long lines.
func unifiedDiff(name string, before, after []byte, existed, exists bool) string {
	from, to := name, name
	if !existed {
		from = "/dev/null"
	}
	if !exists {
		to = "/dev/null"
	}
	_, text, _ := strings.Cut(string(diff.Diff(from, masked(before), to, masked(after))), "\n") // without the line "diff from to"
	var b strings.Builder
	lines := slices.Collect(strings.Lines(text))
	shared := 0 // the length of what an old and a new line share at their start
	for i, line := range lines {
		switch line = strings.TrimRight(line, "\r\n"); line[0] {
		case '@':
			line = strings.ReplaceAll(line, ",1 ", " ")
		case '-':
			next := slices.IndexFunc(lines[i+1:], func(l string) bool { return l[0] != '\\' })
			if shared = 0; next >= 0 && lines[i+1+next][0] == '+' {
				shared = commonStart(line[1:], lines[i+1+next][1:])
			}
			line = cutLine(line, shared)
		case '+':
			line = cutLine(line, shared)
			shared = 0
		case ' ':
			line = cutLine(line, 0)
		}
		b.WriteString(line + "\n")
	}
	return b.String()
}

// commonStart is the length of what two lines share at their start.
func commonStart(a, b string) (n int) {
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	return n
}

// cutLine returns a line of a diff, of a long one the part around an offset.
func cutLine(line string, at int) string {
	kind, s := line[:1], line[1:]
	if utf8.RuneCountInString(s) <= diffColumns {
		return line
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
	return kind + text
}

// masked returns a text with "…" in place of secrets.
func masked(src []byte) []byte {
	var b bytes.Buffer
	at := 0
	for _, s := range secrets.Scan(src) {
		b.Write(src[at:s.Start])
		b.WriteString("…")
		at = s.End
	}
	b.Write(src[at:])
	return b.Bytes()
}
