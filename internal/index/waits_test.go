package index

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// TestWaitsAgainstMap: after any changes every file that waits is there once, under its path and its id.
func TestWaitsAgainstMap(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 6))
	var w waits
	want := map[string]*unread{}
	for range 5_000 {
		path := fmt.Sprint(r.IntN(40))
		if r.IntN(3) == 0 {
			w.drop(path)
			delete(want, path)
		} else {
			u := &unread{path: path, key: fmt.Sprint(r.IntN(5)), gone: r.IntN(4) == 0}
			w.set(u)
			want[path] = u
		}
		if len(w.list) != len(want) || len(w.at) != len(want) {
			t.Fatalf("%d files and %d paths wait, want %d", len(w.list), len(w.at), len(want))
		}
		holders := map[string]int{}
		for path, u := range want {
			if w.get(path) != u || !w.has([]byte(path)) || w.list[w.at[path]].unread != u {
				t.Fatalf("%s does not wait", path)
			}
			if !u.gone {
				holders[u.key]++
			}
		}
		for key := range 5 {
			n := 0
			w.holders(fmt.Sprint(key), func(u *unread) { n++ })
			if n != holders[fmt.Sprint(key)] {
				t.Fatalf("%d files have the id %d, want %d", n, key, holders[fmt.Sprint(key)])
			}
		}
		if some := w.some(7); len(some) != min(7, len(want)) {
			t.Fatalf("some are %d", len(some))
		}
		if w.get("none") != nil || w.has([]byte("none")) {
			t.Fatal("what is not there waits")
		}
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
			ix.unread.set(newUnread(fmt.Sprintf("explore/%d.md", i), []byte(text), ix.own.Defaults))
		}
		ix.mu.Unlock()
		b.Run("near/"+name, func(b *testing.B) {
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				ix.Near(title(mostUnread+i%100), "demo", "project", 3)
			}
		})
	}
	b.Run("holders", func(b *testing.B) {
		for b.Loop() {
			ix.unread.holders("explore/none", func(*unread) { b.Fatal("found") })
		}
	})
}
