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

	"sdd/internal/lines"
)

const (
	leastFiles = 40   // files read again at least
	perFile    = 4    // hits of one file
	nextInFile = 0.95 // factor of each further hit of a file
	unitK1     = 1.4  // of BM25, for units
	unitNorm   = 0.35 // how much the length of a unit lowers its score
	nameBonus  = 3.0  // for words of the name that a unit defines
	coverUnit  = 0.4  // weight of the share of the query that a unit has
	usualUnit  = 25.0 // lines of a unit on average
	wholeUnit  = 4    // lines below which a unit, such as a function that forwards, says less
	longUnit   = 400  // lines of a unit that a hit has at most
	leastRest  = 3    // lines of a range between hits
)

// piece is a unit with the terms of the query in it.
type piece struct {
	unit
	tf      []float64
	name    []float64 // how much of a defined name each term is
	pattern float64
	weights map[int]float64 // by line
	score   float64
	placed  bool // it has a line that the query names
	defines int  // 2 if it has the definition of a name of the query, 1 if it has a line that looks like one
}

// pick reads the best files again and puts their best ranges into f.
func (t *Tree) pick(ctx context.Context, files []ranked, want *wanted, limit int, f *Found) error {
	files = files[:min(len(files), max(leastFiles, limit))]
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
	read = slices.DeleteFunc(read, func(c candidate) bool { return c.outline == nil || len(c.pieces) == 0 })
	order(read, want)
	var hits []Hit
	for place, c := range read {
		var values []float64
		most := limit
		if want.names != 0 {
			values = c.places(place, read[0].pieces[0].defines)
		} else {
			values, most = c.values(place), max(perFile, limit/perFile)
		}
		found := c.hits(values, most)
		if want.names == 0 && want.pattern == nil {
			found = c.withConstants(found, values)
		}
		if hits = append(hits, found...); place == 0 && want.pattern == nil && want.names == 0 {
			f.Rest = c.rest(values, found)
		}
	}
	slices.SortFunc(hits, func(a, b Hit) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), strings.Compare(a.Path, b.Path), a.Start-b.Start)
	})
	f.Hits = hits[:min(len(hits), limit)]
	return nil
}

// order scores the pieces of each file by their share of the best score, and sorts pieces and files by it.
func order(read []candidate, want *wanted) {
	worth, best := rarityOfPieces(read, want), 1e-9
	for _, c := range read {
		test := c.outline.inlineTests(c.path)
		for _, p := range c.pieces {
			if p.score = 1; want.names == 0 { // uses keep the order of their lines
				if p.score = p.worth(worth); !want.tests && test(p.unit) {
					p.score *= asTest
				}
			}
			best = max(best, p.score)
		}
	}
	for _, c := range read {
		for _, p := range c.pieces {
			if p.score /= best; p.placed {
				p.score = 1 + p.score/10
			}
		}
		slices.SortFunc(c.pieces, func(a, b *piece) int {
			return cmp.Or(b.defines-a.defines, cmp.Compare(b.score, a.score), a.start-b.start)
		})
	}
	slices.SortStableFunc(read, func(a, b candidate) int { return cmp.Compare(b.scoreOf(0), a.scoreOf(0)) })
}

// scoreOf is the score of the file with its piece at a place.
func (f candidate) scoreOf(place int) float64 {
	if place >= len(f.pieces) {
		return f.score
	}
	p := f.pieces[place]
	return f.score + byPiece*f.kind*p.score + byDefining*float64(p.defines)*(inAnyKind+(1-inAnyKind)*f.kind)
}

// source returns a copy of the bytes of a file that the first pass read, nil for one that is gone.
func (t *Tree) source(p string, buf *[]byte) []byte {
	name := path.Base(p)
	d, err := t.openDir(strings.TrimSuffix(strings.TrimSuffix(p, name), "/"))
	if err != nil {
		return nil
	}
	defer d.Close()
	return bytes.Clone(d.read(name, buf))
}

// candidate is a file that was read again.
type candidate struct {
	ranked
	outline *outline
	pieces  []*piece
}

// rarityOfPieces is rarity among functions: in a small repository every word is in many files, but in few functions.
func rarityOfPieces(read []candidate, want *wanted) []float64 {
	df := make([]float64, len(want.terms))
	units := 0.0
	for _, c := range read {
		units += 1 + float64(len(c.outline.starts))/usualUnit
		for _, p := range c.pieces {
			for t, tf := range p.tf {
				df[t] += math.Min(1, tf)
			}
		}
	}
	for t, n := range df {
		if n > 0 {
			df[t] = want.terms[t].weight * math.Log(1+math.Max(0.5, units-n+0.5)/(n+0.5))
		}
	}
	return df
}

// hits returns the best units of the file, best first.
func (f candidate) hits(values []float64, most int) []Hit {
	var hits []Hit
	factor := 1.0
	for i, p := range f.pieces[:min(len(f.pieces), most)] {
		u := p.unit
		if u.lines() > longUnit {
			w := p.window(u, longUnit)
			around := (longUnit - w.lines()) / 2
			u = unit{max(u.start, w.start-around), min(u.end, w.end+around)}
		}
		h := f.hit(trim(f.outline, u), values)
		h.Score = math.Round(1e6*factor*f.scoreOf(i)) / 1e6
		hits = append(hits, h)
		factor *= nextInFile
	}
	return hits
}

