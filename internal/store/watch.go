package store

import (
	"context"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/fsnotify/fsnotify"

	"sdd/internal/fault"
)

// Watcher knows which record files changed. It watches folders: a save by rename ends the watch of a file. Where the file system does not
// report changes, the system refuses a watch or its queue overflows, Sync compares all files. Without a subscriber events stay in the queue
// until the next Sync, so that changes by other programs wake no goroutine of an idle process.
type Watcher struct {
	s    *Store
	done chan struct{}
	wake chan struct{} // something changed, for push

	setup sync.Mutex // held while folders are added, never by the goroutine that takes events
	recv  sync.Mutex // held by the Sync that takes events

	mu      sync.Mutex
	fs      *fsnotify.Watcher // nil before the start, and where the system sends no events
	why     error             // the reason for no events
	tree    *tree             // the watched tree
	folders map[string]bool   // relative to .sdd
	fresh   map[string]bool   // folders to add
	links   map[string]bool   // records that are symbolic links: their files change without events
	changed map[string]bool   // since the last Sync
	rescan  bool
	closed  bool
	pushing bool              // a goroutine takes events as they come,
	drained *fsnotify.Watcher // from this watcher
	probe   probe

	push sync.Once
	out  chan struct{}
}

// Watch returns a Watcher that ends with ctx or Close. It does nothing before the first Sync or Events.
func (s *Store) Watch(ctx context.Context) *Watcher {
	w := &Watcher{s: s, done: make(chan struct{}), wake: make(chan struct{}, 1), out: make(chan struct{})}
	w.clear()
	context.AfterFunc(ctx, w.Close)
	return w
}

func (w *Watcher) clear() {
	w.folders, w.fresh, w.links = map[string]bool{}, map[string]bool{}, map[string]bool{}
	w.changed, w.rescan = map[string]bool{}, true
}

func (w *Watcher) Close() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.closed {
		w.closed = true
		close(w.done)
		w.stop()
	}
}

// stop ends the events, with mu held.
func (w *Watcher) stop() {
	if w.fs != nil {
		go w.fs.Close() // it may wait for the goroutine that takes events
		w.fs = nil
	}
	w.probe.close()
	w.clear()
}

// Polling returns the reason for no events; nil while there are events or before the first Sync.
func (w *Watcher) Polling() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.why
}

// Sync returns the paths, relative to .sdd, of files that were created, changed or deleted since the last Sync, until this call. rescan
// means that the paths are unknown and the caller must compare all files (Scan). Sync returns each change once, so callers that share a
// Watcher take turns and apply it before the next one syncs.
func (w *Watcher) Sync(ctx context.Context) (changed []string, rescan bool, err error) {
	for range 3 {
		if !w.begin() {
			return nil, true, ctx.Err()
		}
		seen, err := w.seen(ctx)
		if ctx.Err() != nil {
			return nil, false, ctx.Err()
		}
		if err != nil { // the folder for temporary files was cleaned up
			w.mu.Lock()
			w.tree = nil // begin makes a new watcher
			w.mu.Unlock()
			continue
		}
		if !w.add() {
			continue
		}
		w.mu.Lock()
		defer w.mu.Unlock()
		maps.Copy(w.changed, w.links)
		all, rescan := w.changed, w.rescan || !seen
		if w.changed, w.rescan = map[string]bool{}, false; rescan {
			return nil, true, nil
		}
		return slices.Sorted(maps.Keys(all)), false, nil
	}
	return nil, true, nil
}

// begin ensures that the store's present folders are watched. It returns false when the system refuses a watch.
func (w *Watcher) begin() bool {
	w.setup.Lock()
	defer w.setup.Unlock()
	t, err := w.s.open()
	w.mu.Lock()
	if w.closed || err != nil || w.why != nil {
		if err != nil && w.fs != nil { // .sdd was deleted
			w.tree = nil
			w.stop()
		}
		w.mu.Unlock()
		return false
	}
	if w.fs != nil && w.tree == t {
		w.mu.Unlock()
		return true
	}
	w.stop()
	w.tree = t
	w.mu.Unlock()
	if err := w.start(); err != nil {
		w.give(err)
		return false
	}
	w.mu.Lock()
	w.drainIfPushing()
	w.mu.Unlock()
	return true
}

