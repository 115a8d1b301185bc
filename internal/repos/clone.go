package repos

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"sdd/internal/fault"
	"sdd/internal/git"
	"sdd/internal/store"
)

// A repository with a URL has a clone in the cache folder: only the last commit, and of its files only the records. It has
// no files checked out. HEAD is the commit of the last whole fetch.

const cloneBranch = "refs/heads/fetched"

// place is the folder of the clone and its lock.
func (r Repository) place() (string, error) {
	cache, err := cacheFolder()
	sum := sha256.Sum256([]byte(r.URL))
	return filepath.Join(cache, "clones", r.Name+"-"+hex.EncodeToString(sum[:6])), err
}

// dir is the folder that holds the repository's .sdd.
func (r Repository) dir() (string, error) {
	if r.Path != "" {
		return r.Path, nil
	}
	place, err := r.place()
	return filepath.Join(place, "clone"), err
}

// Commit returns the commit at which the repository is read, "" when there is none.
func (r Repository) Commit(ctx context.Context) string {
	dir, err := r.dir()
	if err != nil {
		return ""
	}
	if _, err := os.Stat(filepath.Join(dir, ".git")); err != nil && r.URL != "" {
		return "" // the cache folder may be in a work tree
	}
	return git.CheckedOutCommit(ctx, dir)
}

// OnBranch reports whether the repository is read at a commit that is not the one of its default branch.
func (r Repository) OnBranch() bool {
	if r.URL != "" {
		return false // the remote's HEAD
	}
	base := git.DefaultCommit(r.Path)
	return base == "" || base != git.CheckedOutCommit(context.Background(), r.Path)
}

// forget deletes the clone, and all joined stores, which may have copies of its records. The others come back.
func (r Repository) forget() (err error) {
	defer fault.Caught(&err)
	cache := fault.Must(cacheFolder())
	fault.Check(uncached(os.RemoveAll(filepath.Join(cache, joinedFolder))))
	if r.URL == "" {
		return nil
	}
	return uncached(os.RemoveAll(fault.Must(r.place())))
}

// Fetch brings the clone of a repository with a URL to the remote's present commit, with the user's own credentials and without asking for
// any; a clone that cannot be brought there is made again. After a failure the last whole fetch stays. One by another process counts.
func (r Repository) Fetch(ctx context.Context) (err error) {
	defer fault.Caught(&err)
	if r.URL == "" {
		if _, err := git.Open(r.Path); err != nil {
			return fault.New(fault.Unavailable, "the repository %s is gone from %s", r.Name, r.Path).
				With("sdd repos remove " + r.Name + ", or put it back")
		}
		return nil
	}
	place := fault.Must(r.place())
	fault.Check(uncached(os.MkdirAll(filepath.Join(place, store.Folder), 0o700)))
	_ = os.WriteFile(filepath.Join(place, triedFile), nil, 0o600) // else the next question fetches
	st := fault.Must(store.Open(store.Options{Dir: place}))
	return inTurn(ctx, st, "fetch", func(ctx context.Context) error { return r.fetch(ctx, place) })
}

func (r Repository) fetch(ctx context.Context, place string) (err error) {
	defer fault.Caught(&err)
	dir := fault.Must(r.dir())
	if _, err := os.Stat(filepath.Join(dir, ".git")); err == nil && r.fetchInto(ctx, dir) == nil {
		return nil
	}
	fresh, err := os.MkdirTemp(place, "fresh-")
	fault.Check(uncached(err))
	defer os.RemoveAll(fresh)
	if err := r.clone(ctx, fresh); err != nil {
		if failed, ok := errors.AsType[*git.Error](err); ok {
			return fault.New(fault.Unavailable, "%s cannot be fetched: %s", r.Name, failed.Stderr).
				With("git ls-remote " + r.URL + " shows what git needs")
		}
		return err
	}
	old := filepath.Join(place, "old")
	fault.Check(uncached(os.RemoveAll(old)))
	if err := os.Rename(dir, old); !errors.Is(err, fs.ErrNotExist) {
		fault.Check(uncached(err))
	}
	fault.Check(uncached(os.Rename(fresh, dir)))
	_ = os.RemoveAll(old) // the next fetch does it
	return nil
}

