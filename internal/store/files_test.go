package store

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"sdd/internal/config"
	"sdd/internal/fault"
)

func TestWhichStore(t *testing.T) {
	top := t.TempDir()
	top, _ = filepath.EvalSymlinks(top)
	mkdir := func(parts ...string) string {
		p := filepath.Join(append([]string{top}, parts...)...)
		if err := os.MkdirAll(p, 0o755); err != nil {
			t.Fatal(err)
		}
		return p
	}
	mkdir("host", ".sdd") // above the work tree: not ours
	for _, d := range []string{"objects", "refs"} {
		mkdir("host", "repo", ".git", d)
	}
	os.WriteFile(filepath.Join(top, "host", "repo", ".git", "HEAD"), []byte("ref: refs/heads/main\n"), 0o644)
	deep := mkdir("host", "repo", "a", "b")
	nested := mkdir("host", "repo", "nested", "c")
	mkdir("host", "repo", "nested", ".sdd")
	plain := mkdir("plain", "x")
	above := mkdir("open", "sub")
	mkdir("open", ".sdd")
	if err := os.Chmod(filepath.Join(top, "open"), 0o777); err != nil {
		t.Fatal(err)
	}
	mine := mkdir("mine", "sub", "sub")
	mkdir("mine", ".sdd")
	for _, c := range []struct{ name, dir, work, want string }{
		{"top of the work tree", "", deep, "host/repo"},
		{"nearest", "", nested, "host/repo/nested"},
		{"--dir", deep, nested, "host/repo/a/b"},
		{"--dir names .sdd", filepath.Join(top, "host/repo/nested/.sdd"), "", "host/repo/nested"},
		{"outside git, found above", "", mine, "mine"},
		{"outside git, anybody could have made it", "", above, "open/sub"},
	} {
		s, err := Open(Options{Dir: c.dir, WorkDir: c.work})
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
		} else if want := filepath.Join(top, c.want); s.Dir() != want {
			t.Errorf("%s: %q, want %q", c.name, s.Dir(), want)
		}
	}
	mkdir(".sdd")
	t.Setenv("HOME", top) // a store in the home folder is not that of the projects below
	if s, _ := Open(Options{WorkDir: plain}); s.Dir() != plain {
		t.Errorf("outside git: %q, want %q", s.Dir(), plain)
	}
	_, err := Open(Options{Dir: filepath.Join(top, "missing")})
	wantFault(t, err, fault.NotFound)
	os.WriteFile(filepath.Join(top, "file"), nil, 0o644)
	_, err = Open(Options{Dir: filepath.Join(top, "file")})
	wantFault(t, err, fault.Invalid)
}

func TestReadingMakesNothing(t *testing.T) {
	s := newStore(t)
	_, err := s.Read(topic)
	wantFault(t, err, fault.NotFound)
	s.Scan(t.Context(), func(string, Stat) error { return nil })
	s.Pending()
	s.Notices(Cursor{}, "")
	s.Observe(topic, "", []byte("x"))
	s.Version("0123456789abcdef")
	s.Config()
	s.Recover(t.Context())
	if got := files(t, s.dir); len(got) > 0 {
		t.Errorf("made %v", got)
	}
	if s.Project() != filepath.Base(s.dir) {
		t.Errorf("project %q", s.Project())
	}
}

func TestNoStoreThere(t *testing.T) {
	for name, make := range map[string]func(string) error{
		"file": func(p string) error { return os.WriteFile(p, []byte("x"), 0o644) },
		"link": func(p string) error { return os.Symlink(t.TempDir(), p) },
	} {
		t.Run(name, func(t *testing.T) {
			s := newStore(t)
			if err := make(s.sdd); err != nil {
				t.Fatal(err)
			}
			_, err := s.Save(t.Context(), setSection(topic, "Goals", "x"))
			if f := fault.Of(err); f.Code == fault.Internal || f.Hint == "" {
				t.Errorf("save: %v", err)
			}
			if _, err := s.Read(topic); fault.Of(err).Code == fault.Internal {
				t.Errorf("read: %v", err)
			}
			err = s.Scan(t.Context(), func(string, Stat) error { return nil })
			if f := fault.Of(err); !s.Exists() || f.Code == fault.Internal || f.Hint == "" { // readers see it, and say what is wrong
				t.Errorf("scan: %v", err)
			}
		})
	}
}