// drainIfPushing starts the goroutine that takes events, where one is needed. mu is held.
func (w *Watcher) drainIfPushing() {
	if (w.pushing || !lazyEvents) && w.fs != nil && w.drained != w.fs {
		w.drained = w.fs
		go func(events *fsnotify.Watcher) { // so that the system's queue stays short
			for w.take(events, nil) {
			}
		}(w.fs)
	}
}

// lazyEvents is true where events may wait in the system's queue. Elsewhere the thread that reads them also adds folders.
const lazyEvents = runtime.GOOS == "linux"

// seen waits for the event of a new probe, so that all before it are recorded; false when it did not come, an error without a probe.
func (w *Watcher) seen(ctx context.Context) (bool, error) {
	events := w.mine()
	if events != nil {
		defer w.recv.Unlock()
	}
	n, err := w.probe.make()
	if n == 0 || err != nil {
		return false, err
	}
	patient, stop := context.WithTimeout(ctx, probePatience)
	defer stop()
	for {
		came, again := w.probe.has(n)
		if came {
			return true, nil
		}
		if events != nil {
			if !w.take(events, patient.Done()) {
				return false, nil
			}
			continue
		}
		select {
		case <-again:
		case <-patient.Done():
			return false, nil
		case <-w.done:
			return false, nil
		}
	}
}

// mine returns the watcher whose events the caller must take, with recv held; nil where a goroutine takes them.
func (w *Watcher) mine() *fsnotify.Watcher {
	w.recv.Lock()
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.fs == nil || w.drained == w.fs {
		w.recv.Unlock()
		return nil
	}
	return w.fs
}

// during calls f, which changes the watched folders, while events are taken: f may have to wait for that.
func (w *Watcher) during(f func()) {
	events := w.mine()
	if events == nil {
		f()
		return
	}
	defer w.recv.Unlock()
	done := make(chan struct{})
	go func() {
		defer close(done)
		f()
	}()
	for w.take(events, done) {
	}
	<-done
}

