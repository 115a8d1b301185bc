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

// TestGitHistoryIsFollowed asks again after branches have moved: what is new counts, what no branch leads to any more does not.
func TestGitHistoryIsFollowed(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	for _, ids := range []string{"sha1", "sha256"} {
		t.Run(ids, func(t *testing.T) { historyIsFollowed(t, ids) })
	}
}

func historyIsFollowed(t *testing.T, ids string) {
	s := newStore(t)
	gitIn(t, s.dir, "init", "-q", "-b", "main", "--object-format="+ids)
	s.mustSave(t, setSection(topic, "Goals", "- a"))
	gitIn(t, s.dir, "add", ".")
	gitIn(t, s.dir, "commit", "-q", "-m", "base")
	commitOn := func(branch, text string) {
		gitIn(t, s.dir, "checkout", "-q", "-b", branch, "main")
		s.mustSave(t, setSection(topic, "Goals", "- a\n- "+text))
		gitIn(t, s.dir, "commit", "-q", "-a", "-m", branch)
		gitIn(t, s.dir, "checkout", "-q", "main")
	}
	for _, branch := range []string{"first", "second", "third"} {
		commitOn(branch, "said on the "+branch+" branch")
		if got := s.observe(t, topic); len(got) > 0 {
			t.Errorf("told of a checkout: %v", got)
		}
	}
	gitIn(t, s.dir, "branch", "-q", "-D", "third")
	s.byHand(t, "explore/other.md", "x")
	gitIn(t, s.dir, "add", ".")
	if got := s.observe(t, topic); len(got) != 1 {
		t.Errorf("the branch that had the change was deleted, told %v", got)
	}
}

// TestHandEditAfterACheckout edits what git has just put in place: what the other branch has is no loss.
func TestHandEditAfterACheckout(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	s := newStore(t)
	gitIn(t, s.dir, "init", "-q", "-b", "main")
	s.mustSave(t, setSection(topic, "Goals", "- a"))
	gitIn(t, s.dir, "add", ".")
	gitIn(t, s.dir, "commit", "-q", "-m", "base")
	gitIn(t, s.dir, "checkout", "-q", "-b", "side")
	s.mustSave(t, setSection(topic, "Goals", "- a\n- said on the side"))
	gitIn(t, s.dir, "commit", "-q", "-a", "-m", "side")
	gitIn(t, s.dir, "checkout", "-q", "main")
	s.byHand(t, topic, "## Goals\n- a\n- written by hand\n")
	if got := s.observe(t, topic); len(got) > 0 {
		t.Errorf("told %v", got)
	}
	// On its own branch an older text takes it away.
	gitIn(t, s.dir, "checkout", "-q", "-f", "side")
	s.byHand(t, topic, "## Goals\n- a\n- written by hand\n")
	if got := s.observe(t, topic); len(got) != 1 {
		t.Errorf("told %v", got)
	}
}

// TestBranchesGiveOneRevision has two branches with a revision 2 each: git puts the one over the other, which is in no commit.
func TestBranchesGiveOneRevision(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	s := newStore(t)
	gitIn(t, s.dir, "init", "-q", "-b", "main")
	s.mustSave(t, counted(topic, "Goals", "- a"))
	gitIn(t, s.dir, "add", ".")
	gitIn(t, s.dir, "commit", "-q", "-m", "base")
	gitIn(t, s.dir, "branch", "side")
	s.mustSave(t, counted(topic, "Goals", "- a\n- said on main"))
	gitIn(t, s.dir, "commit", "-q", "-a", "-m", "main")
	gitIn(t, s.dir, "checkout", "-q", "side")
	s.mustSave(t, counted(topic, "Notes", "- noted on the side"))
	gitIn(t, s.dir, "checkout", "-q", "-f", "main")
	if got := s.observe(t, topic); len(got) != 1 || got[0].Sections[0] != "Notes" {
		t.Errorf("told %v", got)
	}
}

// TestABranchFurtherOnHasNotEverything: that another branch has given a higher revision says nothing of a change that was made
// on this one, which an editor undid before it was committed.
func TestABranchFurtherOnHasNotEverything(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	s := newStore(t)
	gitIn(t, s.dir, "init", "-q", "-b", "main")
	s.mustSave(t, counted(topic, "Goals", "- a"))
	stale := s.mustRead(t, topic)
	gitIn(t, s.dir, "add", ".")
	gitIn(t, s.dir, "commit", "-q", "-m", "base")
	gitIn(t, s.dir, "checkout", "-q", "-b", "side")
	s.mustSave(t, counted(topic, "Goals", "- a\n- said on the side"))
	s.mustSave(t, counted(topic, "Risks", "- seen on the side"))
	gitIn(t, s.dir, "commit", "-q", "-a", "-m", "side")
	gitIn(t, s.dir, "checkout", "-q", "main")
	s.mustSave(t, counted(topic, "Notes", "- noted on main"))
	s.byHand(t, topic, stale+"by hand\n")
	if got := s.observe(t, topic); len(got) != 1 || got[0].Sections[0] != "Notes" {
		t.Errorf("told %v", got)
	}
}
