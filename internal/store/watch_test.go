package store

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/fsnotify/fsnotify"
)

func watch(t *testing.T, s *Store) *Watcher {
	t.Helper()
	w := s.Watch(t.Context())
	t.Cleanup(w.Close)
	if _, rescan, err := w.Sync(t.Context()); err != nil || !rescan {
		t.Fatalf("the first Sync: %v %v", rescan, err)
	}
	if err := w.Polling(); err != nil {
		t.Skipf("no events here: %v", err)
	}
	return w
}

func TestSyncSeesWhatWasDoneBefore(t *testing.T) {
	s := newStore(t)
	s.Ensure()
	s.byHand(t, topic, "x\n")
	w := watch(t, s)
	rename := func(a, b string) { os.Rename(s.abs(a), s.abs(b)) }
	for _, c := range []struct {
		name string
		do   func()
		want []string // nil: rescan
	}{
		{"nothing", func() {}, []string{}},
		{"rename", func() { s.byHand(t, topic, "y\n") }, []string{topic}},
		{"in place", func() { s.inPlace(t, topic, "z\n") }, []string{topic}},
		{"save", func() { s.mustSave(t, setSection(topic, "Goals", "x")) }, []string{topic}},
		{"new", func() { s.inPlace(t, "explore/new.md", "x\n") }, []string{"explore/new.md"}},
		{"delete", func() { os.Remove(s.abs("explore/new.md")) }, []string{"explore/new.md"}},
		{"renamed", func() { rename(topic, "explore/other.md") }, []string{"explore/other.md", topic}},
		{"other files", func() { s.inPlace(t, "explore/x.txt", "x\n"); s.inPlace(t, "explore/.x.md", "x\n") }, []string{}},
		{"new folder", func() { s.byHand(t, "facts/a.md", "x\n") }, nil},
		{"new folders", func() { s.byHand(t, "personal/explore/a.md", "x\n"); s.byHand(t, "ideas/x/y/z.md", "x\n") }, nil},
		{"in the new folders", func() { s.inPlace(t, "personal/explore/a.md", "y\n"); s.inPlace(t, "ideas/x/y/z.md", "y\n") }, []string{"ideas/x/y/z.md", "personal/explore/a.md"}},
		{"folder moved", func() { rename("ideas/x", "ideas/w") }, nil},
		{"in the moved folder", func() { s.inPlace(t, "ideas/w/y/z.md", "u\n") }, []string{"ideas/w/y/z.md"}},
		{"folder deleted", func() { os.RemoveAll(s.abs("ideas")) }, nil},
		{"and made again", func() { s.byHand(t, "ideas/i.md", "x\n") }, nil},
		{"linked", func() { os.Symlink("../ideas/i.md", s.abs("explore/link.md")) }, []string{"explore/link.md"}},
		{"the link's file", func() { s.inPlace(t, "ideas/i.md", "y\n") }, []string{"explore/link.md", "ideas/i.md"}},
		{"unlinked", func() { os.Remove(s.abs("explore/link.md")) }, []string{"explore/link.md"}},
		{"store deleted", func() { os.RemoveAll(s.sdd) }, nil},
		{"store made", func() { s.mustSave(t, setSection(topic, "Goals", "x")) }, nil},
		{"in the new store", func() { s.inPlace(t, topic, "y\n") }, []string{topic}},
		{"folder of the probes deleted", func() { os.RemoveAll(w.probe.dir); s.inPlace(t, topic, "z\n") }, nil},
		{"after that", func() { s.inPlace(t, topic, "u\n") }, []string{topic}},
	} {
		c.do()
		got, rescan, err := w.Sync(t.Context())
		if err != nil || rescan != (c.want == nil) || !rescan && !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, rescan %v, %v; want %v", c.name, got, rescan, err, c.want)
		}
	}
}

func TestSyncManyTimes(t *testing.T) {
	s := newStore(t)
	s.Ensure()
	w := watch(t, s)
	for i := range 300 {
		p := "explore/a" + string(rune('a'+i%26)) + "/f.md"
		if i >= 26 {
			s.inPlace(t, p, "x\n")
		} else {
			s.byHand(t, p, "x\n") // in a folder made just now
		}
		got, rescan, err := w.Sync(t.Context())
		if err != nil || !rescan && !slices.Contains(got, p) {
			t.Fatalf("%d: %v %v %v", i, got, rescan, err)
		}
	}
}

func TestEvents(t *testing.T) {
	s := newStore(t)
	s.Ensure()
	os.MkdirAll(s.abs("explore"), 0o755)
	w := watch(t, s)
	events := w.Events()
	s.inPlace(t, topic, "x\n")
	<-events
	s.byHand(t, "facts/f.md", "x\n") // in a new folder: Sync has to find it
	<-events
	if got, rescan, _ := w.Sync(t.Context()); !rescan && !slices.Contains(got, "facts/f.md") {
		t.Errorf("Sync found %v", got)
	}
	w.Close()
	for range events { // ends
	}
}

