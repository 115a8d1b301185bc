package grep

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strings"
)

// File is one file of the tree, for callers that know a place in it. It is for one goroutine.
type File struct {
	Path string
	o    *outline

	have   []string // its lines that are not blank, squeezed, from the first Find on
	number []int    // of those lines, from 1
}

// NewFile splits the text of the file at p into lines and units; nil for a binary or empty file.
func NewFile(p string, src []byte) *File {
	if isBinary(src) || len(src) == 0 {
		return nil
	}
	return &File{Path: p, o: outlineOf(p, src)}
}

// Lines is the number of lines.
func (f *File) Lines() int { return len(f.o.starts) }

// Text returns the lines start to end, from 1, without the last one's end.
func (f *File) Text(start, end int) string { return f.o.lines(unit{start - 1, end - 1}) }

// Around returns the range of the function or section that contains the line, if an answer can show it whole; else the line.
func (f *File) Around(line int) (start, end int) {
	if u := f.o.around(line - 1); u.lines() <= maxLines {
		return u.start + 1, u.end + 1
	}
	return line, line
}

// Symbol returns the range of the definition of a name.
func (f *File) Symbol(name string) (start, end int, ok bool) {
	l := f.o.definition(name)
	if l < 0 {
		return 0, 0, false
	}
	start, end = f.Around(l + 1)
	return start, end, true
}

// Find returns the lines nearest to near that contain text, but for blanks; ok is false for none within slack lines (-1: in the file).
func (f *File) Find(ctx context.Context, text string, near, slack int) (start, end int, ok bool) {
	want := solid(strings.Split(text, "\n"))
	if len(want) == 0 {
		return 0, 0, false
	}
	if f.have == nil { // a server may name a large file for each of its texts
		for l := range f.o.starts {
			if t := squeeze(string(f.o.text(l))); t != "" {
				f.have, f.number = append(f.have, t), append(f.number, l+1)
			}
		}
	}
	best := math.MaxInt
	for i := 0; i+len(want) <= len(f.have); i++ {
		if ctx.Err() != nil {
			return 0, 0, false
		}
		away := max(f.number[i]-near, near-f.number[i])
		if away < best && (slack < 0 || away <= slack) && matches(f.have[i:], want) {
			best, ok = away, true
			start, end = f.number[i], f.number[i+len(want)-1]
		}
	}
	return start, end, ok
}

// matches reports whether have begins with want, whose first and last line may be cut, as servers do with long texts.
func matches(have, want []string) bool {
	for i, w := range want {
		h := have[i]
		switch {
		case h == w:
		case len(w) >= leastCut && i == len(want)-1 && strings.HasPrefix(h, w):
		case len(w) >= leastCut && i == 0 && strings.HasSuffix(h, w):
		default:
			return false
		}
	}
	return true
}

const leastCut = 3 // bytes of a truncated line

// solid returns the lines that are not blank, squeezed, without the dots that mark a cut.
func solid(lines []string) []string {
	var out []string
	for _, l := range lines {
		l = strings.TrimSpace(strings.TrimRight(strings.TrimSuffix(strings.TrimSpace(l), "..."), "…"))
		if l = squeeze(l); l != "" {
			out = append(out, l)
		}
	}
	return out
}

func squeeze(s string) string { return strings.Join(strings.Fields(s), " ") }

// Best returns the part of a range that matches most of the query, at most maxLines; all of it if an answer can show it whole.
func (f *File) Best(ctx context.Context, query string, start, end int) (int, int) {
	if end-start < maxLines {
		return start, end
	}
	want, err := parseQuery(Query{Query: query})
	if err != nil {
		return start, start + maxLines - 1
	}
	idf := make([]float64, len(want.terms))
	for i := range idf {
		idf[i] = want.terms[i].weight
	}
	s := newScanner(ctx, want)
	r := ranked{stat: &stat{path: f.Path}, idf: idf, kind: 1}
	var inside []*piece
	for _, p := range s.pieces(r, f.o) {
		for l := range p.weights {
			if l+1 < start || l+1 > end {
				delete(p.weights, l)
			}
		}
		if len(p.weights) > 0 {
			p.start, p.end = max(p.start, start-1), min(p.end, end-1)
			inside = append(inside, p)
		}
	}
	if len(inside) == 0 {
		return start, start + maxLines - 1
	}
	for _, p := range inside {
		p.score = p.worth(idf)
	}
	best := slices.MaxFunc(inside, func(a, b *piece) int { return cmp.Or(cmp.Compare(a.score, b.score), b.start-a.start) })
	u := best.unit
	if u.lines() > maxLines {
		w := best.window(u, windowLines)
		u = unit{max(u.start, w.start-leadLines), min(u.end, w.end+tailLines)}
	}
	u = trim(f.o, u)
	return u.start + 1, u.end + 1
}

// What Best shows of a unit that is too long.
const (
	windowLines = 40 // with most of the query
	leadLines   = 3  // before the first match
	tailLines   = 5  // after the last
)
