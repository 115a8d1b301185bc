package store

import (
	"cmp"
	"errors"
	"io/fs"
	"os"

	"sdd/internal/journal"
)

// roomForSave is how many bytes Writable writes: a disk with less room counts as full.
const roomForSave = 64 << 10

// Writable returns the fault that a save by this user would return, for the first folder that is not writable or for a full disk.
func (s *Store) Writable() error {
	t, err := s.open()
	if errors.Is(err, errNoStore) {
		return nil
	}
	if err != nil {
		return err
	}
	for _, rel := range append([]string{".", localFolder, locksFolder, tmpFolder, trashFolder, journal.Folder}, recordFolders...) {
		d, err := t.dir(rel)
		if errors.Is(err, fs.ErrNotExist) || escapes(err) {
			continue // a save can create it if the folder above is writable; Irregular reports a link
		}
		if err == nil {
			err = mayWrite(d)
			d.Close()
		}
		if err != nil {
			if rel == "." {
				rel = ""
			}
			return refused(rel, err)
		}
	}
	return refused("", s.tryWrite(t))
}

// tryWrite writes a file where saves create theirs, and removes it: a disk may be full although its folders are writable.
func (s *Store) tryWrite(t *tree) error {
	d, err := t.dir(tmpFolder)
	if errors.Is(err, fs.ErrNotExist) {
		d, err = t.dir(".")
	}
	if err != nil {
		return err
	}
	defer d.Close()
	name := ".room-" + s.nonce()
	f, err := d.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(make([]byte, roomForSave))
	err = cmp.Or(err, f.Sync())
	return cmp.Or(err, f.Close(), d.Remove(name))
}