func TestWatchGivesUp(t *testing.T) {
	s := newStore(t)
	s.Ensure()
	w := watch(t, s)
	events := w.Events()
	why := errors.New("no space left for watches")
	w.give(why)
	if w.Polling() != why {
		t.Error(w.Polling())
	}
	for range 3 {
		if _, rescan, err := w.Sync(t.Context()); err != nil || !rescan {
			t.Errorf("rescan %v, %v", rescan, err)
		}
	}
	<-events
	s.inPlace(t, "config.yaml", "x: 1\n")
	s.byHand(t, topic, "x\n")
	<-events
}

func TestProbeFoldersAreCleanedUp(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	home := probeHome()
	left := filepath.Join(home, probePrefix+"left")
	os.MkdirAll(left, 0o700)
	os.WriteFile(filepath.Join(left, "lock"), nil, 0o600)
	os.WriteFile(filepath.Join(left, "17"), nil, 0o600)
	unlocked := filepath.Join(home, probePrefix+"unlocked")
	os.MkdirAll(unlocked, 0o700)
	os.WriteFile(filepath.Join(unlocked, "1"), nil, 0o600)
	os.Chtimes(unlocked, time.Time{}, time.Now().Add(-2*time.Hour))
	s := newStore(t)
	s.Ensure()
	w := watch(t, s)
	if got := files(t, home); len(got) != 1 || got[0] == filepath.Base(left) || got[0] == filepath.Base(unlocked) {
		t.Errorf("there are %v", got)
	}
	other := watch(t, openAt(t, s.dir))
	if got := files(t, home); len(got) != 2 {
		t.Errorf("there are %v", got)
	}
	w.Close()
	other.Close()
	if got := files(t, home); len(got) != 0 {
		t.Errorf("left %v", got)
	}
}

func TestNoStoreToWatch(t *testing.T) {
	s := newStore(t)
	w := s.Watch(t.Context())
	defer w.Close()
	if _, rescan, err := w.Sync(t.Context()); !rescan || err != nil {
		t.Error(rescan, err)
	}
	s.mustSave(t, setSection(topic, "Goals", "x"))
	if _, rescan, err := w.Sync(t.Context()); !rescan || err != nil {
		t.Error(rescan, err)
	}
	s.mustSave(t, setSection(topic, "Goals", "y"))
	if got, rescan, err := w.Sync(t.Context()); w.Polling() == nil && (rescan || err != nil || !slices.Equal(got, []string{topic})) {
		t.Error(got, rescan, err)
	}
}

// More changes than the system's queue holds, while nobody takes them, mean that all is compared.
func TestQueueRunsOver(t *testing.T) {
	limit, err := os.ReadFile("/proc/sys/fs/inotify/max_queued_events")
	n, err2 := strconv.Atoi(strings.TrimSpace(string(limit)))
	if err != nil || err2 != nil || n > 100_000 {
		t.Skip("the system does not tell how long its queue is, or it is very long")
	}
	s := newStore(t)
	s.byHand(t, topic, "x\n")
	s.byHand(t, "explore/b.md", "x\n")
	w := watch(t, s)
	for i := range 2 * n { // some have been read; the system makes one of two equal events in a row
		if err := os.Chmod(s.abs([]string{topic, "explore/b.md"}[i%2]), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	s.inPlace(t, "explore/c.md", "unseen\n")
	if got, rescan, err := w.Sync(t.Context()); err != nil || !rescan {
		t.Errorf("%v, rescan %v, %v", got, rescan, err)
	}
	s.inPlace(t, "explore/c.md", "seen\n")
	if got, rescan, err := w.Sync(t.Context()); err != nil || !rescan && !slices.Contains(got, "explore/c.md") {
		t.Errorf("afterwards: %v, rescan %v, %v", got, rescan, err)
	}
}

// TestLostEvents: when the system says that events were lost, the next Sync has all files compared, also where the queue is short
// again by then and the probe comes in time.
func TestLostEvents(t *testing.T) {
	s := newStore(t)
	s.byHand(t, topic, "x\n")
	w := watch(t, s)
	for _, want := range []bool{true, false} {
		if want {
			w.during(func() { w.fs.Errors <- fsnotify.ErrEventOverflow })
		}
		if got, rescan, err := w.Sync(t.Context()); err != nil || rescan != want {
			t.Errorf("%v, rescan %v, %v; want rescan %v", got, rescan, err, want)
		}
	}
}

// Those who wait to be told and those who sync take events off one queue, and nobody misses any.
func TestEventsAndSyncAtOnce(t *testing.T) {
	s := newStore(t)
	s.byHand(t, topic, "x\n")
	w := watch(t, s)
	for i := range 200 {
		if i == 100 {
			go func() {
				for range w.Events() {
				}
			}()
		}
		path := fmt.Sprintf("explore/n%d.md", i)
		s.inPlace(t, path, "x\n")
		got, rescan, err := w.Sync(t.Context())
		if err != nil || !rescan && !slices.Contains(got, path) {
			t.Fatalf("%d: %v, rescan %v, %v", i, got, rescan, err)
		}
	}
}
