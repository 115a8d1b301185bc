package grep

import (
	"bytes"
	"strings"

	"sdd/internal/pattern"
)

const (
	callers    = 3    // hits whose calls are looked up
	callFiles  = 10   // files in which their definitions are looked for
	mostCalls  = 8    // definitions
	callsWorth = 0.01 // of a definition's line
)

var call = pattern.Late(`([\p{L}_$][\p{L}\p{N}_$]{2,})\(`)

// called returns the lines that define what the first hits call, one line each.
func called(hits []Hit, read []candidate) (out []Hit) {
	known := map[string]bool{}
	for _, h := range hits[:min(len(hits), callers)] {
		for _, m := range call().FindAllStringSubmatch(h.Text, -1) {
			name := m[1]
			if known[name] || statements()[name] || definers()[name] || len(out) == mostCalls {
				continue
			}
			known[name] = true
			for _, c := range read[:min(len(read), callFiles)] {
				if c.outline == nil {
					continue
				}
				l := c.outline.definition(name)
				if l < 0 || c.path == h.Path && h.Start <= l+1 && l+1 <= h.End {
					continue
				}
				out = append(out, Hit{Path: c.path, Start: l + 1, End: l + 1, Sign: l + 1,
					Text: strings.TrimRight(string(c.outline.text(l)), " \t"), Worth: []float64{callsWorth}})
				break
			}
		}
	}
	return out
}

// definition returns the first line that defines the name, -1 if none does.
func (o *outline) definition(name string) int {
	read, known := line{}, -1
	for at := 0; name != ""; {
		i := bytes.Index(o.src[at:], []byte(name))
		if i < 0 {
			break
		}
		i += at
		at = i + len(name)
		l := o.lineAt(i)
		if l != known {
			read, known = o.lang.readLine(o.text(l)), l
		}
		if wholeIdent(o.src, i, at) && (read.role == definition || read.role == field) && i-o.starts[l] == read.from &&
			!o.inPackageLine(l) {
			return l
		}
	}
	return -1
}

// inPackageLine reports whether a line names the package, which defines nothing that is called.
func (o *outline) inPackageLine(l int) bool { return bytes.HasPrefix(o.text(l), []byte("package ")) }
