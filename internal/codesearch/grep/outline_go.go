package grep

import (
	"bytes"

	"sdd/internal/pattern"
)

const wholeGroup = 25 // lines up to which a group of declarations stays together

var goDeclaration = pattern.Late(`^(?:package|import|const|var|type|func)\b`)

// goUnits returns the declarations of a Go file with their comments. As gofmt writes them, they begin at the margin, and what
// follows deeper or only closes brackets belongs to the one above. It is not a parser, which would spend time on trees of all
// bodies, because it does much of the second pass's work.
func goUnits(o *outline, from, to int, margin string) (units []unit) {
	doc, open := -1, false // the first line of the comment above; a declaration may go on
	for l := from; l < to; l++ {
		t, outer := bytes.CutPrefix(o.text(l), []byte(margin))
		switch {
		case o.blank(l):
			doc = -1
		case outer && (bytes.HasPrefix(t, []byte("//")) || bytes.HasPrefix(t, []byte("/*"))):
			if doc < 0 {
				doc = l
			}
			for t[1] == '*' && l+1 < to && !bytes.Contains(o.text(l), []byte("*/")) {
				l++
			}
			open = false
		case outer && (margin == "" && goDeclaration().Match(t) || margin != "" && (isIdent(t[0]) || t[0] == '"')):
			if open = !bytes.HasPrefix(t, []byte("package ")); open || doc >= 0 {
				units = append(units, unit{l, l})
			}
			if last := len(units) - 1; doc >= 0 {
				units[last].start = doc
			}
			doc = -1
		case open:
			units[len(units)-1].end = l
			doc = -1
		}
	}
	return units
}

// goGroups replaces the long groups of declarations by what is in them.
func goGroups(o *outline, units []unit) (out []unit) {
	for _, u := range units {
		head := u.start
		for head < u.end && !goDeclaration().Match(o.text(head)) {
			head++
		}
		if bytes.HasSuffix(o.text(head), []byte(" (")) && u.end-head >= wholeGroup && !bytes.HasPrefix(o.text(head), []byte("func")) {
			out = append(out, goUnits(o, head+1, u.end, "\t")...)
			continue
		}
		out = append(out, u)
	}
	return out
}
