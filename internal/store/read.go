package store

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"sdd/internal/config"
	"sdd/internal/fault"
)

// File is the content of a record's file at one moment.
type File struct {
	Path  string // relative to .sdd, with slashes
	Bytes []byte
	Stat  Stat
}

// Read returns the file at path. It reads only regular files inside the store, up to the limit of config.yaml: a
// symbolic link that leads out, a device, a named pipe and an oversized file are faults, and Read does not block on
// them. It waits a short time for another program that saves in place.
func (s *Store) Read(path string) (File, error) {
	if s.texts != nil {
		return s.readText(path)
	}
	t, err := s.open()
	if errors.Is(err, errNoStore) {
		return File{}, s.noStore()
	}
	if err != nil {
		return File{}, err
	}
	f, _, err := s.read(t, path, glance)
	if errors.Is(err, fs.ErrNotExist) {
		return File{}, fault.New(fault.NotFound, "there is no file %q", shown(path)).At(shown(path), 0).
			With("it may have been renamed or deleted; search for its title")
	}
	return f, err
}

// read is Read with another patience; for a missing file it returns fs.ErrNotExist. open reports whether another program
// still has the file open for writing.
func (s *Store) read(t *tree, path string, p patience) (f File, open bool, err error) {
	if err := check(path); err != nil {
		return File{}, false, err
	}
	return s.readIn(t.root, path, path, p)
}

// readIn reads the file name below root, which is known as path.
func (s *Store) readIn(root opener, name, path string, p patience) (f File, open bool, err error) {
	h, err := openToRead(root, name, path)
	if err != nil {
		return File{}, false, err
	}
	defer h.Close()
	f.Path = path
	limit := s.limit()
	f.Bytes, f.Stat, open, err = waitForWriter(h, limit, p)
	if errors.Is(err, errTooLarge) {
		err = fault.New(fault.Broken, "the file has more than %d bytes, the limit (limits.file in %s)", limit, shown(config.Name)).
			At(shown(path), 0).With("split it, or raise the limit")
	} else if err != nil {
		err = unreadable(path, err)
	}
	return f, open, err
}

// opener is a folder: a tree of folders (os.Root) or a single one.
type opener interface {
	OpenFile(name string, flag int, perm fs.FileMode) (*os.File, error)
}

// openToRead opens a file for reading, without waiting for the other end of a pipe. The reader checks whether it is a
// regular file.
func openToRead(root opener, name, path string) (*os.File, error) {
	f, err := root.OpenFile(filepath.FromSlash(name), os.O_RDONLY|syscall.O_NONBLOCK, 0)
	switch {
	case err == nil:
		return f, nil
	case escapes(err):
		return nil, outside(path, err)
	case errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR):
		return nil, fs.ErrNotExist
	default:
		return nil, unreadable(path, err)
	}
}

func unreadable(path string, err error) error {
	reason := err
	var pe *fs.PathError
	if errors.As(err, &pe) {
		reason = pe.Err
	}
	return &fault.Error{Code: fault.Broken, Message: "the file cannot be read: " + reason.Error(),
		Hint: "put a regular file there that you may read", File: shown(path), Cause: err}
}

var (
	errTooLarge   = errors.New("too large")
	errNotRegular = errors.New("it is no regular file")
)

// readAll returns the bytes of f from its start; size is its size just now. A negative limit means no limit.
func readAll(f *os.File, size, limit int64) ([]byte, error) {
	if limit >= 0 && size > limit {
		return nil, errTooLarge
	}
	buf := make([]byte, 0, size+1)
	for {
		if len(buf) == cap(buf) {
			buf = append(buf, 0)[:len(buf)]
		}
		n, err := f.ReadAt(buf[len(buf):cap(buf)], int64(len(buf)))
		buf = buf[:len(buf)+n]
		if limit >= 0 && int64(len(buf)) > limit {
			return nil, errTooLarge
		}
		if err == io.EOF {
			return buf, nil
		}
		if err != nil {
			return nil, err
		}
	}
}
