package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"sdd/internal/app"
	"sdd/internal/candidate"
	"sdd/internal/record"
)

// subjects finds a fact in the subject of each commit; one with an exclamation mark is sure.
func subjects(ctx context.Context, r candidate.Range) ([]candidate.Candidate, error) {
	if r.Staged || r.Worktree {
		return []candidate.Candidate{{Kind: "fact", Content: "Uncommitted", Confidence: .6}}, nil
	}
	revs := []string{"--max-count=1", r.To}
	if r.From != "" {
		revs = []string{r.From + ".." + r.To}
	}
	out, err := r.Repo.Run(ctx, append([]string{"log", "--format=%H %s"}, revs...)...)
	if err != nil {
		return nil, err
	}
	var found []candidate.Candidate
	for l := range strings.Lines(string(out)) {
		id, subject, _ := strings.Cut(strings.TrimSpace(l), " ")
		c := candidate.Candidate{Kind: "fact", Content: strings.TrimSuffix(subject, "!"), Confidence: .7, Domain: "shop", Evidence: []candidate.Evidence{{Commit: id, Path: "a.go", Lines: "L1"}}}
		if strings.HasSuffix(subject, "!") {
			c.Confidence = .9
		}
		found = append(found, c)
	}
	return found, nil
}

// bench is a repository with the commands over it.
type bench struct {
	t   *testing.T
	dir string
}

func newBench(t *testing.T, commits ...string) *bench {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not here")
	}
	b := &bench{t, t.TempDir()}
	b.git("init", "-q", "-b", "main")
	b.sdd("", "init")
	b.git("add", "-A")
	for _, c := range append([]string{"The store!"}, commits...) {
		b.git("commit", "-q", "--allow-empty", "-m", c)
	}
	return b
}

func (b *bench) git(args ...string) {
	b.t.Helper()
	cmd := exec.Command("git", append([]string{"-C", b.dir, "-c", "user.name=Ann", "-c", "user.email=a@example.com"}, args...)...)
	cmd.Env = append(os.Environ(), "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL="+os.DevNull)
	if out, err := cmd.CombinedOutput(); err != nil {
		b.t.Fatalf("git %v: %v\n%s", args, err, out)
	}
}

// sdd runs a command that has to fail with these words, or to succeed for "", and returns what it said.
func (b *bench) sdd(fails string, args ...string) string {
	b.t.Helper()
	var out, said bytes.Buffer
	a := &session{in: strings.NewReader(""), out: &out, err: &said, extract: subjects}
	root := newRoot(a)
	root.SetArgs(append(args, "--dir", b.dir))
	root.SetOut(&out)
	root.SetErr(&said)
	err := root.ExecuteContext(b.t.Context())
	a.close()
	if (err == nil) != (fails == "") || err != nil && !strings.Contains(err.Error(), fails) {
		b.t.Fatalf("sdd %v: %v, want %q", args, err, fails)
	}
	return out.String()
}

func (b *bench) json(v any, args ...string) {
	b.t.Helper()
	out := b.sdd("", append(args, "--json")...)
	if err := json.Unmarshal([]byte(out), v); err != nil {
		b.t.Fatalf("%v\n%s", err, out)
	}
}

func id(content string) string { return record.HexID("fact", content, nil) }

func TestExtractCommand(t *testing.T) {
	b := newBench(t, "Prices are in cents", "Orders are kept for ten years!")
	var got candidate.Report
	b.json(&got, "extract", "HEAD~1..HEAD")
	// The commits since the store was made were waiting.
	if len(got.Approved) != 2 || len(got.Candidates) != 1 || len(got.Skipped) != 0 {
		t.Fatalf("%+v", got)
	}
	c := got.Candidates[0]
	if c.ID != id("Prices are in cents") || c.Status != "pending" || c.Evidence[0].Lines != "L1" || len(c.Evidence[0].Commit) != 40 || !strings.HasPrefix(c.File, ".sdd/inbox/") {
		t.Errorf("%+v", c)
	}
	if _, err := os.Stat(filepath.Join(b.dir, got.Approved[0].File)); err != nil {
		t.Error(err)
	}
	b.json(&got, "extract", "HEAD~2..")
	if len(got.Approved)+len(got.Candidates) != 0 || len(got.Skipped) != 2 {
		t.Errorf("again: %+v", got)
	}
	if out := b.sdd("", "extract", "--staged"); !strings.HasPrefix(out, "1 to be reviewed\n```markdown source=\".sdd/inbox\"\n- ["+id("Uncommitted")+"] fact pending 0.60: Uncommitted\n```\n") {
		t.Errorf("%s", out)
	}
	b.sdd("no commit \"nothing\"", "extract", "nothing")
	b.sdd("exclude each other", "extract", "HEAD", "--worktree")
	b.sdd("the range is empty", "extract", "")
}

func TestReviewOfCandidates(t *testing.T) {
	b := newBench(t, "One", "Two", "Three", "Four")
	var page app.Reviewed
	b.json(&page, "review", "list", "--kind", "candidate", "--domain", "shop", "--min-confidence", "0.7")
	if len(page.Items) != 5 || page.Items[0].From != "queued" || page.Items[0].Of != "fact" {
		t.Fatalf("%+v", page)
	}
	if out := b.sdd("", "review", "approve", id("One"), id("Two")); strings.Count(out, ": pending → approved (.sdd/facts/") != 2 {
		t.Errorf("%s", out)
	}
	if out := b.sdd("", "review", "reject", id("Three"), "--reason", "too small"); out != id("Three")+": pending → rejected (.sdd/inbox/"+id("Three")+"-three.md)\n" {
		t.Errorf("%s", out)
	}
	b.sdd("was rejected", "review", "approve", id("Three"))
	b.sdd("", "review", "edit", id("Four"), "--content", "Four and a half")
	b.sdd("", "review", "delete", id("Four"))
	b.sdd("", "review", "restore", id("Four"))
	if out := b.sdd("", "review", "list", "--kind", "candidate"); !strings.Contains(out, "1 found, 1 shown\n") || !strings.Contains(out, "Four and a half") {
		t.Errorf("%s", out)
	}
	if out := b.sdd("", "review", "approve", "--all", "--min-confidence", "0.9"); out != "nothing to do\n" {
		t.Errorf("%s", out)
	}
	var moved struct{ Items []candidate.Moved }
	b.json(&moved, "review", "approve", "--all")
	if len(moved.Items) != 1 || moved.Items[0].Kind != "candidate" || moved.Items[0].To != "approved" {
		t.Errorf("%+v", moved)
	}
	if out := b.sdd("", "review", "apply"); out != "nothing found\n" {
		t.Errorf("%s", out)
	}
	if out := b.sdd("", "status"); !strings.Contains(out, "\ninbox: 4 approved, 1 rejected (80 % approved)\n") {
		t.Errorf("%s", out)
	}
	b.sdd("not both", "review", "approve", "--all", "x")
	b.sdd("no candidate", "review", "reject", "fact-000000000000")
	b.sdd("kind \"x\" is unknown", "review", "list", "--kind", "x")
	// What is about learnings goes there as before.
	b.sdd("there is no idea", "review", "validate", "idea-000000000000")
	b.sdd("there is no idea", "review", "delete", "idea-000000000000")
}
