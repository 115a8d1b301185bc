package history

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sdd/internal/fault"
	"sdd/internal/store"
)

// logged renders a log: subject and summary of each commit, the newest first, after what is not committed.
func logged(t *testing.T, r *testRepo, s Subject, section string) []string {
	t.Helper()
	l, err := LogOf(t.Context(), r.store(), s, section, 0)
	if err != nil {
		t.Fatal(err)
	}
	got := []string{}
	for _, u := range l.Uncommitted {
		got = append(got, fmt.Sprintf("(%s %s %s): %s", u.By, u.Tool, u.Session, u.Summary))
	}
	for _, c := range l.Commits {
		if len(c.Commit) < 40 || c.Author == "" || c.Date == "" {
			t.Errorf("incomplete: %+v", c)
		}
		got = append(got, c.Subject+": "+c.Summary)
	}
	return got
}

func same(t *testing.T, what string, got []string, want ...string) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s:\n%s", what, diff)
	}
}

const twoSections = "## Goals\n\n- Log in with a passkey that syncs\n- Keep sessions for thirty days\n\n## Context\n\nThe old login was a form with a password, and nobody could remember it.\n"

func TestLog(t *testing.T) {
	r := newTestRepo(t)
	r.Write(".sdd/config.yaml", "project: demo\n")
	r.Write(".sdd/explore/a.md", exploration("A", twoSections))
	r.Write(".sdd/explore/other.md", exploration("Other", goals))
	r.Commit("Ann", "create")
	r.Write(".sdd/explore/a.md", exploration("A", strings.Replace(twoSections, "thirty", "ninety", 1)+"\n## Decisions\n\n- We take WebAuthn\n"))
	r.Commit("Bob", "change")
	r.Write(".sdd/explore/other.md", exploration("Other", "- nothing of the first\n"))
	r.Commit("Ann", "other record")
	// Renamed and rewritten at once: git would lose it.
	r.Remove(".sdd/explore/a.md")
	r.Write(".sdd/explore/sub/b ü.md", exploration("A", "## Goals\n\n- Nothing is as it was before in this one\n"))
	r.Commit("Cyd", "rename")
	r.Write(".sdd/explore/sub/b ü.md", exploration("Other title", "## Goals\n\n- Nothing is as it was\n  before in this one\n"))
	r.Commit("Dan", "retitle")
	s := r.subject("explore/sub/b ü.md")
	if s.ID != "explore/other-title" {
		t.Fatal(s)
	}
	same(t, "log", logged(t, r, s, ""),
		"retitle: title: A → Other title; no change in meaning in Goals",
		"rename: renamed from .sdd/explore/a.md; +1 item, -2 in Goals; -1 item in Context; -1 item in Decisions",
		"change: 1 reworded in Goals; +1 item in Decisions",
		"create: created; +2 items in Goals; +1 item in Context")
	same(t, "log of a section", logged(t, r, s, "decisions"), "rename: -1 item in Decisions", "change: +1 item in Decisions")
	same(t, "log of a section", logged(t, r, s, "Goals"), "retitle: no change in meaning in Goals",
		"rename: +1 item, -2 in Goals", "change: 1 reworded in Goals", "create: +2 items in Goals")
	for section, want := range map[string]string{"": "rename", "decisions": "change"} {
		if l, err := LogOf(t.Context(), r.store(), s, section, 2); err != nil || len(l.Commits) != 2 || l.Commits[1].Subject != want {
			t.Errorf("the latest two of %q: %v, %v", section, l.Commits, err)
		}
	}
	if _, err := LogOf(t.Context(), r.store(), s, "Nothing", 0); !fault.Is(err, fault.NotFound) {
		t.Errorf("a section that never was: %v", err)
	}

	// Not committed: renamed by hand and changed.
	r.Remove(".sdd/explore/sub/b ü.md")
	r.Write(".sdd/explore/c.md", exploration("Other title", "## Goals\n\n- Nothing is as it was\n  before in this one\n- By hand\n"))
	if got := logged(t, r, r.subject("explore/c.md"), ""); len(got) != 5 || got[0] != "(hand  ): renamed from .sdd/explore/sub/b ü.md; +1 item in Goals" {
		t.Errorf("%q", got)
	}
}

