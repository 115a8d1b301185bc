package grep

import (
	"errors"
	"io"
	"os"
	"path"
	"path/filepath"
)

// dir is an open folder, which follows no links: os.Root, and on Linux direct system calls, which take most of a search's time.
type dir interface {
	// entries returns the files and folders in it, unsorted and without links and devices.
	entries() ([]entry, error)

	// read returns the bytes of a regular file, valid until the next call with the buffer; nil if empty, too large or not readable.
	read(name string, buf *[]byte) []byte

	Close() error
}

// entry is a file or folder in a folder.
type entry struct {
	name   string
	folder bool
}

const firstBuffer = 256 << 10 // bytes: nearly every source file in one call

// rootDir implements dir with the standard library.
type rootDir struct{ *os.Root }

// openRootDir opens the folder at p, "" the top.
func (t *Tree) openRootDir(p string) (dir, error) {
	if p == "" {
		p = "."
	}
	local := filepath.FromSlash(p)
	r, err := t.root.OpenRoot(local)
	if err != nil {
		return nil, err
	}
	for at := p; at != "."; at = path.Dir(at) {
		if st, err := t.root.Lstat(filepath.FromSlash(at)); err != nil || st.Mode()&os.ModeSymlink != 0 {
			r.Close()
			return nil, errors.Join(err, errLink)
		}
	}
	return rootDir{r}, nil
}

var errLink = errors.New("a symbolic link leads there")

func (d rootDir) entries() ([]entry, error) {
	f, err := d.Open(".")
	if err != nil {
		return nil, err
	}
	defer f.Close()
	list, err := f.ReadDir(-1)
	var out []entry
	for _, e := range list {
		if e.IsDir() || e.Type().IsRegular() {
			out = append(out, entry{e.Name(), e.IsDir()})
		}
	}
	return out, err
}

func (d rootDir) read(name string, buf *[]byte) []byte {
	st, err := d.Lstat(name)
	if err != nil || !st.Mode().IsRegular() || st.Size() > maxFile || st.Size() == 0 {
		return nil
	}
	f, err := d.Open(name)
	if err != nil {
		return nil
	}
	defer f.Close()
	if need := int(st.Size()) + 1; cap(*buf) < need {
		*buf = make([]byte, max(need, 2*cap(*buf), firstBuffer))
	}
	b := (*buf)[:cap(*buf)]
	n, err := io.ReadFull(f, b)
	if err != io.EOF && !errors.Is(err, io.ErrUnexpectedEOF) || n == 0 || n > maxFile { // it grew, or failed
		return nil
	}
	return b[:n]
}
