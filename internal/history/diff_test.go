package history

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"sdd/internal/check/checktest"
	"sdd/internal/fault"
)

const goals = "## Goals\n\n- Log in with a passkey that syncs\n- Keep sessions for thirty days\n- Sign out everywhere at once\n"

// TestDiffRows compares one commit with the files on disk.
func TestDiffRows(t *testing.T) {
	long := "## Context\n\nA paragraph that is long enough to be wrapped in another place by an editor that likes to do so.\n"
	for _, test := range []struct {
		name     string
		old, now map[string]string
		want     string
	}{
		{"nothing", map[string]string{"explore/a.md": exploration("A", goals)}, map[string]string{"explore/a.md": exploration("A", goals)}, ""},
		{"items", map[string]string{"explore/a.md": exploration("A", goals)},
			map[string]string{"explore/a.md": exploration("A", "## Goals\n\n- Keep sessions for ninety days\n- Log in with a passkey that syncs\n- Something new\n")},
			"explore/a explore/a.md: changed\n  Goals\n    - Keep sessions for thirty days\n    + Keep sessions for ninety days\n" +
				"    - Sign out everywhere at once\n    ! moved: Log in with a passkey that syncs\n    + Something new\n"},
		{"reflow", map[string]string{"explore/a.md": exploration("A", long)},
			map[string]string{"explore/a.md": exploration("A", strings.ReplaceAll(long, "wrapped in", "wrapped\nin"))},
			"explore/a explore/a.md: no change in meaning\n  Context\n      no change in meaning\n"},
		{"crlf", map[string]string{"explore/a.md": exploration("A", goals)},
			map[string]string{"explore/a.md": strings.ReplaceAll(exploration("A", goals), "\n", "\r\n")},
			"explore/a explore/a.md: no change in meaning\n  before the first section\n      no change in meaning\n  Goals\n      no change in meaning\n"},
		{"revision alone", map[string]string{"explore/a.md": exploration("A", goals)},
			map[string]string{"explore/a.md": strings.ReplaceAll(exploration("A", goals), "revision: 1", "revision: 2")},
			"explore/a explore/a.md: no change in meaning\n  front matter\n    - revision: 1\n    + revision: 2\n"},
		{"comment in front matter", map[string]string{"explore/a.md": exploration("A", goals)},
			map[string]string{"explore/a.md": strings.ReplaceAll(exploration("A", goals), "title: A", "title: \"A\" # quoted")},
			"explore/a explore/a.md: no change in meaning\n"},
		{"added and removed", map[string]string{"explore/a.md": exploration("A", goals)},
			map[string]string{"facts/x.md": "---\nid: fact-0123456789ab\nlevel: 2\n---\n\nThe cache is warm.\n"},
			"explore/a explore/a.md: removed\n  Goals (removed)\n" +
				"    - Log in with a passkey that syncs\n    - Keep sessions for thirty days\n    - Sign out everywhere at once\n" +
				"fact-0123456789ab facts/x.md: added\n  front matter\n    + level: 2\n  before the first section\n    + The cache is warm.\n"},
		{"renamed", map[string]string{"explore/a.md": exploration("A", goals)}, map[string]string{"explore/sub/ü b.md": exploration("A", goals)},
			"explore/a explore/sub/ü b.md: renamed from .sdd/explore/a.md\n"},
		{"renamed and changed", map[string]string{"explore/a.md": exploration("A", goals)},
			map[string]string{"explore/b.md": exploration("A", "## Goals\n\n- All other words\n")},
			"explore/a explore/b.md: renamed from .sdd/explore/a.md, changed\n  Goals\n" +
				"    - Log in with a passkey that syncs\n    - Keep sessions for thirty days\n    - Sign out everywhere at once\n    + All other words\n"},
		{"another title", map[string]string{"explore/a.md": exploration("A", goals)}, map[string]string{"explore/a.md": exploration("B", goals)},
			"explore/b explore/a.md: changed\n  front matter\n    - title: A\n    + title: B\n"},
		{"another title and name", map[string]string{"explore/a.md": exploration("A", goals)}, map[string]string{"explore/b.md": exploration("B", goals)},
			"explore/b explore/b.md: renamed from .sdd/explore/a.md, changed\n  front matter\n    - title: A\n    + title: B\n"},
		{"another title and name, short lines", map[string]string{"explore/a.md": exploration("A", "## Goals\n\n- Be quick\n- Be small\n")},
			map[string]string{"explore/b.md": exploration("B", "## Goals\n\n- Be quick\n- Be small\n")},
			"explore/b explore/b.md: renamed from .sdd/explore/a.md, changed\n  front matter\n    - title: A\n    + title: B\n"},
		{"a merge conflict", map[string]string{"explore/a.md": exploration("A", "## Goals\n\n- One side\n- Same\n")},
			map[string]string{"explore/a.md": strings.Replace(exploration("A", "## Goals\n\n<<<<<<< HEAD\n- One side\n=======\n- The other one\n>>>>>>> side\n- Same\n"),
				"revision: 1\n", "<<<<<<< HEAD\nrevision: 1\n=======\nrevision: 2\n>>>>>>> side\n", 1)},
			"explore/a explore/a.md: changed\n      a merge conflict begins in line 5: both sides are read, nothing is written until it is resolved\n" +
				"  Goals\n    + The other one\n"},
		{"another record in the file", map[string]string{"facts/x.md": "---\nid: fact-0123456789ab\n---\n\nOne.\n"},
			map[string]string{"facts/x.md": "---\nid: fact-ba9876543210\n---\n\nOne.\n"},
			"fact-0123456789ab facts/x.md: removed\n  before the first section\n    - One.\n" +
				"fact-ba9876543210 facts/x.md: added\n  before the first section\n    + One.\n"},
		{"names swapped", map[string]string{"explore/a.md": exploration("A", goals), "explore/b.md": exploration("B", long)},
			map[string]string{"explore/a.md": exploration("B", long), "explore/b.md": exploration("A", goals)},
			"explore/b explore/a.md: renamed from .sdd/explore/b.md\nexplore/a explore/b.md: renamed from .sdd/explore/a.md\n"},
		{"consequences", map[string]string{"decisions/d.md": "---\ntitle: D\nstatus: proposed\n---\n\n## Decision Outcome\n\nWe take it.\n\n### Consequences\n\n- Good one\n\n### More\n\ntext\n"},
			map[string]string{"decisions/d.md": "---\ntitle: D\nstatus: accepted\n---\n\n## Decision Outcome\n\nWe take it.\n\n### Consequences\n\n- Good one\n- Bad thing\n\n### More\n\ntext\n"},
			"decision/d decisions/d.md: changed\n  front matter\n    - status: proposed\n    + status: accepted\n  Consequences\n    + Bad thing\n"},
		{"personal and other files", map[string]string{"explore/a.md": exploration("A", goals), "config.yaml": "project: demo\n"},
			map[string]string{"explore/a.md": exploration("A", goals), "config.yaml": "project: demo\npipeline: none\n", "explore/note.txt": "x", ".gitignore": "/personal/\n",
				"personal/explore/p.md": exploration("P", goals)}, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			r := newTestRepo(t)
			r.Write(".sdd/config.yaml", "project: demo\n")
			for path, text := range test.old {
				r.Write(".sdd/"+path, text)
			}
			r.Commit("Ann", "old")
			for path := range test.old {
				r.Remove(".sdd/" + path)
			}
			for path, text := range test.now {
				r.Write(".sdd/"+path, text)
			}
			d, err := Diff(t.Context(), r.store(), Range{}, nil)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, shown(d.Records)); diff != "" {
				t.Error(diff)
			}
			// Between two commits it is the same.
			r.Commit("Ann", "now")
			between, err := Diff(t.Context(), r.store(), Range{From: "HEAD~1", To: "HEAD"}, nil)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(shown(d.Records), shown(between.Records)); diff != "" {
				t.Errorf("between commits:\n%s", diff)
			}
		})
	}
}

