package store

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/fsnotify/fsnotify"

	"sdd/internal/fault"
)

// probe shows that all past events have been read: the event of renaming its file, on the same watcher, comes after all others, since the
// events of all folders are in one queue. Its folder is outside the store, so that it does not wake the watches of other processes.
type probe struct {
	mu    sync.Mutex
	dir   string
	root  *os.Root // of dir
	lock  *os.File // held while the folder is in use
	last  uint64   // number of the newest file
	came  uint64   // number of the newest file whose event came
	again chan struct{}
}

const (
	probePatience = 100 * time.Millisecond
	probePrefix   = "sdd-probe-"
)

// open makes the folder and watches it.
func (p *probe) open(events *fsnotify.Watcher) (err error) {
	defer fault.Caught(&err)
	p.mu.Lock()
	defer p.mu.Unlock()
	above := probeHome()
	sweep(above)
	dir := fault.Must(realPath(fault.Must(os.MkdirTemp(above, probePrefix))))
	if !watchable(dir) {
		os.RemoveAll(dir)
		return fault.New(fault.Unavailable, "the file system of %s does not tell of every change", dir)
	}
	p.root = fault.Must(os.OpenRoot(dir))
	if p.lock, err = os.OpenFile(filepath.Join(dir, "lock"), os.O_RDWR|os.O_CREATE, 0o600); err == nil {
		Flock(p.lock, false)
		err = events.Add(dir)
	}
	p.dir, p.again = dir, make(chan struct{})
	p.came = p.last
	return err
}

// probeHome returns the user's own folder for probes.
func probeHome() string {
	dir := filepath.Join(os.TempDir(), fmt.Sprintf("sdd-%d", os.Getuid()))
	if err := os.Mkdir(dir, 0o700); err == nil {
		return dir
	}
	if fi, err := os.Lstat(dir); err == nil && fi.IsDir() && ownedByMe(fi) && fi.Mode().Perm()&0o077 == 0 {
		return dir
	}
	return os.TempDir() // another user took the name
}

// sweep removes the folders of killed processes: with a free lock, and an hour old without one, which another process may take yet.
func sweep(above string) {
	old, _ := filepath.Glob(filepath.Join(above, probePrefix+"*"))
	for _, dir := range old {
		f, err := os.OpenFile(filepath.Join(dir, "lock"), os.O_RDWR, 0)
		if err != nil {
			if fi, err := os.Stat(dir); err == nil && time.Since(fi.ModTime()) > time.Hour {
				os.RemoveAll(dir)
			}
			continue
		}
		free := Flock(f, false) == nil
		f.Close()
		if free {
			os.RemoveAll(dir)
		}
	}
}

func (p *probe) close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.dir != "" {
		p.lock.Close()
		p.root.Close()
		os.RemoveAll(p.dir)
		p.dir = ""
	}
}

// make makes the next probe, 0 when it is closed. It renames the last file: some file systems are slow to create one where others were.
func (p *probe) make() (uint64, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.dir == "" {
		return 0, nil
	}
	was := p.file()
	p.last++
	err := p.root.Rename(was, p.file())
	if errors.Is(err, fs.ErrNotExist) { // the first probe, or the folder was cleaned up
		var f *os.File
		if f, err = p.root.OpenFile(p.file(), os.O_WRONLY|os.O_CREATE, 0o600); err == nil {
			err = f.Close()
		}
	}
	return p.last, err
}

func (p *probe) file() string { return strconv.FormatUint(p.last, 10) }

// has reports whether the event of probe n came; again is closed when another one comes.
func (p *probe) has(n uint64) (came bool, again <-chan struct{}) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.came >= n, p.again
}

// is reports whether the event is from the probe's folder, and records it.
func (p *probe) is(e fsnotify.Event) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.dir == "" || !strings.HasPrefix(e.Name, p.dir) {
		return false
	}
	if n, err := strconv.ParseUint(filepath.Base(e.Name), 10, 64); err == nil && n > p.came {
		p.came = n
		close(p.again)
		p.again = make(chan struct{})
	}
	return true
}
