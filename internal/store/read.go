package store

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"sdd/internal/config"
	"sdd/internal/fault"
)

// File is the content of a record's file at one moment.
type File struct {
	Bytes []byte
	Stat  Stat
}

// Read returns the file at path: a regular file inside the store, up to the limit of config.yaml. Links that lead out, devices, named pipes
// and oversized files are faults, and do not block. It waits a short time for another program that saves in place.
func (s *Store) Read(path string) (File, error) {
	if s.texts != nil {
		return s.readText(path)
	}
	t, err := s.made()
	if err != nil {
		return File{}, err
	}
	f, _, err := s.read(t, path, glance)
	if errors.Is(err, fs.ErrNotExist) {
		err = noFile(path)
	}
	return f, err
}

func noFile(path string) error {
	return fault.New(fault.NotFound, "there is no file %q", shown(path)).At(shown(path), 0).
		With("it may have been renamed or deleted; search for its title")
}

// read is Read with another patience, and fs.ErrNotExist for a missing file. open: another program has it open for writing.
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

// openToRead opens a file for reading, without waiting for the other end of a pipe. The reader checks whether it is a regular file.
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
	if limit < 0 {
		limit = math.MaxInt64 - 1
	}
	if size > limit {
		return nil, errTooLarge
	}
	buf := bytes.NewBuffer(make([]byte, 0, size+bytes.MinRead))
	if _, err := buf.ReadFrom(io.NewSectionReader(f, 0, limit+1)); err != nil {
		return nil, err
	}
	if int64(buf.Len()) > limit {
		return nil, errTooLarge
	}
	return buf.Bytes(), nil
}

// A program that saves in place truncates, writes and closes; a reader in between gets half a text. On Linux a read lease, granted only
// when no program has the file open for writing, prevents that. Elsewhere only the file's size and times show a save.

type leaseState int

const (
	leaseHeld leaseState = iota
	leaseBusy            // a program has the file open for writing
	leaseUnknown
)

// patience is how long a reader waits for a save in place: save when there are signs of one, idle while the file is only open for writing.
type patience struct{ idle, save time.Duration }

var (
	glance = patience{idle: 2 * time.Millisecond, save: 100 * time.Millisecond}
	care   = patience{idle: 100 * time.Millisecond, save: 5 * time.Second}
)

// begun reports signs of a save in a file that a program has open for writing.
func begun(data []byte, age time.Duration) bool {
	return age < time.Second || len(data) == 0 && age < 2*time.Second
}

// halfway reports signs of an unfinished save where the system shows no writer: mostly a file that was just truncated.
func halfway(data []byte, age time.Duration) bool { return len(data) == 0 && age < time.Second }

// waitForWriter reads f when no program writes to it, or when patience runs out; then open is true.
func waitForWriter(f *os.File, limit int64, p patience) (data []byte, st Stat, open bool, err error) {
	start := time.Now()
	for pause := 100 * time.Microsecond; ; pause = min(2*pause, 5*time.Millisecond) {
		state := lease(f)
		data, st, err = snapshot(f, limit, state == leaseHeld)
		if state == leaseHeld {
			release(f)
			return data, st, false, err
		}
		waited := time.Since(start)
		age := time.Since(time.Unix(0, st.Mtime))
		if age < 0 {
			age = time.Hour // the clock is wrong: the age is unknown
		}
		if state == leaseUnknown && (err != nil || waited >= p.save || !halfway(data, age)) {
			return data, st, false, err
		}
		if state == leaseBusy && (waited >= p.save || waited >= p.idle && !begun(data, age)) {
			return data, st, true, err
		}
		time.Sleep(pause)
	}
}

// snapshot reads a regular file with a Stat that belongs to the bytes. alone: no program can write to it meanwhile.
func snapshot(f *os.File, limit int64, alone bool) ([]byte, Stat, error) {
	for try := 0; ; try++ {
		fi, err := f.Stat()
		if err != nil {
			return nil, Stat{}, err
		}
		st := statOf(fi)
		if !fi.Mode().IsRegular() {
			return nil, st, errNotRegular
		}
		data, err := readAll(f, st.Size, limit)
		if err != nil || alone {
			return data, st, err
		}
		after, err := f.Stat()
		if err != nil {
			return nil, Stat{}, err
		}
		// With the older Stat a reader that compares finds a difference and reads again.
		if st == statOf(after) || try == 4 {
			return data, st, nil
		}
	}
}

// Stat identifies one state of a file without reading it. Times are in nanoseconds since 1970.
type Stat struct {
	Size, Mtime, Ctime int64
	Ino                uint64
}

// Still reports whether the file at path is in the state st. A zero st is none.
func (s *Store) Still(path string, st Stat) bool {
	if st == (Stat{}) {
		return false
	}
	fi, err := os.Lstat(s.abs(path))
	return err == nil && statOf(fi) == st
}

func statFile(name string) (Stat, bool) {
	fi, err := os.Stat(name)
	if err != nil {
		return Stat{}, false
	}
	return statOf(fi), true
}
