package store

import (
	"context"
	"errors"
	"os"
	"time"
)

// Local opens the folder of that name below .sdd/.local, for files that only this machine needs and that may be deleted
// at any time; with create it is made where it is missing, but never the store itself.
func (s *Store) Local(name string, create bool) (*os.Root, error) {
	sdd, err := os.OpenRoot(s.sdd)
	if err != nil {
		return nil, err
	}
	defer sdd.Close()
	folder := localFolder + "/" + name
	if dir, err := sdd.OpenRoot(folder); err == nil || !create {
		return dir, err
	}
	if err := sdd.MkdirAll(folder, 0o755); err != nil {
		return nil, err
	}
	if _, err := sdd.Lstat(".gitignore"); err != nil {
		// A store that was made by hand: what is private must not show up in git.
		if err := sdd.WriteFile(folder+"/.gitignore", []byte("*\n"), 0o644); err != nil {
			return nil, err
		}
	}
	return sdd.OpenRoot(folder)
}

// WriteWhole writes a file of a folder that Local opened so that it is there whole or not at all; a durable one is on disk
// when the call returns.
func WriteWhole(dir *os.Root, name string, src []byte, durable bool) error {
	temp := "." + name + "." + time.Now().UTC().Format("150405.000000000") + ".tmp"
	f, err := dir.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	_, err = f.Write(src)
	if err == nil && durable {
		err = f.Sync()
	}
	if e := f.Close(); err == nil {
		err = e
	}
	if err == nil {
		err = dir.Rename(temp, name)
	}
	if err != nil {
		dir.Remove(temp)
		return err
	}
	if durable {
		if d, err := dir.Open("."); err == nil {
			d.Sync() // where a folder cannot be synced, the rename alone has to do
			d.Close()
		}
	}
	return nil
}

// Alone calls f, unless a process of this machine is in Alone for the same name: then it does nothing, and ran is false.
// Where there are no locks f is called all the same, so f must bear company. The end of a process frees the name.
func (s *Store) Alone(ctx context.Context, name string, f func(ctx context.Context) error) (ran bool, err error) {
	dir, err := s.Local("alone", true)
	if err != nil {
		return false, err
	}
	defer dir.Close()
	lock, err := dir.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return false, err
	}
	defer lock.Close()
	if errors.Is(flock(lock, false), errLocked) {
		return false, nil
	}
	return true, f(ctx)
}
