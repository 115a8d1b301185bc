package store

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// TestWatchHead: every way in which another commit comes to be checked out is told, also where git keeps no log, and
// what changes nothing is not.
func TestWatchHead(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not here")
	}
	for name, settings := range map[string][]string{"with logs": nil, "without logs": {"core.logAllRefUpdates", "false"}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			git := func(args ...string) {
				t.Helper()
				cmd := exec.Command("git", append([]string{"-C", dir, "-c", "user.name=Ann", "-c", "user.email=a@example.com"}, args...)...)
				cmd.Env = append(os.Environ(), "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL="+os.DevNull)
				if out, err := cmd.CombinedOutput(); err != nil {
					t.Fatalf("git %v: %v\n%s", args, err, out)
				}
			}
			git("init", "-q", "-b", "main")
			if settings != nil {
				git(append([]string{"config"}, settings...)...)
			}
			git("commit", "-q", "--allow-empty", "-m", "a")
			linked := filepath.Join(t.TempDir(), "linked")
			git("worktree", "add", "-q", "-b", "team/linked", linked)
			main, other := watchedHead(t, dir), watchedHead(t, linked)
			git("commit", "-q", "--allow-empty", "-m", "b")
			<-main
			git("checkout", "-q", "-b", "team/feature")
			git("commit", "-q", "--allow-empty", "-m", "c")
			<-main
			git("checkout", "-q", "--detach")
			git("commit", "-q", "--allow-empty", "--amend", "-m", "d")
			<-main
			git("checkout", "-q", "main")
			<-main
			git("pack-refs", "--all")
			git("merge", "-q", "--ff-only", "team/feature")
			<-main
			git("-C", linked, "commit", "-q", "--allow-empty", "-m", "e")
			<-other
			select {
			case <-main:
				t.Error("a commit in another work tree was told")
			default:
			}
		})
	}
}

func watchedHead(t *testing.T, dir string) <-chan bool {
	t.Helper()
	s, err := Open(Options{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	told := make(chan bool, 100)
	s.WatchHead(t.Context(), func() { told <- true })
	return told
}
