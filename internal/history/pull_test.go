package history

import (
	"bytes"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"sdd/internal/check/checktest"
	"sdd/internal/fault"
)

// reviewed is the review of what is checked out.
func reviewed(t *testing.T, r *testRepo, base string) PullRequest {
	t.Helper()
	p, err := PullRequestOf(t.Context(), r.store(), base)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

const sixSections = `## Goals

- Log in with a passkey that syncs

## Constraints

- No password is stored anywhere

## Unknowns

- Which browsers matter to our users?

## Decisions

- We keep sessions on the server

## Context

The old login was a form with a password.
`

func TestPullRequestOfBrokenRecords(t *testing.T) {
	r := newTestRepo(t)
	r.Write(".sdd/config.yaml", "project: demo\n")
	r.Write(".sdd/explore/a.md", exploration("A", "x\n"))
	r.Write(".sdd/explore/b.md", exploration("B", "x\n"))
	r.Commit("Ann", "base")
	r.Git("checkout", "-q", "-b", "feature")
	r.Write(".sdd/explore/a.md", "---\ntitle: A\nrevision: [1\n---\n\nx\n")
	r.Write(".sdd/explore/b.md", exploration("B", "<<<<<<< ours\nx\n=======\ny\n>>>>>>> theirs\n"))
	r.Commit("Ann", "broken")
	p := reviewed(t, r, "main")
	text := p.Markdown()
	at := strings.Index(text, "### Defects")
	if at < 0 || !strings.Contains(text[at:], "`.sdd/explore/a.md`: ") || !strings.Contains(text[at:], "`.sdd/explore/b.md`: ") || at > strings.Index(text, "### Notes") {
		t.Errorf("the broken records are not first:\n%s", text)
	}
	if strings.Contains(text, "project") {
		t.Errorf("it has values of front matter that cannot be read:\n%s", text)
	}
	if n := bytes.Count(p.SARIF(), []byte(`"ruleId": "unreadable"`)); n != 2 {
		t.Errorf("%d findings\n%s", n, p.SARIF())
	}
}

func TestPullRequestNamesOtherStores(t *testing.T) {
	r := newTestRepo(t)
	r.Write(".sdd/config.yaml", "project: demo\n")
	r.Write("svc/b/.sdd/explore/b.md", exploration("B", "x\n"))
	r.Commit("Ann", "base")
	r.Git("checkout", "-q", "-b", "feature")
	r.Write("svc/b/.sdd/explore/b.md", exploration("B", "y\n"))
	r.Commit("Ann", "in the other store")
	if text := reviewed(t, r, "main").Markdown(); !strings.Contains(text, "Not in this: records that differ in the stores of `svc/b`, see --dir.") {
		t.Error(text)
	}
}

func TestPullRequestAspects(t *testing.T) {
	r := newTestRepo(t)
	r.Write(".sdd/config.yaml", "project: demo\n")
	r.Write(".sdd/explore/a.md", exploration("A", sixSections))
	r.Write(".sdd/explore/gone.md", exploration("Gone", "Nothing of it stays in any other file here.\n"))
	r.Write(".sdd/decisions/d.md", "---\ntitle: D\nstatus: proposed\n---\n\n## Decision Outcome\n\nWe take it.\n")
	r.Write(".sdd/facts/f.md", "---\nid: fact-0123456789ab\nstatus: active\n---\n\nThe cache is warm.\n")
	r.Commit("Ann", "base")
	r.Git("checkout", "-q", "-b", "feature")
	r.Write(".sdd/explore/a.md", exploration("A", strings.NewReplacer(
		"- Log in with a passkey that syncs", "- Log in with a passkey that syncs\n- Sign out everywhere",
		"- Which browsers matter to our users?", "- Who recovers a lost key?",
		"- We keep sessions on the server", "- We keep sessions on the server for thirty days\n- We take WebAuthn",
		"The old login", "The first login").Replace(sixSections)))
	r.Remove(".sdd/explore/gone.md")
	r.Write(".sdd/decisions/d.md", "---\ntitle: D\nstatus: accepted\n---\n\n## Decision Outcome\n\nWe take it.\n\n### Consequences\n\n- Cheaper\n")
	r.Write(".sdd/facts/f.md", "---\nid: fact-0123456789ab\nstatus: stale\n---\n\nThe cache\nis warm.\n")
	r.Commit("Bob", "feature")
	r.Write(".sdd/explore/none.md", exploration("None", "## Unknowns\n\n- none\n"))
	r.Commit("Bob", "nothing open")
	r.Write(".sdd/explore/new.md", exploration("Not committed", "x\n"))
	p := reviewed(t, r, "main")
	for _, group := range []struct {
		name string
		got  []Change
		want string
	}{
		{"decides", p.Decides, "decision/d decisions/d.md: changed\n  front matter\n    - status: proposed\n    + status: accepted\n  Consequences (added)\n    + Cheaper\n" +
			"explore/a explore/a.md: changed\n  Decisions\n    - We keep sessions on the server\n    + We keep sessions on the server for thirty days\n    + We take WebAuthn\n"},
		{"asks", p.Asks, "explore/a explore/a.md: changed\n  Unknowns\n    + Who recovers a lost key?\n"},
		{"aims", p.Aims, "explore/a explore/a.md: changed\n  Goals\n    + Sign out everywhere\n"},
		{"drops", p.Drops, "explore/a explore/a.md: changed\n  Unknowns\n    - Which browsers matter to our users?\n" +
			"explore/gone explore/gone.md: removed\n  before the first section\n    - Nothing of it stays in any other file here.\n" +
			"fact-0123456789ab facts/f.md: changed\n  front matter\n    - status: active\n    + status: stale\n"},
		{"notes", p.Notes, "explore/a explore/a.md: changed\n  Context\n    - The old login was a form with a password.\n    + The first login was a form with a password.\n" +
			"explore/none explore/none.md: added\n  Unknowns (added)\n    + none\n"},
	} {
		if diff := cmp.Diff(group.want, shown(group.got)); diff != "" {
			t.Errorf("%s:\n%s", group.name, diff)
		}
	}
	if p.Uncommitted != 1 || p.Branch != "feature" || len(p.Records) != 5 {
		t.Errorf("%d uncommitted, branch %q, %d records", p.Uncommitted, p.Branch, len(p.Records))
	}
	text := p.Markdown()
	if !strings.HasPrefix(text, marker+"\n") {
		t.Error("no marker")
	}
	want := "10 changes in 5 records: 3 decisions, 1 question, 1 goal or constraint, 3 things dropped, 2 notes. Compared with `main`"
	if !strings.Contains(text, want) {
		t.Errorf("no summary %q:\n%s", want, text)
	}
	for _, heading := range []string{"### Decides", "### Asks", "### Goals", "### Drops", "### Notes"} {
		if strings.Count(text, heading) != 1 {
			t.Errorf("%d times %q", strings.Count(text, heading), heading)
		}
	}
}

func TestPullRequestOverlaps(t *testing.T) {
	r := newTestRepo(t)
	r.Write(".sdd/config.yaml", "project: demo\n")
	r.Write(".sdd/explore/a.md", exploration("A", sixSections))
	r.Write(".sdd/explore/b.md", exploration("B", sixSections))
	r.Write(".gitignore", "x\n")
	r.Commit("Ann", "base")
	change := func(branch, path, old, now string) {
		t.Helper()
		r.Git("checkout", "-q", "-b", branch, "main")
		r.Write(path, strings.Replace(r.Read(path), old, now, 1))
		r.Commit("Bob", branch)
	}
	change("same-item", ".sdd/explore/a.md", "on the server", "in the browser")
	change("same-section", ".sdd/explore/a.md", "- We keep", "- Something else we take\n- We keep")
	change("other-section", ".sdd/explore/a.md", "No password", "No secret")
	change("other-record", ".sdd/explore/b.md", "on the server", "in the browser")
	change("same-change", ".sdd/explore/a.md", "on the server", "on the server for thirty days")
	change("form-only", ".sdd/explore/a.md", "- We keep sessions", "- We keep\n  sessions")
	r.Git("checkout", "-q", "-b", "renamed", "main")
	r.Git("mv", ".sdd/explore/a.md", ".sdd/explore/elsewhere.md")
	r.Write(".sdd/explore/elsewhere.md", strings.Replace(r.Read(".sdd/explore/elsewhere.md"), "on the server", "nowhere", 1))
	r.Commit("Bob", "renamed")
	r.Git("checkout", "-q", "-b", "merged", "main")
	r.Git("checkout", "-q", "-b", "feature", "main")
	r.Write(".sdd/explore/a.md", strings.Replace(r.Read(".sdd/explore/a.md"), "on the server", "on the server for thirty days", 1))
	r.Commit("Ann", "feature")
	r.Git("branch", "on-top")
	r.Git("update-ref", "refs/remotes/origin/same-item", "same-item") // known from both sides
	r.Git("update-ref", "refs/remotes/origin/far", "same-section~0")
	r.Git("update-ref", "refs/remotes/origin/feature", "other-section") // this branch before a rebase
	r.Git("checkout", "-q", "-b", "theirs", "main")
	r.Write(".sdd/explore/a.md", strings.Replace(r.Read(".sdd/explore/a.md"), "on the server", "on a remote", 1))
	far := r.Commit("Cyd", "far")
	r.Git("update-ref", "refs/remotes/origin/far", far)
	r.Git("checkout", "-q", "feature")
	r.Git("branch", "-q", "-D", "theirs")

	tree := r.at(filepath.Join(filepath.Dir(r.Dir), "a tree"))
	r.Git("worktree", "add", "-q", "--detach", tree.Dir, "main")
	tree.Write(".sdd/explore/a.md", strings.Replace(tree.Read(".sdd/explore/a.md"), "on the server", "not committed", 1))
	idle := r.at(filepath.Join(filepath.Dir(r.Dir), "idle"))
	r.Git("worktree", "add", "-q", "-b", "idle", idle.Dir, "main")

	p := reviewed(t, r, "main")
	got := []string{}
	for _, o := range p.Overlaps {
		got = append(got, fmt.Sprintf("%s|%s %s %s:%d %q", o.Branch, o.Worktree, o.ID, o.Section, o.Line, o.Items))
	}
	same(t, "overlaps", got,
		`origin/far| explore/a Decisions:21 ["We keep sessions on the server"]`,
		`renamed| explore/a Decisions:21 ["We keep sessions on the server"]`,
		`same-section| explore/a Decisions:21 []`,
		`same-item| explore/a Decisions:21 ["We keep sessions on the server"]`,
		`|a tree explore/a Decisions:21 ["We keep sessions on the server"]`)
	text := p.Markdown()
	for _, want := range []string{"- `same-item` (last commit 2026-01-02) also changes the same of `Decisions` in `A` (`.sdd/explore/a.md`)\n  - `We keep sessions on the server`\n",
		"- The work tree `a tree` also changes", "- `same-section` (last commit 2026-01-02) also changes `Decisions` in"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q:\n%s", want, text)
		}
	}
	if strings.Contains(text, r.Dir) || strings.Contains(text, filepath.Dir(r.Dir)) {
		t.Error("the comment tells where the clone is")
	}
}

