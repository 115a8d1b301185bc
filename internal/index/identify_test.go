package index_test

import (
	"os"
	"path/filepath"
	"testing"

	"sdd/internal/index"
	"sdd/internal/store"
)

// TestHolders: names are fresh at once, words with the next Refresh, and nothing is left behind
// in the cache.
func TestHolders(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		p := filepath.Join(dir, ".sdd", "explore", name)
		if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(p, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	open := func() (*store.Store, *index.Index) {
		t.Helper()
		st, err := store.Open(store.Options{Dir: dir})
		if err != nil {
			t.Fatal(err)
		}
		return st, index.Open(st)
	}
	total := func(ix *index.Index, word string) int {
		t.Helper()
		if err := ix.Refresh(t.Context()); err != nil {
			t.Fatal(err)
		}
		p, err := ix.Query(t.Context(), index.Query{Text: word, Limit: 10})
		if err != nil {
			t.Fatal(err)
		}
		return p.Total
	}
	write("a.md", "---\ntitle: Alpha\n---\n\n## Goals\n\noldword\n")
	_, ix := open()
	if n := total(ix, "oldword"); n != 1 {
		t.Fatalf("%d found", n)
	}
	write("a.md", "---\ntitle: Beta plan\n---\n\n## Goals\n\nnewword\n")
	write("c.md", "# Gamma\n\n## Goals\n\nthirdword\n")
	for id, want := range map[string]int{"explore/alpha": 0, "explore/beta-plan": 1, "explore/gamma": 1} {
		if got, err := ix.Holders(t.Context(), id); len(got) != want || err != nil {
			t.Errorf("%s: %v, %v", id, got, err)
		}
	}
	if near := ix.Near("Beta plans", "", "", 3); len(near) != 1 {
		t.Errorf("near: %v", near)
	}
	ix.Close() // writes a cache while words are missing
	_, ix = open()
	defer ix.Close()
	for word, want := range map[string]int{"oldword": 0, "newword": 1, "thirdword": 1} {
		if n := total(ix, word); n != want {
			t.Errorf("%s: %d found, want %d", word, n, want)
		}
	}
	write("a.md", "---\ntitle: Beta plan\n---\n\n## Goals\n\nfourthword\n")
	if got, err := ix.Holders(t.Context(), "explore/beta-plan"); len(got) != 1 || err != nil {
		t.Fatal(got, err)
	}
	if n := total(ix, "fourthword"); n != 1 {
		t.Errorf("fourthword: %d found", n)
	}
	if n := total(ix, "newword"); n != 0 {
		t.Errorf("newword: %d found", n)
	}
}
