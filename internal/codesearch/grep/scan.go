package grep

import (
	"bytes"
	"context"
	"path"
	"slices"
	"strings"

	"sdd/internal/lines"
	"sdd/internal/pattern"
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
	together     = 1 // two terms in one identifier or side by side
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
	written  uint64  // the terms that it has as the query writes them
}

// named is a name that has terms of the query.
type named struct {
	terms uint64
	words int  // of the name
	top   bool // defined at the top of a file
}

// maxDefines is how many names of a file count.
const maxDefines = 64

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
	// With a pattern alone only matching files count, so the others need not be checked for being generated.
	onlyPattern := len(w.terms) == 0
	if src == nil || isBinary(src) || !onlyPattern && w.generated(p, src) {
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
		if m.factor == 1 {
			s.written |= 1 << m.term
		}
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
	last   match

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

// weigh returns the weight of a match, and the term directly before it, or -1.
func (r *reader) weigh(m match) (weight float32, beside int) {
	if m.start >= r.end {
		start := r.end + bytes.LastIndexByte(r.src[r.end:m.start], '\n') + 1
		r.number += 1 + bytes.Count(r.src[r.end:start], []byte("\n"))
		r.start, r.end = start, lines.End(r.src, m.start)
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
	beside = -1
	if r.last.end > 0 && m.start-r.last.end >= 0 && m.start-r.last.end <= 1 && r.last.term != m.term {
		beside = r.last.term
	}
	r.last = m
	return weight * m.factor, beside
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

// vendored are folders of dependencies and of tools' output.
var vendored = pattern.Words(`vendor node_modules bower_components third_party third-party thirdparty Godeps Pods Carthage
	.venv venv site-packages __pycache__ .tox .gradle .next .nuxt .yarn .terraform .git .hg .svn .sdd .idea .cache jspm_packages`)

// generatedNames are files that tools write and people do not read.
var generatedNames = pattern.Words(`go.sum go.work.sum package-lock.json npm-shrinkwrap.json yarn.lock pnpm-lock.yaml bun.lock bun.lockb
	Cargo.lock poetry.lock uv.lock Pipfile.lock composer.lock Gemfile.lock mix.lock flake.lock pubspec.lock packages.lock.json`)

// generatedEnds are endings of generated files, and of pictures and data in text formats.
var generatedEnds = []string{
	".min.js", ".min.css", ".bundle.js", ".map", ".pb.go", ".pb.gw.go", ".pb.cc", ".pb.h", "_pb2.py", "_pb2_grpc.py", "_pb.js",
	".pb.rs", ".g.dart", ".freezed.dart", ".designer.cs", ".g.cs", ".svg", ".snap", ".lock", ".csv", ".tsv", ".ndjson", ".jsonl",
}

// binaryEnds are endings of files that hold no text, so that they need not be opened.
var binaryEnds = pattern.Words(`.png .jpg .jpeg .gif .ico .webp .bmp .tiff .pdf .zip .gz .tgz .bz2 .xz .zst .7z .rar .jar .war .class
	.so .dylib .dll .exe .a .o .obj .wasm .woff .woff2 .ttf .otf .eot .mp3 .mp4 .mov .avi .webm .ogg .wav .pyc .pyo .bin .dat .db
	.sqlite .parquet .npy .npz .pkl .onnx .pt .safetensors .gob`)

// skipped reports whether a file is vendored, generated or binary by its path, and the query does not name it.
func (w places) skipped(file string) bool {
	start := 0
	for i := range len(file) {
		if file[i] == '/' {
			if dir := file[start:i]; vendored()[dir] && (dir == ".git" || !w.named(file[:i])) {
				return true
			}
			start = i + 1
		}
	}
	return w.skippedName(file, file[start:])
}

// skippedName is skipped without a check of the folders, which the crawl has checked.
func (w places) skippedName(file, name string) bool {
	if binaryEnds()[strings.ToLower(path.Ext(name))] {
		return true
	}
	generated := generatedNames()[name] || slices.ContainsFunc(generatedEnds, func(end string) bool { return strings.HasSuffix(name, end) })
	return generated && !w.named(file)
}

const (
	binaryLook    = 8000 // first bytes in which a zero byte makes a file binary, as in git
	generatedLook = 2000 // first bytes that may mark a file as generated
)

func isBinary(src []byte) bool {
	return bytes.IndexByte(src[:min(len(src), binaryLook)], 0) >= 0
}

// isGenerated reports whether the head of src marks it as generated, or its lines are longer than people write.
func isGenerated(src []byte) bool {
	head := src[:min(len(src), generatedLook)]
	return bytes.Contains(head, []byte("DO NOT EDIT")) && bytes.Contains(head, []byte("enerated")) ||
		bytes.Contains(head, []byte("@generated")) || len(src) > longLook && longLines(src)
}

const (
	longLook = 10_000 // least size in bytes at which the length of lines counts
	longLine = 400    // bytes of a line on average
)

// longLines reports whether the lines are longer than people write. It stops after enough line ends.
func longLines(src []byte) bool {
	need := (len(src)+longLine-1)/longLine - 1 // lines that end
	for part := range slices.Chunk(src, 4<<10) {
		if need -= bytes.Count(part, []byte("\n")); need <= 0 {
			return false
		}
	}
	return need > 0
}
