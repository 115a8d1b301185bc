package store

import (
	"context"
	"errors"
	"io/fs"
)

// Scan calls visit for every record file with what tells its state, folder by folder in no
// particular order. Folders in the record folders are walked too. Hidden files and folders are
// passed over, as are folders that may not be read; symbolic links are followed to files inside
// the store only. No file is opened.
func (s *Store) Scan(ctx context.Context, visit func(path string, st Stat) error) error {
	t, err := s.open()
	if errors.Is(err, errNoStore) {
		return nil
	}
	if err != nil {
		return err
	}
	for _, rel := range recordFolders {
		if err := t.scan(ctx, rel, visit); err != nil {
			return err
		}
	}
	return nil
}

func (t *tree) scan(ctx context.Context, rel string, visit func(string, Stat) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if fi, err := t.root.Lstat(rel); err != nil || !fi.IsDir() {
		return nil // none, or a link
	}
	d, err := t.root.Open(rel)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission) {
		return nil
	}
	if err != nil {
		return unreadable(rel, err)
	}
	defer d.Close()
	var folders []string
	err = list(d, func(name string, kind fs.FileMode, st Stat) error {
		at := rel + "/" + name
		switch {
		case kind == fs.ModeDir:
			folders = append(folders, at)
			return nil
		case !isRecord(name):
			return nil
		case kind == fs.ModeSymlink:
			fi, err := t.root.Stat(at)
			if err != nil || !fi.Mode().IsRegular() {
				return nil
			}
			st = statOf(fi)
		case kind != 0:
			return nil
		}
		return visit(at, st)
	})
	if err != nil {
		return err
	}
	for _, f := range folders {
		if err := t.scan(ctx, f, visit); err != nil {
			return err
		}
	}
	return nil
}
