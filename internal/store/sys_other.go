//go:build !linux

package store

import (
	"os"
	"path"
)

func lease(*os.File) leaseState { return leaseUnknown }

func release(*os.File) {}

func holder(*os.File) string { return "" }

// exchange puts the file tmp in the place of name and keeps the former file as old.
func (t *tree) exchange(from *dir, tmp, old string, to *dir, name string) error {
	return exchangeByLink(t, from, tmp, old, to, name)
}

// place puts the file tmp at a free name.
func (t *tree) place(from *dir, tmp string, to *dir, name string) error {
	return placeByLink(t, from, tmp, to, name)
}

// move renames a file from one open folder to another, replacing any file there.
func (t *tree) move(from *dir, name string, to *dir, as string) error {
	return t.root.Rename(path.Join(from.rel, name), path.Join(to.rel, as))
}
