package check

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sdd/internal/check/checktest"
	"sdd/internal/git"
	"sdd/internal/index/indextest"
)

// testRepo is a git repository with a store, worked on by the git command as users do.
type testRepo struct{ *checktest.Repo }

func newTestRepo(t testing.TB) *testRepo { return &testRepo{checktest.New(t)} }

// at is the same repository in another folder.
func (r *testRepo) at(dir string) *testRepo {
	return &testRepo{&checktest.Repo{T: r.T, Dir: dir, Now: r.Now}}
}

// staged checks what is staged.
func (r *testRepo) staged() Report {
	r.T.Helper()
	stage, err := git.OpenStage(r.Dir)
	if err != nil {
		r.T.Fatal(err)
	}
	report, err := CheckStaged(context.Background(), stage)
	if err != nil {
		r.T.Fatal(err)
	}
	return report
}

// wantStaged demands these findings and number of files.
func (r *testRepo) wantStaged(checked int, want ...string) {
	r.T.Helper()
	report := r.staged()
	if diff := cmp.Diff(append([]string{}, want...), shortened(report)); diff != "" || report.Checked != checked {
		r.T.Errorf("%d checked, want %d; findings (-want +got):\n%s\n%s", report.Checked, checked, diff, report.Text())
	}
}

// put stages a file that is not on disk.
func (r *testRepo) put(path, text string) {
	r.T.Helper()
	cmd := exec.Command("git", "hash-object", "-w", "--stdin")
	cmd.Dir, cmd.Stdin = r.Dir, strings.NewReader(text)
	id, err := cmd.Output()
	if err != nil {
		r.T.Fatal(err)
	}
	r.Git("update-index", "--add", "--cacheinfo", "100644,"+strings.TrimSpace(string(id))+","+path)
}

// TestCheckStaged: every rule sees the index, of the changed files and of those that they refer to.
func TestCheckStaged(t *testing.T) {
	r := newTestRepo(t)
	for path, text := range map[string]string{
		"explore/auth.md":            doc("title: Auth\n", good),
		"explore/renamed.md":         doc("title: Some Topic\n", good),
		"facts/fact-0123456789ab.md": doc("id: fact-0123456789ab\n", "x\n"),
		"decisions/old.md":           doc("title: Quite another name\nstatus: nonsense\n", "## Decision Outcome\n\nx\n"),
		"explore/to-delete.md":       doc("title: Gone\n", good),
	} {
		r.Write(".sdd/"+path, text)
	}
	r.Commit("Ann", "base")
	r.Git("rm", "-q", "--cached", ".sdd/explore/to-delete.md")
	for path, text := range map[string]string{
		"explore/new.md":               doc("title: AUTH\nscope: team\n", "key "+token+"\n[a](renamed.md) [b](to-delete.md) [c](second.md) [d](none.md) [e](../explore)\n[f](second.md#L3) [g](second.md#L4)\n"),
		"explore/second.md":            "# Second\n\ntext\n",
		"facts/fact-0123456789ab-x.md": "y\n",
		"decisions/new.md":             doc("title: N\nsupersedes: [decision/quite-another-name, decision/second, decision/none]\nrelates_to: explore/some-topic\n", "## Decision Outcome\n\nn\n"),
		"explore/AUTH.md":              doc("title: Else\n", good),
		"config.yaml":                  "pipeline: x\n",
		"explore/.hidden.md":           token,
		"notes.txt":                    token,
	} {
		r.put(".sdd/"+path, text)
	}
	r.put("notes.md", token)
	r.wantStaged(6,
		"config.yaml:1:1 error broken-config",
		"decisions/new.md:3:1 warning dead-reference", "decisions/new.md:3:1 warning dead-reference",
		"explore/AUTH.md:1:1 warning name-collision",
		"explore/new.md:1:1 error duplicate-identity", "explore/new.md:3:1 error bad-value", "explore/new.md:6:5 error secret",
		"explore/new.md:7:21 warning dead-link", "explore/new.md:7:54 warning dead-link", "explore/new.md:8:23 warning dead-link",
		"facts/fact-0123456789ab-x.md:1:1 error duplicate-identity",
	)
}

