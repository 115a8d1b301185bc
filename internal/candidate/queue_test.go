package candidate

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"sdd/internal/fault"
	"sdd/internal/record"
)

// newRepo is a desk in a repository whose store is committed.
func newRepo(t testing.TB) *desk {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not here")
	}
	d := newDesk(t)
	d.git("init", "-q", "-b", "main")
	d.commit("before: fact 0.7: from before the store")
	if _, err := d.st.Ensure(); err != nil {
		t.Fatal(err)
	}
	d.git("add", "-A")
	d.commit("the store")
	return d
}

// commit makes a commit with that message and returns its id.
func (d *desk) commit(message string) string {
	d.t.Helper()
	d.commits++
	d.git("commit", "-q", "--allow-empty", "-m", message)
	return d.git("rev-parse", "HEAD")
}

func (d *desk) queue() string {
	d.t.Helper()
	list, err := d.Queued(d.t.Context())
	if err != nil {
		d.t.Fatal(err)
	}
	var all []string
	for _, c := range list {
		if c.Status != Queued || c.Commit == "" || c.Evidence[0].Commit != c.Commit {
			d.t.Errorf("queued: %+v", c)
		}
		all = append(all, c.Content)
	}
	slices.Sort(all)
	return strings.Join(all, ", ")
}

func (d *desk) wantQueue(want string) {
	d.t.Helper()
	sorted := strings.Split(want, ", ")
	slices.Sort(sorted)
	if got := d.queue(); got != strings.Join(sorted, ", ") {
		d.t.Errorf("queued: %q, want %q", got, want)
	}
}

func (d *desk) extracted(spec string, r Range) Report {
	d.t.Helper()
	got, err := d.Extract(d.t.Context(), spec, r, d.by)
	if err != nil {
		d.t.Fatal(err)
	}
	return got
}

func TestQueuedIsReadAtOnceAndWrittenByTheNextCall(t *testing.T) {
	d := newRepo(t)
	d.wantQueue("") // what was before the store is not
	id := d.commit("work\n\nfact 0.7: Tokens live long\nfact 0.9: Logs are JSON\ndecision 0.95: Use Postgres")
	d.wantQueue("Use Postgres, Logs are JSON, Tokens live long")
	if status := d.git("status", "--porcelain"); status != "" {
		t.Errorf("the tree is dirty:\n%s", status)
	}
	if got := d.ids(Filter{}); strings.Count(got, " queued") != 3 {
		t.Errorf("listed: %s", got)
	}
	c, err := d.Get(t.Context(), "decision/use-postgres")
	if err != nil || c.Commit != id || c.Date != "2026-11-19T08:03:00Z" || c.Created != "2026-11-20T10:00:00Z" {
		t.Errorf("%+v %v", c, err)
	}
	next := openDesk(t, d.dir) // another process
	next.wantQueue("Use Postgres, Logs are JSON, Tokens live long")

	fact := record.HexID("fact", "Tokens live long", nil)
	moved := d.act("approve", fact) // writes what waits before
	if len(moved) != 1 || moved[0].From != Pending {
		t.Errorf("%+v", moved)
	}
	logs := record.HexID("fact", "Logs are JSON", nil)
	d.wantFiles("decisions/use-postgres.md", "facts/"+logs+"-logs-are-json.md", "facts/"+fact+"-tokens-live-long.md")
	if text := d.read(".sdd/facts/" + logs + "-logs-are-json.md"); !strings.Contains(text, "confidence: 0.9\n") || !strings.Contains(text, "source: commit "+id[:12]+"\n") ||
		!strings.Contains(text, "valid_from: \"2026-11-19T08:03:00Z\"\n") || !strings.Contains(text, "created: \"2026-11-20T10:00:00Z\"\n") { // its age counts from the day it was found
		t.Errorf("%s", text)
	}
	d.wantQueue("")
	next.wantQueue("")
}

// TestQueuedOnesAreRejected: also a sure one, which the same call would write otherwise.
func TestQueuedOnesAreRejected(t *testing.T) {
	d := newRepo(t)
	d.commit("a\n\nfact 0.95: Sure\nfact 0.7: Not so sure")
	sure := record.HexID("fact", "Sure", nil)
	if m := d.act("reject", sure); len(m) != 1 || m[0].To != Rejected {
		t.Errorf("%+v", m)
	}
	if files := d.files(); strings.Count(files, "inbox/") != 2 || strings.Contains(files, "facts/") {
		t.Errorf("there are %s", files)
	}
	d.extracted("", Range{})
	if files := d.files(); strings.Contains(files, "facts/") {
		t.Errorf("there are %s", files)
	}
}

