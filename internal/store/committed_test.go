package store

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

func gitIn(t *testing.T, dir string, args ...string) {
	t.Helper()
	c := exec.Command("git", append([]string{"-C", dir, "-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "commit.gpgsign=false"}, args...)...)
	c.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null")
	if out, err := c.CombinedOutput(); err != nil {
		t.Fatalf("git %v: %v\n%s", args, err, out)
	}
}

func TestGitPutsAnotherVersionInPlace(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	dir := filepath.Join(t.TempDir(), "a b") // the store is below the top of the work tree
	s := openAt(t, filepath.Join(dir, "sub"))
	gitIn(t, dir, "init", "-q", "-b", "main")
	s.mustSave(t, setSection(topic, "Goals", "- a"))
	gitIn(t, dir, "add", ".")
	gitIn(t, dir, "commit", "-q", "-m", "one")
	gitIn(t, dir, "branch", "old")
	s.mustSave(t, setSection(topic, "Goals", "- a\n- tool"))
	s.byHand(t, topic, s.mustRead(t, topic)+"by hand\n") // the commit has not quite what the tool saved
	gitIn(t, dir, "commit", "-q", "-a", "-m", "two")

	gitIn(t, dir, "checkout", "-q", "old")
	if got := s.mustRead(t, topic); got != "## Goals\n- a\n" {
		t.Fatalf("checked out %q", got)
	}
	if got := s.observe(t, topic); len(got) > 0 {
		t.Errorf("told of a checkout: %v", got)
	}
	s.mustSave(t, setSection(topic, "Notes", "- n"))
	if got := s.Pending(); len(got) > 0 {
		t.Errorf("pending %v", got)
	}
	gitIn(t, dir, "checkout", "-q", "-f", "main")
	if got := s.observe(t, topic); len(got) != 1 { // Notes was in no commit
		t.Errorf("told %v", got)
	}

	// The same text from an editor: git has another one staged.
	s.byHand(t, topic, "## Goals\n- a\n")
	if got := openAt(t, s.dir).observe(t, topic); len(got) != 1 || got[0].Sections[0] != "Goals" {
		t.Errorf("told %v", got)
	}
	// Staged, but in no commit.
	s.mustSave(t, setSection(topic, "Goals", "- a\n- staged only"))
	gitIn(t, dir, "add", ".")
	s.byHand(t, topic, "## Goals\n- a\n")
	gitIn(t, dir, "add", ".")
	if got := s.observe(t, topic); len(got) != 1 {
		t.Errorf("told %v", got)
	}
}
