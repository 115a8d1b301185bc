package index

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"sdd/internal/record"
	"sdd/internal/store"
)

// total returns in how many records the index finds a word after a Refresh.
func (s *shelf) total(ix *Index, word string) int {
	s.t.Helper()
	s.refresh(ix)
	return ask(s.t, ix, Query{Text: word}).Total
}

// Law 5: whoever changes a file, the next call sees it.
func TestHandEditsAreSeen(t *testing.T) {
	s := newShelf(t, map[string]string{"explore/a.md": "# A\n\nalpha\n"})
	ix := s.open()
	expect := func(what, word string, n int) {
		t.Helper()
		if got := s.total(ix, word); got != n {
			t.Errorf("after %s %d records have %q, want %d", what, got, word, n)
		}
	}
	expect("the start", "alpha", 1)
	s.write("explore/b.md", "# B\n\nbravo\n")
	expect("making a file", "bravo", 1)
	s.write("explore/b.md", "# B\n\nbrava\n")
	expect("a save in place", "brava", 1)
	expect("a save in place", "bravo", 0)
	s.write("explore/.b.md.swp", "# B\n\ncharlie\n")
	os.Rename(s.file("explore/.b.md.swp"), s.file("explore/b.md"))
	expect("a save by rename", "charlie", 1)
	expect("a save by rename", "brava", 0)
	os.Rename(s.file("explore/b.md"), s.file("explore/c.md"))
	expect("a rename", "charlie", 1)
	if h := ask(t, ix, Query{Text: "charlie"}).Hits; len(h) != 1 || h[0].Path != "explore/c.md" {
		t.Errorf("after a rename: %+v", h)
	}
	s.remove("explore/c.md")
	expect("a deletion", "charlie", 0)
	for i := range 500 {
		s.write(fmt.Sprintf("explore/many-%d.md", i), fmt.Sprintf("# Many %d\n\ndelta echo%d\n", i, i))
	}
	expect("making 500 files", "delta", 500)
	expect("making 500 files", "echo77", 1)
	for i := range 500 {
		s.write(fmt.Sprintf("explore/many-%d.md", i), fmt.Sprintf("# Many %d\n\nfoxtrot\n", i))
	}
	expect("changing 500 files", "delta", 0)
	expect("changing 500 files", "foxtrot", 500)
	for i := range 499 {
		s.remove(fmt.Sprintf("explore/many-%d.md", i))
	}
	expect("deleting 499 files", "foxtrot", 1)
	s.write("decisions/new.md", "---\ntitle: New\n---\n\ngolf\n")
	expect("making a folder with a file", "golf", 1)
	s.write("explore/deep/down/x.md", "# X\n\nhotel\n")
	expect("making folders with a file", "hotel", 1)
	os.Rename(s.file("explore/deep"), s.file("explore/moved"))
	expect("moving a folder", "hotel", 1)
	s.write("explore/moved/down/x.md", "# X\n\nindia\n")
	expect("a save in a moved folder", "india", 1)
	s.remove("explore/moved")
	expect("deleting a folder", "india", 0)
	s.write("explore/a.md", "# A\n\nAlpha\n")
	s.write("explore/a.md", "# A\n\nalpha\n")
	expect("there and back", "alpha", 1)
	s.write("notes.md", "# N\n\njuliett\n")
	s.write("explore/n.txt", "juliett\n")
	s.write("explore/.hidden.md", "juliett\n")
	s.write(".local/x.md", "juliett\n")
	expect("making files that are no records", "juliett", 0)
}

// TestCall: in one call only the first Refresh reads files, and it sees what changed before the call.
func TestCall(t *testing.T) {
	s := newShelf(t, map[string]string{"explore/a.md": "# A\n\nalpha\n"})
	ix := s.open()
	s.refresh(ix)
	s.write("explore/b.md", "# B\n\nbravo\n")
	call := ix.Call(t.Context())
	for range 2 {
		if err := ix.Refresh(call); err != nil {
			t.Fatal(err)
		}
		if n := ask(t, ix, Query{Text: "bravo"}).Total; n != 1 {
			t.Errorf("%d records, want 1", n)
		}
	}
	once := ix.refreshed
	if err := ix.Refresh(call); err != nil || ix.refreshed != once {
		t.Errorf("the call refreshed again, %v", err)
	}
	if err := ix.Refresh(ix.Call(call)); err != nil || ix.refreshed == once {
		t.Errorf("the next call did not refresh, %v", err)
	}
}