// TestLogOfGone follows a record that was deleted and made again, and one that is gone.
func TestLogOfGone(t *testing.T) {
	r := newTestRepo(t)
	r.Write(".sdd/config.yaml", "project: demo\n")
	r.Write(".sdd/explore/a.md", exploration("A", goals))
	r.Commit("Ann", "create")
	r.Remove(".sdd/explore/a.md")
	r.Commit("Ann", "delete")
	r.Write(".sdd/explore/a.md", exploration("A", "New.\n"))
	r.Commit("Ann", "again")
	same(t, "made again", logged(t, r, r.subject("explore/a.md"), ""),
		"again: created; +1 item in the text before the first section", "delete: removed", "create: created; +3 items in Goals")
	r.Remove(".sdd/explore/a.md")
	for _, committed := range []bool{false, true} {
		if committed {
			r.Commit("Ann", "delete again")
		}
		for _, name := range []string{"explore/a", "A", ".sdd/explore/a.md"} {
			s, err := FindGone(t.Context(), r.store(), name)
			if err != nil || s != (Subject{ID: "explore/a", Path: "explore/a.md", Gone: true}) {
				t.Errorf("FindGone(%s) = %+v, %v", name, s, err)
				continue
			}
			got := logged(t, r, s, "")
			first := "(hand  ): removed"
			if committed {
				first = "delete again: removed"
			}
			if len(got) != 4 || got[0] != first {
				t.Errorf("committed: %t: %q", committed, got)
			}
		}
	}
	if _, err := FindGone(t.Context(), r.store(), "explore"); !fault.Is(err, fault.NotFound) {
		t.Errorf("a folder is no record: %v", err)
	}
}

// TestLogAcrossBranches renames a record on one branch and changes it on the other.
func TestLogAcrossBranches(t *testing.T) {
	r := newTestRepo(t)
	r.Write(".sdd/config.yaml", "project: demo\n")
	r.Write(".sdd/explore/a.md", exploration("A", goals))
	r.Commit("Ann", "create")
	r.Git("checkout", "-q", "-b", "side")
	r.Write(".sdd/explore/a.md", exploration("A", goals+"- From the side branch\n"))
	r.Commit("Bob", "side")
	r.Git("checkout", "-q", "main")
	r.Git("mv", ".sdd/explore/a.md", ".sdd/explore/renamed.md")
	r.Commit("Ann", "rename")
	r.Git("-c", "user.name=Ann", "-c", "user.email=a@example.com", "merge", "-q", "-m", "merge", "side")
	same(t, "after a merge", logged(t, r, r.subject("explore/renamed.md"), ""),
		"rename: renamed from .sdd/explore/a.md", "side: +1 item in Goals", "create: created; +3 items in Goals")

	// A merge with changes of its own is listed, with only those.
	r.Git("checkout", "-q", "-b", "third")
	text := r.Read(".sdd/explore/renamed.md")
	r.Write(".sdd/explore/renamed.md", strings.Replace(text, "thirty", "forty", 1))
	r.Commit("Cyd", "third")
	r.Git("checkout", "-q", "main")
	r.Write(".sdd/explore/renamed.md", strings.Replace(text, "everywhere at once", "everywhere", 1))
	r.Commit("Ann", "main")
	r.Git("-c", "user.name=Ann", "-c", "user.email=a@example.com", "merge", "-q", "--no-commit", "-s", "ours", "third")
	merged := strings.Replace(strings.Replace(text, "thirty", "forty", 1), "everywhere at once", "everywhere", 1)
	r.Write(".sdd/explore/renamed.md", merged+"- Only in the merge\n")
	r.Commit("Ann", "merge with more")
	got := logged(t, r, r.subject("explore/renamed.md"), "")
	if len(got) != 6 || got[0] != "merge with more: +1 item in Goals" {
		t.Errorf("%q", got)
	}
}

