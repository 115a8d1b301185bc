package index

import (
	"fmt"
	"testing"
	"time"
)

// TestCatchUpMakesWayForSaves: what waits is read while nobody saves, and not between saves that follow each other.
func TestCatchUpMakesWayForSaves(t *testing.T) {
	s := newShelf(t, map[string]string{"explore/a.md": "# A\n"})
	ix := s.open()
	text := func(i int) string { return fmt.Sprintf("---\ntitle: Waiting %d\n---\n", i) }
	for i := range 3 * bite {
		path := fmt.Sprintf("explore/waiting-%d.md", i)
		s.write(path, text(i))
		ix.unread.set(newUnread(path, []byte(text(i)), ix.own.Defaults))
	}
	l := &ix.later
	saved := time.Now()
	ix.soon()
	l.Lock()
	if l.timer == nil || !l.timer.Stop() {
		t.Error("what was saved is read between saves")
	}
	if pause := l.due.Sub(saved); pause < time.Second {
		t.Errorf("it waits for %v only after a save", pause)
	}
	l.due = time.Now().Add(time.Hour) // as if somebody had saved again
	l.Unlock()
	before := len(ix.unread.list)
	ix.catchUp()
	if n := before - len(ix.unread.list); n != bite {
		t.Errorf("with saves going on, %d files were read at once, want %d", n, bite)
	}
	l.Lock()
	if l.timer == nil || !l.timer.Stop() {
		t.Error("what is left is never read")
	}
	l.due = time.Now()
	l.Unlock()
	ix.catchUp()
	if n := len(ix.unread.list); n != 0 || l.timer != nil {
		t.Errorf("%d files still wait, timer %v", n, l.timer)
	}
}
