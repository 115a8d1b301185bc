package grep

import (
	"slices"

	"sdd/internal/pattern"
)

// constant is a line that defines a constant: by its word or by a name in capitals.
var constant = pattern.Late(`^(?:[^="']*\b(?:const|final|readonly|static|constexpr)\s[^="']*?\b([\pL_]\w*)` +
	`|[^="']*?\b([A-Z][A-Z0-9_]{2,}))\s*(?::[^="']*)?=[^=>]`)

const shortConstant = 6 // lines with its comment

// constantIn returns the name of the constant that is all of a range, "" for any other range.
func (o *outline) constantIn(u unit) string {
	u = trim(o, u)
	if u.lines() > shortConstant {
		return ""
	}
	for l := u.start; l < u.end; l++ {
		if !o.isAttached(l) {
			return ""
		}
	}
	if m := constant().FindSubmatch(o.text(u.end)); m != nil {
		return string(m[1]) + string(m[2])
	}
	return ""
}

// withConstants adds the constants that the lines of hits use, or right above them: short ones say too little to be found themselves.
func (f candidate) withConstants(hits []Hit, values []float64) []Hit {
	type use struct {
		hit  int
		name string
	}
	uses := map[use]bool{}
	read := func(i int, text string) {
		for _, name := range idents(text) {
			uses[use{i, name}] = true
		}
	}
	for i, h := range hits {
		read(i, h.Text)
	}
	for _, p := range f.pieces {
		u := trim(f.outline, p.unit)
		name := f.outline.constantIn(u)
		if name == "" {
			continue
		}
		for i, h := range hits {
			above := h.Start-1 > u.end && h.Start-1 <= u.end+2
			if u.start >= h.Start-1 && u.end < h.End || !above && !uses[use{i, name}] {
				continue
			}
			mean := 0.0
			for _, v := range h.Worth {
				mean += v / float64(len(h.Worth))
			}
			for l := u.start; l <= u.end; l++ {
				values[l] = max(values[l], mean)
			}
			switch known := slices.ContainsFunc(hits, func(k Hit) bool { return k.Start <= u.start+1 && k.End > u.end }); {
			case above:
				sign := h.Sign
				hits[i] = f.hit(unit{u.start, h.End - 1}, values)
				hits[i].Sign, hits[i].Score = sign, h.Score
				read(i, f.outline.lines(u))
			case !known:
				c := f.hit(u, values)
				c.Score = h.Score * nextInFile
				read(len(hits), c.Text)
				hits = append(hits, c)
			}
			break
		}
	}
	return hits
}