// TestMergeDrops merges branches of which one has a record, so that the record is gone, though no other commit removed it last.
func TestMergeDrops(t *testing.T) {
	const a = ".sdd/explore/a.md"
	for _, c := range []struct {
		name         string
		before, side func(r *testRepo) // the commits on main and side until the merge
		log          []string
		recent       []string
	}{
		{"made on one branch", func(r *testRepo) {
			r.Write(a, exploration("A", goals))
			r.Commit("Ann", "create")
		}, func(*testRepo) {}, []string{"merge: removed", "create: created; +3 items in Goals"}, []string{"explore/side added", "explore/other added"}},
		{"made on one branch, with another record", func(r *testRepo) {
			r.Write(a, exploration("A", goals))
			r.Write(".sdd/explore/b.md", exploration("B", "Only on main.\n"))
			r.Commit("Ann", "create")
		}, func(*testRepo) {}, []string{"merge: removed", "create: created; +3 items in Goals"},
			[]string{"explore/b added", "explore/side added", "explore/other added"}},
		{"removed on one branch, changed on the other", func(r *testRepo) {
			r.Write(a, exploration("A", goals+"- More\n"))
			r.Commit("Ann", "change")
		}, func(r *testRepo) {
			r.Remove(a)
			r.Commit("Bob", "remove")
		}, []string{"merge: removed", "change: +1 item in Goals", "remove: removed", "create: created; +3 items in Goals"},
			[]string{"explore/side added", "explore/a removed", "explore/other added"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := newTestRepo(t)
			r.Write(".sdd/config.yaml", "project: demo\n")
			r.Write(".sdd/explore/other.md", exploration("Other", twoSections))
			if len(c.log) == 4 {
				r.Write(a, exploration("A", goals))
			}
			r.Commit("Ann", "create")
			r.Git("checkout", "-q", "-b", "side")
			c.side(r)
			r.Write(".sdd/explore/side.md", exploration("Side", "Only on the side.\n"))
			r.Commit("Bob", "side")
			r.Git("checkout", "-q", "main")
			c.before(r)
			r.Git("-c", "user.name=Ann", "-c", "user.email=a@example.com", "merge", "-q", "--no-commit", "-s", "ours", "side")
			r.Git("checkout", "side", "--", ".sdd/explore/side.md")
			r.Remove(a)
			r.Commit("Ann", "merge")
			s, err := FindGone(t.Context(), r.store(), "explore/a")
			if err != nil || s != (Subject{ID: "explore/a", Path: "explore/a.md", Gone: true}) {
				t.Fatalf("%+v, %v", s, err)
			}
			same(t, "log", logged(t, r, s, ""), c.log...)
			news, _, err := Recent(t.Context(), r.store(), 9)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, n := range news {
				got = append(got, n.ID+" "+string(n.Status))
			}
			same(t, "recent", got, c.recent...)
			r.Git("checkout", "-q", "-b", "third", "HEAD~1")
			r.Commit("Cyd", "nothing")
			r.Git("checkout", "-q", "main")
			r.Git("-c", "user.name=Ann", "-c", "user.email=a@example.com", "merge", "-q", "--no-commit", "-s", "ours", "third")
			r.Commit("Ann", "a branch that has it still")
			same(t, "log after another merge", logged(t, r, s, ""), c.log...)
		})
	}
}