// TestPullRequestPairs compares with branches that parted from this one after it parted from the main branch: its parent, another
// branch of the same parent, and one that merged with it both ways. A change that merges is an overlap, but no conflict.
func TestPullRequestPairs(t *testing.T) {
	r := newTestRepo(t)
	const path = ".sdd/explore/a.md"
	change := func(who string, pairs ...string) {
		t.Helper()
		r.Write(path, strings.NewReplacer(pairs...).Replace(r.Read(path)))
		r.Commit(who, who)
	}
	on := func(branch, start string) { r.Git("checkout", "-q", "-b", branch, start) }
	r.Write(".sdd/config.yaml", "project: demo\n")
	r.Write(path, exploration("A", sixSections))
	r.Commit("Ann", "base")
	on("lower", "main")
	change("Bob", "on the server", "in the browser", "a passkey", "a key")
	on("beside", "lower")
	change("Cyd", "Which browsers", "Which of the browsers", "No password", "No secret")
	on("clean", "lower")
	change("Dan", "- We keep", "- We take WebAuthn\n- We keep")
	on("crossing", "lower")
	change("Eve", "The old login", "The first login")
	on("feature", "lower")
	change("Ann", "in the browser", "in the browser for thirty days", "a key", "one key")
	mine := r.Git("rev-parse", "HEAD")
	r.Git("-c", "user.name=Ann", "-c", "user.email=ann@example.com", "merge", "-q", "-m", "Eve's", "crossing")
	r.Git("checkout", "-q", "crossing")
	r.Git("-c", "user.name=Ann", "-c", "user.email=ann@example.com", "merge", "-q", "--no-ff", "-m", "Ann's", strings.TrimSpace(mine))
	change("Eve", "thirty days", "ten days")
	r.Git("checkout", "-q", "feature")
	change("Ann", "thirty days", "sixty days", "The first login", "The very first login")
	on("conflicting", "lower")
	change("Fay", "in the browser", "on two servers")
	r.Git("checkout", "-q", "feature")
	if bases := strings.Fields(r.Git("merge-base", "--all", "feature", "crossing")); len(bases) != 2 {
		t.Fatalf("the histories do not cross: %v", bases)
	}
	for name, of := range map[string]func() []Overlap{
		"review-pr": func() []Overlap { return reviewed(t, r, "main").Overlaps },
		"on disk": func() []Overlap {
			all, err := Overlaps(t.Context(), r.store())
			if err != nil {
				t.Fatal(err)
			}
			return all
		},
	} {
		got := []string{}
		for _, o := range of() {
			got = append(got, fmt.Sprintf("%s: %s %q %v", o.Branch, o.Section, o.Items, o.Conflict))
		}
		slices.Sort(got)
		same(t, name, got,
			`clean: Decisions [] false`,
			`conflicting: Decisions ["We keep sessions in the browser"] true`,
			`crossing: Decisions ["We keep sessions in the browser"] true`)
	}
}