func TestEnsure(t *testing.T) {
	s := newStore(t)
	made, err := s.Ensure()
	want := []string{".sdd/config.yaml", ".sdd/.gitattributes", ".sdd/.gitignore"}
	if err != nil || !slices.Equal(made, want) {
		t.Fatalf("made %v, %v", made, err)
	}
	for _, line := range []string{"personal/", ".local/", "views/"} {
		if got := s.mustRead(t, ".gitignore"); !strings.Contains(got, line+"\n") {
			t.Errorf(".gitignore lacks %s", line)
		}
	}
	if got := s.mustRead(t, ".gitattributes"); strings.Count(got, "merge=sdd diff=markdown\n") != 5 {
		t.Errorf(".gitattributes is %q", got)
	}
	os.WriteFile(s.abs(config.Name), []byte("project: mine\n"), 0o644)
	os.Remove(s.abs(".gitattributes"))
	if made, err := openAt(t, s.dir).Ensure(); err != nil || len(made) > 0 {
		t.Errorf("made again: %v, %v", made, err)
	}
	if got := s.mustRead(t, config.Name); got != "project: mine\n" {
		t.Errorf("config.yaml is %q", got)
	}
	os.Remove(s.abs(".gitignore"))
	if made, err := openAt(t, s.dir).Ensure(); err != nil || len(made) != 2 {
		t.Errorf("made %v, %v", made, err)
	}
	if got := s.mustRead(t, config.Name); got != "project: mine\n" {
		t.Errorf("config.yaml is %q", got)
	}
}

func TestReadRefuses(t *testing.T) {
	s := newStore(t)
	s.mustSave(t, setSection(topic, "Goals", "x"))
	secret := filepath.Join(t.TempDir(), "secret.md")
	os.WriteFile(secret, []byte("secret"), 0o644)
	rel, _ := filepath.Rel(s.abs("explore"), secret)
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Skip(err)
		}
	}
	must(os.Symlink(secret, s.abs("explore/absolute.md")))
	must(os.Symlink(rel, s.abs("explore/relative.md")))
	must(os.Symlink(filepath.Dir(secret), s.abs("explore/folder")))
	must(os.Symlink("loop.md", s.abs("explore/loop.md")))
	must(os.Mkdir(s.abs("explore/folder.md"), 0o755))
	big, err := os.Create(s.abs("explore/big.md"))
	must(err)
	must(big.Truncate(200 << 20))
	big.Close()
	paths := map[string]fault.Code{
		"../secret.md": fault.Outside, "/etc/passwd": fault.Outside, "explore/../../x.md": fault.Outside, "": fault.Outside,
		"explore/./topic.md": fault.Outside, "explore//topic.md": fault.Outside, "explore/a\x00.md": fault.Outside,
		".local/journal/000001.jsonl": fault.Outside, "explore/.hidden.md": fault.Outside,
		"explore/absolute.md": fault.Outside, "explore/relative.md": fault.Outside, "explore/folder/secret.md": fault.Outside,
		"explore/loop.md": fault.Broken, "explore/folder.md": fault.Broken, "explore/big.md": fault.Broken,
		"explore/none.md": fault.NotFound, "explore/topic.md/x.md": fault.NotFound,
	}
	if makePipe(s.abs("explore/pipe.md")) {
		paths["explore/pipe.md"] = fault.Broken
	}
	for p, code := range paths {
		_, err := s.Read(p)
		if !fault.Is(err, code) {
			t.Errorf("read %q: %v, want %s", p, err, code)
		}
		if code == fault.NotFound {
			continue
		}
		before := snapshotOf(t, s.dir)
		_, err = s.Save(t.Context(), setSection(p, "Goals", "y"))
		if f := fault.Of(err); f.Code != code && f.Code != fault.Outside {
			t.Errorf("save %q: %v, want %s", p, err, code)
		}
		if after := snapshotOf(t, s.abs("explore")); len(after) == 0 {
			t.Error(before)
		}
	}
	if got, _ := os.ReadFile(secret); string(got) != "secret" {
		t.Errorf("the file outside is %q", got)
	}
	var seen []string
	if err := s.Scan(t.Context(), func(p string, _ Stat) error { seen = append(seen, p); return nil }); err != nil {
		t.Fatal(err)
	}
	slices.Sort(seen)
	if want := []string{"explore/big.md", topic}; !slices.Equal(seen, want) {
		t.Errorf("scanned %v, want %v", seen, want)
	}
}

func TestLimitFromConfig(t *testing.T) {
	s := newStore(t)
	s.byHand(t, topic, strings.Repeat("x", 1<<20))
	if _, err := s.Read(topic); err != nil {
		t.Error(err)
	}
	s.byHand(t, topic, strings.Repeat("x", 1<<20+1))
	_, err := s.Read(topic)
	if f := wantFault(t, err, fault.Broken); !strings.Contains(f.Message, "1048576") || f.File != ".sdd/"+topic {
		t.Errorf("%+v", f)
	}
}

