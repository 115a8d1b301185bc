package store

import (
	"os"
	"runtime"

	"github.com/fsnotify/fsnotify"

	"sdd/internal/journal"
)

// A save puts a finished file in its place in one step, and the journal has the file's state after that. So a process
// that gets the event need not read the file: while the state is the same and no other event came, the file has the
// version in the journal. The state alone does not prove that: the clock of a file system may stop for some
// milliseconds, in which a program can write to the file. But each write is an event of its own.

// happened summarizes the events of a file.
type happened byte

const (
	nothing   happened = iota
	placed             // a file came to the path
	exchanged          // and another one left it, as in an exchange
	changed            // anything else
)

// everyChange is true where each change of a file makes an event, which names the change.
const everyChange = runtime.GOOS == "linux"

// and returns the summary with one more event.
func (h happened) and(op fsnotify.Op) happened {
	switch {
	case everyChange && h == nothing && op == fsnotify.Create:
		return placed
	case h == placed && op == fsnotify.Rename:
		return exchanged
	}
	return changed
}

// Saved returns the file that a tool's save left at path, without reading it. path is one that the last Sync returned.
// ok is false when that is unknown: another program may have put the file there, or changed it. Then the caller reads
// the file and calls Observe. It must call Saved before another goroutine calls Sync.
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