// rest returns the ranges of the file between its hits, without a score.
func (f candidate) rest(values []float64, hits []Hit) []Hit {
	hits = slices.SortedFunc(slices.Values(hits), func(a, b Hit) int { return a.Start - b.Start })
	var out []Hit
	next := f.outline.firstDefinition()
	for _, h := range append(hits, Hit{Start: len(f.outline.starts) + 1}) {
		if u := trim(f.outline, unit{next, h.Start - 2}); u.lines() >= leastRest && u.lines() <= longUnit {
			out = append(out, f.hit(u, values))
		}
		next = max(next, h.End)
	}
	return out
}

func (f candidate) hit(u unit, values []float64) Hit {
	o := f.outline
	h := Hit{Path: f.path, Start: u.start + 1, End: u.end + 1, Text: o.lines(u), Worth: values[u.start : u.end+1]}
	for l := u.start; l <= u.end && h.Sign == 0; l++ {
		if r := o.lang.readLine(o.text(l)).role; r == title || r == definition && !o.inPackageLine(l) {
			h.Sign = l + 1
		}
	}
	return h
}

// A line's worth: its matches and those near it, its share of the unit's score and of the file. Fitted to lines that commits changed.
const (
	lineShare = 0.8
	unitShare = 0.3
	fileShare = 0.1
	fileFall  = 1.8 // the power of a file's place
	unitLift  = 0.3 // the power of a unit's share for the matches in it
)

// nearLine is how much a line gets from the matches of a line so far away.
var nearLine = []float64{1, 0.3, 0.2, 0.2}

// values returns the worth of every line of the file at a place in the order of files.
func (f candidate) values(place int) []float64 {
	total := 0.0
	for _, p := range f.pieces {
		total += p.score * p.score
	}
	n := len(f.outline.starts)
	near, sum := make([]float64, n), 0.0
	for _, p := range f.pieces {
		for _, l := range slices.Sorted(maps.Keys(p.weights)) { // in order: sums of floats depend on it
			w := p.weights[l]
			for away, share := range nearLine {
				if away == 0 {
					share /= 2 // counted twice
				}
				for _, at := range [2]int{l - away, l + away} {
					if at >= p.start && at <= p.end {
						near[at] += w * share
						sum += w * share
					}
				}
			}
		}
	}
	out := make([]float64, n)
	file := math.Pow(float64(place+1), -fileFall)
	for l := range out {
		out[l] = file * fileShare / float64(n)
	}
	for _, p := range slices.Backward(f.pieces) {
		share := p.score * p.score / max(total, 1e-9)
		lift := math.Pow(share, unitLift)
		for l := p.start; l <= p.end; l++ {
			worth := lineShare*lift*near[l]/max(sum, 1e-9) + unitShare*share/float64(p.lines())
			out[l] = max(out[l], file*(worth+fileShare/float64(n)))
		}
	}
	return out
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
		if s.names != 0 && (m.factor < 1 || s.names&(1<<m.term) == 0) {
			return
		}
		weight, beside := r.weigh(m)
		l := r.number - 1
		p := at(l)
		if s.names != 0 || s.terms[m.term].joined != "" && (r.role == definition || o.global(l)) {
			p.defines = max(p.defines, o.lang.declares(r.line, o.text(l), m.start-r.start, m.end-r.start))
		}
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
	for _, p := range out {
		for l := range p.weights {
			if s.pattern != nil || len(s.rows) == 0 {
				break
			}
			if text := o.text(l); lines.Prints(string(text), s.rows) && o.lang.readLine(text).role != comment {
				p.place(l, f.idf)
			}
		}
	}
	for _, m := range f.mentions {
		if l := s.mentions[m.mention].line - 1; l >= 0 && l < len(o.starts) && s.pattern == nil {
			at(l).place(l, f.idf)
		}
	}
	if len(out) == 0 && s.pattern == nil && s.names == 0 {
		p := at(0)
		p.weights[0] = 1
	}
	return out
}

// place marks a line as one that the query names or quotes.
func (p *piece) place(l int, idf []float64) {
	p.placed = true
	for _, worth := range idf {
		p.weights[l] += worth
	}
}

// worth returns the score of a piece among all pieces of all files.
func (p *piece) worth(idf []float64) float64 {
	norm := unitK1 * (1 - unitNorm + unitNorm*math.Min(float64(p.lines())/usualUnit, 8))
	score, have, mass := 0.0, 0.0, 0.0
	for t, tf := range p.tf {
		mass += idf[t]
		if tf > 0 {
			score += idf[t] * tf * (unitK1 + 1) / (tf + norm)
			have += idf[t] * math.Min(1, tf)
		}
		score += nameBonus * idf[t] * p.name[t]
	}
	if mass > 0 {
		score *= math.Pow(have/mass, coverUnit)
	}
	score *= min(1, float64(p.lines())/wholeUnit)
	if p.pattern > 0 {
		score += patternFile * (1 + math.Log(p.pattern)/2)
	}
	return score
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

func trim(o *outline, u unit) unit {
	for u.start < u.end && o.blank(u.start) {
		u.start++
	}
	for u.end > u.start && o.blank(u.end) {
		u.end--
	}
	return u
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

// firstDefinition returns the first line that defines something, before which are imports and the like; 0 if none does.
func (o *outline) firstDefinition() int {
	for l := range o.starts {
		if o.lang.readLine(o.text(l)).role == definition && !o.inPackageLine(l) {
			return l
		}
	}
	return 0
}

// inPackageLine reports whether a line names the package, which defines nothing that is called.
func (o *outline) inPackageLine(l int) bool { return bytes.HasPrefix(o.text(l), []byte("package ")) }
