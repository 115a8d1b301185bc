package agents

import (
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"sdd/internal/longtest"
)

// writing lists the commands that write, each with what it must leave exactly once: a file whose path and text hold these.
var writing = []struct {
	name        string
	args        []string
	file, holds string
}{
	{"explore", []string{"explore", "A new topic", "--goals", "- be exact"}, ".sdd/explore/", "be exact"},
	{"learn", []string{"learn", "Tests of the gateway use Vitest", "--scope", "global"}, ".sdd/ideas/", "gateway use Vitest"},
	{"idea", []string{"idea", "add", "--color", "green", "Shorten the gateway's timeout"}, ".sdd/ideas/", "gateway's timeout"},
	{"fact", []string{"fact", "add", "The gateway listens on port 8443"}, ".sdd/facts/", "port 8443"},
	{"decide", []string{"decide", "Use PASETO for the gateway", "--reason", "no algorithm to choose"}, ".sdd/decisions/", "no algorithm"},
	{"approve", []string{"review", "approve", "fact-000000000002"}, ".sdd/facts/", "waits to be approved"},
	{"import", []string{"import", "--format", "ideas-jsonl", "ideas.jsonl"}, ".sdd/ideas/", "brought along"},
	{"handoff", []string{"handoff", "explore/known", "--to", "openspec"}, "openspec/changes/", "be known"},
	{"setup", []string{"setup", "claude-code", "--project"}, ".mcp.json", "\"sdd\""},
}

// badDisk is a small file system with a store on it.
func badDisk(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if err := unix.Mount("sdd-test", dir, "tmpfs", 0, "size=4m"); err != nil {
		t.Skipf("this test mounts a small tmpfs, which needs root: %v", err)
	}
	t.Cleanup(func() { _ = unix.Unmount(dir, unix.MNT_DETACH) })
	for name, text := range map[string]string{
		".sdd/config.yaml":                  "project: p\n",
		".sdd/explore/known.md":             "---\ntitle: Known\n---\n\n## Goals\n\n- be known\n",
		".sdd/inbox/fact-000000000002-x.md": "---\nid: fact-000000000002\nkind: fact\nconfidence: 0.6\nstatus: pending\nlevel: 0\n---\n\nThis waits to be approved\n",
		"ideas.jsonl":                       `{"id":"idea-1","content":"An idea that was brought along","color":"green","status":"pending"}` + "\n",
		"home/.claude.json":                 "{}\n",
	} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// onDisk lists the files of dir with their texts, without what is derived or belongs to this machine.
func onDisk(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, _ := filepath.Rel(dir, path)
		rel = filepath.ToSlash(rel)
		if e.IsDir() && (rel == ".sdd/.local" || rel == ".sdd/views") {
			return fs.SkipDir
		}
		if e.Type().IsRegular() && rel != "filler" {
			text, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			all[rel] = string(text)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// times counts the files that hold what a command leaves.
func times(files map[string]string, prefix, holds string) (n int) {
	for name, text := range files {
		if strings.HasPrefix(name, prefix) && strings.Contains(text, holds) {
			n++
		}
	}
	return n
}

// TestBadDay has every command that writes meet a disk that is read-only or full, its own end at any moment, and itself at
// the same time: nothing that was there changes, the error says what is wrong and what to do, and the next try succeeds.
func TestBadDay(t *testing.T) {
	bin := build(t)
	prepared := func(dir string, args []string) *exec.Cmd {
		cmd := exec.Command(bin, args...)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "HOME="+filepath.Join(dir, "home"), "XDG_CONFIG_HOME=", "XDG_CACHE_HOME="+filepath.Join(dir, "home", "cache"))
		return cmd
	}
	for _, c := range writing {
		t.Run(c.name, func(t *testing.T) {
			dir := badDisk(t)
			first := onDisk(t, dir)
			kept := func(when string) {
				t.Helper()
				now := onDisk(t, dir)
				for name, text := range first {
					if now[name] != text && !strings.HasPrefix(name, ".sdd/inbox/") { // what is approved leaves it
						t.Errorf("%s: %s has changed to %.200q", when, name, now[name])
					}
				}
			}
			refused := func(when string, words ...string) {
				t.Helper()
				out, err := prepared(dir, c.args).CombinedOutput()
				if err == nil || !strings.Contains(string(out), "hint: ") && !strings.Contains(string(out), "let sdd write to") {
					t.Errorf("%s: %v\n%s", when, err, out)
				}
				for _, w := range words {
					if strings.Contains(string(out), w) {
						return
					}
				}
				t.Errorf("%s: none of %q is said:\n%s", when, words, out)
			}

			if err := unix.Mount("", dir, "", unix.MS_REMOUNT|unix.MS_RDONLY, ""); err != nil {
				t.Skip(err)
			}
			refused("read-only", "read-only")
			if now := onDisk(t, dir); !maps.Equal(now, first) {
				t.Error("read-only: something changed")
			}
			if err := unix.Mount("", dir, "", unix.MS_REMOUNT, "size=4m"); err != nil {
				t.Fatal(err)
			}

			filler := filepath.Join(dir, "filler")
			if err := os.WriteFile(filler, make([]byte, 8<<20), 0o644); err == nil {
				t.Fatal("the disk is not full")
			}
			refused("full", "full", "no space")
			kept("full")
			if n := times(onDisk(t, dir), c.file, c.holds); n != 0 {
				t.Errorf("full: %d files were left", n)
			}
			if err := os.Remove(filler); err != nil {
				t.Fatal(err)
			}

			for i := 0; i < 8; i += longtest.Of(3, 1) { // at other moments each time: a start takes some 10 ms, a save less
				cmd := prepared(dir, c.args)
				if err := cmd.Start(); err != nil {
					t.Fatal(err)
				}
				time.AfterFunc(time.Duration(5+5*i)*time.Millisecond, func() { _ = cmd.Process.Kill() })
				_ = cmd.Wait()
				kept("killed")
				for name, text := range onDisk(t, dir) {
					if strings.HasPrefix(name, c.file) && first[name] == "" && !strings.Contains(text, c.holds) {
						t.Errorf("killed: half of %s is there: %q", name, text)
					}
				}
			}

			var group sync.WaitGroup
			for range 3 {
				group.Go(func() {
					out, err := prepared(dir, c.args).CombinedOutput()
					if err != nil && !strings.Contains(string(out), "already") && !strings.Contains(string(out), "approved") &&
						!strings.Contains(string(out), "another program just made it") {
						t.Errorf("three at once: %v\n%s", err, out)
					}
				})
			}
			group.Wait()
			kept("three at once")
			if n := times(onDisk(t, dir), c.file, c.holds); n != 1 {
				t.Errorf("%d files hold what was to be there once", n)
			}
			if left, _ := os.ReadDir(filepath.Join(dir, ".sdd", ".local", "tmp")); len(left) > 0 {
				t.Errorf("left in tmp: %v", left)
			}
			if out, err := prepared(dir, []string{"check"}).CombinedOutput(); err != nil {
				t.Errorf("check: %v\n%s", err, out)
			}
		})
	}
}
