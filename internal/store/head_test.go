package store

import (
	"context"
	"os"
	"os/exec"
	"testing"
	"time"
)

// TestWatchHead moves what is checked out in the ways that git has.
func TestWatchHead(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not here")
	}
	for _, format := range []string{"files", "reftable"} { // a git that does not know the second takes the first
		t.Run(format, func(t *testing.T) {
			dir := t.TempDir()
			git := func(args ...string) string {
				t.Helper()
				cmd := exec.Command("git", append([]string{"-C", dir, "-c", "user.name=A", "-c", "user.email=a@example.com"}, args...)...)
				cmd.Env = append(os.Environ(), "GIT_CONFIG_NOSYSTEM=1", "HOME="+dir, "GIT_DEFAULT_REF_FORMAT="+format)
				out, err := cmd.CombinedOutput()
				if err != nil {
					t.Errorf("git %v: %v\n%s", args, err, out)
				}
				return string(out)
			}
			git("init", "-q", "-b", "main")
			s, err := Open(Options{Dir: dir})
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			ctx, stop := context.WithCancel(t.Context())
			defer stop()
			moved := make(chan string, 100)
			s.WatchHead(ctx, func() { moved <- git("log", "-1", "--format=%H %D", "HEAD") })
			for _, step := range [][]string{
				{"commit", "-q", "--allow-empty", "-m", "one"},
				{"commit", "-q", "--allow-empty", "-m", "two"},
				{"checkout", "-q", "-b", "deep/branch"},
				{"commit", "-q", "--allow-empty", "-m", "three"},
				{"pack-refs", "--all"},
				{"commit", "-q", "--allow-empty", "-m", "four"},
				{"checkout", "-q", "main"},
				{"merge", "-q", "deep/branch"},
				{"reset", "-q", "--hard", "HEAD~1"},
			} {
				git(step...)
				patience := time.After(20 * time.Second)
				for now, seen := git("log", "-1", "--format=%H %D", "HEAD"), ""; seen != now; {
					select {
					case seen = <-moved:
					case <-patience:
						t.Fatalf("git %v is not seen", step)
					}
				}
			}
		})
	}
}