// start creates the watcher with the folder that holds the others, and the probe.
func (w *Watcher) start() error {
	if !watchable(w.s.sdd) {
		return fault.New(fault.Unavailable, "the file system of %s does not tell of every change", w.s.sdd)
	}
	events, err := fsnotify.NewWatcher()
	if err != nil {
		return err
	}
	if err := events.Add(w.s.sdd); err != nil {
		events.Close()
		return err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if err := w.probe.open(events); err != nil {
		events.Close()
		return err
	}
	w.fs = events
	for _, rel := range recordFolders {
		w.fresh[rel] = true
	}
	w.fresh["personal"] = true
	return nil
}

// give ends the events for good: from now on Sync compares all files.
func (w *Watcher) give(why error) {
	w.mu.Lock()
	w.stop()
	w.why = why
	w.mu.Unlock()
	w.signal()
}

// add watches the new folders and records their files as changed. It returns false when a watched folder was deleted or moved meanwhile.
func (w *Watcher) add() bool {
	w.setup.Lock()
	defer w.setup.Unlock()
	for {
		w.mu.Lock()
		events, stale, rel := w.fs, w.tree == nil, ""
		for rel = range w.fresh {
			delete(w.fresh, rel)
			break
		}
		w.mu.Unlock()
		if events == nil || stale {
			return false
		}
		if rel == "" {
			return true
		}
		var err error
		w.during(func() { err = w.addFolder(events, rel) })
		if err != nil {
			w.give(err)
			return false
		}
	}
}

func (w *Watcher) addFolder(events *fsnotify.Watcher, rel string) error {
	abs := w.s.abs(rel)
	if fi, err := os.Lstat(abs); err != nil || !fi.IsDir() {
		return nil
	}
	if !watchable(abs) {
		return fault.New(fault.Unavailable, "the file system of %s does not tell of every change", abs)
	}
	if err := events.Add(abs); err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		return err
	}
	entries, err := os.ReadDir(abs)
	if err != nil {
		return nil // deleted again, or not readable
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.folders[rel] = true
	w.rescan = true // other processes may know files that existed for a moment before the watch
	for _, e := range entries {
		at := rel + "/" + e.Name()
		switch {
		case hidden(e.Name()):
		case e.IsDir():
			if within(at) && !w.folders[at] {
				w.fresh[at] = true
			}
		case within(at) && isRecord(e.Name()):
			w.changed[at] = true
			if e.Type()&fs.ModeSymlink != 0 {
				w.links[at] = true
			}
		}
	}
	return nil
}

// within reports whether rel is a record folder or in one.
func within(rel string) bool {
	return slices.ContainsFunc(recordFolders, func(f string) bool { return strings.HasPrefix(rel+"/", f+"/") })
}

func (w *Watcher) signal() {
	select {
	case w.wake <- struct{}{}:
	default:
	}
}

// take takes one event off the queue. It returns false when the watch has ended or until is closed.
func (w *Watcher) take(events *fsnotify.Watcher, until <-chan struct{}) bool {
	select {
	case e, ok := <-events.Events:
		if ok {
			w.note(events, e)
		}
		return ok
	case _, ok := <-events.Errors: // events were lost, or worse
		if ok {
			w.mu.Lock()
			w.rescan = true
			w.mu.Unlock()
			w.signal()
		}
		return ok
	case <-until:
		return false
	}
}

func (w *Watcher) note(events *fsnotify.Watcher, e fsnotify.Event) {
	if e.Name == "" || w.probe.is(e) {
		return
	}
	rel, err := filepath.Rel(w.s.sdd, e.Name)
	if err != nil {
		return
	}
	rel = filepath.ToSlash(rel)
	gone := e.Has(fsnotify.Remove) || e.Has(fsnotify.Rename)
	var is fs.FileMode // 0 for a file, and for none
	if fi, err := os.Lstat(e.Name); err == nil {
		is = fi.Mode().Type()
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.fs != events {
		return // an event of a watch that has ended
	}
	switch {
	case gone && (rel == "." || w.folders[rel]):
		// Sync watches anew: the folders below a moved one would report events under its old name.
		w.tree, w.rescan = nil, true
	case rel == ".":
		return
	case e.Has(fsnotify.Create) && (rel == "personal" || within(rel)) && is == fs.ModeDir:
		w.fresh[rel] = true
	case within(rel) && isRecord(filepath.Base(rel)):
		w.changed[rel] = true
		if is == fs.ModeSymlink {
			w.links[rel] = true
		} else {
			delete(w.links, rel)
		}
	default:
		return
	}
	w.signal()
}

const (
	quietWindow = 10 * time.Millisecond
	pushCeiling = 40 * time.Millisecond
)

// Events returns a channel that gets a value when files have changed, one for the changes of some milliseconds. Only
// Sync guarantees that every change was seen, and only Sync reads new folders.
func (w *Watcher) Events() <-chan struct{} {
	w.push.Do(func() { go w.pushAll() })
	return w.out
}

func (w *Watcher) pushAll() {
	defer close(w.out)
	w.recv.Lock() // no other goroutine takes events now
	w.mu.Lock()
	w.pushing = true
	w.drainIfPushing()
	w.mu.Unlock()
	w.recv.Unlock()
	if w.begin() {
		w.add()
	}
	for {
		if w.Polling() != nil {
			w.poll()
			return
		}
		select {
		case <-w.done:
			return
		case <-w.wake:
		}
		w.gather()
		if !w.send() {
			return
		}
	}
}

// send reports that files changed. It returns false when the watch has ended.
func (w *Watcher) send() bool {
	select {
	case <-w.done:
		return false
	case w.out <- struct{}{}:
		return true
	}
}

// gather waits until the changes pause.
func (w *Watcher) gather() {
	for ceiling := time.After(pushCeiling); ; {
		select {
		case <-w.wake:
		case <-time.After(quietWindow):
			return
		case <-ceiling:
			return
		case <-w.done:
			return
		}
	}
}

// poll compares all files, again after at least a hundred times as long as that took.
func (w *Watcher) poll() {
	was := w.states()
	changed := true // changes before the first comparison count
	for {
		if changed && !w.send() {
			return
		}
		start := time.Now()
		now := w.states()
		changed = !maps.Equal(was, now)
		was = now
		select {
		case <-w.done:
			return
		case <-time.After(min(max(500*time.Millisecond, 100*time.Since(start)), 10*time.Second)):
		}
	}
}

func (w *Watcher) states() map[string]Stat {
	out := map[string]Stat{}
	w.s.Scan(context.Background(), func(p string, st Stat) error { out[p] = st; return nil })
	return out
}