func TestDiffLines(t *testing.T) {
	r := newTestRepo(t)
	r.Write(".sdd/explore/a.md", exploration("A", goals))
	r.Commit("Ann", "old")
	r.Write(".sdd/explore/a.md", exploration("A", "Lead.\n\n## Goals\n\n- Log in with a passkey that syncs\n- Keep sessions for ninety days\n"))
	d, err := Diff(t.Context(), r.store(), Range{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, s := range d.Records[0].Sections {
		got = append(got, fmt.Sprintf("%q %s %d", s.Name, s.Kind, s.Line))
		for _, i := range s.Items {
			got = append(got, fmt.Sprintf("%s %d %q", i.Kind, i.Line, i.Old+"|"+i.New))
		}
	}
	want := []string{`"" changed 8`, `added 9 "|Lead."`, `"Goals" changed 11`,
		`reworded 14 "Keep sessions for thirty days|Keep sessions for ninety days"`, `removed 13 "Sign out everywhere at once|"`}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestDiffRanges(t *testing.T) {
	r := newTestRepo(t)
	r.Write(".sdd/config.yaml", "project: demo\n")
	r.Write(".sdd/explore/a.md", exploration("A", goals))
	ids := func(rg Range, only ...string) string {
		t.Helper()
		d, err := Diff(t.Context(), r.store(), rg, only)
		if err != nil {
			t.Fatal(err)
		}
		var all []string
		for _, c := range d.Records {
			all = append(all, c.ID+" "+string(c.Status))
		}
		return strings.Join(all, ", ")
	}
	if got := ids(Range{}); got != "explore/a added" {
		t.Errorf("on a branch without commits: %s", got)
	}
	r.Commit("Ann", "a")
	r.Git("branch", "side")
	r.Write(".sdd/explore/b.md", exploration("B", "bbbbbbbbbbbbbbbbbbbb\n"))
	r.Commit("Ann", "b")
	r.Git("checkout", "-q", "side")
	r.Write(".sdd/explore/c.md", exploration("C", "cccccccccccccccccccc\n"))
	r.Commit("Ann", "c")
	r.Write(".sdd/explore/d.md", exploration("D", "dddddddddddddddddddd\n"))
	for _, test := range []struct {
		rg   Range
		want string
	}{
		{Range{}, "explore/d added"},
		{Range{From: "main"}, "explore/b removed, explore/c added, explore/d added"},
		{Range{From: "main", To: "side"}, "explore/b removed, explore/c added"},
		{Range{From: "main", To: "side", Since: true}, "explore/c added"},
		{Range{From: "side", To: "main", Since: true}, "explore/b added"},
		{Range{From: "main", Since: true}, "explore/c added, explore/d added"},
		{Range{From: "HEAD", To: "HEAD"}, ""},
	} {
		if got := ids(test.rg); got != test.want {
			t.Errorf("%+v: %s, want %s", test.rg, got, test.want)
		}
	}
	for _, only := range []string{"explore/c", "C", ".sdd/explore/c.md", "explore/c.md", "./.sdd/explore/c", "c"} {
		if got := ids(Range{From: "main"}, only); got != "explore/c added" {
			t.Errorf("only %q: %s", only, got)
		}
	}
	if got := ids(Range{From: "main"}, ".sdd/explore/"); got != ids(Range{From: "main"}) {
		t.Errorf("only the folder: %s", got)
	}
	if _, err := Diff(t.Context(), r.store(), Range{From: "nothing"}, nil); !fault.Is(err, fault.NotFound) {
		t.Errorf("an unknown commit: %v", err)
	}
	r.Git("checkout", "-q", "--orphan", "alone")
	r.Commit("Ann", "alone")
	if _, err := Diff(t.Context(), r.store(), Range{From: "main", Since: true}, nil); !fault.Is(err, fault.NotFound) {
		t.Errorf("histories without a common commit: %v", err)
	}
}

// TestDiffOfCheckouts checks that what git makes of line ends on checkout is no difference.
func TestDiffOfCheckouts(t *testing.T) {
	r := newTestRepo(t)
	r.Write(".sdd/explore/a.md", exploration("A", goals))
	r.Commit("Ann", "a")
	clone := r.at(r.Dir + " clone")
	r.Git("-c", "core.autocrlf=true", "clone", "-q", "--config", "core.autocrlf=true", r.Dir, clone.Dir)
	text := clone.Read(".sdd/explore/a.md")
	if !strings.Contains(text, "\r\n") {
		t.Fatal("the clone has no CRLF")
	}
	d, err := Diff(t.Context(), clone.store(), Range{}, nil)
	if err != nil || len(d.Records) > 0 {
		t.Errorf("%v\n%s", err, shown(d.Records))
	}
	clone.Write(".sdd/explore/a.md", strings.Replace(text, "thirty", "ninety", 1))
	if d, err = Diff(t.Context(), clone.store(), Range{}, nil); err != nil {
		t.Fatal(err)
	}
	items := 0
	for _, s := range d.Records[0].Sections {
		items += len(s.Items)
	}
	if items != 1 {
		t.Errorf("one item was changed:\n%s", shown(d.Records))
	}
}

// TestDiffLeavesGitAlone checks that comparing writes nothing.
func TestDiffLeavesGitAlone(t *testing.T) {
	r := newTestRepo(t)
	r.Write(".sdd/explore/a.md", exploration("A", goals))
	r.Commit("Ann", "a")
	r.Write(".sdd/explore/a.md", exploration("A", goals+"- More\n"))
	before, err := os.Stat(r.Dir + "/.git/index")
	if err != nil {
		t.Fatal(err)
	}
	old := time.Now().Add(-time.Hour)
	if err := os.Chtimes(r.Dir+"/.sdd/explore/a.md", old, old); err != nil {
		t.Fatal(err)
	}
	if _, err := Diff(t.Context(), r.store(), Range{}, nil); err != nil {
		t.Fatal(err)
	}
	after, err := os.Stat(r.Dir + "/.git/index")
	if err != nil || !after.ModTime().Equal(before.ModTime()) {
		t.Errorf("the index was written: %v", err)
	}
	if _, err := os.Stat(r.Dir + "/.sdd/.local"); err == nil {
		t.Error("something was made in the store")
	}
}

func TestDiffWithoutGit(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("GIT_CEILING_DIRECTORIES", dir)
	r := &testRepo{&checktest.Repo{T: t, Dir: dir}}
	r.Write(".sdd/explore/a.md", exploration("A", goals))
	if _, err := Diff(t.Context(), r.store(), Range{}, nil); !fault.Is(err, fault.Unavailable) {
		t.Errorf("outside git: %v", err)
	}
}

// TestDiffOfDamage checks that a file which cannot be read in full is compared all the same.
func TestDiffOfDamage(t *testing.T) {
	r := newTestRepo(t)
	r.Write(".sdd/explore/a.md", exploration("A", goals))
	r.Write(".sdd/explore/b.md", "---\ntitle: B\nrevision: [\n---\n\n## Goals\n\n- One\n")
	r.Commit("Ann", "a")
	r.Write(".sdd/explore/a.md", "---\ntitle: A\n  bad: [\n---\n\n"+goals+"- New\n")
	r.Write(".sdd/explore/b.md", "---\ntitle: B\nrevision: 1\n---\n\n## Goals\n\n<<<<<<< ours\n- One\n=======\n- Two\n>>>>>>> theirs\n")
	d, err := Diff(t.Context(), r.store(), Range{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(d.Records) != 2 || len(d.Records[0].Problems) == 0 || len(d.Records[1].Problems) == 0 || !strings.Contains(shown(d.Records), "+ New") {
		t.Errorf("%s", shown(d.Records))
	}
	for _, c := range d.Records {
		if c.Status != Changed || !c.MeaningChanged {
			t.Errorf("%s: %s, %t", c.ID, c.Status, c.MeaningChanged)
		}
	}
}

// TestDiffForms checks the JSON's fields, that SARIF is valid, and that the same call gives the same bytes.
func TestDiffForms(t *testing.T) {
	r := newTestRepo(t)
	r.Write("apps/a shop/.sdd/explore/a.md", exploration("A", goals))
	r.Write("apps/a shop/.sdd/explore/gone.md", exploration("Gone", goals))
	r.Commit("Ann", "a")
	shop := r.at(r.Dir + "/apps/a shop")
	shop.Remove(".sdd/explore/gone.md")
	shop.Write(".sdd/explore/50% é.md", exploration("A", "## Goals\n\n- Log in with a passkey that syncs\n- New\n"))
	shop.Remove(".sdd/explore/a.md")
	shop.Write(".sdd/facts/f.md", "A fact.\n")
	var first []byte
	for range 3 {
		d, err := Diff(t.Context(), shop.store(), Range{}, nil)
		if err != nil {
			t.Fatal(err)
		}
		j, err := json.Marshal(d)
		if err != nil {
			t.Fatal(err)
		}
		all := bytes.Join([][]byte{j, d.SARIF(), []byte(d.Markdown())}, []byte("\n"))
		if first == nil {
			first = all
			doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(d.SARIF()))
			if err != nil {
				t.Fatal(err)
			}
			if err := checktest.SARIF(t).Validate(doc); err != nil {
				t.Error(err)
			}
			if !bytes.Contains(d.SARIF(), []byte(`"apps/a%20shop/.sdd/explore/50%25%20%C3%A9.md"`)) {
				t.Errorf("SARIF counts from another folder:\n%s", d.SARIF())
			}
		}
		if !bytes.Equal(first, all) {
			t.Errorf("another report:\n%s\n%s", first, all)
		}
	}
}

func BenchmarkDiff(b *testing.B) {
	r := newTestRepo(b)
	for i := range 1000 {
		r.Write(fmt.Sprintf(".sdd/explore/r%d.md", i), manyItems(fmt.Sprintf("Record %d", i), 0))
	}
	r.Commit("Ann", "old")
	r.Git("checkout", "-q", "-b", "branch")
	for i := range 100 {
		r.Write(fmt.Sprintf(".sdd/explore/r%d.md", i), manyItems(fmt.Sprintf("Record %d", i), 1))
	}
	r.Commit("Ann", "new")
	st := r.store()
	for b.Loop() {
		d, err := Diff(b.Context(), st, Range{From: "main", To: "branch"}, nil)
		if err != nil || len(d.Records) != 100 {
			b.Fatal(len(d.Records), err)
		}
	}
}

// manyItems is a record of seven sections of fourteen items; each version has other words in a few of them.
func manyItems(title string, version int) string {
	var b strings.Builder
	for s, name := range []string{"Goals", "Constraints", "Preferences", "Unknowns", "Decisions", "Context", "Other"} {
		fmt.Fprintf(&b, "## %s\n\n", name)
		for i := range 14 {
			v := 0
			if (i+s)%7 == version%7 {
				v = version
			}
			fmt.Fprintf(&b, "- Item %d of %s says in so many words what version %d of it says\n", i, name, v)
		}
		b.WriteString("\n")
	}
	return exploration(title, b.String())
}
