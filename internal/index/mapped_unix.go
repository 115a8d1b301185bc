//go:build unix

package index

import (
	"os"

	"golang.org/x/sys/unix"
)

// canMap reports whether a mapped file takes no memory of the heap.
const canMap = true

// mapFile returns the contents of f and a function that frees them. The caller may close f afterwards.
func mapFile(f *os.File, size int) (data []byte, unmap func(), err error) {
	data, err = unix.Mmap(int(f.Fd()), 0, size, unix.PROT_READ, unix.MAP_SHARED)
	if err != nil {
		return nil, nil, err
	}
	return data, func() { unix.Munmap(data) }, nil
}

// release gives the memory of mapped pages back; the system loads them again when they are read.
func (s *segment) release() {
	if s.unmap != nil {
		unix.Madvise(s.data, unix.MADV_DONTNEED)
	}
}
