package repos

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"sync/atomic"
	"time"

	"sdd/internal/fault"
	"sdd/internal/git"
	"sdd/internal/index"
	"sdd/internal/record"
	"sdd/internal/store"
)

// Joined is a store in the cache folder with the records of a store and of other repositories, for use by several goroutines and processes.
// It can be deleted at any time.
type Joined struct {
	Store *store.Store
	Index *index.Index // of Store

	own     *store.Store
	index   *index.Index // of own
	others  []Repository
	forget  func()
	changed atomic.Bool // a record of own may differ from its copy
}

// Join returns the joined store of own, whose index is ix, and of others. It reads nothing; Sync copies the records.
func Join(own *store.Store, ix *index.Index, others []Repository) (_ *Joined, err error) {
	defer fault.Caught(&err)
	h := sha256.New()
	for _, s := range []any{own.Dir(), others} {
		fault.Check(json.NewEncoder(h).Encode(s))
	}
	cache := fault.Must(cacheFolder())
	dropUnused(filepath.Join(cache, joinedFolder))
	dir := filepath.Join(cache, joinedFolder, hex.EncodeToString(h.Sum(nil)[:8]))
	fault.Check(uncached(os.MkdirAll(filepath.Join(dir, store.Folder), 0o700)))
	_ = os.Chtimes(dir, time.Time{}, time.Now()) // else it counts as unused earlier
	st := fault.Must(store.Open(store.Options{Dir: dir, Tool: "sdd repos", As: own}))
	j := &Joined{Store: st, Index: index.Open(st), own: own, index: ix, others: others}
	j.changed.Store(true)
	j.forget = ix.Listen(func([]index.Change) { j.changed.Store(true) })
	return j, nil
}

const (
	joinedFolder = "joined"
	unusedAfter  = 30 * 24 * time.Hour
)

// dropUnused deletes the joined stores that nobody has opened for a month: each choice of repositories has one.
func dropUnused(folder string) {
	all, _ := os.ReadDir(folder)
	for _, f := range all {
		if info, err := f.Info(); err == nil && time.Since(info.ModTime()) > unusedAfter {
			_ = os.RemoveAll(filepath.Join(folder, f.Name())) // the next one does it
		}
	}
}

// Close closes the joined store and ends the connection with the index of the own one.
func (j *Joined) Close() {
	j.forget()
	j.Index.Close()
	j.Store.Close()
}

const (
	copiedFile = "copied.json" // the commits that the joined store holds; in it, so that they go with the records
	syncing    = "sync"        // the name of the lock
	busyWait   = 2 * time.Millisecond
)

// Sync copies what has changed since the last call: the records that each repository has in its present commit, and the own ones on disk.
// It returns the commits by the repositories' names, "" for one that cannot be read, which then has no records.
func (j *Joined) Sync(ctx context.Context) (_ map[string]string, err error) {
	defer fault.Caught(&err)
	fault.Check(j.index.Refresh(ctx))
	present := map[string]string{}
	for _, r := range j.others {
		present[r.Name] = r.Commit(ctx)
	}
	was, ok := j.read()
	if ok && maps.Equal(was, present) && !j.changed.Load() {
		return present, nil
	}
	if !ok { // the folder was deleted
		j.changed.Store(true)
		fault.Check(uncached(os.MkdirAll(filepath.Join(j.Store.Dir(), store.Folder), 0o700)))
	}
	return present, inTurn(ctx, j.Store, syncing, func(ctx context.Context) error { return j.copy(ctx, present) })
}