func TestShowAt(t *testing.T) {
	r := newTestRepo(t)
	r.Write(".sdd/config.yaml", "project: demo\n")
	first := r.Commit("Ann", "before")
	r.Write(".sdd/explore/a.md", exploration("A", goals))
	r.Write(".sdd/explore/other.md", exploration("Other", "o\n"))
	r.Commit("Ann", "create")
	r.Git("tag", "v1")
	r.Git("mv", ".sdd/explore/a.md", ".sdd/explore/b.md")
	r.Commit("Ann", "rename")
	r.Write(".sdd/explore/b.md", exploration("B", goals))
	second := r.Commit("Ann", "retitle")
	r.Remove(".sdd/explore/other.md")
	r.Git("mv", ".sdd/explore/b.md", ".sdd/explore/c.md")
	r.Write(".sdd/explore/c.md", exploration("C", goals))
	r.Commit("Ann", "again")
	s := r.subject("explore/c.md")
	for _, test := range []struct {
		name  string
		known *Subject
		rev   string
		want  string // title and file
		code  fault.Code
	}{
		{"C", &s, "HEAD", "C explore/c.md", ""},
		{"C", &s, second[:8], "B explore/b.md", ""},
		{"C", &s, "v1", "A explore/a.md", ""},
		{"C", &s, first, "", fault.NotFound},
		{"C", &s, "nothing", "", fault.NotFound},
		{"C", &s, "", "", fault.Invalid},
		{"explore/other", nil, "v1", "Other explore/other.md", ""},
		{".sdd/explore/other.md", nil, second, "Other explore/other.md", ""},
		{"explore/a", nil, "v1", "A explore/a.md", ""},
		{"explore/other", nil, "HEAD", "", fault.NotFound},
	} {
		rec, src, commit, err := At(t.Context(), r.store(), test.name, test.known, test.rev)
		if test.code != "" {
			if !fault.Is(err, test.code) {
				t.Errorf("%s at %s: %v", test.name, test.rev, err)
			}
			continue
		}
		if got := rec.Title + " " + rec.File; err != nil || got != test.want || len(src) == 0 || len(commit) != 40 {
			t.Errorf("%s at %s: %s, %v", test.name, test.rev, got, err)
		}
	}
}

// blamedLines renders why: who wrote what.
func blamedLines(t *testing.T, r *testRepo, s Subject, section string) []string {
	t.Helper()
	w, err := WhyOf(t.Context(), r.store(), s, section)
	if err != nil {
		t.Fatal(err)
	}
	got := []string{}
	for _, i := range w.Items {
		who := i.Author + " " + i.Origin.Subject
		if i.By != "commit" {
			who = strings.TrimSpace(i.By + " " + i.Tool + " " + i.Session)
		} else if len(i.Commit) != 40 || i.Date == "" {
			t.Errorf("incomplete: %+v", i)
		}
		for _, a := range i.Also {
			who += ", " + a.Author
		}
		got = append(got, fmt.Sprintf("%d %s: %s", i.Line, i.Text[:min(len(i.Text), 24)], who))
	}
	return got
}

func TestWhy(t *testing.T) {
	r := newTestRepo(t)
	r.Write(".sdd/config.yaml", "project: demo\n")
	r.Write(".sdd/explore/a.md", exploration("A", twoSections))
	r.Commit("Ann", "create")
	r.Write(".sdd/explore/a.md", exploration("A", strings.Replace(twoSections, "- Keep", "- A new goal of Bob's\n- Keep", 1)))
	r.Commit("Bob", "add")
	// Wrapped anew, with other list marks, and moved: the authors stay.
	wrapped := "## Goals\n\n* Keep sessions for\n  thirty days\n* A new goal of\n  Bob's\n* Log in with a\n  passkey that syncs\n\n## Context\n\nThe old login was a\nform with a password, and\nnobody could remember it.\n"
	r.Write(".sdd/explore/a.md", exploration("A", wrapped))
	r.Commit("Cyd", "wrap")
	s := r.subject("explore/a.md")
	want := []string{"11 Keep sessions for thirty: Ann create", "13 A new goal of Bob's: Bob add", "15 Log in with a passkey th: Ann create",
		"20 The old login was a form: Ann create"}
	same(t, "wrapped", blamedLines(t, r, s, ""), want...)

	// Renamed, and Dan changes one line of a paragraph.
	r.Git("mv", ".sdd/explore/a.md", ".sdd/explore/ü b.md")
	r.Write(".sdd/explore/ü b.md", exploration("A", strings.Replace(wrapped, "nobody could remember it", "all had forgotten it long ago", 1)))
	r.Commit("Dan", "rename")
	s = r.subject("explore/ü b.md")
	want[3] = "20 The old login was a form: Ann create, Dan"
	same(t, "renamed", blamedLines(t, r, s, ""), want...)
	same(t, "a section", blamedLines(t, r, s, "goals"), want[:3]...)
	if _, err := WhyOf(t.Context(), r.store(), s, "Unknowns"); !fault.Is(err, fault.NotFound) {
		t.Errorf("a section that is not there: %v", err)
	}

	// Not committed: renamed by hand, wrapped back, one item new.
	r.Remove(".sdd/explore/ü b.md")
	r.Write(".sdd/explore/c.md", exploration("A", "## Goals\n\n- A new goal of Bob's\n- By hand\n- Keep sessions for thirty days\n"))
	same(t, "on disk", blamedLines(t, r, r.subject("explore/c.md"), ""),
		"11 A new goal of Bob's: Bob add", "12 By hand: hand", "13 Keep sessions for thirty: Ann create")

	// Never committed at all.
	r.Write(".sdd/explore/new.md", exploration("New", "## Goals\n\n- One\n\n### Deeper\n\n```\ncode\n```\n\n---\n\n| a | b |\n|---|---|\n| 1 | 2 |\n"))
	same(t, "new", blamedLines(t, r, r.subject("explore/new.md"), ""), "11 One: hand", "15 ```\ncode\n```: hand", "21 | a | b |\n|---|---|\n| 1 : hand")
}

