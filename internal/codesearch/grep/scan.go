package grep

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"sync"
	"sync/atomic"
)

// Weights of a place where a term stands, by what the line is.
const (
	inBody       = 1
	inComment    = 1.3
	inField      = 2
	inTitle      = 2.5
	inDefinition = 4 // a word of the name
	isDefinition = 7 // the whole name
	pathName     = 4
	pathDir      = 1.2
	together     = 1 // two terms in one identifier or side by side
)

// maxCount is how many places of a term in one file are looked at closely.
const maxCount = 200

// stat is what the first pass keeps of a file in which something of the query stands.
type stat struct {
	path    string
	size    int
	tf      []float32 // by term, weighted
	named   bool      // the query names its path
	matches float64   // of the pattern, weighted
}

// total is what was read.
type total struct {
	files int
	bytes int
}

// scan reads every file once and returns the numbers of those in which something of the query stands, in the
// order of the list.
func (t *Tree) scan(ctx context.Context, dirs []folder, want *wanted, where places) ([]stat, total, error) {
	found := make([][]stat, len(dirs))
	var next, files, size atomic.Int64
	work := func() {
		w := worker{tree: t, scanner: newScanner(want), where: where}
		for {
			i := int(next.Add(1)) - 1
			if i >= len(dirs) || ctx.Err() != nil {
				break
			}
			found[i] = w.folder(ctx, dirs[i])
		}
		files.Add(int64(w.files))
		size.Add(int64(w.bytes))
	}
	var group sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), 8, max(1, len(dirs))) {
		group.Go(work)
	}
	group.Wait()
	if err := ctx.Err(); err != nil {
		return nil, total{}, err
	}
	var out []stat
	for _, list := range found {
		out = append(out, list...)
	}
	return out, total{int(files.Load()), int(size.Load())}, nil
}

// worker scans folders, one after the other, with one buffer.
type worker struct {
	*scanner
	tree  *Tree
	where places
	buf   []byte
	total
}

func (w *worker) folder(ctx context.Context, f folder) []stat {
	dir, err := w.tree.root.OpenRoot(filepath.FromSlash(f.dir))
	if err != nil {
		return nil // gone since it was listed, or a link out of the tree
	}
	defer dir.Close()
	if real, err := w.tree.root.Lstat(filepath.FromSlash(f.dir)); err != nil || real.Mode()&os.ModeSymlink != 0 {
		return nil
	}
	var out []stat
	for _, name := range f.files {
		if ctx.Err() != nil {
			return nil
		}
		src := w.read(dir, name)
		if src == nil {
			continue
		}
		p := path.Join(f.dir, name)
		if isBinary(src) || !w.where.named(p) && isGenerated(src) {
			continue
		}
		w.files++
		w.bytes += len(src)
		if s, ok := w.file(p, src); ok {
			out = append(out, s)
		}
	}
	return out
}

// read returns the bytes of a regular file until the next call, nil for one that is not searched.
func (w *worker) read(dir *os.Root, name string) []byte {
	st, err := dir.Lstat(name)
	if err != nil || !st.Mode().IsRegular() || st.Size() > maxFile || st.Size() == 0 {
		return nil
	}
	f, err := dir.Open(name)
	if err != nil {
		return nil
	}
	defer f.Close()
	if need := int(st.Size()) + 1; cap(w.buf) < need {
		w.buf = make([]byte, max(need, 2*cap(w.buf), 64<<10))
	}
	n, err := io.ReadFull(f, w.buf[:cap(w.buf)])
	if err != io.EOF && !errors.Is(err, io.ErrUnexpectedEOF) || n == 0 || n > maxFile { // it grew, or failed
		return nil
	}
	return w.buf[:n]
}

// file counts the terms in a file; ok is false when it has nothing of the query.
func (w *worker) file(p string, src []byte) (s stat, ok bool) {
	s = stat{path: p, size: len(src), named: w.names(p) > 0}
	if w.pattern != nil {
		lang := languageOf(p)
		w.eachPattern(src, func(start, end int) { s.matches += lang.weighPattern(src, start, end) })
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
	w.inPath(p, func(term int, weight float32) {
		touch()
		tf[term] = max(tf[term], weight)
	})
	r := reader{src: src, language: languageOf(p)}
	w.each(src, func(m match) {
		touch()
		if count[m.term]++; count[m.term] > maxCount {
			return
		}
		weight, beside := r.weigh(m)
		tf[m.term] += weight
		if beside >= 0 {
			tf[beside] += together
			tf[m.term] += together
		}
	})
	s.tf = tf
	return s, ok || tf != nil || s.named
}

// reader weighs the matches of one file, which come in order.
type reader struct {
	src []byte
	language
	start, end int // of the line read last
	line
	number int // of that line, from 1
	last   match
}

// weighPattern is what a match of a pattern counts.
func (l language) weighPattern(src []byte, start, end int) float64 {
	from := bytes.LastIndexByte(src[:start], '\n') + 1
	switch read := l.readLine(src[from:lineEnd(src, start)]); read.role {
	case definition, title:
		if start-from < read.to && end-from > read.from {
			return inDefinition
		}
	case field:
		return inField
	}
	return inBody
}

// weigh returns what a match counts, and the term that stands right before it, or -1.
func (r *reader) weigh(m match) (weight float32, beside int) {
	if m.start >= r.end {
		start := r.end + bytes.LastIndexByte(r.src[r.end:m.start], '\n') + 1
		if r.number == 0 {
			r.number = 1
		} else {
			r.number++
		}
		r.number += bytes.Count(r.src[r.end:start], []byte("\n"))
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
			}
		}
	}
	beside = -1
	if r.last.end > 0 && m.start-r.last.end >= 0 && m.start-r.last.end <= 1 && r.last.term != m.term {
		beside = r.last.term
	}
	r.last = m
	return weight * m.factor, beside
}
