package review

import (
	"bytes"
	"os"
	"sync"
)

// disk remembers what stands at paths that links lead to: many records link to few files.
type disk struct {
	mu     sync.Mutex
	kinds  map[string]standing
	counts map[string]int
}

// standing is what stands at a path.
type standing uint8

const (
	isUnseen standing = iota
	isAbsent
	folder
	file
)

// kind returns what stands at an absolute path.
func (d *disk) kind(abs string) standing {
	d.mu.Lock()
	defer d.mu.Unlock()
	if k := d.kinds[abs]; k != isUnseen {
		return k
	}
	k := isAbsent
	if fi, err := os.Stat(abs); err == nil {
		if k = file; fi.IsDir() {
			k = folder
		}
	}
	if d.kinds == nil {
		d.kinds = map[string]standing{}
	}
	d.kinds[abs] = k
	return k
}

// lines returns how many lines the file at an absolute path has, -1 when that is not to be known.
func (d *disk) lines(abs string) int {
	d.mu.Lock()
	defer d.mu.Unlock()
	if n, ok := d.counts[abs]; ok {
		return n
	}
	n := -1
	if fi, err := os.Stat(abs); err == nil && fi.Mode().IsRegular() && fi.Size() <= mostRead {
		if src, err := os.ReadFile(abs); err == nil {
			n = countLines(src)
		}
	}
	if d.counts == nil {
		d.counts = map[string]int{}
	}
	d.counts[abs] = n
	return n
}

// countLines returns the number of lines in src; a last one without an end counts.
func countLines(src []byte) int {
	n := bytes.Count(src, []byte("\n"))
	if len(src) > 0 && src[len(src)-1] != '\n' {
		n++
	}
	return n
}