// TestPullRequestIsData checks that what records and branches are called and say stays text in the comment.
func TestPullRequestIsData(t *testing.T) {
	evil := []string{
		"@octocat", "<script>alert(1)</script>", "<!-- sdd review -->", "````", "```\n\n# Heading\n\n```", "/close", "[x](javascript:alert(1))",
		"![](https://example.com/track.png)", "#1 closes #2", "`", "``@octocat``", "\u202eright to left", "a\x1b[31mred", "| a | b |\n|---|---|\n| @octocat | <b> |",
		"\n\n## Injected\n\n@octocat", "    @octocat /approve", "~~~\n@octocat\n~~~",
	}
	r := newTestRepo(t)
	r.Write(".sdd/config.yaml", "project: demo\n")
	r.Write(".sdd/explore/a.md", exploration("A", "## Decisions\n\n- First\n"))
	r.Commit("Ann", "base")
	r.Git("checkout", "-q", "-b", "fea@octocat`ture")
	for i, e := range evil {
		title := strings.NewReplacer("\n", " ", "\"", "", "\x1b", "").Replace(e)
		r.Write(fmt.Sprintf(".sdd/explore/e%d <b>@octocat`.md", i), "---\ntitle: \""+title+fmt.Sprint(i)+"\"\nsource: \"@octocat <img>\"\n---\n\n## Decisions\n\n- "+
			e+"\n\n## "+title+"\n\n"+e+"\n\n/lgtm\n")
	}
	r.Commit("Bob", "evil")
	p := reviewed(t, r, "main")
	for name, text := range map[string]string{"review": p.Markdown(), "diff": Changes{Records: p.Records}.Markdown()} {
		outside := outsideOfCode(t, text)
		for _, bad := range []string{"<script", "<b>", "<img", "octocat", "](", "#1", "Injected", "/close", "/lgtm", "/approve", "javascript", "\u202e", "\x1b"} {
			if strings.Contains(outside, bad) {
				t.Errorf("%s: %q stands outside of code:\n%s", name, bad, outside)
			}
		}
		for line := range strings.Lines(text) {
			if strings.HasPrefix(strings.TrimSpace(line), "/") {
				t.Errorf("%s: a command: %q", name, line)
			}
		}
		if strings.Contains(text, "@octocat") {
			t.Errorf("%s: a mention for who reads it raw", name)
		}
		if strings.Count(text, "\n"+marker+"\n") > 0 || !utf8.ValidString(text) {
			t.Errorf("%s: a second marker", name)
		}
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(p.SARIF()))
	if err != nil {
		t.Fatal(err)
	}
	if err := checktest.SARIF(t).Validate(doc); err != nil {
		t.Error(err)
	}
}

