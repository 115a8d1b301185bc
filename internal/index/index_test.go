package index

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sdd/internal/store"
)

// shelf is a store in a temporary folder.
type shelf struct {
	t   testing.TB
	dir string
}

func newShelf(t testing.TB, files map[string]string) *shelf {
	t.Helper()
	s := &shelf{t, t.TempDir()}
	if err := os.MkdirAll(s.file("explore"), 0o755); err != nil {
		t.Fatal(err)
	}
	s.write("config.yaml", "project: demo\n")
	for path, text := range files {
		s.write(path, text)
	}
	return s
}

func (s *shelf) file(path string) string {
	return filepath.Join(s.dir, store.Folder, filepath.FromSlash(path))
}

func (s *shelf) write(path, text string) {
	s.t.Helper()
	if err := os.MkdirAll(filepath.Dir(s.file(path)), 0o755); err != nil {
		s.t.Fatal(err)
	}
	if err := os.WriteFile(s.file(path), []byte(text), 0o644); err != nil {
		s.t.Fatal(err)
	}
}

func (s *shelf) remove(path string) {
	s.t.Helper()
	if err := os.RemoveAll(s.file(path)); err != nil {
		s.t.Fatal(err)
	}
}

// open returns the index of the store, up to date. It is closed at the end of the test.
func (s *shelf) open() *Index {
	s.t.Helper()
	st, err := store.Open(store.Options{Dir: s.dir})
	if err != nil {
		s.t.Fatal(err)
	}
	ix := Open(st)
	s.t.Cleanup(ix.Close)
	s.refresh(ix)
	return ix
}

func (s *shelf) refresh(ix *Index) {
	s.t.Helper()
	if err := ix.Refresh(context.Background()); err != nil {
		s.t.Fatal(err)
	}
}

// put saves a record as a tool does: the file, then the index.
func (s *shelf) put(ix *Index, path, text string) {
	s.t.Helper()
	s.write(path, text)
	f, err := ix.st.Read(path)
	if err != nil {
		s.t.Fatal(err)
	}
	ix.Put(store.Saved{Path: path, After: f.Bytes, Stat: f.Stat})
}

func ask(t testing.TB, ix *Index, q Query) Page {
	t.Helper()
	if q.Limit == 0 {
		q.Limit = 10
	}
	p, err := ix.Query(context.Background(), q)
	if err != nil {
		t.Fatalf("query %.80q: %v", q.Text, err)
	}
	return p
}

// filesOf lists the files of a page, in order.
func filesOf(p Page) string {
	var names []string
	for _, h := range p.Hits {
		names = append(names, strings.TrimSuffix(filepath.Base(h.Path), ".md"))
	}
	return strings.Join(names, " ")
}

func note(title, created, body string) string {
	return fmt.Sprintf("---\ntitle: %s\ncreated: %s\n---\n\n# %s\n\n%s\n", title, created, title, body)
}
