package grep

import (
	"bytes"
	"cmp"
	"context"
	"maps"
	"math"
	"path"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
)

const (
	filesPerHit = 2    // files read again for each requested range
	leastFiles  = 30   // files read again at least
	perFile     = 4    // ranges of one file
	nextInFile  = 0.85 // factor of each further range of a file
	fromFile    = 0.5  // share of a file's score that its ranges get
	unitNorm    = 0.35 // how much the length of a unit lowers its score
	nameBonus   = 1.0  // for words of the name that a unit defines
	coverUnit   = 0.4  // weight of the share of the query that a unit has
	usualUnit   = 25.0 // lines of a unit on average
	windowLines = 40   // shown of a unit that is too long to show whole
	leadLines   = 3    // shown before the first place in a window
	tailLines   = 5    // and after the last
	coreLines   = 15   // shown in answers with little room
)

// piece is a unit with the terms of the query in it.
type piece struct {
	unit
	tf      []float64
	name    []float64 // how much of a defined name each term is
	pattern float64
	weights map[int]float64 // by line
	score   float64
}

// pick reads the best files again and puts their best ranges into f.
func (t *Tree) pick(ctx context.Context, files []ranked, want *wanted, limit int, f *Found) error {
	files = files[:min(len(files), max(leastFiles, filesPerHit*limit))]
	read, late := make([]candidate, len(files)), make([]bool, len(files))
	var next atomic.Int64
	var group sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), 8, max(1, len(files))) {
		group.Go(func() {
			s := newScanner(ctx, want)
			var buf []byte
			for {
				i := int(next.Add(1)) - 1
				if i >= len(files) || cancelled(ctx) != nil {
					return
				}
				if late[i] = ctx.Err() != nil; late[i] {
					continue
				}
				if src := t.source(files[i].path, &buf); src != nil {
					o := outlineOf(files[i].path, src)
					read[i] = candidate{files[i], o, s.pieces(files[i], o)}
					late[i] = s.cut
					s.cut = false
				}
			}
		})
	}
	group.Wait()
	if err := cancelled(ctx); err != nil {
		return err
	}
	for i, l := range late {
		if l {
			f.Unread = append(f.Unread, files[i].path)
		}
	}
	worth := rarityOfPieces(read, want)
	var hits []Hit
	for _, c := range read {
		hits = append(hits, c.ranges(worth, max(perFile, limit/perFile))...)
	}
	sortHits(hits)
	f.Hits = hits[:min(len(hits), limit)]
	return nil
}

// source returns a copy of the bytes of a file that the first pass read, nil for one that is gone.
func (t *Tree) source(p string, buf *[]byte) []byte {
	name := path.Base(p)
	d, err := t.openDir(strings.TrimSuffix(strings.TrimSuffix(p, name), "/"))
	if err != nil {
		return nil
	}
	defer d.Close()
	return bytes.Clone(d.read(name, false, buf))
}

// candidate is a file that was read again.
type candidate struct {
	ranked
	outline *outline
	pieces  []*piece
}

// rarityOfPieces is rarity among the functions and sections of the candidates: in a small repository every
// word is in many files, but in few functions.
func rarityOfPieces(read []candidate, want *wanted) []float64 {
	df := make([]float64, len(want.terms))
	units := 0.0
	for _, c := range read {
		if c.outline == nil {
			continue
		}
		units += 1 + float64(len(c.outline.starts))/usualUnit
		for _, p := range c.pieces {
			for t, tf := range p.tf {
				df[t] += math.Min(1, tf)
			}
		}
	}
	for t, n := range df {
		if n > 0 {
			df[t] = want.terms[t].weight * math.Log(1+math.Max(0, units-n+0.5)/(n+0.5))
		}
	}
	return df
}

func sortHits(hits []Hit) {
	slices.SortFunc(hits, func(a, b Hit) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), strings.Compare(a.Path, b.Path), a.Start-b.Start)
	})
}

// ranges returns the best ranges of one file, best first.
func (f candidate) ranges(worth []float64, most int) []Hit {
	o, pieces := f.outline, f.pieces
	for _, p := range pieces {
		p.score = p.worth(worth)
	}
	slices.SortFunc(pieces, func(a, b *piece) int { return cmp.Or(cmp.Compare(b.score, a.score), a.start-b.start) })
	var hits []Hit
	var taken []unit
	factor := 1.0
	for _, p := range pieces {
		if len(hits) == most {
			break
		}
		u := p.shown(o)
		if slices.ContainsFunc(taken, u.meets) {
			continue
		}
		taken = append(taken, u)
		core := p.core(o, u)
		hits = append(hits, Hit{
			Path: f.path, Start: u.start + 1, End: u.end + 1, Text: o.lines(u), CoreStart: core.start + 1, CoreEnd: core.end + 1,
			Score: math.Round(1e6*factor*(f.kind*p.score+fromFile*f.score)) / 1e6,
		})
		factor *= nextInFile
	}
	return hits
}