func TestLinkInsideTheStore(t *testing.T) {
	s := newStore(t)
	s.mustSave(t, setSection("facts/real.md", "Goals", "- a"))
	os.MkdirAll(s.abs("explore"), 0o755)
	if err := os.Symlink("../facts/real.md", s.abs(topic)); err != nil {
		t.Skip(err)
	}
	done := s.mustSave(t, setSection(topic, "Goals", "- b"))
	if got := s.mustRead(t, "facts/real.md"); got != "## Goals\n- b\n" || done.Path != topic {
		t.Errorf("file is %q", got)
	}
	if fi, _ := os.Lstat(s.abs(topic)); fi.Mode()&os.ModeSymlink == 0 {
		t.Error("the link was replaced")
	}
}

func TestScan(t *testing.T) {
	s := newStore(t)
	want := []string{
		"decisions/d.md", "explore/a.md", "explore/sub/deep/b.md", "facts/f.md", "ideas/i.md", "inbox/i.md",
		"personal/decisions/d.md", "personal/explore/a.md", "personal/facts/f.md",
	}
	for _, p := range append(slices.Clone(want), "explore/.hidden.md", "explore/.git/x.md", "explore/a.txt", "views/x.md", "other.md", "personal/x.md", ".local/tmp/x.md") {
		os.MkdirAll(filepath.Dir(s.abs(p)), 0o755)
		os.WriteFile(s.abs(p), []byte(p), 0o644)
	}
	os.WriteFile(s.abs("explore/a.md~"), nil, 0o644)
	stats := map[string]Stat{}
	if err := s.Scan(t.Context(), func(p string, st Stat) error { stats[p] = st; return nil }); err != nil {
		t.Fatal(err)
	}
	var got []string
	for p, st := range stats {
		got = append(got, p)
		if f, err := s.Read(p); err != nil || f.Stat != st || st.Size != int64(len(p)) {
			t.Errorf("%s: scanned %+v, read %+v, %v", p, st, f.Stat, err)
		}
	}
	slices.Sort(got)
	if !slices.Equal(got, want) {
		t.Errorf("got %v\nwant %v", got, want)
	}
	stop := errors.New("stop")
	if err := s.Scan(t.Context(), func(string, Stat) error { return stop }); !errors.Is(err, stop) {
		t.Error(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := s.Scan(ctx, func(string, Stat) error { return nil }); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

func TestLockExcludes(t *testing.T) {
	s := newStore(t)
	s.Ensure()
	stores := []*Store{s, openAt(t, s.dir), openAt(t, s.dir)}
	var in, most atomic.Int32
	var all sync.WaitGroup
	for i := range 30 {
		all.Go(func() {
			s := stores[i%3]
			_, p, _, err := s.prepare(t.Context())
			if err != nil {
				t.Error(err)
				return
			}
			for range 10 {
				unlock, err := s.lock(t.Context(), p, "explore/x")
				if err != nil {
					t.Error(err)
					return
				}
				most.Store(max(most.Load(), in.Add(1)))
				runtime.Gosched()
				in.Add(-1)
				unlock()
			}
		})
	}
	all.Wait()
	if most.Load() != 1 {
		t.Errorf("%d held the lock at once", most.Load())
	}
}

// TestLockOfADeletedFile deletes the lock file just before its lock is given back, as deleting .local does: a process that waits
// for that file gets a lock that excludes no other process, and must not take it.
func TestLockOfADeletedFile(t *testing.T) {
	s := newStore(t)
	s.Ensure()
	name := lockName(shard("explore/x"))
	var in, most atomic.Int32
	var all sync.WaitGroup
	for range 8 {
		other := openAt(t, s.dir)
		all.Go(func() {
			_, p, _, err := other.prepare(t.Context())
			if err != nil {
				t.Error(err)
				return
			}
			for range 100 {
				unlock, err := other.lock(t.Context(), p, "explore/x")
				if err != nil {
					t.Error(err)
					return
				}
				most.Store(max(most.Load(), in.Add(1)))
				for range 10 {
					runtime.Gosched()
				}
				in.Add(-1)
				p.locks.Remove(name) // Windows keeps a file that is open
				unlock()
			}
		})
	}
	all.Wait()
	if most.Load() != 1 {
		t.Errorf("%d held the lock at once", most.Load())
	}
}

func TestLockTimesOut(t *testing.T) {
	s := newStore(t)
	s.mustSave(t, setSection(topic, "Goals", "- a"))
	_, p, _, _ := s.prepare(t.Context())
	unlock, err := s.lock(t.Context(), p, "explore/topic")
	if err != nil {
		t.Fatal(err)
	}
	for _, other := range []*Store{s, openAt(t, s.dir)} { // this process, another one
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
		_, err = other.Save(ctx, setSection(topic, "Goals", "- b"))
		if f := wantFault(t, err, fault.Unavailable); !strings.Contains(f.Hint, locksFolder) {
			t.Errorf("%+v", f)
		} else if who := fmt.Sprintf("locked by process %d (", os.Getpid()); runtime.GOOS == "linux" && other != s && !strings.Contains(f.Hint, who) {
			t.Errorf("%q does not say %q", f.Hint, who)
		}
		cancel()
	}
	t.Setenv("SDD_SAVE_WAIT", "20ms")
	waiting := start(t, job{Kind: "save", Dir: s.dir, Count: 1, Records: []string{topic}})
	if err := <-waiting.exit; err == nil || !strings.Contains(waiting.err.String(), "does not finish") || !strings.Contains(waiting.err.String(), "waits 20ms") {
		t.Errorf("%v: %s", err, waiting.err.String())
	}
	unlock()
	s.mustSave(t, setSection(topic, "Goals", "- c"))
}

// TestDone has what a save tells of itself come before anything that others save after it.
func TestDone(t *testing.T) {
	s := newStore(t)
	other := openAt(t, s.dir)
	var told []string
	save := func(value string) (Saved, error) {
		e := setSection(topic, "Goals", value)
		e.Done = func(d Saved) {
			told = append(told, string(d.After))
			later := setSection(topic, "Goals", "- later")
			later.Done = func(Saved) { told = append(told, "later") }
			ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
			defer cancel()
			_, err := other.Save(ctx, later)
			wantFault(t, err, fault.Unavailable)
			if d.Path != topic || d.Stat == (Stat{}) {
				t.Errorf("told %s %+v", d.Path, d.Stat)
			}
			if now, err := other.Read(topic); err != nil || !bytes.Equal(now.Bytes, d.After) {
				t.Errorf("told before the file was there: %q, %v", now.Bytes, err)
			}
		}
		return s.Save(t.Context(), e)
	}
	for _, value := range []string{"- a", "- b", "- b"} { // a new file, a change, and none
		if _, err := save(value); err != nil {
			t.Fatal(err)
		}
	}
	if len(told) != 2 || !strings.Contains(told[0], "- a") || !strings.Contains(told[1], "- b") {
		t.Errorf("told %q", told)
	}
	e := setSection(topic, "Goals", "- c")
	e.Apply = func([]byte, bool) ([]byte, error) { return nil, errors.New("no") }
	e.Done = func(Saved) { t.Error("a save that failed is told of") }
	if _, err := s.Save(t.Context(), e); err == nil {
		t.Error("saved")
	}
}

func TestShards(t *testing.T) {
	used := map[uint8]bool{}
	for i := range 5000 {
		used[shard(fmt.Sprintf("explore/topic-%d", i))] = true
	}
	if len(used) != shards {
		t.Errorf("%d of %d lock files are used", len(used), shards)
	}
}

// TestPrivateIsIgnored: what is private does not show up in git, in a store without a .gitignore neither.
func TestPrivateIsIgnored(t *testing.T) {
	for _, ignored := range []bool{false, true} {
		s := newStore(t)
		if err := os.Mkdir(s.sdd, 0o755); err != nil {
			t.Fatal(err)
		}
		if ignored {
			s.byHand(t, ".gitignore", "/.local/\n")
		}
		dir, err := s.Private("usage", true)
		if err != nil {
			t.Fatal(err)
		}
		dir.Close()
		text, err := os.ReadFile(s.abs(".local/usage/.gitignore"))
		if ignored && err == nil || !ignored && string(text) != "*\n" {
			t.Errorf("with a .gitignore %v: %q, %v", ignored, text, err)
		}
	}
}

// TestCheckRefusesPathsThatLeadOut calls the check by itself: behind it os.Root refuses such a path too.
func TestCheckRefusesPathsThatLeadOut(t *testing.T) {
	for _, p := range []string{"", "/", "/etc/passwd", "/explore/a.md", "..", "../a.md", "explore/../../a.md", "explore/../a.md", "./a.md",
		"explore//a.md", "explore/", "explore/a\x00.md", ".local/a.md", "explore/.a.md"} {
		wantFault(t, check(p), fault.Outside)
	}
	for _, p := range []string{"a.md", "explore/a.md", "personal/explore/a..b.md"} {
		if err := check(p); err != nil {
			t.Errorf("%q: %v", p, err)
		}
	}
}
