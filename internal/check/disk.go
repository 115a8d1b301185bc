package check

import (
	"bytes"
	"os"
	"sync"
)

// disk looks up files on disk, each once: many records link to few files. A key is an absolute path.
type disk struct{ kinds, counts sync.Map }

// Kinds of paths.
const (
	isAbsent = iota
	folder
	file
)

// kind returns the kind of a path.
func (d *disk) kind(abs string) int {
	if known, ok := d.kinds.Load(abs); ok {
		return known.(int)
	}
	kind := file
	if fi, err := os.Stat(abs); err != nil {
		kind = isAbsent
	} else if fi.IsDir() {
		kind = folder
	}
	d.kinds.Store(abs, kind)
	return kind
}

// lines returns how many lines a file has, -1 when they cannot be counted.
func (d *disk) lines(abs string) int {
	if known, ok := d.counts.Load(abs); ok {
		return known.(int)
	}
	n := -1
	if fi, err := os.Stat(abs); err == nil && fi.Mode().IsRegular() && fi.Size() <= mostRead {
		if src, err := os.ReadFile(abs); err == nil {
			n = countLines(src)
		}
	}
	d.counts.Store(abs, n)
	return n
}

// countLines returns the number of lines in src; a last line without an end counts.
func countLines(src []byte) int {
	n := bytes.Count(src, []byte("\n"))
	if len(src) > 0 && src[len(src)-1] != '\n' {
		n++
	}
	return n
}
