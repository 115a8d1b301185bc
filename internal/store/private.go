package store

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"time"

	"sdd/internal/fault"
	"sdd/internal/record"
)

// Private opens a folder below .sdd/.local, for this machine only. With create it creates a missing one, but never the store itself.
func (s *Store) Private(name string, create bool) (_ *os.Root, err error) {
	defer fault.Caught(&err)
	sdd := fault.Must(os.OpenRoot(filepath.Join(s.dir, Folder)))
	defer sdd.Close()
	if dir, err := sdd.OpenRoot(".local/" + name); err == nil || !create {
		return dir, err
	}
	fault.Check(sdd.MkdirAll(".local/"+name, 0o755))
	if _, err := sdd.Lstat(".gitignore"); err != nil {
		// In a store that was made by hand, git must ignore the private folder.
		fault.Check(sdd.WriteFile(".local/"+name+"/.gitignore", []byte("*\n"), 0o644))
	}
	return sdd.OpenRoot(".local/" + name)
}

// ReadPrivate reads a file in a folder of Private.
func (s *Store) ReadPrivate(folder, name string) ([]byte, error) {
	dir, err := s.Private(folder, false)
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	return dir.ReadFile(name)
}

// WritePrivate writes a file in a folder of Private with WriteWhole.
func (s *Store) WritePrivate(folder, name string, src []byte) error {
	dir, err := s.Private(folder, true)
	if err != nil {
		return err
	}
	defer dir.Close()
	return WriteWhole(dir, name, src, false)
}

// Derived opens the folder for data derived from the project: .sdd/.local, without a store one in the user's cache.
func (s *Store) Derived(create bool) (*os.Root, error) {
	if s.opt.As != nil {
		return s.opt.As.Derived(create)
	}
	if s.Exists() {
		return s.Private(".", create)
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256([]byte(s.dir))
	dir := filepath.Join(cache, "sdd", "projects", hex.EncodeToString(sum[:8]))
	if create {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return nil, err
		}
	}
	return os.OpenRoot(dir)
}

// WriteWhole writes a file in one step: after a crash it is complete or absent. With durable that also holds after a loss of power.
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
	if err = cmp.Or(err, f.Close()); err == nil {
		err = dir.Rename(temp, name)
	}
	if err != nil {
		dir.Remove(temp)
		return err
	}
	if durable {
		if d, err := dir.Open("."); err == nil {
			d.Sync() // where the system cannot sync a folder, the rename must suffice
			d.Close()
		}
	}
	return nil
}

// Place writes a new file of the project, by its path from Dir, and its folders. A process that is killed leaves no part
// of it, where the file system has links and the store can be written. The error is fs.ErrExist if the file is there.
func (s *Store) Place(ctx context.Context, file string, text []byte) error {
	root, err := os.OpenRoot(s.dir)
	if err != nil {
		return err
	}
	defer root.Close()
	if err := root.MkdirAll(path.Dir(file), 0o755); err != nil {
		return err
	}
	if err := s.placeWhole(ctx, root, file, text); err == nil || errors.Is(err, fs.ErrExist) {
		return err
	}
	f, err := root.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	if err = cmp.Or(err, f.Close()); err != nil {
		root.Remove(file)
	}
	return err
}

// placeWhole writes the file where saves write theirs, so that Recover finds what is left of it, and links it to its place.
func (s *Store) placeWhole(ctx context.Context, root *os.Root, file string, text []byte) (err error) {
	defer fault.Caught(&err)
	_, p, _, err := s.prepare(ctx)
	fault.Check(err)
	unlock, err := s.lock(ctx, p, file)
	fault.Check(err)
	defer unlock()
	name := tempName{shard: shard(file), nonce: s.nonce(), after: record.Etag(text)}.String()
	fault.Must(p.tmp.write(name, text, nil, true))
	defer p.tmp.Remove(name)
	return root.Link(path.Join(Folder, tmpFolder, name), file)
}