// outsideOfCode is Markdown without its fences and code spans, found by their delimiters as CommonMark does.
func outsideOfCode(t *testing.T, text string) string {
	t.Helper()
	var out strings.Builder
	fence := ""
	for line := range strings.Lines(text) {
		bare := strings.TrimRight(line, "\n")
		run := bare[:len(bare)-len(strings.TrimLeft(bare, "`"))]
		switch {
		case fence != "" && len(run) >= len(fence) && run == bare:
			fence = ""
		case fence != "":
		case len(run) >= 3 && !strings.Contains(bare[len(run):], "`"):
			fence = run
		default:
			for {
				at := strings.IndexByte(line, '`')
				if at < 0 {
					break
				}
				out.WriteString(line[:at])
				line = line[at:]
				open := line[:len(line)-len(strings.TrimLeft(line, "`"))]
				line = line[len(open):]
				end := closing(line, open)
				if end < 0 {
					t.Fatalf("a code span is left open: %q", bare)
				}
				line = line[end+len(open):]
			}
			out.WriteString(line)
		}
	}
	if fence != "" {
		t.Fatal("a fence is left open")
	}
	return out.String()
}

// closing is the offset of a run of backticks of that length.
func closing(s, run string) int {
	for i := 0; i < len(s); {
		if s[i] != '`' {
			i++
			continue
		}
		n := len(s[i:]) - len(strings.TrimLeft(s[i:], "`"))
		if n == len(run) {
			return i
		}
		i += n
	}
	return -1
}

