package fact

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"sdd/internal/index"
	"sdd/internal/store"
)

// fixture is a store with what works on it.
type fixture struct {
	*Facts
	t   testing.TB
	dir string

	clock sync.Mutex // discovery stores several facts at once
	now   time.Time  // moves on by a second with every look
}

func newFixture(t testing.TB) *fixture { return open(t, t.TempDir()) }

func open(t testing.TB, dir string) *fixture {
	t.Helper()
	st, err := store.Open(store.Options{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	ix := index.Open(st)
	f := &fixture{Facts: New(st, ix), t: t, dir: dir, now: time.Date(2026, 11, 20, 10, 0, 0, 0, time.UTC)}
	f.Facts.now = func() time.Time {
		f.clock.Lock()
		defer f.clock.Unlock()
		f.now = f.now.Add(time.Second)
		return f.now
	}
	t.Cleanup(func() {
		f.Close()
		ix.Close()
		st.Close()
	})
	return f
}

func (f *fixture) add(in Input) Stored {
	f.t.Helper()
	got, err := f.Add(context.Background(), in)
	if err != nil {
		f.t.Fatal(err)
	}
	return got
}

func (f *fixture) get(id string) Fact {
	f.t.Helper()
	got, err := f.Get(context.Background(), id)
	if err != nil {
		f.t.Fatal(err)
	}
	return got
}

// act does an action to one fact.
func (f *fixture) act(action, id string) Moved {
	f.t.Helper()
	r, err := f.Review(context.Background(), Action{Action: action, IDs: []string{id}, Content: "Edited"})
	if err != nil {
		f.t.Fatal(err)
	}
	return r.Items[0]
}

func (f *fixture) write(path, text string) {
	f.t.Helper()
	p := filepath.Join(f.dir, filepath.FromSlash(path))
	if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
		f.t.Fatal(err)
	}
	if err := os.WriteFile(p, []byte(text), 0o644); err != nil {
		f.t.Fatal(err)
	}
}

func (f *fixture) read(path string) string {
	f.t.Helper()
	src, err := os.ReadFile(filepath.Join(f.dir, filepath.FromSlash(path)))
	if err != nil {
		f.t.Fatal(err)
	}
	return string(src)
}

// git runs git in the project's folder.
func (f *fixture) git(args ...string) {
	f.t.Helper()
	cmd := exec.Command("git", append([]string{"-C", f.dir, "-c", "user.name=Ann", "-c", "user.email=ann@example.com"}, args...)...)
	cmd.Env = append(os.Environ(), "GIT_CONFIG_NOSYSTEM=1", "HOME="+f.dir)
	if out, err := cmd.CombinedOutput(); err != nil {
		f.t.Fatalf("git %v: %v\n%s", args, err, out)
	}
}

// files are the names of the files of facts, sorted.
func (f *fixture) files() []string {
	var names []string
	for _, folder := range []string{".sdd/facts", ".sdd/personal/facts"} {
		entries, _ := os.ReadDir(filepath.Join(f.dir, filepath.FromSlash(folder)))
		for _, e := range entries {
			names = append(names, folder+"/"+e.Name())
		}
	}
	slices.Sort(names)
	return names
}