// inTurn calls f when no other process is in it for the same name of a store.
func inTurn(ctx context.Context, st *store.Store, name string, f func(ctx context.Context) error) error {
	for {
		if ran, err := st.Alone(ctx, name, f); ran || err != nil {
			return err
		}
		select {
		case <-time.After(busyWait):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// read returns the copied commits by the repositories' names, "" for one that cannot be read.
func (j *Joined) read() (commits map[string]string, ok bool) {
	src, err := j.Store.ReadPrivate(".", copiedFile)
	if err != nil || json.Unmarshal(src, &commits) != nil {
		return nil, false // of another version too
	}
	return commits, true
}

// copy brings the joined store to the present commits. A killed copy has noted none, so the next one compares all files.
func (j *Joined) copy(ctx context.Context, present map[string]string) (err error) {
	defer fault.Caught(&err)
	was, _ := j.read()
	now := map[string]string{}
	var behind []Repository
	for _, r := range j.others {
		present[r.Name] = r.Commit(ctx) // another process may have fetched meanwhile
		if commit, ok := was[r.Name]; ok && commit == present[r.Name] {
			now[r.Name] = commit
		} else {
			behind = append(behind, r)
		}
	}
	note := func() {
		if len(behind) > 0 {
			fault.Check(uncached(j.Store.WritePrivate(".", copiedFile, fault.Must(json.Marshal(now)))))
		}
	}
	root, err := os.OpenRoot(filepath.Join(j.Store.Dir(), store.Folder))
	fault.Check(uncached(err))
	defer root.Close()
	note()
	for _, r := range behind {
		err := j.copyRepository(ctx, root, r, present[r.Name])
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil && !fault.Is(err, fault.Unwritable) { // its files cannot be read: the others still can
			present[r.Name] = ""
			err = j.copyRepository(ctx, root, r, "")
		}
		fault.Check(err)
		now[r.Name] = present[r.Name]
	}
	note()
	return j.copyOwn(ctx, root)
}

// copyRepository makes the copies of a repository's records those of the commit.
func (j *Joined) copyRepository(ctx context.Context, root *os.Root, r Repository, commit string) (err error) {
	defer fault.Caught(&err)
	wanted := map[string]string{} // blobs by path in the joined store
	var objects *git.Objects
	if commit != "" {
		dir := fault.Must(r.dir())
		repo := fault.Must(git.Open(dir))
		for _, f := range fault.Must(store.InCommit(ctx, repo, dir, commit)) {
			wanted[record.InRepository(r.Name, f.Path)] = f.ID
		}
		objects = repo.Objects(ctx)
		defer objects.Close()
	}
	for _, kind := range record.Kinds {
		top := path.Dir(record.InRepository(r.Name, record.Folder(kind)+"/x"))
		fault.Check(uncached(fs.WalkDir(root.FS(), top, func(at string, e fs.DirEntry, err error) error {
			if errors.Is(err, fs.ErrNotExist) || err == nil && e.IsDir() {
				return nil
			} else if err != nil {
				return err
			}
			if wanted[at] == "" {
				return root.Remove(at)
			}
			return nil
		})))
	}
	for at, id := range wanted {
		fault.Check(uncached(place(root, at, fault.Must(objects.Read(id)))))
	}
	return nil
}

// copyOwn makes the copies of the own records those on disk.
func (j *Joined) copyOwn(ctx context.Context, root *os.Root) (err error) {
	if !j.changed.Swap(false) {
		return nil
	}
	defer func() {
		if err != nil {
			j.changed.Store(true)
		}
	}()
	defer fault.Caught(&err)
	fault.Check(j.index.Refresh(ctx))
	fault.Check(j.Index.Refresh(ctx))
	was, now := ownEtags(j.Index), ownEtags(j.index)
	for at := range was {
		if now[at] != "" {
			continue
		}
		if err := root.Remove(at); !errors.Is(err, fs.ErrNotExist) {
			fault.Check(uncached(err))
		}
	}
	for at, etag := range now {
		if was[at] == etag {
			continue
		}
		f, err := j.own.Read(at)
		if fault.Is(err, fault.NotFound) {
			j.changed.Store(true)
			continue
		}
		fault.Check(err)
		fault.Check(place(root, at, f.Bytes))
	}
	return nil
}

// ownEtags returns the etags of the records that no other repository has, by path.
func ownEtags(ix *index.Index) map[string]string {
	etags := map[string]string{}
	for _, e := range ix.Entries() {
		if name, _ := record.Repository(e.Path); name == "" && e.Etag != "" {
			etags[e.Path] = e.Etag
		}
	}
	return etags
}

// place writes a file below root in one step, unless it has these bytes already.
func place(root *os.Root, at string, src []byte) error {
	if old, err := root.ReadFile(at); err == nil && bytes.Equal(old, src) {
		return nil
	}
	folder := path.Dir(at)
	dir, err := root.OpenRoot(folder)
	if errors.Is(err, fs.ErrNotExist) {
		if err = root.MkdirAll(folder, 0o700); err == nil {
			dir, err = root.OpenRoot(folder)
		}
	}
	if err != nil {
		return err
	}
	defer dir.Close()
	return store.WriteWhole(dir, path.Base(at), src, false)
}

func cacheFolder() (string, error) {
	dir, err := os.UserCacheDir()
	return filepath.Join(dir, "sdd", "repos"), uncached(err)
}

func uncached(err error) error {
	if err == nil {
		return nil
	}
	return fault.New(fault.Unwritable, "the copies of other repositories: %v", err).
		With("they are in the folder sdd/repos of your cache (XDG_CACHE_HOME, or .cache in your home folder)").From(err)
}
