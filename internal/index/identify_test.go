package index_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"sdd/internal/index"
	"sdd/internal/record"
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

// TestHoldersAreThoseInTheFiles: whatever tools of other processes, editors and moves by hand do one after the other, the
// next call knows which record is in which file.
func TestHoldersAreThoseInTheFiles(t *testing.T) {
	dir := t.TempDir()
	open := func() *store.Store {
		st, err := store.Open(store.Options{Dir: dir})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(st.Close)
		return st
	}
	if err := os.MkdirAll(filepath.Join(dir, ".sdd", "explore"), 0o755); err != nil {
		t.Fatal(err)
	}
	file := func(path string) string { return filepath.Join(dir, ".sdd", path) }
	other := open()
	ix := index.Open(open())
	defer ix.Close()
	if err := ix.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(1, 2))
	titles := []string{"Alpha", "Bravo", "Gamma", "Delta"} // of one length
	path := func() string { return fmt.Sprintf("explore/f%d.md", r.IntN(4)) }
	text := func() []byte {
		return fmt.Appendf(nil, "---\ntitle: %s\n---\n\n## Goals\n\n%04d\n", titles[r.IntN(len(titles))], r.IntN(3))
	}
	named := func(src []byte) string {
		title, _, _ := strings.Cut(strings.TrimPrefix(string(src), "---\ntitle: "), "\n")
		return "explore/" + strings.ToLower(title)
	}
	for step := range 120 {
		var done []string
		for range 1 + r.IntN(4) {
			p, q, src := path(), path(), text()
			var what string
			switch r.IntN(8) {
			case 0, 1, 2:
				what = "save"
				if _, err := other.Save(t.Context(), store.Edit{
					Record: named(src), Op: "test", Resolve: func() (string, error) { return p, nil },
					Apply: func([]byte, bool) ([]byte, error) { return src, nil },
				}); err != nil {
					t.Fatal(err)
				}
			case 3:
				what = "in place"
				os.WriteFile(file(p), src, 0o644)
			case 4:
				what = "by rename"
				os.WriteFile(file(p)+"~", src, 0o644)
				os.Rename(file(p)+"~", file(p))
			case 5:
				what = "moved to " + q
				os.Rename(file(p), file(q))
			case 6:
				what = "deleted"
				os.Remove(file(p))
			case 7:
				what = "times put back"
				if st, err := os.Stat(file(p)); err == nil {
					os.WriteFile(file(p), src, 0o644)
					os.Chtimes(file(p), st.ModTime(), st.ModTime())
				}
			}
			done = append(done, what+" "+p)
		}
		want := map[string][]string{}
		for i := range 4 {
			p := fmt.Sprintf("explore/f%d.md", i)
			if src, err := os.ReadFile(file(p)); err == nil {
				title, _, _ := strings.Cut(strings.TrimPrefix(string(src), "---\ntitle: "), "\n")
				want[title] = append(want[title], p+" "+record.Etag(src))
			}
		}
		for _, title := range titles {
			held, err := ix.Holders(t.Context(), "explore/"+strings.ToLower(title))
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, e := range held {
				got = append(got, e.Path+" "+e.Etag)
				if e.Title != title || e.File != ".sdd/"+e.Path {
					t.Errorf("step %d: %+v", step, e)
				}
			}
			slices.Sort(got)
			if !slices.Equal(got, want[title]) {
				t.Fatalf("step %d, %v: %s is in %v, want %v", step, done, title, got, want[title])
			}
		}
		if r.IntN(20) == 0 { // all is read, and what follows comes on top of it
			if err := ix.Refresh(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
	}
}
