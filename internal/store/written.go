package store

import (
	"bytes"
	"fmt"
	"os"
	"runtime"

	"github.com/fsnotify/fsnotify"
)

// A save puts a finished file in its place, in one step, and the journal tells in which state it left it there. So who
// hears of it need not read the file: while the state is the same, and nothing happened to the file since, it holds
// what the journal says. The state alone does not tell that, since the clock of a file system may stand still for
// some milliseconds, in which a program can write to the file. But each write is an event of its own.

// Written is what a tool's save left at a path.
type Written struct {
	Record string // its id
	Title  string
	Etag   string
	Head   []byte // what the file begins with, which tells all that; see record.Front
}

// happened is what events told of a file.
type happened byte

const (
	nothing   happened = iota
	placed             // a file came there
	exchanged          // and another one went, as when two are exchanged
	changed            // anything else
)

// everyChange says that no change of a file goes without an event, and none is told as something else.
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

// Saved returns what a tool's save left at path, one of those that the last Sync returned, without reading the file. ok is false
// when that is not known: nobody but a tool may have put it there, or anything else happened to the file. Then it has to be
// read and Observe told of it; else it is observed. It is called by who called Sync, before another one does.
func (w *Watcher) Saved(path string) (saved Written, ok bool) {
	w.mu.Lock()
	how := w.told[path]
	w.mu.Unlock()
	if how != placed && how != exchanged {
		return Written{}, false
	}
	s := w.s
	t, err := s.open()
	if err != nil || check(path) != nil {
		return Written{}, false
	}
	fi, err := os.Lstat(s.abs(path))
	if err != nil || !fi.Mode().IsRegular() {
		return Written{}, false
	}
	return s.left(t, path, statOf(fi))
}

// left returns what the last tool save at path left there, when that is a file in this state, and tells of it.
func (s *Store) left(t *tree, path string, now Stat) (Written, bool) {
	j := &s.journal
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.tree != t {
		j.refresh(t)
	}
	n, saved, ok := j.left(path, now)
	if !ok { // what is known need not be looked for again where many files changed
		j.refresh(t)
		n, saved, ok = j.left(path, now)
	}
	if ok {
		s.feedSaved(entryRef{j.reading, n}, path, saved.Etag)
	}
	return saved, ok
}

func (j *journal) left(path string, now Stat) (entry int32, saved Written, ok bool) {
	n, ok := j.lastAt(path)
	if !ok {
		return 0, Written{}, false
	}
	line, ok := j.line(n)
	if !ok {
		return 0, Written{}, false
	}
	h, ok := parseHead(line)
	if !ok || h.path != path {
		return 0, Written{}, false
	}
	if saved, ok = parseState(line, now); !ok {
		return 0, Written{}, false
	}
	saved.Record, saved.Etag = h.record, h.after
	return n, saved, true
}

// parseState reads the title and the head in a line, where it has both and that state.
func parseState(line []byte, state Stat) (saved Written, ok bool) {
	_, rest, ok := bytes.Cut(line, fmt.Appendf(nil, `,"state":{"size":%d,"mtime":%d,"ctime":%d,"ino":%d},"title":`,
		state.Size, state.Mtime, state.Ctime, state.Ino)) // quotation marks in texts are escaped
	if !ok {
		return Written{}, false
	}
	title, n, ok := firstString(rest)
	if !ok {
		return Written{}, false
	}
	rest, ok = bytes.CutPrefix(rest[n:], []byte(`,"head":`))
	head, _, ok2 := firstString(rest)
	return Written{Title: title, Head: []byte(head)}, ok && ok2 && title != "" && head != ""
}