func TestPullRequestIsBounded(t *testing.T) {
	r := newTestRepo(t)
	r.Write(".sdd/config.yaml", "project: demo\n")
	r.Commit("Ann", "base")
	r.Git("checkout", "-q", "-b", "feature")
	for i := range 60 {
		r.Write(fmt.Sprintf(".sdd/explore/%d.md", i), exploration(fmt.Sprintf("%d %s", i, strings.Repeat("ü@x ", 60)), "## Decisions\n\n- "+strings.Repeat("a word ", 300*i)+"\n"+strings.Repeat("- ü\n", 50*i)))
	}
	r.Commit("Bob", "much")
	text := reviewed(t, r, "main").Markdown()
	if len(text) > maxComment || len(text) < maxComment/2 || !strings.Contains(text, "Left out") || !utf8.ValidString(text) {
		t.Errorf("%d bytes:\n%s", len(text), text[max(0, len(text)-600):])
	}
	outsideOfCode(t, text)
}

func TestPullRequestInShallowClone(t *testing.T) {
	r := newTestRepo(t)
	r.Write(".sdd/explore/a.md", exploration("A", sixSections))
	r.Commit("Ann", "base")
	r.Git("checkout", "-q", "-b", "feature")
	r.Write(".sdd/explore/a.md", exploration("A", sixSections+"\nMore.\n"))
	r.Commit("Bob", "one")
	r.Write(".sdd/explore/b.md", exploration("B", "b\n"))
	r.Commit("Bob", "two")
	r.Git("checkout", "-q", "main")
	r.Write("x", "x")
	r.Commit("Ann", "main")
	clone := r.at(filepath.Join(filepath.Dir(r.Dir), "shallow"))
	r.Git("clone", "-q", "--depth=1", "--branch=feature", "file://"+r.Dir, clone.Dir)
	_, err := PullRequestOf(t.Context(), clone.store(), "main")
	if !fault.Is(err, fault.NotFound) || !strings.Contains(fault.Of(err).Hint, "git fetch origin main") {
		t.Errorf("without the base: %v, %s", err, fault.Of(err).Hint)
	}
	clone.Git("fetch", "-q", "--depth=1", "origin", "main:refs/remotes/origin/main")
	_, err = PullRequestOf(t.Context(), clone.store(), "main")
	if !fault.Is(err, fault.Unavailable) || !strings.Contains(fault.Of(err).Hint, "git fetch --unshallow") {
		t.Errorf("without the common commit: %v, %s", err, fault.Of(err).Hint)
	}
	clone.Git("fetch", "-q", "--unshallow", "origin")
	if p := reviewed(t, clone, "main"); len(p.Records) != 2 {
		t.Errorf("%d records", len(p.Records))
	}
	if _, err := PullRequestOf(t.Context(), clone.store(), ""); !fault.Is(err, fault.Invalid) {
		t.Errorf("without a base: %v", err)
	}
}

