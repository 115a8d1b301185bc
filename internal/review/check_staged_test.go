package review

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sdd/internal/git"
	"sdd/internal/index/indextest"
)

// staged checks what is staged.
func (r *testRepo) staged() Report {
	r.t.Helper()
	stage, err := git.OpenStage(r.dir)
	if err != nil {
		r.t.Fatal(err)
	}
	report, err := CheckStaged(context.Background(), stage)
	if err != nil {
		r.t.Fatal(err)
	}
	return report
}

// wantStaged demands these findings and number of files.
func (r *testRepo) wantStaged(checked int, want ...string) {
	r.t.Helper()
	report := r.staged()
	if diff := cmp.Diff(append([]string{}, want...), shortened(report)); diff != "" || report.Checked != checked {
		r.t.Errorf("%d checked, want %d; findings (-want +got):\n%s\n%s", report.Checked, checked, diff, report.Text())
	}
}

// put stages a file that is not on disk.
func (r *testRepo) put(path, text string) {
	r.t.Helper()
	cmd := exec.Command("git", "hash-object", "-w", "--stdin")
	cmd.Dir, cmd.Stdin = r.dir, strings.NewReader(text)
	id, err := cmd.Output()
	if err != nil {
		r.t.Fatal(err)
	}
	r.git("update-index", "--add", "--cacheinfo", "100644,"+strings.TrimSpace(string(id))+","+path)
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
		r.write(".sdd/"+path, text)
	}
	r.commit("Ann", "base")
	r.git("rm", "-q", "--cached", ".sdd/explore/to-delete.md")
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

// TestCheckStagedIsNotTheDisk: what stands on disk only is neither checked nor referred to.
func TestCheckStagedIsNotTheDisk(t *testing.T) {
	r := newTestRepo(t)
	r.wantStaged(0)
	// Before the first commit.
	r.write(".sdd/explore/a.md", doc("title: A\n", token+"\n"))
	r.git("add", "-A")
	r.write(".sdd/explore/a.md", doc("title: A\n", good))
	r.wantStaged(1, "explore/a.md:5:1 error secret")
	r.git("add", "-A")
	r.write(".sdd/explore/a.md", doc("title: A\n", token+"\n"))
	r.wantStaged(1)
	r.git("commit", "-q", "-m", "a", "--author", "Ann <ann@example.com>")
	r.wantStaged(0)
	// A copy that is not staged makes no duplicate; a removal that is not staged does not take one away.
	r.write(".sdd/explore/a.md", doc("title: A\n", good+"- two\n"))
	r.git("add", "-A")
	r.write(".sdd/explore/copy.md", r.read(".sdd/explore/a.md"))
	r.wantStaged(1)
	r.git("add", ".sdd/explore/copy.md")
	r.remove(".sdd/explore/copy.md")
	r.wantStaged(2, "explore/a.md:1:1 error duplicate-identity", "explore/copy.md:1:1 error duplicate-identity")
	r.git("rm", "-q", "--cached", ".sdd/explore/copy.md")
	// A file that is to be added later counts as none.
	r.write(".sdd/explore/later.md", token)
	r.git("add", "-N", ".sdd/explore/later.md")
	r.write(".sdd/explore/a.md", doc("title: A\n", good+"[other](other.md)\n"))
	r.write(".sdd/explore/other.md", good)
	r.git("add", ".sdd/explore/a.md")
	r.wantStaged(1, "explore/a.md:8:9 warning dead-link")
	// A link is no record.
	if err := os.Symlink("a.md", filepath.Join(r.dir, ".sdd", "explore", "link.md")); err == nil {
		r.git("reset", "-q", "--hard")
		r.git("add", ".sdd/explore/link.md")
		r.wantStaged(0)
	}
}

// TestCheckStagedConfig: fingerprints are allowed by what is staged, else by what is tracked, else by the disk.
func TestCheckStagedConfig(t *testing.T) {
	r := newTestRepo(t)
	r.write(".sdd/explore/a.md", "# A\n\n"+token+"\n")
	r.git("add", "-A")
	r.wantStaged(1, "explore/a.md:3:1 error secret")
	allow := "secrets: {allow: [" + r.staged().Findings[0].Fingerprint + "]}\n"
	r.write(".sdd/config.yaml", allow) // not tracked
	r.wantStaged(1)
	r.git("add", "-A")
	r.write(".sdd/config.yaml", "")
	r.wantStaged(2)
	r.put(".sdd/config.yaml", "")
	r.write(".sdd/config.yaml", allow)
	r.wantStaged(2, "explore/a.md:3:1 error secret")
	r.put(".sdd/config.yaml", allow)
	r.commit("Ann", "config")
	r.write(".sdd/explore/a.md", "# A\n\nmore "+token+"\n")
	r.git("add", "-A")
	r.wantStaged(1)
	// The project that records of no project belong to is the one that is staged, too.
	r.write(".sdd/config.yaml", allow+"project: other\n")
	r.write(".sdd/explore/b.md", doc("title: A\nproject: other\n", good))
	r.git("add", "-A")
	r.wantStaged(3, "explore/a.md:1:1 error duplicate-identity", "explore/b.md:1:1 error duplicate-identity")
}

