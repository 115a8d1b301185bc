package grep

import (
	"bytes"
	"context"
)

// Weights of a place of a term, by the role of its line.
const (
	inBody       = 1
	inComment    = 1.3
	inField      = 2
	inTitle      = 2.5
	inDefinition = 4 // a word of the name
	isDefinition = 7 // the whole name
	pathName     = 4
	pathDir      = 1.2
)

// maxCount is how many places of a term in one file get an exact weight.
const maxCount = 200

// stat is the result of the first pass for a file that matches a part of the query.
type stat struct {
	path     string
	size     int
	tf       []float32 // by term, weighted
	mentions []mentioned
	name     named   // the terms in the file's name
	defines  []named // names that it defines and that have terms
	matches  float64 // of the pattern, weighted
}

// named is a name that has terms of the query.
type named struct {
	terms uint64
	words int  // of the name
	top   bool // defined at the top of a file
}

// maxDefines is how many names of a file count.
const maxDefines = 64

// total counts the files and bytes read.
type total struct {
	files int
	bytes int
}

// worker searches folders, one after the other, with one buffer.
type worker struct {
	*scanner
	crawl *crawl
	buf   []byte
	seen  []seen
	found []stat

	unread []string // files and folders not searched in time
	long   []string // files with lines searched in parts
}

// folder searches the files of a folder and returns the folders in it.
func (w *worker) folder(ctx context.Context, j job) (below []job) {
	over := func() bool {
		if ctx.Err() != nil {
			w.unread = append(w.unread, j.dir+"/")
		}
		return ctx.Err() != nil || j.files == nil && w.crawl.listed.Load()
	}
	if over() {
		return nil
	}
	d, err := w.crawl.tree.openDir(j.dir)
	if err != nil {
		return nil // gone since it was listed, or a link out of the tree
	}
	defer d.Close()
	names := j.files
	if names == nil {
		names, below = w.crawl.look(d, j.dir)
	}
	for _, name := range names {
		if over() {
			return nil
		}
		p := inside(j.dir, name)
		w.seen = append(w.seen, seen{p, w.file(p, d.read(name, &w.buf))})
		if w.cut {
			w.unread = append(w.unread, p)
		}
		if w.windows {
			w.long = append(w.long, p)
		}
		w.cut, w.windows = false, false
	}
	return below
}

// file searches a file and returns its size; 0 if it does not search it.
func (w *worker) file(p string, src []byte) int {
	if src == nil || isBinary(src) {
		return 0
	}
	// With a pattern alone only matching files count, so the others need not be checked for being generated.
	onlyPattern := len(w.terms) == 0
	if !onlyPattern && w.generated(p, src) {
		return 0
	}
	s, ok := w.count(p, src)
	if ok && onlyPattern && w.generated(p, src) {
		return 0
	}
	if ok {
		w.found = append(w.found, s)
	}
	return len(src)
}

// generated reports whether a tool wrote the file, and the query does not name it.
func (w *worker) generated(p string, src []byte) bool {
	return isGenerated(src) && !w.crawl.where.named(p)
}

// count counts the terms in a file; ok is false when it has nothing of the query.
func (w *worker) count(p string, src []byte) (s stat, ok bool) {
	s = stat{path: p, size: len(src), mentions: w.mentioned(p)}
	if w.pattern != nil {
		lang := languageOf(p)
		for _, weight := range w.patterns(lang, src) {
			s.matches += weight
		}
		if ok = s.matches > 0; !ok {
			return s, false
		}
	}
	var tf []float32
	var count []int
	touch := func() {
		if tf == nil {
			tf, count = make([]float32, len(w.terms)), make([]int, len(w.terms))
		}
	}
	s.name = w.inPath(p, func(term int, weight float32) {
		touch()
		tf[term] = max(tf[term], weight)
	})
	r := reader{src: src, language: languageOf(p)}
	w.each(src, func(m match) {
		touch()
		if count[m.term]++; count[m.term] > maxCount {
			return
		}
		tf[m.term] += r.weigh(m)
	})
	s.tf, s.defines = tf, r.defines
	return s, ok || tf != nil || s.mentions != nil
}

// reader weighs the matches of one file, which come in order.
type reader struct {
	src []byte
	language
	start, end int // of the line read last
	line
	number int // of that line, from 1

	defines []named
	defined int // the line of the last of defines
}

// weighPattern returns the weight of a match of a pattern from start to end in the line.
func (read line) weighPattern(start, end int) float64 {
	switch read.role {
	case definition, title:
		if start < read.to && end > read.from {
			return inDefinition
		}
	case field:
		return inField
	}
	return inBody
}

// weigh returns the weight of a match.
func (r *reader) weigh(m match) (weight float32) {
	if m.start >= r.end {
		start := r.end + bytes.LastIndexByte(r.src[r.end:m.start], '\n') + 1
		r.number += 1 + bytes.Count(r.src[r.end:start], []byte("\n"))
		r.start, r.end = start, lineEnd(r.src, m.start)
		r.line = r.readLine(r.src[r.start:r.end])
	}
	at, to := m.start-r.start, m.end-r.start
	weight = inBody
	switch r.role {
	case comment:
		weight = inComment
	case title:
		weight = inTitle
	case field, definition:
		if at >= r.from && to <= r.to {
			weight = inField
			if r.role == definition {
				weight = inDefinition
				if at == r.from && to == r.to {
					weight = isDefinition
				}
				if m.factor > prefixFactor {
					r.define(m.term)
				}
			}
		}
	}
	return weight * m.factor
}

// define notes that the name defined by the current line has the term.
func (r *reader) define(term int) {
	if last := len(r.defines) - 1; last >= 0 && r.defined == r.number {
		r.defines[last].terms |= 1 << term
	} else if last+1 < maxDefines {
		r.defined = r.number
		r.defines = append(r.defines, named{1 << term, len(wordsOf(string(r.src[r.start+r.from : r.start+r.to]))), r.indent == 0})
	}
}
