package store

import (
	"os"
	"runtime"

	"github.com/fsnotify/fsnotify"

	"sdd/internal/journal"
)

// A save puts a finished file in its place, in one step, and the journal has the state in which it left the file. So a
// process that gets the event need not read the file: while the state is the same, and nothing happened to the file since,
// it holds what the journal has. The state alone does not prove that, since the clock of a file system may stand still for
// some milliseconds, in which a program can write to the file. But each write is an event of its own.

// happened is what the events of a file report.
type happened byte

const (
	nothing   happened = iota
	placed             // a file came there
	exchanged          // and another one went, as when two are exchanged
	changed            // anything else
)

// everyChange is true where each change of a file makes an event, which names the change.
const everyChange = runtime.GOOS == "linux"

// and returns what happened when there is one event more.
func (h happened) and(op fsnotify.Op) happened {
	switch {
	case everyChange && h == nothing && op == fsnotify.Create:
		return placed
	case h == placed && op == fsnotify.Rename:
		return exchanged
	}
	return changed
}

// Saved returns what a tool's save left at path, one of those that the last Sync returned, without reading the file. ok is
// false when that is not known: another program may have put the file there, or changed it. Then the caller reads the file
// and calls Observe. It must call Saved before another goroutine calls Sync.
func (w *Watcher) Saved(path string) (saved journal.Written, ok bool) {
	w.mu.Lock()
	how := w.told[path]
	w.mu.Unlock()
	if how != placed && how != exchanged {
		return saved, false
	}
	t, err := w.s.open()
	if err != nil || check(path) != nil {
		return saved, false
	}
	fi, err := os.Lstat(w.s.abs(path))
	if err != nil || !fi.Mode().IsRegular() {
		return saved, false
	}
	if saved, ok = t.journal.Left(path, statOf(fi)); ok && saved.News != nil {
		w.s.feed.add(Notice{Kind: NoteSaved, Path: path, etag: saved.Etag, saved: saved.News})
	}
	return saved, ok
}
