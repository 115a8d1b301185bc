package repos

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"sdd/internal/index"
	_ "sdd/internal/longtest"
	"sdd/internal/store"
)

// world is a user with an own store and repositories, all in a temporary folder.
type world struct {
	*testing.T
	dir string
}

func newWorld(t *testing.T) world {
	t.Helper()
	w := world{t, t.TempDir()}
	t.Setenv("HOME", w.dir)
	t.Setenv("XDG_CONFIG_HOME", filepath.Join(w.dir, "config"))
	t.Setenv("XDG_CACHE_HOME", filepath.Join(w.dir, "cache"))
	t.Setenv("GIT_CONFIG_NOSYSTEM", "1")
	return w
}

func (w world) git(dir string, args ...string) {
	w.Helper()
	cmd := exec.Command("git", append([]string{"-C", dir, "-c", "user.name=a", "-c", "user.email=a@b.c"}, args...)...)
	if out, err := cmd.CombinedOutput(); err != nil {
		w.Fatalf("git %v: %v\n%s", args, err, out)
	}
}

func (w world) write(path, text string) {
	w.Helper()
	path = filepath.Join(w.dir, path)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		w.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		w.Fatal(err)
	}
}

// repository makes a repository with a bare one that it pushes to, and names the bare one.
func (w world) repository(name string) {
	w.Helper()
	w.git(w.dir, "init", "-q", "--bare", "-b", "main", name+".git")
	w.git(w.dir, "clone", "-q", name+".git", name)
	w.git(filepath.Join(w.dir, name), "checkout", "-q", "-B", "main")
	w.push(name, 0)
	r, err := New("file://"+filepath.Join(w.dir, name+".git"), name)
	if err != nil {
		w.Fatal(err)
	}
	if err := r.Fetch(w.Context()); err != nil {
		w.Fatal(err)
	}
	if err := Add(r); err != nil {
		w.Fatal(err)
	}
}

// push replaces the record of a repository by version n, and adds a record.
func (w world) push(name string, n int) {
	w.Helper()
	w.write(name+"/.sdd/explore/state.md", fmt.Sprintf("# State\n\nversion %d\n", n))
	w.write(fmt.Sprintf("%s/.sdd/explore/added-%d.md", name, n), fmt.Sprintf("# Added %d\n\ntext\n", n))
	w.git(filepath.Join(w.dir, name), "add", "-A")
	w.git(filepath.Join(w.dir, name), "commit", "-qm", "x")
	w.git(filepath.Join(w.dir, name), "push", "-q", "origin", "main")
}

func (w world) join() (*Joined, *index.Index) {
	w.Helper()
	st, err := store.Open(store.Options{Dir: filepath.Join(w.dir, "own")})
	if err != nil {
		w.Fatal(err)
	}
	ix := index.OpenOnce(st)
	w.Cleanup(ix.Close)
	all, err := Chosen(st, []string{All}, false)
	if err != nil {
		w.Fatal(err)
	}
	j, err := Join(st, ix, all)
	if err != nil {
		w.Fatal(err)
	}
	w.Cleanup(j.Close)
	return j, ix
}

// has fails unless the joined store has exactly the versions 0 to n of a repository.
func (w world) has(j *Joined, name string, n int) {
	w.Helper()
	folder := filepath.Join(j.Store.Dir(), ".sdd", "explore", "@"+name)
	src, err := os.ReadFile(filepath.Join(folder, "state.md"))
	if want := fmt.Sprintf("version %d\n", n); err != nil || !strings.HasSuffix(string(src), want) {
		w.Errorf("%s: %q %v, want %q", name, src, err, want)
	}
	if files, err := os.ReadDir(folder); err != nil || len(files) != n+2 {
		w.Errorf("%s has %d files, want %d: %v", name, len(files), n+2, err)
	}
}