// lines returns the text of a range without the last line's end.
func (o *outline) lines(u unit) string {
	return strings.TrimRight(string(o.src[o.starts[u.start]:o.end(u.end)]), "\r\n")
}

// pieces are the units of a file that match a part of the query; the first unit when only the path does.
func (s *scanner) pieces(f ranked, o *outline) []*piece {
	byStart := map[int]*piece{}
	var out []*piece
	at := func(l int) *piece {
		u := o.around(l)
		p := byStart[u.start]
		if p == nil {
			p = &piece{unit: u, tf: make([]float64, len(s.terms)), name: make([]float64, len(s.terms)), weights: map[int]float64{}}
			byStart[u.start] = p
			out = append(out, p)
		}
		p.end = max(p.end, u.end)
		return p
	}
	r := reader{src: o.src, language: o.lang}
	s.each(o.src, func(m match) {
		weight, beside := r.weigh(m)
		l := r.number - 1
		p := at(l)
		p.tf[m.term] += float64(weight)
		p.weights[l] += float64(weight) * f.idf[m.term]
		if r.role == definition && m.start-r.start >= r.from && m.end-r.start <= r.to {
			words := len(wordsOf(string(o.src[r.start+r.from : r.start+r.to])))
			p.name[m.term] = max(p.name[m.term], float64(m.factor)/math.Sqrt(float64(words)))
		}
		if beside >= 0 && p.tf[beside] > 0 {
			p.tf[m.term] += together
			p.tf[beside] += together
		}
	})
	if s.pattern != nil {
		for start, weight := range s.patterns(o.lang, o.src) {
			l := o.lineAt(start)
			p := at(l)
			p.pattern += weight
			p.weights[l] += weight * patternFile
		}
		out = slices.DeleteFunc(out, func(p *piece) bool { return p.pattern == 0 })
	}
	if len(out) == 0 && s.pattern == nil {
		p := at(0)
		p.weights[0] = 1
	}
	return out
}

// worth returns the score of a piece among all pieces of all files.
func (p *piece) worth(idf []float64) float64 {
	norm := k1 * (1 - unitNorm + unitNorm*math.Min(float64(p.lines())/usualUnit, 8))
	score, have, mass := 0.0, 0.0, 0.0
	for t, tf := range p.tf {
		mass += idf[t]
		if tf > 0 {
			score += idf[t] * tf * (k1 + 1) / (tf + norm)
			have += idf[t] * math.Min(1, tf)
		}
		score += nameBonus * idf[t] * p.name[t]
	}
	if mass > 0 {
		score *= math.Pow(have/mass, coverUnit)
	}
	if p.pattern > 0 {
		score += patternFile * (1 + math.Log(p.pattern)/2)
	}
	return score
}

// shown returns the part of the piece for the answer: the whole piece, or if it is long the window with most of the query.
func (p *piece) shown(o *outline) unit {
	if p.lines() <= maxLines {
		return p.trim(o, p.unit)
	}
	w := p.window(p.unit, windowLines)
	return p.trim(o, unit{max(p.start, w.start-leadLines), min(p.end, w.end+tailLines)})
}

// core returns the part of shown with most of the query, at most coreLines.
func (p *piece) core(o *outline, shown unit) unit {
	if shown.lines() <= coreLines {
		return shown
	}
	w := p.window(shown, coreLines)
	end := min(shown.end, max(w.end, w.start+coreLines-1)) // the lines after a match are more useful than those before
	return p.trim(o, unit{w.start, end})
}

// window returns the range of at most most lines in u with most of the query. It begins and ends with a line that matches.
func (p *piece) window(u unit, most int) unit {
	lines := slices.Sorted(maps.Keys(p.weights))
	best, weight := unit{u.start, u.start}, -1.0
	sum, from := 0.0, 0
	for i, l := range lines {
		if l < u.start || l > u.end {
			sum, from = 0, i+1
			continue
		}
		sum += p.weights[l]
		for ; lines[from] <= l-most; from++ {
			sum -= p.weights[lines[from]]
		}
		if sum > weight+1e-9 {
			best, weight = unit{lines[from], lines[i]}, sum
		}
	}
	return best
}

// trim removes blank lines at both ends.
func (p *piece) trim(o *outline, u unit) unit {
	for u.start < u.end && o.blank(u.start) {
		u.start++
	}
	for u.end > u.start && o.blank(u.end) {
		u.end--
	}
	return u
}
