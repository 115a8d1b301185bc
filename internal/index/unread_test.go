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
		ix.unread[path] = newUnread(path, []byte(text(i)), ix.own.Defaults)
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
	before := len(ix.unread)
	ix.catchUp()
	if n := before - len(ix.unread); n != bite {
		t.Errorf("with saves going on, %d files were read at once, want %d", n, bite)
	}
	l.Lock()
	if l.timer == nil || !l.timer.Stop() {
		t.Error("what is left is never read")
	}
	l.due = time.Now()
	l.Unlock()
	ix.catchUp()
	if n := len(ix.unread); n != 0 || l.timer != nil {
		t.Errorf("%d files still wait, timer %v", n, l.timer)
	}
}

// Saves among thousands of files that wait.
func BenchmarkWaiting(b *testing.B) {
	s := newShelf(b, map[string]string{"explore/a.md": note("A", "2026-01-01", "x")})
	ix := s.open()
	words := benchTitles()["words"]
	for name, title := range map[string]func(int) string{
		"words": words, "numbered": benchTitles()["numbered"],
		"alike": func(i int) string { return "Topic " + words(i)[:6] }, // but for one word
	} {
		ix.mu.Lock()
		for i := range mostUnread {
			text := fmt.Sprintf("---\ntitle: %s\nproject: demo\n---\n", title(i))
			u := newUnread(fmt.Sprintf("explore/%d.md", i), []byte(text), ix.own.Defaults)
			ix.unread[u.path] = u
		}
		ix.mu.Unlock()
		b.Run("near/"+name, func(b *testing.B) {
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				ix.Near(title(mostUnread+i%100), "demo", "project", 3)
			}
		})
	}
}