// save saves a section as a tool does.
func (r *testRepo) save(path, session, before, after string) {
	r.T.Helper()
	st, err := store.Open(store.Options{Dir: r.Dir, Tool: "agent", Session: session, Now: func() time.Time { r.Now = r.Now.Add(time.Minute); return r.Now }})
	if err != nil {
		r.T.Fatal(err)
	}
	defer st.Close()
	_, err = st.Save(r.T.Context(), store.Edit{
		Record: "explore/a", Resolve: func() (string, error) { return path, nil },
		Apply: func(now []byte, _ bool) ([]byte, error) {
			if before == "" {
				return []byte(exploration("A", "## Goals\n\n"+after+"\n")), nil
			}
			return []byte(strings.Replace(string(now), before, after, 1)), nil
		},
	})
	if err != nil {
		r.T.Fatal(err)
	}
}

// TestUncommittedSaves checks that the journal is asked for what no commit has, and only for that.
func TestUncommittedSaves(t *testing.T) {
	r := newTestRepo(t)
	r.Write(".sdd/config.yaml", "project: demo\n")
	r.Write(".sdd/.gitignore", "/.local/\n")
	const path = "explore/a.md"
	r.save(path, "s1", "", "- One of the goals")
	s := r.subject(path)
	same(t, "a new record", logged(t, r, s, ""), "(tool agent s1): +1 item in Goals")
	same(t, "why of a new record", blamedLines(t, r, s, ""), "11 One of the goals: tool agent s1")
	r.Commit("Ann", "commit")
	same(t, "committed", logged(t, r, s, ""), "commit: created; +1 item in Goals")
	r.save(path, "s2", "- One of the goals", "- One of the goals\n- Two of them")
	r.save(path, "s3", "- One of the goals\n- Two of them", "- One of the goals\n- Two of them\n- Three of them")
	r.Write(".sdd/"+path, r.Read(".sdd/"+path)+"- And this by hand\n")
	committed := "commit: created; +1 item in Goals"
	same(t, "two saves and a hand", logged(t, r, s, ""), "(hand  ): +1 item in Goals", "(tool agent s3): +1 item in Goals", "(tool agent s2): +1 item in Goals", committed)
	same(t, "why", blamedLines(t, r, s, ""), "11 One of the goals: Ann commit", "12 Two of them: tool agent s2", "13 Three of them: tool agent s3", "14 And this by hand: hand")

	// On another branch the same journal has nothing to say of this record.
	r.Git("checkout", "-q", "-b", "side")
	r.Commit("Bob", "side")
	r.Git("checkout", "-q", "main")
	same(t, "on the other branch", logged(t, r, s, ""), committed)
	r.Write(".sdd/"+path, r.Read(".sdd/"+path)+"- By hand here\n")
	same(t, "by hand on the other branch", logged(t, r, s, ""), "(hand  ): +1 item in Goals", committed)
	same(t, "why on the other branch", blamedLines(t, r, s, ""), "11 One of the goals: Ann commit", "12 By hand here: hand")
}