// TestPullRequestOfMergeCommit is what a runner checks out: a merge of the branch into its base, on no branch.
func TestPullRequestOfMergeCommit(t *testing.T) {
	r := newTestRepo(t)
	r.Write(".sdd/explore/a.md", exploration("A", sixSections))
	r.Commit("Ann", "base")
	r.Git("checkout", "-q", "-b", "feature")
	r.Write(".sdd/explore/a.md", exploration("A", sixSections+"\nMore.\n"))
	tip := r.Commit("Bob", "feature")
	r.Git("checkout", "-q", "main")
	r.Write(".sdd/explore/b.md", exploration("B", "b\n"))
	r.Commit("Ann", "main")
	r.Git("update-ref", "refs/remotes/origin/main", "main")
	r.Git("update-ref", "refs/remotes/origin/feature", tip)
	r.Git("checkout", "-q", "--detach", "main")
	r.Git("-c", "user.name=x", "-c", "user.email=x@example.com", "merge", "-q", "--no-ff", "-m", "merge", "feature")
	r.Git("branch", "-q", "-D", "feature")
	p := reviewed(t, r, "origin/main")
	if len(p.Records) != 1 || p.Records[0].File != ".sdd/explore/a.md" || len(p.Overlaps) != 0 || p.Branch != "" {
		t.Errorf("%s%+v", shown(p.Records), p.Overlaps)
	}
}

func BenchmarkPullRequest(b *testing.B) {
	r := newTestRepo(b)
	for i := range 300 {
		r.Write(fmt.Sprintf(".sdd/explore/r%d.md", i), manyItems(fmt.Sprintf("Record %d", i), 0))
	}
	r.Commit("Ann", "old")
	for n := range 30 {
		r.Git("checkout", "-q", "-b", fmt.Sprintf("b%d", n), "main")
		for i := range 20 {
			r.Write(fmt.Sprintf(".sdd/explore/r%d.md", i*n%300), manyItems(fmt.Sprintf("Record %d", i*n%300), 1))
		}
		r.Commit("Ann", "new")
	}
	st := r.store()
	for b.Loop() {
		if _, err := PullRequestOf(b.Context(), st, "main"); err != nil {
			b.Fatal(err)
		}
	}
}

// TestPullRequestAgainstItsBase: what the base changed since the branch left it conflicts as another branch does, and two decisions
// that supersede the same one are rivals, in files of their own.
func TestPullRequestAgainstItsBase(t *testing.T) {
	r := newTestRepo(t)
	r.Write(".sdd/config.yaml", "project: demo\n")
	r.Write(".sdd/explore/a.md", exploration("A", sixSections))
	r.Write(".sdd/decisions/old.md", "---\ntitle: Old\nstatus: accepted\n---\n\n## Decision Outcome\n\nOld.\n")
	r.Commit("Ann", "base")
	side := func(branch, words string) {
		t.Helper()
		r.Git("checkout", "-q", "-B", branch, "main")
		r.Write(".sdd/explore/a.md", strings.Replace(r.Read(".sdd/explore/a.md"), "on the server", words, 1))
		r.Write(".sdd/decisions/"+branch+".md", "---\ntitle: "+branch+"\nstatus: accepted\nsupersedes: decision/old\n---\n\n## Decision Outcome\n\nNew.\n")
		r.Commit("Bob", branch)
	}
	side("feature", "in the browser")
	side("theirs", "on a remote")
	r.Git("branch", "-q", "-f", "main", "theirs")
	r.Git("checkout", "-q", "feature")
	r.Git("branch", "-q", "-D", "theirs")
	p := reviewed(t, r, "main")
	got := []string{}
	for _, o := range p.Overlaps {
		got = append(got, fmt.Sprintf("%s %s %s:%d %q %v %s", o.Branch, o.ID, o.Section, o.Line, o.Items, o.Conflict, o.Rival))
	}
	same(t, "overlaps", got,
		`main explore/a Decisions:21 ["We keep sessions on the server"] true `,
		`main decision/feature front matter:4 ["decision/old"] false decision/theirs`)
	text := p.Markdown()
	for _, want := range []string{"2 conflicts with other branches", "### Also changed elsewhere, in conflict\n\n- The base `main` also changes the same of `Decisions` in `A`",
		"- The base `main` has `decision/theirs`, which supersedes `decision/old` as `feature` (`.sdd/decisions/feature.md`) does"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q:\n%s", want, text)
		}
	}
}
