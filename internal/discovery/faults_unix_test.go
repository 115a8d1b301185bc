//go:build unix

package discovery

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestPipesAreNotOpened(t *testing.T) {
	root := t.TempDir()
	for _, name := range []string{"package.json", "README.md"} {
		if err := syscall.Mkfifo(filepath.Join(root, name), 0o666); err != nil {
			t.Skip("no pipes here:", err)
		}
	}
	if r := discover(t, root); content(r, "name") != "" {
		t.Error(reportText(r))
	}
}

// asOtherUser runs this test binary as a user who may not read everything, and returns what it printed.
func asOtherUser(t *testing.T, test string, env ...string) string {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(self)
	if err != nil {
		t.Fatal(err)
	}
	dir, err := os.MkdirTemp("", "discovery")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	if err := errors.Join(os.Chmod(dir, 0o755), os.WriteFile(filepath.Join(dir, "run.test"), data, 0o755)); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(filepath.Join(dir, "run.test"), "-test.run=^"+test+"$", "-test.v")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), env...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return string(out)
}

func TestUnreadableFolder(t *testing.T) {
	root := os.Getenv("DISCOVERY_UNREADABLE")
	if root == "" && os.Geteuid() == 0 {
		dir, err := os.MkdirTemp("", "discovery")
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { os.RemoveAll(dir) })
		lock(t, dir)
		if err := os.Chmod(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		if out := asOtherUser(t, "TestUnreadableFolder", "DISCOVERY_UNREADABLE="+dir); strings.Contains(out, "--- SKIP") || !strings.Contains(out, "--- PASS") {
			t.Error(out)
		}
		return
	}
	if root == "" {
		root = t.TempDir()
		lock(t, root)
	}
	r := discover(t, root)
	want := []string{"locked: the folder cannot be read", "package.json: cannot be read"}
	if diff := cmp.Diff(want, r.Warnings); diff != "" {
		t.Error(diff)
	}
	wantHas(t, r, "test:go", "go test")
}

// lock writes a module, a folder without rights and a file without rights.
func lock(t *testing.T, dir string) {
	write(t, dir, "go.mod", "module example.com/x\n")
	write(t, dir, "locked/x.go", "package x\n")
	write(t, dir, "package.json", "{}")
	for name, mode := range map[string]os.FileMode{"locked": 0, "package.json": 0} {
		path := filepath.Join(dir, name)
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = os.Chmod(path, 0o755) })
	}
}
