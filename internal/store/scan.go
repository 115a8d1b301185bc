package store

import (
	"context"
	"errors"
	"io/fs"
	"slices"
)

// Scan calls visit for every record file with its Stat, in no order. It skips what is hidden, unreadable or a link out of the store.
func (s *Store) Scan(ctx context.Context, visit func(path string, st Stat) error) error {
	for path, src := range s.texts {
		if err := visit(path, textStat(src)); err != nil {
			return err
		}
	}
	if s.texts != nil {
		return ctx.Err()
	}
	return s.scanAll(ctx, visit, func(string) {})
}

// scanAll calls visit for the records of the store, and passedOver for what Irregular lists.
func (s *Store) scanAll(ctx context.Context, visit func(string, Stat) error, passedOver func(string)) error {
	t, err := s.open()
	if errors.Is(err, errNoStore) {
		return nil
	}
	for _, rel := range recordFolders {
		if err == nil {
			err = t.scan(ctx, rel, visit, passedOver)
		}
	}
	return err
}

// Irregular returns, sorted, the paths with the name of a record or record folder that Scan skips: pipes, devices,
// folders, links that lead out of the store or to any of these. A save there fails; the error of Read has the reason.
func (s *Store) Irregular(ctx context.Context) (paths []string, err error) {
	err = s.scanAll(ctx, func(string, Stat) error { return nil }, func(path string) { paths = append(paths, path) })
	slices.Sort(paths)
	return paths, err
}

// scan calls visit for the records below rel, and passedOver for other entries with the name of a record.
func (t *tree) scan(ctx context.Context, rel string, visit func(string, Stat) error, passedOver func(string)) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if fi, err := t.root.Lstat(rel); err != nil || !fi.IsDir() {
		if err == nil && fi.Mode()&fs.ModeSymlink != 0 {
			passedOver(rel)
		}
		return nil
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
			if isRecord(name) {
				passedOver(at)
			}
			return nil
		case !isRecord(name):
			return nil
		case kind == fs.ModeSymlink:
			fi, err := t.root.Stat(at)
			if err != nil || !fi.Mode().IsRegular() {
				if !errors.Is(err, fs.ErrNotExist) {
					passedOver(at)
				}
				return nil // a dangling link is regular: a save creates its target
			}
			st = statOf(fi)
		case kind != 0:
			passedOver(at)
			return nil
		}
		return visit(at, st)
	})
	if err != nil {
		return err
	}
	for _, f := range folders {
		if err := t.scan(ctx, f, visit, passedOver); err != nil {
			return err
		}
	}
	return nil
}
