package grep

import (
	"bytes"
	"slices"
	"strings"

	"sdd/internal/pattern"
)

// A query of names alone, such as parseHeader or v1.2.3, asks for places and not for an explanation. Where the tree has all of the
// names as written, the answer is their definitions, then their uses, and nothing else.

const (
	byDefining = 20.0 // more than all other scores, so that definitions come first
	inAnyKind  = 0.4  // the share of it that a definition in tests or documents has too
	aroundUse  = 2    // lines shown on each side of a use

	useWorth    = 1.0 // of a line with a name
	bodyWorth   = 0.3 // of the other lines of its definition
	besideWorth = 0.1 // of the lines near a use
	hiddenWorth = -1.0
	laterFile   = 0.02 // how much less the lines of each further file are worth
)

// withNames keeps the files that have a name of a query of names. Where the tree lacks one of the names, the query becomes one of words.
func (w *wanted) withNames(stats []stat) []stat {
	all := uint64(0)
	for _, s := range stats {
		all |= s.written & w.names
	}
	if all != w.names {
		w.names = 0
	}
	if w.names == 0 {
		return stats
	}
	return slices.DeleteFunc(stats, func(s stat) bool { return s.written&w.names == 0 })
}

// places returns the worth of every line of a file for a query of names: all lines of definitions, which are as sure as best, else uses.
func (f candidate) places(place, best int) []float64 {
	out := make([]float64, len(f.outline.starts))
	for l := range out {
		out[l] = hiddenWorth
	}
	scale := 1 / (1 + laterFile*float64(place))
	for _, p := range f.pieces {
		first := len(out)
		for l := range p.weights {
			first = min(first, l)
			for at := max(p.start, l-aroundUse); at <= min(p.end, l+aroundUse); at++ {
				if !f.outline.blank(at) {
					out[at] = max(out[at], scale*besideWorth)
				}
			}
			out[l] = scale * useWorth
		}
		for l := p.start; p.defines > 0 && p.defines >= best && l <= min(p.end, first+maxLines); l++ {
			out[l] = max(out[l], scale*bodyWorth)
		}
	}
	return out
}

// importers begin lines that name what other files define.
var importers = pattern.Words(`import from use using include require package goto delete echo raise puts sizeof typeof instanceof`)

// declares returns how sure it is that the line defines the name: 2 by its words, 1 by what is around the name, 0 for a use.
func (l language) declares(read line, text []byte, from, to int) int {
	switch read.role {
	case definition, field:
		if read.from == from && read.to == to {
			return 2
		}
	case title:
		return 1
	case comment:
		return 0
	}
	before, after := strings.TrimSpace(string(text[:from])), bytes.TrimLeft(text[to:], " \t")
	starts := func(s string) bool { return bytes.HasPrefix(after, []byte(s)) }
	words := idents(before)
	typed := before != "" && (isIdent(before[len(before)-1]) || strings.ContainsAny(before[len(before)-1:], ">]*&?"))
	declared := false
	switch {
	case l.prose, strings.ContainsAny(before, "=(){}\"'`|+;-/"), strings.Contains(before, ": "), strings.HasSuffix(before, ":"),
		slices.ContainsFunc(words, func(w string) bool { return statements()[w] || importers()[w] }):
	case starts("=="), starts("=~"), starts("=>") && !typed:
	case starts("="), starts(":="):
		own := before == "this." || before == "self." || before == "exports." // else a dot, or an indent in C, sets a field of an object
		declared = own || !strings.HasSuffix(before, ".") && (before != "" || from == 0 || !l.c)
	case before == "#define":
		declared = true
	case l.goes && before == "": // a field
		declared = len(after) > 0 && text[to] == ' ' && (isIdent(after[0]) || strings.IndexByte("*[", after[0]) >= 0)
	case starts(":"):
		declared = slices.ContainsFunc(words, func(w string) bool { return modifiers()[w] || values()[w] })
	case len(after) == 0, starts(";"), starts("("), starts("{ get"):
		declared = l.c && typed
	}
	if declared {
		return 1
	}
	return 0
}