func TestCheckout(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("no git")
	}
	s := newShelf(t, nil)
	git := func(args ...string) {
		t.Helper()
		cmd := exec.Command("git", append([]string{"-c", "user.name=x", "-c", "user.email=x@x"}, args...)...)
		cmd.Dir = s.dir
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	git("init", "-q", "-b", "one")
	for i := range 500 {
		s.write(fmt.Sprintf("explore/r%d.md", i), fmt.Sprintf("# R %d\n\nfirst\n", i))
	}
	git("add", "-A")
	git("commit", "-qm", "one")
	git("checkout", "-qb", "two")
	for i := range 500 {
		if i%5 == 0 {
			s.remove(fmt.Sprintf("explore/r%d.md", i))
			continue
		}
		s.write(fmt.Sprintf("explore/r%d.md", i), fmt.Sprintf("# R %d\n\nsecond\n", i))
	}
	git("add", "-A")
	git("commit", "-qm", "two")
	ix := s.open()
	for range 2 {
		if a, b := s.total(ix, "first"), s.total(ix, "second"); a != 0 || b != 400 {
			t.Errorf("on two: %d first, %d second", a, b)
		}
		git("checkout", "-q", "one")
		if a, b := s.total(ix, "first"), s.total(ix, "second"); a != 500 || b != 0 {
			t.Errorf("on one: %d first, %d second", a, b)
		}
		git("checkout", "-q", "two")
	}
}

// A file that changes between a refresh and a query is shown as it is.
func TestHitsAreTheFilesOfNow(t *testing.T) {
	s := newShelf(t, map[string]string{"explore/a.md": "# A\n\nalpha beta\n", "explore/b.md": "# B\n\nalpha\n"})
	ix := s.open()
	s.write("explore/a.md", "# A\n\nnothing\n\n\nbeta alpha alpha\n")
	s.remove("explore/b.md")
	p := ask(t, ix, Query{Text: "alpha"})
	if p.Total != 1 || p.Hits[0].Line != 6 {
		t.Errorf("%+v", p)
	}
}

func TestFilesThatCannotBeRead(t *testing.T) {
	s := newShelf(t, map[string]string{
		"explore/good.md":     "# Good\n\nword\n",
		"explore/yaml.md":     "---\ntitle: [x\n---\n\nword\n",
		"explore/conflict.md": "# C\n\n<<<<<<< HEAD\nword ours\n=======\nword theirs\n>>>>>>> b\n",
		"explore/latin.md":    "# L\n\nword caf\xe9\n",
		"explore/nul.md":      "# N\n\nword \x00\n",
		"explore/empty.md":    "",
		"explore/big.md":      "# Big\n\nword " + strings.Repeat("x ", 600_000),
	})
	os.Symlink("/etc/passwd", s.file("explore/out.md"))
	os.Symlink("good.md", s.file("explore/link.md"))
	os.Mkdir(s.file("explore/dir.md"), 0o755)
	if runtime.GOOS != "windows" {
		exec.Command("mkfifo", s.file("explore/pipe.md")).Run()
	}
	check := func(ix *Index) {
		t.Helper()
		s.refresh(ix)
		if p := ask(t, ix, Query{Text: "word"}); p.Total != 6 {
			t.Errorf("%d records have the word: %s", p.Total, filesOf(p))
		}
		if p := ask(t, ix, Query{}); p.Total != 8 {
			t.Errorf("%d records: %s", p.Total, filesOf(p))
		}
		codes := map[string]string{}
		for _, e := range ix.Broken() {
			codes[filepath.Base(e.Path)] = e.Problems[0].Code
			if e.Broken == "" || e.Problems[0].Line < 0 {
				t.Errorf("%+v", e)
			}
		}
		want := map[string]string{"yaml.md": record.BrokenYAML, "conflict.md": record.Conflicted, "latin.md": record.InvalidUTF8, "nul.md": record.InvalidUTF8, "big.md": record.TooLarge}
		if fmt.Sprint(codes) != fmt.Sprint(want) {
			t.Errorf("problems %v, want %v", codes, want)
		}
		if p := ask(t, ix, Query{Text: "theirs"}); p.Total != 1 {
			t.Errorf("the other side of a conflict is not found")
		}
	}
	ix := s.open()
	check(ix)
	for _, f := range []string{"explore/yaml.md", "explore/big.md"} {
		b, _ := os.ReadFile(s.file(f))
		s.write(f, "x")
		s.refresh(ix)
		s.write(f, string(b))
	}
	check(ix)
	ix.Close()
	check(s.open())
	if os.Getuid() != 0 && runtime.GOOS != "windows" {
		ix := s.open()
		os.Chmod(s.file("explore/good.md"), 0)
		s.write("explore/good.md", "x")
		s.refresh(ix)
		os.Chmod(s.file("explore/good.md"), 0o644)
		if n := s.total(ix, "good"); n != 1 {
			t.Errorf("a file that may be read again is found %d times", n)
		}
	}
}