func TestExtractTwiceAddsNothing(t *testing.T) {
	d := newRepo(t)
	d.commit("a\n\nfact 0.7: One\nfact 0.9: Two")
	b := d.commit("b\n\nfact 0.7: One\nfact 0.7: Three")
	got := d.extracted("", Range{})
	if len(got.Approved) != 1 || len(got.Candidates) != 2 || len(got.Skipped) != 0 {
		t.Fatalf("%s", got.Text())
	}
	files := d.files()
	for _, spec := range []string{"", "HEAD", "HEAD~2..", "main", b} {
		if got := d.extracted(spec, Range{}); len(got.Approved)+len(got.Candidates) != 0 || len(got.Skipped) < 2 {
			t.Errorf("%q: %s", spec, got.Text())
		}
	}
	if d.files() != files {
		t.Errorf("there are %s", d.files())
	}
	if got := d.extracted("", Range{Staged: true}); len(got.Candidates) != 1 || got.Candidates[0].Source != "" {
		t.Errorf("%s", got.Text())
	}
	if got := d.extracted("", Range{Worktree: true}); len(got.Skipped) != 1 {
		t.Errorf("%s", got.Text())
	}
	for spec, code := range map[string]fault.Code{"nothing": fault.NotFound, "main...HEAD": fault.Invalid, "--all": fault.Invalid, "HEAD~9..HEAD": fault.NotFound, "^main": fault.Invalid} {
		if _, err := d.Extract(t.Context(), spec, Range{}, d.by); !fault.Is(err, code) {
			t.Errorf("%q: %v", spec, err)
		}
	}
	if _, err := d.Extract(t.Context(), "HEAD", Range{Staged: true}, d.by); !fault.Is(err, fault.Invalid) {
		t.Errorf("%v", err)
	}
}

