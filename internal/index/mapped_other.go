//go:build !unix

package index

import "os"

// canMap reports whether a mapped file takes no memory of the heap.
const canMap = false

// mapFile returns the contents of f and a function that frees them. The caller may close f afterwards.
func mapFile(f *os.File, size int) (data []byte, unmap func(), err error) {
	data = make([]byte, size)
	_, err = f.ReadAt(data, 0)
	return data, func() {}, err
}

func (s *segment) release() {}