// TestYoungFilesAreReadAgain: a file that was changed just before it was read may change again within one tick of the clock of its
// times, and then has the same size and times. Where sizes and times are compared, it is read once more.
func TestYoungFilesAreReadAgain(t *testing.T) {
	s := newShelf(t, map[string]string{"explore/old.md": "# Old\n"})
	ix := s.open()
	for try := range 1000 {
		path := fmt.Sprintf("explore/young-%d.md", try)
		written := time.Now()
		s.write(path, "# Young\n")
		s.refresh(ix)
		if time.Since(written) > racy/2 {
			continue // another process had the processor: the file may have been old
		}
		jobs, err := ix.compare(t.Context())
		if err != nil || !slices.Contains(jobs, path) {
			t.Errorf("of a file that was read at once %v are compared, %v", jobs, err)
		}
		return
	}
	t.Error("no file was read at once")
}

func TestSettingsDecideOnIdentity(t *testing.T) {
	s := newShelf(t, map[string]string{"explore/a.md": "---\ntitle: A\nproject: demo\n---\n"})
	ix := s.open()
	if e := ix.Lookup(Ref{ID: "a"}); ids(e) != "explore/a" {
		t.Errorf("%q", ids(e))
	}
	s.write("config.yaml", "project: renamed\n")
	s.refresh(ix)
	if e := ix.Lookup(Ref{ID: "a"}); ids(e) != "explore/a@demo" {
		t.Errorf("after the project was renamed: %q", ids(e))
	}
	ix.Close()
	s.write("config.yaml", "project: demo\n")
	if e := s.open().Lookup(Ref{ID: "a"}); ids(e) != "explore/a" {
		t.Errorf("the cache of other settings was used: %q", ids(e))
	}
}