// TestPersonal checks that records which git ignores have the history of the journal.
func TestPersonal(t *testing.T) {
	r := newTestRepo(t)
	r.Write(".sdd/config.yaml", "project: demo\n")
	r.Write(".sdd/.gitignore", "/.local/\n/personal/\n")
	r.Write(".sdd/personal/explore/p.md", exploration("P", "## Goals\n\n- Mine\n"))
	r.Commit("Ann", "commit")
	s := r.subject("personal/explore/p.md")
	same(t, "log", logged(t, r, s, ""), "(hand  ): created; +1 item in Goals")
	same(t, "why", blamedLines(t, r, s, ""), "11 Mine: hand")
}

func TestHistoryOfShallowClone(t *testing.T) {
	r := newTestRepo(t)
	r.Write(".sdd/explore/a.md", exploration("A", goals))
	r.Commit("Ann", "create")
	r.Write(".sdd/explore/a.md", exploration("A", goals+"- More\n"))
	r.Commit("Bob", "change")
	clone := r.at(filepath.Join(filepath.Dir(r.Dir), "shallow"))
	r.Git("clone", "-q", "--depth=1", "file://"+r.Dir, clone.Dir)
	l, err := LogOf(t.Context(), clone.store(), clone.subject("explore/a.md"), "", 0)
	if err != nil || !l.Shallow || len(l.Commits) != 1 {
		t.Errorf("%+v, %v", l, err)
	}
	w, err := WhyOf(t.Context(), clone.store(), clone.subject("explore/a.md"), "")
	if err != nil || !w.Shallow || len(w.Items) != 4 || w.Items[3].Author != "Bob" {
		t.Errorf("%+v, %v", w, err)
	}
}

// TestHistoryInWorktree works in a linked work tree, with CRLF on disk.
func TestHistoryInWorktree(t *testing.T) {
	r := newTestRepo(t)
	r.Write(".sdd/explore/a.md", exploration("A", goals))
	r.Commit("Ann", "create")
	r.Git("config", "core.autocrlf", "true")
	linked := r.at(filepath.Join(filepath.Dir(r.Dir), "linked"))
	r.Git("worktree", "add", "-q", linked.Dir)
	text := linked.Read(".sdd/explore/a.md")
	if !strings.Contains(text, "\r\n") {
		t.Fatal("no CRLF")
	}
	s := linked.subject("explore/a.md")
	same(t, "log", logged(t, linked, s, ""), "create: created; +3 items in Goals")
	linked.Write(".sdd/explore/a.md", text+"- By hand\r\n")
	same(t, "why", blamedLines(t, linked, s, ""), "11 Log in with a passkey th: Ann create", "12 Keep sessions for thirty: Ann create",
		"13 Sign out everywhere at o: Ann create", "14 By hand: hand")
}

// longHistory has a record that each of n commits changes, among others.
func longHistory(b *testing.B, n int) *testRepo {
	r := newTestRepo(b)
	var in strings.Builder
	for i := range n {
		text := manyItems("A", i)
		date := 1767300000 + i*3600
		fmt.Fprintf(&in, "commit refs/heads/main\nauthor Ann <a@example.com> %d +0000\ncommitter Ann <a@example.com> %d +0000\ndata 6\nchange\n", date, date)
		fmt.Fprintf(&in, "M 644 inline .sdd/explore/a.md\ndata %d\n%s\nM 644 inline src/f%d.txt\ndata 2\nx\n\n", len(text), text, i%50)
	}
	in.WriteString("done\n")
	file := filepath.Join(b.TempDir(), "import")
	if err := os.WriteFile(file, []byte(in.String()), 0o644); err != nil {
		b.Fatal(err)
	}
	if err := fastImport(r.Dir, file); err != nil {
		b.Fatal(err)
	}
	r.Git("reset", "-q", "--hard")
	return r
}

func BenchmarkLog(b *testing.B) {
	r := longHistory(b, 2000)
	st, s := r.store(), r.subject("explore/a.md")
	for b.Loop() {
		l, err := LogOf(b.Context(), st, s, "", 0)
		if err != nil || len(l.Commits) != 2000 {
			b.Fatal(len(l.Commits), err)
		}
	}
}

func BenchmarkWhy(b *testing.B) {
	r := longHistory(b, 2000)
	st, s := r.store(), r.subject("explore/a.md")
	for b.Loop() {
		if _, err := WhyOf(b.Context(), st, s, ""); err != nil {
			b.Fatal(err)
		}
	}
}
