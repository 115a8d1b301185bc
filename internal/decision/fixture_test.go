package decision

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"sdd/internal/index"
	"sdd/internal/store"
)

// fixture is a store with decisions.
type fixture struct {
	*Decisions
	t   testing.TB
	dir string
	st  *store.Store
	ix  *index.Index
}

func newFixture(t testing.TB) *fixture {
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, ".sdd"), 0o755); err != nil {
		t.Fatal(err)
	}
	return open(t, dir)
}

func open(t testing.TB, dir string) *fixture {
	st, err := store.Open(store.Options{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	ix := index.Open(st)
	f := &fixture{New(st, ix), t, dir, st, ix}
	f.now = func() time.Time { return time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC) }
	t.Cleanup(func() { f.Close(); ix.Close(); st.Close() })
	return f
}

func (f *fixture) record(in Input) Result {
	f.t.Helper()
	out, err := f.Record(context.Background(), in)
	if err != nil {
		f.t.Fatal(err)
	}
	if len(out.Results) != 1 {
		f.t.Fatalf("%d results: %+v", len(out.Results), out)
	}
	return out.Results[0]
}

func (f *fixture) get(ref string) Decision {
	f.t.Helper()
	d, err := f.Get(context.Background(), ref)
	if err != nil {
		f.t.Fatal(err)
	}
	return d
}

func (f *fixture) write(file, text string) {
	f.t.Helper()
	path := filepath.Join(f.dir, filepath.FromSlash(file))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		f.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		f.t.Fatal(err)
	}
}

func (f *fixture) file(name string) string {
	f.t.Helper()
	b, err := os.ReadFile(filepath.Join(f.dir, filepath.FromSlash(name)))
	if err != nil {
		f.t.Fatal(err)
	}
	return string(b)
}

// files lists what is in .sdd/decisions.
func (f *fixture) files() string {
	f.t.Helper()
	entries, _ := os.ReadDir(filepath.Join(f.dir, ".sdd", "decisions"))
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return strings.Join(names, " ")
}
