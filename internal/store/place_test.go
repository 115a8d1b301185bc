package store

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

// TestPlaceWhole has a reader look for the file while it is written: it sees none or all of it.
func TestPlaceWhole(t *testing.T) {
	s := newStore(t)
	text := bytes.Repeat([]byte("# A document\n"), 1<<17)
	for _, name := range []string{"a.md", "docs/b.md", "docs/adr/c.md"} {
		file, seen := filepath.Join(s.Dir(), filepath.FromSlash(name)), make(chan int64)
		go func() {
			for {
				if fi, err := os.Stat(file); err == nil {
					seen <- fi.Size()
					return
				}
			}
		}()
		if err := s.Place(t.Context(), name, text); err != nil {
			t.Fatal(err)
		}
		if n := <-seen; n != int64(len(text)) {
			t.Errorf("%s: a reader saw %d of %d bytes", name, n, len(text))
		}
		if err := s.Place(t.Context(), name, nil); !errors.Is(err, fs.ErrExist) {
			t.Errorf("%s, once more: %v", name, err)
		}
		if src, err := os.ReadFile(file); err != nil || !bytes.Equal(src, text) {
			t.Errorf("%s: %d bytes, %v", name, len(src), err)
		}
	}
	left, err := os.ReadDir(filepath.Join(s.Dir(), Folder, filepath.FromSlash(tmpFolder)))
	if err != nil || len(left) > 0 {
		t.Errorf("left: %v, %v", left, err)
	}
}
