package store

import (
	"errors"
	"io/fs"
)

// Writable returns the fault that saves by this user meet: of the first folder of the store that may not be written to. A save
// makes its files in the private folders and moves them into a record folder.
func (s *Store) Writable() error {
	t, err := s.open()
	if errors.Is(err, errNoStore) {
		return nil
	}
	if err != nil {
		return err
	}
	for _, rel := range append([]string{".", localFolder, locksFolder, tmpFolder, trashFolder, journalFolder}, recordFolders...) {
		d, err := t.dir(rel)
		if errors.Is(err, fs.ErrNotExist) || escapes(err) {
			continue // the folder above says whether it can be made, and Irregular that it leads elsewhere
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
	return nil
}
