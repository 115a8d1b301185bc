package store

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"io/fs"
	"os"
	"sync"
	"time"

	"sdd/internal/fault"
)

// A lock is taken on the record's identity: a lock on a file that a save replaces excludes no other process. Identities share a fixed
// number of lock files, which need no cleaning up. The system releases the locks of dead processes.
const shards = 256

// saveWait is how long a save waits for a lock, or for a file that keeps changing.
var saveWait = sync.OnceValue(func() time.Duration {
	if d, err := time.ParseDuration(os.Getenv("SDD_SAVE_WAIT")); err == nil && d > 0 {
		return d
	}
	return 10 * time.Second
})

// shard returns the number of the lock file that guards an identity.
func shard(identity string) uint8 {
	h := fnv.New32a()
	h.Write([]byte(identity))
	sum := h.Sum32()
	return uint8(sum ^ sum>>8 ^ sum>>16 ^ sum>>24)
}

func lockName(n uint8) string { return fmt.Sprintf("%02x", n) }

// lock waits until no other goroutine or process holds the identity, at most as long as ctx allows or saveWait.
func (s *Store) lock(ctx context.Context, p *private, identity string) (unlock func(), err error) {
	n := shard(identity)
	ctx, cancel := context.WithTimeout(ctx, saveWait())
	defer cancel()
	select {
	case s.turns[n] <- struct{}{}:
	case <-ctx.Done():
		return nil, busy(n, "this process", ctx.Err())
	}
	f, err := s.lockFile(ctx, p, n)
	if err != nil {
		<-s.turns[n]
		return nil, err
	}
	s.locked.Store(true)
	return func() {
		f.Close()
		<-s.turns[n]
	}, nil
}

// tryLock is lock without waiting; ok is false when another goroutine or process holds it.
func (s *Store) tryLock(p *private, n uint8) (unlock func(), ok bool) {
	select {
	case s.turns[n] <- struct{}{}:
	default:
		return nil, false
	}
	f, err := openLock(p, n)
	if err == nil && Flock(f, false) == nil {
		return func() { f.Close(); <-s.turns[n] }, true
	}
	f.Close()
	<-s.turns[n]
	return nil, false
}

// Alone calls f, unless another process is in Alone for the same name: then ran is false. Without locks in the file system f runs anyway.
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
	if errors.Is(Flock(lock, false), ErrLocked) {
		return false, nil
	}
	return true, f(ctx)
}

func (s *Store) lockFile(ctx context.Context, p *private, n uint8) (*os.File, error) {
	for {
		f, err := openLock(p, n)
		if err != nil {
			return nil, err
		}
		if err := Flock(f, false); errors.Is(err, ErrLocked) {
			if err := wait(ctx, f); err != nil {
				return nil, busy(n, holder(f), err)
			}
		} else if err != nil {
			f.Close()
			return nil, &fault.Error{Code: fault.Unavailable, Message: "the file system has no locks: " + err.Error(),
				Hint: "keep the store on a local disk", File: shown(locksFolder), Cause: err}
		}
		// .local may have been deleted while this waited: a lock on a deleted file excludes no other process.
		if there, err := p.locks.Stat(lockName(n)); err == nil {
			if locked, err := f.Stat(); err == nil && os.SameFile(there, locked) {
				return f, nil
			}
		}
		f.Close()
	}
}

// wait blocks on the lock of f until it is granted or ctx is done; then a thread that is still blocked releases it when it gets it.
func wait(ctx context.Context, f *os.File) error {
	got := make(chan error, 1)
	go func() { got <- Flock(f, true) }()
	select {
	case err := <-got:
		if err != nil {
			f.Close()
		}
		return err
	case <-ctx.Done():
		go func() {
			<-got
			f.Close()
		}()
		return ctx.Err()
	}
}

func openLock(p *private, n uint8) (*os.File, error) {
	f, err := p.locks.OpenFile(lockName(n), os.O_RDWR|os.O_CREATE, 0o644)
	if errors.Is(err, fs.ErrPermission) || isErr(err, readOnly...) {
		// Another user made it, or the disk is read-only: a lock needs read access only.
		if f, err := p.locks.Open(lockName(n)); err == nil {
			return f, nil
		}
	}
	return f, err
}

// busy is the error when the lock was not free in time. holder is "" where the system does not name it.
func busy(n uint8, holder string, err error) error {
	holder = cmp.Or(holder, "whoever has that file open")
	return &fault.Error{Code: fault.Unavailable, Message: "another process is writing this record and does not finish",
		Hint: "try again; " + shown(locksFolder) + "/" + lockName(n) + " is locked by " + holder +
			", and a save waits " + saveWait().String() + " (SDD_SAVE_WAIT)",
		File: shown(locksFolder) + "/" + lockName(n), Cause: err}
}