// TestCheckStagedIsNotTheDisk: a file that is only on disk is neither checked nor a target of references.
func TestCheckStagedIsNotTheDisk(t *testing.T) {
	r := newTestRepo(t)
	r.wantStaged(0)
	// Before the first commit.
	r.Write(".sdd/explore/a.md", doc("title: A\n", token+"\n"))
	r.Git("add", "-A")
	r.Write(".sdd/explore/a.md", doc("title: A\n", good))
	r.wantStaged(1, "explore/a.md:5:1 error secret")
	r.Git("add", "-A")
	r.Write(".sdd/explore/a.md", doc("title: A\n", token+"\n"))
	r.wantStaged(1)
	r.Git("commit", "-q", "-m", "a", "--author", "Ann <ann@example.com>")
	r.wantStaged(0)
	// A copy that is not staged makes no duplicate; a removal that is not staged does not take one away.
	r.Write(".sdd/explore/a.md", doc("title: A\n", good+"- two\n"))
	r.Git("add", "-A")
	r.Write(".sdd/explore/copy.md", r.Read(".sdd/explore/a.md"))
	r.wantStaged(1)
	r.Git("add", ".sdd/explore/copy.md")
	r.Remove(".sdd/explore/copy.md")
	r.wantStaged(2, "explore/a.md:1:1 error duplicate-identity", "explore/copy.md:1:1 error duplicate-identity")
	r.Git("rm", "-q", "--cached", ".sdd/explore/copy.md")
	// A file that is to be added later counts as none.
	r.Write(".sdd/explore/later.md", token)
	r.Git("add", "-N", ".sdd/explore/later.md")
	r.Write(".sdd/explore/a.md", doc("title: A\n", good+"[other](other.md)\n"))
	r.Write(".sdd/explore/other.md", good)
	r.Git("add", ".sdd/explore/a.md")
	r.wantStaged(1, "explore/a.md:8:9 warning dead-link")
	// A link is no record.
	if err := os.Symlink("a.md", filepath.Join(r.Dir, ".sdd", "explore", "link.md")); err == nil {
		r.Git("reset", "-q", "--hard")
		r.Git("add", ".sdd/explore/link.md")
		r.wantStaged(0)
	}
}

// TestCheckStagedConfig: fingerprints are allowed by what is staged, else by what is tracked, else by the disk.
func TestCheckStagedConfig(t *testing.T) {
	r := newTestRepo(t)
	r.Write(".sdd/explore/a.md", "# A\n\n"+token+"\n")
	r.Git("add", "-A")
	r.wantStaged(1, "explore/a.md:3:1 error secret")
	allow := "secrets: {allow: [" + r.staged().Findings[0].Fingerprint + "]}\n"
	r.Write(".sdd/config.yaml", allow) // not tracked
	r.wantStaged(1)
	r.Git("add", "-A")
	r.Write(".sdd/config.yaml", "")
	r.wantStaged(2)
	r.put(".sdd/config.yaml", "")
	r.Write(".sdd/config.yaml", allow)
	r.wantStaged(2, "explore/a.md:3:1 error secret")
	r.put(".sdd/config.yaml", allow)
	r.Commit("Ann", "config")
	r.Write(".sdd/explore/a.md", "# A\n\nmore "+token+"\n")
	r.Git("add", "-A")
	r.wantStaged(1)
	// The project that records of no project belong to is the one that is staged, too.
	r.Write(".sdd/config.yaml", allow+"project: other\n")
	r.Write(".sdd/explore/b.md", doc("title: A\nproject: other\n", good))
	r.Git("add", "-A")
	r.wantStaged(3, "explore/a.md:1:1 error duplicate-identity", "explore/b.md:1:1 error duplicate-identity")
}

