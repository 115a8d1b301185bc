package store

import (
	"errors"
	"io/fs"
	"os"
	"path"
)

// Both calls move a finished file from a private folder to the place of a record. exchange moves
// the file that was there into the private folder under the name old; the record is never missing
// or half written meanwhile. place never replaces a file.
//
// The generic forms are for systems and file systems without the calls that do it in one step
// (swap_linux.go). Their weakness: an editor that renames its file into place between
// the link and the rename is overwritten unseen. The window is some microseconds.

// exchangeByLink links the present file to old, then renames tmp over it.
func exchangeByLink(t *tree, from *dir, tmp, old string, to *dir, name string) error {
	source, target := path.Join(from.rel, tmp), path.Join(to.rel, name)
	kept := path.Join(from.rel, old)
	err := t.root.Link(target, kept)
	if isErr(err, noLinks...) {
		err = copyFile(from, old, to, name)
	}
	if err != nil {
		return err
	}
	if err := t.root.Rename(source, target); err != nil {
		t.root.Remove(kept)
		return err
	}
	return nil
}

// copyFile is for file systems without links.
func copyFile(from *dir, old string, to *dir, name string) error {
	data, err := to.read(name)
	if err != nil {
		return err
	}
	f, err := from.OpenFile(old, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	return errors.Join(err, f.Close())
}

// placeByLink links tmp to its place, which fails if a file is there, and removes tmp.
func placeByLink(t *tree, from *dir, tmp string, to *dir, name string) error {
	source, target := path.Join(from.rel, tmp), path.Join(to.rel, name)
	err := t.root.Link(source, target)
	if err == nil {
		return t.root.Remove(source)
	}
	if !isErr(err, noLinks...) {
		return err
	}
	if _, err := t.root.Lstat(target); err == nil {
		return fs.ErrExist
	}
	return t.root.Rename(source, target)
}
