package store

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"sync"
	"sync/atomic"

	"sdd/internal/fault"
	"sdd/internal/journal"
)

// The private folders. Their contents are never committed, and the user can delete them at any time.
const (
	localFolder = ".local"
	locksFolder = ".local/locks"
	tmpFolder   = ".local/tmp"
	trashFolder = ".local/trash"
)

// Local returns the folder of the store in root for files of this machine only. It may not exist yet.
func Local(root string) string { return filepath.Join(root, Folder, localFolder) }

// There is no store yet; or folders of the store were deleted or moved during a call, which has to begin again.
var (
	errNoStore = errors.New("no store")
	errMoved   = errors.New("the store's folders changed")
)

// tree is .sdd, open: no symbolic link leads a call out of it. When the folder is deleted and created again, there is a new tree.
type tree struct {
	root    *os.Root
	info    fs.FileInfo
	journal *journal.Journal

	mu      sync.Mutex // held while the store is prepared for writing
	local   fs.FileInfo
	private *private

	strays atomic.Pointer[bool] // whether records are at other paths than those at which tools saved them; nil for unknown
}

type private struct{ locks, tmp, trash *dir }

// dir is an open folder of the store. Names in it are single path elements.
type dir struct {
	*os.Root
	file *os.File // the same folder, for fsync and for calls that take descriptors
	rel  string   // relative to .sdd
}

func (s *Store) open() (*tree, error) {
	fi, err := os.Lstat(s.sdd)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, errNoStore
	case err != nil:
		return nil, refused("", err)
	case fi.Mode()&fs.ModeSymlink != 0:
		return nil, fault.New(fault.Outside, "%s is a symbolic link; the store must be a folder of its own", s.sdd).
			With("name the folder that holds the real " + Folder + " with --dir")
	case !fi.IsDir():
		return nil, fault.New(fault.Unavailable, "%s is a file; the store must be a folder", s.sdd).
			With("move the file away, or name another folder with --dir")
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.tree != nil && os.SameFile(s.tree.info, fi) {
		return s.tree, nil
	}
	root, err := os.OpenRoot(s.sdd)
	if err != nil {
		return nil, refused("", err)
	}
	s.tree = &tree{root: root, info: fi, journal: journal.Open(root, s.proc)}
	return s.tree, nil
}

func (t *tree) dir(rel string) (*dir, error) {
	root, err := t.root.OpenRoot(rel)
	if err != nil {
		return nil, err
	}
	f, err := root.Open(".")
	if err != nil {
		root.Close()
		return nil, err
	}
	return &dir{Root: root, file: f, rel: rel}, nil
}

// ensureDir opens the folder rel. It creates and syncs a missing one.
func (t *tree) ensureDir(rel string) (*dir, error) {
	d, err := t.dir(rel)
	if !errors.Is(err, fs.ErrNotExist) {
		return d, err
	}
	if err := t.root.MkdirAll(rel, 0o755); err != nil {
		return nil, err
	}
	for above := path.Dir(rel); ; above = path.Dir(above) {
		d, err := t.dir(above)
		if err == nil {
			err = syncFolder(d.file)
			d.Close()
		}
		if err != nil {
			return nil, err
		}
		if above == "." {
			return t.dir(rel)
		}
	}
}

func (d *dir) Close() {
	d.file.Close()
	d.Root.Close()
}

// create writes a new file in d, without syncing it.
func (d *dir) create(name string, data []byte) error {
	f, err := d.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	return errors.Join(err, f.Close())
}

// openPrivate returns the private folders, and creates missing ones.
func (t *tree) openPrivate() (_ *private, err error) {
	defer fault.Caught(&err)
	fi, err := t.root.Lstat(localFolder)
	if t.private != nil && err == nil && os.SameFile(fi, t.local) {
		return t.private, nil
	}
	p := &private{}
	for rel, d := range map[string]**dir{locksFolder: &p.locks, tmpFolder: &p.tmp, trashFolder: &p.trash} {
		fault.Check(t.root.MkdirAll(rel, 0o755))
		*d = fault.Must(t.dir(rel))
	}
	t.local = fault.Must(t.root.Lstat(localFolder))
	t.private = p
	return p, nil
}

// abs returns the absolute path of a file in the store, for calls that need one.
func (s *Store) abs(rel string) string { return filepath.Join(s.sdd, filepath.FromSlash(rel)) }