// What is proposed waits, however sure it is, also when the hook found it too; once decided, it is skipped.
func TestProposedOnesWait(t *testing.T) {
	d := newRepo(t)
	d.commit("work\n\nfact 0.7: Tokens live long\nfact 0.95: Logs are JSON\nfact 0.95: Logs are JSON")
	d.wantQueue("Logs are JSON, Tokens live long")
	propose := func(r Range) Report {
		t.Helper()
		got, err := d.Propose(t.Context(), "", r, d.by)
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	got := propose(Range{})
	if len(got.Approved) != 0 || len(got.Candidates) != 2 || len(got.Skipped) != 0 || got.Candidates[0].Created == "" {
		t.Fatalf("%s", got.Text())
	}
	d.wantQueue("")
	if again := propose(Range{}); len(again.Candidates) != 2 {
		t.Errorf("again: %s", again.Text())
	}
	if got := d.extracted("", Range{}); len(got.Approved) != 0 {
		t.Errorf("it was decided already: %s", got.Text())
	}
	d.act("approve", got.Candidates[0].ID)
	d.act("reject", got.Candidates[1].ID)
	if after := propose(Range{}); len(after.Candidates) != 0 || len(after.Skipped) != 2 {
		t.Errorf("after: %s", after.Text())
	}
	if got := propose(Range{Worktree: true, Path: "a.go"}); len(got.Candidates) != 1 {
		t.Errorf("of the file: %s", got.Text())
	}
	if got := propose(Range{Worktree: true, Path: "b.go"}); len(got.Candidates)+len(got.Skipped) != 0 {
		t.Errorf("of another file: %s", got.Text())
	}
}

// TestCommitsThatAreReplaced: what was found in a commit goes with it, and comes with the commit that took its place.
func TestCommitsThatAreReplaced(t *testing.T) {
	d := newRepo(t)
	d.commit("a\n\nfact 0.7: One")
	d.wantQueue("One")
	d.git("commit", "-q", "--amend", "--allow-empty", "-m", "a\n\nfact 0.7: Another")
	d.wantQueue("Another")

	d.git("checkout", "-q", "-b", "feature", "HEAD~1")
	d.wantQueue("") // hidden: main still has it
	d.write("f.txt", "f")
	d.git("add", "f.txt")
	d.commit("f\n\nfact 0.7: Of the feature")
	d.commit("g\n\nfact 0.7: Of the feature too")
	d.wantQueue("Of the feature, Of the feature too")
	d.git("rebase", "-q", "main")
	d.wantQueue("Another, Of the feature, Of the feature too")
	before, _ := os.ReadDir(d.path(".sdd/.local/extract"))
	d.git("checkout", "-q", "main")
	d.wantQueue("Another")
	d.git("merge", "-q", "--no-ff", "-m", "merge: fact 0.7: of a merge", "feature")
	d.wantQueue("Another, Of the feature, Of the feature too")
	if len(before) != 4 { // three commits and the tips
		t.Errorf("the queue holds %v", before)
	}
	d.git("reset", "-q", "--hard", "HEAD~1")
	d.git("branch", "-q", "-D", "feature")
	d.wantQueue("Another")
	if after, _ := os.ReadDir(d.path(".sdd/.local/extract")); len(after) != 2 {
		t.Errorf("the queue holds %v", after)
	}
}

// TestRebaseUnderWay: commits that may all be replaced are not looked at.
func TestRebaseUnderWay(t *testing.T) {
	d := newRepo(t)
	d.write("f.txt", "main")
	d.git("add", "-A")
	d.commit("a\n\nfact 0.7: One")
	d.git("checkout", "-q", "-b", "feature", "HEAD~1")
	d.commit("f\n\nfact 0.7: First")
	d.write("f.txt", "feature")
	d.git("add", "-A")
	d.commit("g\n\nfact 0.7: Second")
	cmd := exec.Command("git", "-C", d.dir, "-c", "user.name=A", "-c", "user.email=a@example.com", "rebase", "-q", "main")
	if out, err := cmd.CombinedOutput(); err == nil {
		t.Fatalf("the rebase did not stop: %s", out)
	}
	d.wantQueue("")
	d.git("checkout", "-q", "--theirs", "f.txt")
	d.git("add", "f.txt")
	d.git("rebase", "--continue")
	d.wantQueue("First, One, Second")
}

// TestQueueOfAKilledProcess: what was written and not yet taken off the queue is not written twice.
func TestQueueOfAKilledProcess(t *testing.T) {
	d := newRepo(t)
	d.commit("a\n\nfact 0.7: One\nfact 0.9: Two")
	d.commit("b\n\nfact 0.7: Three")
	d.step = func(point string) error {
		if point == "written" {
			return context.Canceled
		}
		return nil
	}
	if _, err := d.Apply(t.Context(), d.by); err == nil {
		t.Fatal("it was not stopped")
	}
	next := openDesk(t, d.dir)
	next.wantQueue("Three")
	d.write(".sdd/.local/extract/."+strings.Repeat("0", 40)+".json.120000.tmp", "half a fi")
	d.write(".sdd/.local/extract/"+strings.Repeat("0", 40)+".json", "half a fi")
	rep, err := next.Apply(t.Context(), next.by)
	if err != nil || len(rep.Candidates) != 1 || len(rep.Skipped) != 2 {
		t.Errorf("%s %v", rep.Text(), err)
	}
	files := next.files()
	if strings.Count(files, "facts/") != 1 || strings.Count(files, "inbox/") != 2 {
		t.Errorf("there are %s", files)
	}
	if rep, err := next.Apply(t.Context(), next.by); err != nil || len(rep.Approved)+len(rep.Candidates)+len(rep.Skipped) != 0 {
		t.Errorf("%s %v", rep.Text(), err)
	}
}

// TestLocalIsDerived: without .local the queue comes back, and nothing that is written doubles.
func TestLocalIsDerived(t *testing.T) {
	d := newRepo(t)
	d.commit("a\n\nfact 0.7: One")
	d.extracted("", Range{})
	d.commit("b\n\nfact 0.7: Two")
	d.wantQueue("Two")
	if err := os.RemoveAll(d.path(".sdd/.local")); err != nil {
		t.Fatal(err)
	}
	openDesk(t, d.dir).wantQueue("Two")
}

func TestManyAtOnce(t *testing.T) {
	d := newRepo(t)
	for _, m := range []string{"One", "Two", "Three", "Four"} {
		d.commit(m + "\n\nfact 0.7: " + m + "\nfact 0.95: Sure " + m)
	}
	var all sync.WaitGroup
	for range 4 {
		next := openDesk(t, d.dir)
		all.Go(func() {
			if _, err := next.Apply(t.Context(), next.by); err != nil {
				t.Error(err)
			}
			if _, err := next.ApproveAll(t.Context(), .5, next.by); err != nil && !fault.Is(err, fault.Conflict) {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if files := d.files(); strings.Count(files, "facts/") != 8 || strings.Contains(files, "inbox/") {
		t.Errorf("there are %s", files)
	}
	d.wantQueue("")
}

// TestWhereThereIsLittle: no git, no commit, no store, a store that is not committed, a commit without a branch, a linked work tree,
// a store that cannot be written.
func TestWhereThereIsLittle(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not here")
	}
	d := newDesk(t)
	d.wantQueue("")
	if _, err := d.Extract(t.Context(), "", Range{}, d.by); !fault.Is(err, fault.Unavailable) {
		t.Errorf("outside git: %v", err)
	}
	d.git("init", "-q", "-b", "main")
	d.wantQueue("")
	if _, err := d.Extract(t.Context(), "", Range{}, d.by); !fault.Is(err, fault.NotFound) {
		t.Errorf("before the first commit: %v", err)
	}
	d.write(".git/info/exclude", ".sdd/\n")
	d.commit("a\n\nfact 0.7: Earlier")
	d.commit("a\n\nfact 0.7: One")
	d.wantQueue("")
	if _, err := os.Stat(d.path(".sdd")); err == nil {
		t.Error("reading made a store")
	}
	if _, err := d.st.Ensure(); err != nil {
		t.Fatal(err)
	}
	d.wantQueue("One") // the age of the store is not known
	d.git("checkout", "-q", "--detach")
	d.commit("b\n\nfact 0.7: Detached")
	d.wantQueue("Detached, One")
	d.git("checkout", "-q", "main")
	d.wantQueue("One")

	d = newRepo(t)
	linked := filepath.Join(t.TempDir(), "linked")
	d.git("worktree", "add", "-q", "-b", "linked", linked)
	l := openDesk(t, linked)
	l.commit("a\n\nfact 0.7: In the linked one")
	l.wantQueue("In the linked one")
	d.wantQueue("")
	d.git("merge", "-q", "linked")
	d.wantQueue("In the linked one")

	// Where the queue cannot be written, what is in it is read, and a commit fails nothing.
	d.commit("b\n\nfact 0.7: Unwritten")
	kept := d.path(".sdd/.local/kept")
	if err := os.Rename(d.path(".sdd/.local/extract"), kept); err != nil {
		t.Fatal(err)
	}
	d.write(".sdd/.local/extract", "in the way")
	openDesk(t, d.dir).wantQueue("")
	os.Remove(d.path(".sdd/.local/extract"))
	if err := os.Rename(kept, d.path(".sdd/.local/extract")); err != nil {
		t.Fatal(err)
	}
	openDesk(t, d.dir).wantQueue("In the linked one, Unwritten")

	// As on a full disk: neither the file of a commit nor the tips can be written.
	for _, name := range []string{d.commit("c\n\nfact 0.7: Later") + ".json", tipsName} {
		file := d.path(".sdd/.local/extract/" + name)
		os.Remove(file)
		d.write(".sdd/.local/extract/"+name+"/in", "the way")
		openDesk(t, d.dir).queue()
		os.RemoveAll(file)
	}
	openDesk(t, d.dir).wantQueue("In the linked one, Unwritten, Later")
}

// TestWithoutAnExtractor: everything but finding works.
func TestWithoutAnExtractor(t *testing.T) {
	d := newRepo(t)
	d.commit("a\n\nfact 0.7: One")
	d.wantQueue("One")
	d.opt.Extract = nil
	d.commit("b\n\nfact 0.7: Two")
	d.wantQueue("One")
	if _, err := d.Extract(t.Context(), "", Range{}, d.by); !fault.Is(err, fault.Unavailable) {
		t.Errorf("%v", err)
	}
	if rep, err := d.Apply(t.Context(), d.by); err != nil || len(rep.Candidates) != 1 {
		t.Errorf("%+v %v", rep, err)
	}
}

// TestKilledProcesses kills writers at any moment: in the end every candidate is written, once.
func TestKilledProcesses(t *testing.T) {
	if dir := os.Getenv("INBOX_WRITER"); dir != "" {
		d := openDesk(t, dir)
		if _, err := d.Apply(t.Context(), d.by); err != nil {
			t.Fatal(err)
		}
		if _, err := d.ApproveAll(t.Context(), .65, d.by); err != nil {
			t.Fatal(err)
		}
		return
	}
	d := newRepo(t)
	for n := range 12 {
		d.commit(fmt.Sprintf("c\n\nfact 0.9: Sure %d\nfact 0.7: Likely %d\nfact 0.6: Maybe %d", n, n, n))
	}
	r := rand.New(rand.NewPCG(1, 2))
	for range 12 {
		cmd := exec.Command(os.Args[0], "-test.run=^TestKilledProcesses$")
		cmd.Env = append(os.Environ(), "INBOX_WRITER="+d.dir)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		done := make(chan error, 1)
		go func() { done <- cmd.Wait() }()
		select {
		case <-done:
		case <-time.After(time.Duration(20+r.IntN(150)) * time.Millisecond): // any moment is as good as another
			cmd.Process.Kill()
			<-done
		}
	}
	for range 12 { // each call reads one commit at least
		if _, err := d.ApproveAll(t.Context(), .65, d.by); err != nil {
			t.Fatal(err)
		}
	}
	files := d.files()
	if strings.Count(files, "facts/") != 24 || strings.Count(files, "inbox/") != 12 || strings.Count(files, "maybe") != 12 {
		t.Errorf("there are %s", files)
	}
	d.wantQueue("")
}