// TestPushedMeanwhile: processes push to repositories, and others fetch and copy them at the same time. After a fetch the
// joined store has what was pushed before it.
func TestPushedMeanwhile(t *testing.T) {
	w := newWorld(t)
	w.write("own/.sdd/explore/own.md", "# Own\n\ntext\n")
	names := []string{"ra", "rb", "rc", "rd"}
	for _, name := range names {
		w.repository(name)
	}
	const pushes = 3
	var wait sync.WaitGroup
	for _, name := range names {
		wait.Go(func() {
			for n := 1; n <= pushes; n++ {
				w.push(name, n)
				r, err := One(name)
				if err != nil {
					t.Error(err)
					return
				}
				if err := r.Fetch(t.Context()); err != nil {
					t.Error(err)
				}
				j, _ := w.join()
				if _, err := j.Sync(t.Context()); err != nil {
					t.Error(err)
				}
				w.has(j, name, n)
			}
		})
	}
	wait.Wait()
}

// TestSyncAgain: the copies come back after any part of them is deleted or broken, while the process goes on, and own edits are
// copied.
func TestSyncAgain(t *testing.T) {
	w := newWorld(t)
	w.write("own/.sdd/explore/own.md", "# Own\n\ntext\n")
	w.repository("ra")
	j, _ := w.join()
	sdd := filepath.Join(j.Store.Dir(), ".sdd")
	for i, damage := range []func() error{
		func() error { return nil },
		func() error { return os.RemoveAll(j.Store.Dir()) },
		func() error { return os.RemoveAll(sdd) },
		func() error { return os.RemoveAll(filepath.Join(sdd, ".local")) },
		func() error { return os.WriteFile(filepath.Join(sdd, ".local", copiedFile), []byte("{"), 0o600) },
		func() error { // a copy that was killed
			w.write("stray", "")
			err := os.Rename(filepath.Join(w.dir, "stray"), filepath.Join(sdd, "explore", "@ra", "stray.md"))
			if err == nil {
				err = os.Remove(filepath.Join(sdd, ".local", copiedFile))
			}
			return err
		},
	} {
		if err := damage(); err != nil {
			t.Fatal(err)
		}
		if i%2 == 0 {
			w.write("own/.sdd/explore/own.md", fmt.Sprintf("# Own\n\nedit %d\n", i))
		}
		commits, err := j.Sync(t.Context())
		if err != nil || commits["ra"] == "" {
			t.Fatalf("damage %d: %v %v", i, commits, err)
		}
		w.has(j, "ra", 0)
		if src, err := os.ReadFile(filepath.Join(sdd, "explore", "own.md")); err != nil || string(src) != fmt.Sprintf("# Own\n\nedit %d\n", i-i%2) {
			t.Errorf("damage %d: own %q %v", i, src, err)
		}
	}
}

// TestUnused: a joined store that was not opened for a month is deleted, one in use is not.
func TestUnused(t *testing.T) {
	w := newWorld(t)
	w.write("own/.sdd/explore/own.md", "# Own\n\ntext\n")
	j, _ := w.join()
	old := filepath.Join(filepath.Dir(j.Store.Dir()), "old")
	w.write("x", "")
	long := time.Now().Add(-2 * unusedAfter)
	for _, err := range []error{os.Mkdir(old, 0o700), os.Chtimes(old, long, long), os.Chtimes(j.Store.Dir(), long, long)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	j, _ = w.join()
	if _, err := os.Stat(old); err == nil {
		t.Error("the unused one is there")
	}
	if _, err := j.Sync(t.Context()); err != nil {
		t.Error(err)
	}
	if st, err := os.Stat(j.Store.Dir()); err != nil || time.Since(st.ModTime()) > unusedAfter {
		t.Error("the used one counts as unused", err)
	}
}

// TestAddresses: which addresses git may fetch, and which of them are the same repository.
func TestAddresses(t *testing.T) {
	for at, want := range map[string]bool{
		"https://host/a.git": true, "git@host:a.git": true, "ssh://host/a": true, "file:///a": true,
		"ext::sh -c id": false, "-oProxyCommand=x:y": false, "ftp://host/a": false, "--upload-pack=x://y": false, "https://host/\na": false,
	} {
		if isURL(at) != true || (checkURL(at) == nil) != want {
			t.Errorf("%q: url %v, %v", at, isURL(at), checkURL(at))
		}
	}
	same := []string{"https://host/team/a.git", "https://user@host/team/a", "ssh://git@host/team/a.git", "git@host:team/a.git", "https://host/team/a/"}
	for _, url := range same {
		if address(url) != "host/team/a" || nameOf(url) != "a" {
			t.Errorf("%s is %q, named %q", url, address(url), nameOf(url))
		}
	}
}