// TestCheckStagedStores: every store of the work tree, by paths from its top, the ones that are not on disk too.
func TestCheckStagedStores(t *testing.T) {
	r := newTestRepo(t)
	bad := doc("title: T\nscope: team\n", "[top](../../../../code.go)\n")
	r.Write("code.go", "package x\n")
	r.Write("pack äge/one/.sdd/explore/t.md", bad)
	r.Write("two/.sdd/explore/t.md", bad)
	r.Write("two/.sdd/explore/.sdd/explore/t.md", good)
	r.Write(".sdd/explore/t.md", doc("title: T\n", good))
	r.Git("add", "-A")
	want := []string{
		"pack äge/one/.sdd/explore/t.md:3:1 error bad-value",
		"two/.sdd/explore/t.md:3:1 error bad-value",
		"two/.sdd/explore/t.md:6:7 warning dead-link",
	}
	r.wantStaged(4, want...)
	if got := r.staged().Annotations(); !strings.HasPrefix(got, "::error file=pack äge/one/.sdd/explore/t.md,line=3,") {
		t.Errorf("for GitHub:\n%s", got)
	}
	if err := os.RemoveAll(filepath.Join(r.Dir, "two")); err != nil {
		t.Fatal(err)
	}
	r.wantStaged(4, want...)
	// From a folder below, and of a linked work tree.
	r.Dir = filepath.Join(r.Dir, "pack äge")
	r.wantStaged(4, want...)
	r.Git("commit", "-q", "-m", "x", "--author", "Ann <ann@example.com>")
	linked := r.at(filepath.Join(t.TempDir(), "linked"))
	r.Git("worktree", "add", "-q", "-b", "linked", linked.Dir)
	linked.Write("two/.sdd/explore/t.md", doc("title: T\nscope: crew\n", good))
	linked.Git("add", "-A")
	linked.wantStaged(1, "two/.sdd/explore/t.md:3:1 error bad-value")
	r.wantStaged(0)
}

// TestCheckStagedMerge: what is in conflict cannot be committed; resolved, it is a change like any other.
func TestCheckStagedMerge(t *testing.T) {
	r := newTestRepo(t)
	r.Write(".sdd/explore/a.md", doc("title: A\n", "## Goals\n\n- one\n"))
	r.Write(".sdd/explore/b.md", doc("title: B\n", good))
	r.Commit("Ann", "base")
	r.Git("checkout", "-q", "-b", "other")
	r.Write(".sdd/explore/a.md", doc("title: A\n", "## Goals\n\n- theirs\n"))
	r.Write(".sdd/explore/b.md", doc("title: B\nscope: team\n", good))
	r.Commit("Bob", "theirs")
	r.Git("checkout", "-q", "main")
	r.Write(".sdd/explore/a.md", doc("title: A\n", "## Goals\n\n- ours\n"))
	r.Commit("Ann", "ours")
	cmd := exec.Command("git", "merge", "-q", "other")
	cmd.Dir = r.Dir
	if out, err := cmd.CombinedOutput(); err == nil {
		t.Fatalf("no conflict:\n%s", out)
	}
	r.wantStaged(2, "explore/a.md:1:1 error conflict-markers", "explore/b.md:3:1 error bad-value")
	r.Git("add", "-A") // with the markers
	if got := shortened(r.staged()); len(got) != 2 || !strings.HasSuffix(got[0], "error conflict-markers") || strings.HasPrefix(got[0], "explore/a.md:1:") {
		t.Errorf("with markers: %v", got)
	}
	r.Write(".sdd/explore/a.md", doc("title: A\n", "## Goals\n\n- ours\n- theirs\n"))
	r.Write(".sdd/explore/b.md", doc("title: B\n", good))
	r.Git("add", "-A")
	r.wantStaged(1) // b is as it was
}

// TestCheckStagedLarge: a file that is too large to be read is said so.
func TestCheckStagedLarge(t *testing.T) {
	r := newTestRepo(t)
	r.Write(".sdd/explore/big.md", "# Big\n\n"+strings.Repeat("0123456789abcde\n", 1<<20)+"\n")
	r.Write(".sdd/explore/small.md", doc("title: Small\nscope: team\n", good))
	r.Git("add", "-A")
	r.wantStaged(2, "explore/big.md:1:1 warning unreadable", "explore/small.md:3:1 error bad-value")
}

// BenchmarkCheckStaged checks five of 10,000 records as a commit hook does, and one new decision that refers to two
// of them.
func BenchmarkCheckStaged(b *testing.B) {
	dir := benchStore(b)
	r := &testRepo{&checktest.Repo{T: b, Dir: dir}}
	r.Git("init", "-q")
	r.Git("add", "-A")
	r.Git("-c", "user.name=Ann", "-c", "user.email=ann@example.com", "commit", "-q", "-m", "base")
	for i := range 5 {
		path := ".sdd/" + indextest.Path(i)
		r.Write(path, r.Read(path)+"\nmore\n")
	}
	r.Write(".sdd/decisions/x.md", doc("title: X\nrelates_to: [.sdd/explore/topic-000007.md, .sdd/explore/topic-000008.md]\n", "x\n"))
	r.Git("add", "-A")
	for b.Loop() {
		if report := r.staged(); report.Checked != 6 || len(report.Findings) > 0 {
			b.Fatal(report.Text())
		}
	}
}
