package check

import (
	"bytes"
	"os"
	"sync"
)

// disk looks up files on disk, each once: many records link to few files.
type disk struct{ kinds, counts memo }

// memo computes a number for each path once.
type memo struct {
	mu    sync.Mutex
	known map[string]int
}

func (m *memo) get(path string, compute func() int) int {
	m.mu.Lock()
	defer m.mu.Unlock()
	n, ok := m.known[path]
	if !ok {
		if m.known == nil {
			m.known = map[string]int{}
		}
		n = compute()
		m.known[path] = n
	}
	return n
}

// Kinds of paths.
const (
	isAbsent = iota
	folder
	file
)

// kind returns the kind of an absolute path.
func (d *disk) kind(abs string) int {
	return d.kinds.get(abs, func() int {
		fi, err := os.Stat(abs)
		switch {
		case err != nil:
			return isAbsent
		case fi.IsDir():
			return folder
		}
		return file
	})
}

// lines returns how many lines the file at an absolute path has, -1 when it cannot be counted.
func (d *disk) lines(abs string) int {
	return d.counts.get(abs, func() int {
		if fi, err := os.Stat(abs); err == nil && fi.Mode().IsRegular() && fi.Size() <= mostRead {
			if src, err := os.ReadFile(abs); err == nil {
				return countLines(src)
			}
		}
		return -1
	})
}

// countLines returns the number of lines in src; a last line without an end counts.
func countLines(src []byte) int {
	n := bytes.Count(src, []byte("\n"))
	if len(src) > 0 && src[len(src)-1] != '\n' {
		n++
	}
	return n
}