// clone makes a new clone in an empty folder.
func (r Repository) clone(ctx context.Context, dir string) (err error) {
	defer fault.Caught(&err)
	run := func(args ...string) { fault.Must(git.Run(ctx, dir, args...)) }
	run("init", "--quiet", "--template=", ".")
	run("symbolic-ref", "HEAD", cloneBranch)
	for _, setting := range [][]string{
		{"remote.origin.url", r.URL}, {"core.sshCommand", git.SSHCommand(ctx, dir)}, {"core.askPass", ""}, {"core.symlinks", "false"},
	} { // also for the files that git fetches when a command needs them
		run("config", setting[0], setting[1])
	}
	return r.fetchInto(ctx, dir)
}

// WorkTree returns a folder with the repository's records and, if the remote answers, their history.
func (r Repository) WorkTree(ctx context.Context) (string, error) {
	dir, err := r.dir()
	if err != nil {
		return "", err
	}
	if r.Commit(ctx) == "" {
		return "", fault.New(fault.Unavailable, "the records of %s are missing", r.Name).
			With("sdd repos sync " + r.Name + " fetches them, or says why not")
	}
	if r.URL != "" {
		_ = git.Fetch(ctx, dir, "", "--unshallow", "--filter=blob:none", "--no-write-fetch-head", "origin") // else the clone is shallow
		_, err = git.Run(ctx, dir, "-c", "core.hooksPath=/dev/null", "checkout", "--quiet", "--force", "HEAD", "--", store.Folder)
	}
	return dir, err
}

// fetchInto fetches the last commit and its records into the clone at dir, then makes it the clone's HEAD.
func (r Repository) fetchInto(ctx context.Context, dir string) (err error) {
	defer fault.Caught(&err)
	const next = "refs/sdd/next"
	fault.Check(git.Fetch(ctx, dir, "", "--depth=1", "--filter=blob:none", "--force", "origin", "+HEAD:"+next))
	repo := fault.Must(git.Open(dir))
	missing, err := repo.Run(ctx, "rev-list", "--objects", "--missing=print", next+":"+store.Folder)
	if err == nil {
		var ids strings.Builder
		for line := range strings.Lines(string(missing)) {
			if id, ok := strings.CutPrefix(line, "?"); ok {
				ids.WriteString(id)
			}
		}
		if ids.Len() > 0 {
			fault.Check(git.Fetch(ctx, dir, ids.String(), "--filter=blob:none", "--no-write-fetch-head", "--stdin", "origin"))
		}
	} // else it has no records
	_, err = repo.Run(ctx, "update-ref", cloneBranch, next)
	return err
}

// fetchEvery is the age of the last try after which a question starts another fetch.
const fetchEvery = 5 * time.Minute

const triedFile = "tried" // its time is that of the last try

// Due returns the names of the repositories whose last fetch was long ago, and notes that they are being fetched.
func Due(all []Repository) (names []string) {
	for _, r := range all {
		place, err := r.place()
		if err != nil || r.URL == "" {
			continue
		}
		tried := filepath.Join(place, triedFile)
		if st, err := os.Stat(tried); err == nil && time.Since(st.ModTime()).Abs() < fetchEvery {
			continue
		}
		if os.MkdirAll(place, 0o700) == nil && os.WriteFile(tried, nil, 0o600) == nil {
			names = append(names, r.Name)
		}
	}
	return names
}

// fetchers is the number of repositories that are fetched at once.
const fetchers = 8

// FetchAll fetches repositories, several at once, and returns the faults of those that failed, in order.
func FetchAll(ctx context.Context, all []Repository) (failed []error) {
	errs := make([]error, len(all))
	var wait sync.WaitGroup
	free := make(chan struct{}, fetchers)
	for i, r := range all {
		free <- struct{}{}
		wait.Go(func() {
			errs[i] = r.Fetch(ctx)
			<-free
		})
	}
	wait.Wait()
	return slices.DeleteFunc(errs, func(err error) bool { return err == nil })
}