func TestStoreComesAndGoes(t *testing.T) {
	dir := t.TempDir()
	st, err := store.Open(store.Options{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	s := &shelf{t, dir}
	ix := Open(st)
	defer ix.Close()
	for range 2 {
		if n := s.total(ix, "word"); n != 0 || ix.Len() != 0 {
			t.Errorf("without a store there are %d records", ix.Len())
		}
		if e, _ := os.ReadDir(dir); len(e) > 0 {
			t.Errorf("a search made %v", e)
		}
		s.write("config.yaml", "project: demo\n")
		s.write("explore/a.md", "# A\n\nword\n")
		if n := s.total(ix, "word"); n != 1 {
			t.Errorf("%d records in a new store", n)
		}
		s.write("explore/b.md", "# B\n\nword\n")
		if n := s.total(ix, "word"); n != 2 {
			t.Errorf("%d records", n)
		}
		for os.RemoveAll(filepath.Join(dir, store.Folder)) != nil { // the cache is being written there
		}
	}
}

func TestChangesAreTold(t *testing.T) {
	s := newShelf(t, map[string]string{"explore/a.md": "# A\n\nword\n"})
	ix := s.open()
	told := make(chan Change, 1000)
	cancel := ix.Subscribe(func(list []Change) {
		for _, c := range list {
			told <- c
		}
	})
	expect := func(want Change) {
		t.Helper()
		if c := <-told; c != want {
			t.Errorf("told %+v, want %+v", c, want)
		}
	}
	s.write("explore/b.md", "# B\n\nword\n")
	expect(Change{"explore/b.md", "explore/b", record.Exploration, Added})
	os.WriteFile(s.file("explore/.tmp"), []byte("# B\n\nother\n"), 0o644)
	os.Rename(s.file("explore/.tmp"), s.file("explore/b.md"))
	expect(Change{"explore/b.md", "explore/b", record.Exploration, Changed})
	s.remove("explore/b.md")
	expect(Change{"explore/b.md", "explore/b", record.Exploration, Removed})
	s.put(ix, "explore/c.md", "# C\n")
	expect(Change{"explore/c.md", "explore/c", record.Exploration, Added})
	s.refresh(ix)
	os.Remove(s.file("explore/c.md"))
	expect(Change{"explore/c.md", "explore/c", record.Exploration, Removed})
	s.refresh(ix)
	cancel()
	s.write("explore/d.md", "# D\n")
	s.refresh(ix)
	select {
	case c := <-told:
		t.Errorf("told %+v after cancel", c)
	default:
	}
}

// A change that an editor wrote over is noticed by the index, also by one that was not there.
func TestOverwrittenChangesAreNoticed(t *testing.T) {
	s := newShelf(t, map[string]string{"explore/a.md": "# A\n\n## Goals\n\nold goals\n\n## Context\n\nold context\n"})
	st, err := store.Open(store.Options{Dir: s.dir})
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	before, err := st.Read("explore/a.md")
	if err != nil {
		t.Fatal(err)
	}
	const goals, better = "old goals", "much better goals that a tool has saved"
	if _, err := st.Save(context.Background(), store.Edit{
		Lock: "explore/a", Op: "explore", Record: "explore/a",
		Resolve: func() (string, error) { return "explore/a.md", nil },
		Apply: func(b []byte, _ bool) ([]byte, error) {
			return []byte(strings.Replace(string(b), goals, better, 1)), nil
		},
	}); err != nil {
		t.Fatal(err)
	}
	s.write("explore/a.md", strings.Replace(string(before.Bytes), "old context", "new context", 1))
	ix := Open(st)
	defer ix.Close()
	s.refresh(ix)
	if p := st.Pending(); len(p) != 1 || p[0].Record != "explore/a" {
		t.Errorf("pending %+v", p)
	}
}

func TestContextEnds(t *testing.T) {
	files := map[string]string{}
	for i := range 200 {
		files[fmt.Sprintf("explore/%d.md", i)] = fmt.Sprintf("# %d\n\nword\n", i)
	}
	s := newShelf(t, files)
	st, err := store.Open(store.Options{Dir: s.dir})
	if err != nil {
		t.Fatal(err)
	}
	ix := Open(st)
	defer ix.Close()
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	if err := ix.Refresh(ended); !errors.Is(err, context.Canceled) {
		t.Errorf("refresh: %v", err)
	}
	if _, err := ix.Query(ended, Query{Text: "word", Limit: 5}); !errors.Is(err, context.Canceled) {
		t.Errorf("query: %v", err)
	}
	if n := s.total(ix, "word"); n != 200 {
		t.Errorf("%d records afterwards", n)
	}
	s.write("explore/0.md", "# 0\n\nother\n")
	if err := ix.Refresh(ended); !errors.Is(err, context.Canceled) {
		t.Errorf("refresh: %v", err)
	}
	if n := s.total(ix, "other"); n != 1 {
		t.Errorf("a change got lost with a cancelled refresh")
	}
	ix.Close()
	if err := ix.Refresh(context.Background()); err == nil {
		t.Error("a closed index refreshes")
	}
	if l := ix.Lookup(Ref{ID: "1"}); len(l) != 0 {
		t.Errorf("a closed index finds %v", l)
	}
	ix.Put(store.Saved{Path: "explore/1.md", After: []byte("x")})
	ix.Close()
}

func TestManyAtOnce(t *testing.T) {
	s := newShelf(t, nil)
	ix := s.open()
	ix.Subscribe(func([]Change) {})
	var all sync.WaitGroup
	ctx := context.Background()
	for w := range 3 {
		all.Go(func() {
			for i := range 120 {
				path := fmt.Sprintf("explore/w%d-%d.md", w, i%40)
				text := fmt.Sprintf("---\ntitle: T %d %d\n---\n\n# T\n\nword w%d i%d\n", w, i%40, w, i)
				if i%3 == 0 {
					s.write(path, text)
				} else {
					s.put(ix, path, text)
				}
				if i%10 == 9 {
					os.Remove(s.file(path))
				}
			}
		})
		all.Go(func() {
			for i := range 60 {
				if err := ix.Refresh(ctx); err != nil {
					t.Error(err)
				}
				p, err := ix.Query(ctx, Query{Text: fmt.Sprintf("word i%d", i), Limit: 5})
				if err != nil || len(p.Hits) > 5 {
					t.Error(err, p)
				}
				ix.Near(fmt.Sprintf("T %d", i), "demo", "project", 3)
				ix.Lookup(Ref{ID: fmt.Sprintf("t-%d-%d", w, i)})
				ix.Suggest("T 1", 3)
			}
		})
	}
	all.Wait()
	if got, want := s.total(ix, "word"), 3*36; got != want {
		t.Errorf("%d records, want %d", got, want)
	}
	got := answers(t, ix)
	if want := s.fromNothing(); got != want {
		t.Error(firstDifference(want, got))
	}
}

// endingContext ends at so many calls of its Err.
type endingContext struct {
	context.Context
	calls int
}

func (c *endingContext) Err() error {
	if c.calls--; c.calls <= 0 {
		return context.Canceled
	}
	return nil
}

// TestRefreshGivenUp: a caller that gives up, wherever that is, loses no change of a file for the next one.
func TestRefreshGivenUp(t *testing.T) {
	s := newShelf(t, map[string]string{"explore/a.md": note("A", "2026-01-01", "x")})
	ix := s.open()
	s.refresh(ix)
	for n := range 12 {
		s.write(fmt.Sprintf("explore/n%d.md", n), note(fmt.Sprint("N", n), "2026-01-01", "x"))
		_ = ix.Refresh(&endingContext{t.Context(), n + 1})
		if err := ix.Refresh(t.Context()); err != nil || ix.Len() != n+2 {
			t.Fatalf("after %d checks of the context: %d records, %v", n, ix.Len(), err)
		}
	}
}
