package history

import (
	"fmt"
	"testing"

	"sdd/internal/fault"
)

func TestRecent(t *testing.T) {
	r := newTestRepo(t)
	news := func(limit int) []string {
		t.Helper()
		all, _, err := Recent(t.Context(), r.store(), limit)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, n := range all {
			if (n.Commit == "") != (n.Date == "") || (n.Commit == "") != (n.Author == "") {
				t.Errorf("incomplete: %+v", n)
			}
			got = append(got, fmt.Sprintf("%s %s by %q in %q: %s", n.ID, n.Status, n.Author, n.Subject, n.InWords()))
		}
		return got
	}
	same(t, "nothing", news(10))
	r.Write(".sdd/config.yaml", "project: demo\n")
	r.Write(".sdd/explore/a.md", exploration("A", twoSections))
	same(t, "before the first commit", news(10), `explore/a added by "" in "": created; +2 items in Goals; +1 item in Context`)
	r.Write(".sdd/explore/b.md", exploration("B", goals))
	r.Write(".sdd/explore/c.md", exploration("C", twoSections))
	r.Write(".sdd/inbox/fact-00000000000a-x.md", "---\nid: fact-00000000000a\nkind: fact\nstatus: pending\n---\n\nNo record yet.\n")
	r.Write(".sdd/notes.txt", "no record")
	r.Commit("Ann", "create")
	r.Write("src/x.go", "package x\n")
	r.Commit("Bob", "no records")
	r.Git("mv", ".sdd/explore/c.md", ".sdd/explore/d.md")
	r.Commit("Cyd", "rename")
	r.Remove(".sdd/explore/b.md")
	r.Commit("Dan", "remove")
	same(t, "commits", news(10),
		`explore/b removed by "Dan" in "remove": removed`,
		`explore/c renamed by "Cyd" in "rename": renamed from .sdd/explore/c.md`,
		`explore/a added by "Ann" in "create": created; +2 items in Goals; +1 item in Context`)
	r.Write(".sdd/explore/d.md", exploration("C", twoSections+"\n## Decisions\n\n- We take WebAuthn\n"))
	r.Write(".sdd/explore/e.md", exploration("E", goals))
	want := []string{
		`explore/c changed by "" in "": +1 item in Decisions`,
		`explore/e added by "" in "": created; ` + news(2)[1][len(`explore/e added by "" in "": created; `):],
		`explore/b removed by "Dan" in "remove": removed`,
		`explore/a added by "Ann" in "create": created; +2 items in Goals; +1 item in Context`,
	}
	same(t, "what is not committed comes first, each record once", news(10), want...)
	for n := 1; n < 6; n++ {
		same(t, "a limit", news(n), want[:min(n, len(want))]...)
	}
}

func TestRecentOutsideGit(t *testing.T) {
	r := newTestRepo(t).at(t.TempDir())
	r.Write(".sdd/explore/a.md", exploration("A", goals))
	if _, _, err := Recent(t.Context(), r.store(), 10); !fault.Is(err, fault.Unavailable) {
		t.Error(err)
	}
	if _, err := Overlaps(t.Context(), r.store()); !fault.Is(err, fault.Unavailable) {
		t.Error(err)
	}
}

func TestOverlapsOfTheWorkTree(t *testing.T) {
	r := newTestRepo(t)
	overlaps := func() []string {
		t.Helper()
		all, err := Overlaps(t.Context(), r.store())
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, o := range all {
			got = append(got, fmt.Sprintf("%s: %s in %s, %q", o.Branch, o.Section, o.ID, o.Items))
		}
		return got
	}
	same(t, "no commit", overlaps())
	r.Write(".sdd/config.yaml", "project: demo\n")
	r.Write(".sdd/explore/a.md", exploration("A", twoSections))
	r.Commit("Ann", "base")
	r.Git("checkout", "-q", "-b", "other")
	r.Write(".sdd/explore/a.md", exploration("A", "## Goals\n\n- Log in with a passkey that syncs\n- Keep sessions for sixty days\n"))
	r.Commit("Bob", "other")
	r.Git("checkout", "-q", "main")
	r.Write("x", "x")
	r.Commit("Ann", "main goes on")
	same(t, "nothing changed here", overlaps())
	r.Write(".sdd/explore/a.md", exploration("A", "## Goals\n\n- Log in with a passkey that syncs\n- Keep sessions for ninety days\n"))
	same(t, "not committed", overlaps(), `other: Goals in explore/a, ["Keep sessions for thirty days"]`)
	r.Git("checkout", "-q", "-b", "feature")
	r.Commit("Ann", "feature")
	same(t, "on a branch", overlaps(), `other: Goals in explore/a, ["Keep sessions for thirty days"]`)
	r.Git("branch", "-m", "main", "trunk")
	same(t, "no main branch", overlaps())
}
