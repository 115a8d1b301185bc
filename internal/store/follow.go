package store

import (
	"errors"
	"io/fs"
	"path"
	"path/filepath"
)

// follow returns the target when path is a symbolic link, so that a save replaces the target and not the link. It
// refuses a link that leads out of the store.
func (t *tree) follow(p string) (string, error) {
	for range 16 {
		if err := check(p); err != nil {
			return "", err
		}
		fi, err := t.root.Lstat(p)
		switch {
		case errors.Is(err, fs.ErrNotExist) || err == nil && fi.Mode()&fs.ModeSymlink == 0:
			return p, nil
		case escapes(err):
			return "", outside(p, err)
		case err != nil:
			return "", unreadable(p, err)
		}
		target, err := t.root.Readlink(p)
		if err != nil {
			return "", unreadable(p, err)
		}
		target = filepath.ToSlash(target)
		next := path.Join(path.Dir(p), target)
		if path.IsAbs(target) || filepath.IsAbs(target) || check(next) != nil {
			return "", outside(p, nil)
		}
		p = next
	}
	return "", outside(p, errors.New("too many symbolic links"))
}