// TestCheckStagedStores: every store of the work tree, by paths from its top, the ones that are not on disk too.
func TestCheckStagedStores(t *testing.T) {
	r := newTestRepo(t)
	bad := doc("title: T\nscope: team\n", "[top](../../../../code.go)\n")
	r.write("code.go", "package x\n")
	r.write("pack äge/one/.sdd/explore/t.md", bad)
	r.write("two/.sdd/explore/t.md", bad)
	r.write("two/.sdd/explore/.sdd/explore/t.md", good)
	r.write(".sdd/explore/t.md", doc("title: T\n", good))
	r.git("add", "-A")
	want := []string{
		"pack äge/one/.sdd/explore/t.md:3:1 error bad-value",
		"two/.sdd/explore/t.md:3:1 error bad-value",
		"two/.sdd/explore/t.md:6:7 warning dead-link",
	}
	r.wantStaged(4, want...)
	if got := r.staged().Annotations(); !strings.HasPrefix(got, "::error file=pack äge/one/.sdd/explore/t.md,line=3,") {
		t.Errorf("for GitHub:\n%s", got)
	}
	if err := os.RemoveAll(filepath.Join(r.dir, "two")); err != nil {
		t.Fatal(err)
	}
	r.wantStaged(4, want...)
	// From a folder below, and of a linked work tree.
	r.dir = filepath.Join(r.dir, "pack äge")
	r.wantStaged(4, want...)
	r.git("commit", "-q", "-m", "x", "--author", "Ann <ann@example.com>")
	linked := r.at(filepath.Join(t.TempDir(), "linked"))
	r.git("worktree", "add", "-q", "-b", "linked", linked.dir)
	linked.write("two/.sdd/explore/t.md", doc("title: T\nscope: crew\n", good))
	linked.git("add", "-A")
	linked.wantStaged(1, "two/.sdd/explore/t.md:3:1 error bad-value")
	r.wantStaged(0)
}

// TestCheckStagedMerge: what is in conflict cannot be committed; resolved, it is a change like any other.
func TestCheckStagedMerge(t *testing.T) {
	r := newTestRepo(t)
	r.write(".sdd/explore/a.md", doc("title: A\n", "## Goals\n\n- one\n"))
	r.write(".sdd/explore/b.md", doc("title: B\n", good))
	r.commit("Ann", "base")
	r.git("checkout", "-q", "-b", "other")
	r.write(".sdd/explore/a.md", doc("title: A\n", "## Goals\n\n- theirs\n"))
	r.write(".sdd/explore/b.md", doc("title: B\nscope: team\n", good))
	r.commit("Bob", "theirs")
	r.git("checkout", "-q", "main")
	r.write(".sdd/explore/a.md", doc("title: A\n", "## Goals\n\n- ours\n"))
	r.commit("Ann", "ours")
	cmd := exec.Command("git", "merge", "-q", "other")
	cmd.Dir = r.dir
	if out, err := cmd.CombinedOutput(); err == nil {
		t.Fatalf("no conflict:\n%s", out)
	}
	r.wantStaged(2, "explore/a.md:1:1 error conflict-markers", "explore/b.md:3:1 error bad-value")
	r.git("add", "-A") // with the markers
	if got := shortened(r.staged()); len(got) != 2 || !strings.HasSuffix(got[0], "error conflict-markers") || strings.HasPrefix(got[0], "explore/a.md:1:") {
		t.Errorf("with markers: %v", got)
	}
	r.write(".sdd/explore/a.md", doc("title: A\n", "## Goals\n\n- ours\n- theirs\n"))
	r.write(".sdd/explore/b.md", doc("title: B\n", good))
	r.git("add", "-A")
	r.wantStaged(1) // b is as it was
}

// TestCheckStagedLarge: a file that is too large to be read is said so.
func TestCheckStagedLarge(t *testing.T) {
	r := newTestRepo(t)
	r.write(".sdd/explore/big.md", "# Big\n\n"+strings.Repeat("0123456789abcde\n", 1<<20)+"\n")
	r.write(".sdd/explore/small.md", doc("title: Small\nscope: team\n", good))
	r.git("add", "-A")
	r.wantStaged(2, "explore/big.md:1:1 warning unreadable", "explore/small.md:3:1 error bad-value")
}

// BenchmarkCheckStaged checks five of 10,000 records as a commit hook does, and one new decision that refers to two
// of them.
func BenchmarkCheckStaged(b *testing.B) {
	dir := benchStore(b)
	r := &testRepo{t: b, dir: dir}
	r.git("init", "-q")
	r.git("add", "-A")
	r.git("-c", "user.name=Ann", "-c", "user.email=ann@example.com", "commit", "-q", "-m", "base")
	for i := range 5 {
		path := ".sdd/" + indextest.Path(i)
		r.write(path, r.read(path)+"\nmore\n")
	}
	r.write(".sdd/decisions/x.md", doc("title: X\nrelates_to: [.sdd/explore/topic-000007.md, .sdd/explore/topic-000008.md]\n", "x\n"))
	r.git("add", "-A")
	for b.Loop() {
		if report := r.staged(); report.Checked != 6 || len(report.Findings) > 0 {
			b.Fatal(report.Text())
		}
	}
}
