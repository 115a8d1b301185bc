package setup

import (
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"sdd/internal/fault"
	"sdd/internal/git"
)

// onPath has PATH find the program of the test by the name of the real one.
func onPath(t *testing.T) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir, name := t.TempDir(), driverName
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	if err := os.Symlink(self, filepath.Join(dir, name)); err != nil {
		t.Skip(err)
	}
	t.Setenv("PATH", dir+string(filepath.ListSeparator)+os.Getenv("PATH"))
}

// TestTemporary: what lies in Go's build cache is gone soon wherever the cache is, what lies among temporary files where the keeper
// of the path does not.
func TestTemporary(t *testing.T) {
	tmp, home := t.TempDir(), t.TempDir()
	for _, name := range []string{"TMPDIR", "TMP", "TEMP"} {
		t.Setenv(name, tmp)
	}
	inCache := "/3f/" + strings.Repeat("0a", 32) + "-d/sdd"
	for _, c := range []struct {
		program, keeper string
		want            bool
	}{
		{home + "/.cache/go-build" + inCache, home, true},
		{home + "/elsewhere" + inCache, home, true},
		{tmp + "/go-build3801/b001/exe/sdd", tmp, true},
		{tmp + "/sdd", home + "/.claude.json", true},
		{tmp + "/sdd", tmp + "/home/.claude.json", false},
		{home + "/go/bin/sdd", home + "/.claude.json", false},
		{home + "/go/bin/sdd", tmp + "/repo/.git", false},
		{home + "/src/go-build/sdd", home, false},
		{"sdd", home, false},
	} {
		if got := temporary(filepath.FromSlash(c.program), filepath.FromSlash(c.keeper)); got != c.want {
			t.Errorf("temporary(%q, %q) = %v", c.program, c.keeper, got)
		}
	}
}

// TestTemporaryProgramIsRefused: no file gets the path of a program that will be gone; one of the project gets none at all.
func TestTemporaryProgramIsRefused(t *testing.T) {
	m := newMachine(t, "linux")
	m.Program = filepath.FromSlash("/home/ann/.cache/go-build/3f/" + strings.Repeat("0a", 32) + "-d/sdd")
	before := snapshot(t, m.Home, false)
	for _, r := range []Request{{Root: m.root}, {Root: m.root, Clients: []string{"cursor"}}, {Root: m.root, Clients: []string{"zed"}, DryRun: true}} {
		_, err := m.Apply(r)
		if f := fault.Of(err); err == nil || f.Code != fault.Unavailable || !strings.Contains(f.Hint, "go install ./cmd/sdd") {
			t.Errorf("%+v: %v", r, err)
		}
	}
	if now := snapshot(t, m.Home, false); !maps.Equal(now, before) {
		t.Errorf("something was written: %v", now)
	}
	m.apply(Request{Clients: []string{"cursor"}, Scope: ProjectScope})

	// The program of a test is one of `go test`, which is gone when that ends.
	self, _ := os.Executable()
	if !temporary(self, m.root) {
		t.Skip("the test was built to stay: " + self)
	}
	if out, err := exec.Command("git", "init", "-q", m.root).CombinedOutput(); err != nil {
		t.Skipf("%v: %s", err, out)
	}
	repo, err := git.Open(m.root)
	if err != nil {
		t.Fatal(err)
	}
	if done, err := SetDrivers(t.Context(), repo); !fault.Is(err, fault.Unavailable) || done.Changed() {
		t.Errorf("SetDrivers: %v, %+v", err, done)
	}
	if h, err := InstallHooks(t.Context(), m.root, HookNames); !fault.Is(err, fault.Unavailable) || len(h.Hooks) > 0 {
		t.Errorf("InstallHooks: %v, %+v", err, h)
	}
}
