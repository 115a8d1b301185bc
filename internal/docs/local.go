package docs

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// The reasons why a tree refuses a file, besides fs.ErrNotExist.
var (
	errOutside    = errors.New("it leads out of the documentation")
	errTooLarge   = errors.New("it is too large")
	errNotRegular = errors.New("it is no regular file")
	errFolder     = errors.New("it is a folder")
)

// file is the content of a file, with its metadata.
type file struct {
	data        []byte
	stamp       string // changes when the file does
	contentType string // from the server, "" for none
}

// tree is the place of a documentation's files. Paths in it are relative, with slashes.
type tree interface {
	key() string                  // unique to the tree
	address(path string) *url.URL // of a file
	stamp(path string) (string, error)
	read(path string, limit int64) (file, error)
	shown(path string) string // a file's name in messages
	copyOf(path string) Copy  // of a file that was read
}

// localTree is a folder. Links cannot lead out of it.
type localTree struct {
	root *os.Root
	dir  string // absolute
}

func (t localTree) key() string { return t.dir }

func (t localTree) copyOf(string) Copy { return Copy{} }

func (t localTree) shown(path string) string { return filepath.Join(t.dir, filepath.FromSlash(path)) }

func (t localTree) address(path string) *url.URL { return fileURL(t.shown(path)) }

func fileURL(path string) *url.URL {
	path = filepath.ToSlash(path)
	if !strings.HasPrefix(path, "/") {
		path = "/" + path // C:/…
	}
	return &url.URL{Scheme: "file", Path: path}
}

// folderURL is the address of a folder, which ends in a slash.
func folderURL(dir string) string {
	u := fileURL(dir)
	u.Path = strings.TrimSuffix(u.Path, "/") + "/"
	return u.String()
}

func (t localTree) stat(path string) (fs.FileInfo, error) {
	if !filepath.IsLocal(filepath.FromSlash(path)) {
		return nil, errOutside
	}
	st, err := t.root.Stat(filepath.FromSlash(path))
	if err != nil {
		return nil, within(err)
	}
	return st, nil
}

// stamp returns a text that changes when the file does, without reading the file.
func (t localTree) stamp(path string) (string, error) {
	st, err := t.stat(path)
	if err != nil {
		return "", err
	}
	return statStamp(st), nil
}

// read reads a regular file of at most limit bytes. It never waits for a pipe.
func (t localTree) read(path string, limit int64) (file, error) {
	st, err := t.stat(path)
	if err != nil {
		return file{}, err
	}
	switch {
	case st.IsDir():
		return file{}, errFolder
	case !st.Mode().IsRegular():
		return file{}, errNotRegular
	}
	if st.Size() > limit {
		return file{}, errTooLarge
	}
	f, err := t.root.OpenFile(filepath.FromSlash(path), os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return file{}, within(err)
	}
	defer f.Close()
	if st, err = f.Stat(); err != nil || !st.Mode().IsRegular() {
		return file{}, errNotRegular
	}
	data, err := io.ReadAll(io.LimitReader(f, limit+1))
	if err == nil && int64(len(data)) > limit {
		err = errTooLarge
	}
	return file{data: data, stamp: statStamp(st)}, err
}

// within translates the error of a path that leaves the folder.
func within(err error) error {
	if strings.Contains(err.Error(), "escapes from parent") {
		return errOutside
	}
	if errors.Is(err, syscall.ENOTDIR) || errors.Is(err, syscall.ENAMETOOLONG) || errors.Is(err, syscall.ELOOP) {
		return fmt.Errorf("%w: %w", fs.ErrNotExist, err)
	}
	return err
}
