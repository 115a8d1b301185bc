package index

import (
	"fmt"
	"testing"
)

// TestCatchUp: the background reads the waiting files after a quiet moment, a group at a time.
func TestCatchUp(t *testing.T) {
	s := newShelf(t, map[string]string{"explore/a.md": "# A\n"})
	ix := s.open()
	text := func(i int) string { return fmt.Sprintf("---\ntitle: Waiting %d\n---\n", i) }
	for i := range 3 * bite {
		path := fmt.Sprintf("explore/waiting-%d.md", i)
		s.write(path, text(i))
		ix.unread[path] = newUnread(path, []byte(text(i)), ix.own.Defaults)
	}
	ix.soon()
	ix.later.Lock()
	if ix.later.timer == nil || !ix.later.timer.Stop() || ix.later.since.IsZero() {
		t.Error("no timer waits for a quiet moment")
	}
	ix.later.Unlock()
	before := len(ix.unread)
	if more, err := ix.readSome(); !more || err != nil || before-len(ix.unread) != bite {
		t.Errorf("%d files were read at once, want %d; %v", before-len(ix.unread), bite, err)
	}
	ix.catchUp()
	if n := len(ix.unread); n != 0 || !ix.later.since.IsZero() {
		t.Errorf("%d files still wait", n)
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
