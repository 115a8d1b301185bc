package store

import (
	"context"
	"errors"
	"os"
)

// Alone calls f, unless a process of this machine is in Alone for the same name: then it does nothing, and ran is false.
// Where there are no locks f is called all the same, so f must bear company. The end of a process frees the name.
func (s *Store) Alone(ctx context.Context, name string, f func(ctx context.Context) error) (ran bool, err error) {
	dir, err := s.Private("alone", true)
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
