package anchor

import (
	"context"
	"strings"
	"testing"

	"sdd/internal/frontmatter"
	"sdd/internal/markdown"
	"sdd/internal/record"
)

func TestAffirm(t *testing.T) {
	r := newRepo(t)
	r.write("auth.go", signer)
	r.commit("first")
	p, err := PinAll(r.dir, []string{"auth.go#Sign", "gone.go", "auth.go:6-7", "auth.go#Sign"})
	if err != nil || len(p.Refs) != 3 || len(p.Seen) != 2 || len(p.Warnings) != 1 {
		t.Fatalf("%+v, %v", p, err)
	}
	src := "---\ntitle: A\ncode_ref: auth.go#Sign\nseen:\n  - 0123456789ab\n  - " + p.Seen[0] + "\n---\n\nSee `auth.go#Verify` and `auth.go#Sign`.\n"
	affirm := func(d *record.Doc, moved bool) (*record.Doc, int) {
		tree := r.tree()
		verdicts := tree.Judge(context.Background(), OfDoc(d))
		after, done, err := tree.Affirm(record.Fact, d, verdicts, moved)
		if err != nil {
			t.Fatal(err)
		}
		return after, len(done)
	}
	d, n := affirm(record.Open([]byte(src)), false)
	if n != 1 || !strings.Contains(string(d.Src), "- 0123456789ab\n") || !strings.Contains(string(d.Src), "auth.go#Verify symbol:") {
		t.Errorf("%d affirmed:\n%s", n, d.Src)
	}
	if again, n := affirm(d, false); n != 0 || string(again.Src) != string(d.Src) {
		t.Errorf("affirming again changed %d:\n%s", n, again.Src)
	}
	r.write("auth.go", strings.ReplaceAll(signer, "Verify", "Check"))
	if same, n := affirm(record.Open([]byte(src)), true); n != 0 {
		t.Errorf("nothing had a fingerprint and moved:\n%s", same.Src)
	}
	moved, n := affirm(d, true)
	if n != 1 || !strings.Contains(string(moved.Src), "See `auth.go#Check` and `auth.go#Sign`") || strings.Contains(string(moved.Src), "#Verify") {
		t.Errorf("%d moved:\n%s", n, moved.Src)
	}
}

// TestPinWithoutCode: lines of comments get a warning instead of the fingerprint of nothing, and affirming them changes nothing.
func TestPinWithoutCode(t *testing.T) {
	r := newRepo(t)
	r.write("a.py", "# one\n# two\nx = 1\n")
	p, err := PinAll(r.dir, []string{"a.py#L1-L2", "a.py#L3"})
	if err != nil || len(p.Refs) != 2 || len(p.Seen) != 1 || len(p.Warnings) != 1 || !strings.Contains(p.Warnings[0], "no code") {
		t.Fatalf("%+v, %v", p, err)
	}
	d, tree := record.Open([]byte("---\ncode_ref: a.py#L1-L2\n---\n\nText.\n")), r.tree()
	if _, done, err := tree.Affirm(record.Fact, d, tree.Judge(t.Context(), OfDoc(d)), false); err != nil || len(done) > 0 {
		t.Errorf("affirmed %+v, %v", done, err)
	}
}

// FuzzRef holds that what String writes reads as the same place.
// A place that is no file of the project is refused in every spelling.
func TestRefused(t *testing.T) {
	for text, why := range map[string]string{
		"": "names no file", "x/:3": "names no file", "x/#L3": "names no file", "/": "names no file",
		"/etc/x": "one machine", "0:": "one machine", `.\.\0:`: "one machine", "./~/x": "one machine", "./~x:3": "one machine",
		"../x": "leads out", "a/../../x": "leads out", "../x:3": "leads out", "..:3": "leads out",
	} {
		if r, err := ParseRef(text); err == nil || !strings.Contains(err.Error(), why) {
			t.Errorf("%q is %+v, %v", text, r, err)
		}
	}
}

func FuzzRef(f *testing.F) {
	for _, s := range []string{"a.go", "a.go#L1", "a.go#L2-L9", "a.go:3-4", "a/b.md#How it works", "a.go#T.M()", "a.cc#X.operator()", `a\b.go#X`, "x:1", "a#b#c", `.\.\0:`, "a:3/.", "a:3#()", "x/:3", "x/.:3"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		r, err := ParseRef(text)
		if err != nil {
			return
		}
		if again, err := ParseRef(r.String()); err != nil || again != r {
			t.Errorf("%q is %+v, its form %q is %+v (%v)", text, r, r, again, err)
		}
		s := Seen{ByLines, 3, "0123456789ab"}
		if place, got, ok := parseSeen(Entry(r, s)); !ok || place != r.String() || got != s {
			t.Errorf("%q reads as %q, %v", Entry(r, s), place, got)
		}
	})
}

// TestMergedBranches: what two branches affirm counts in the merge.
func TestMergedBranches(t *testing.T) {
	r := newRepo(t)
	r.write("auth.go", signer)
	r.commit("first")
	base := "---\nid: fact-0123456789ab\nstatus: active\n---\n\nSee `auth.go#Verify` and `auth.go#Sign`.\n"
	side := func(place string) []byte {
		p, err := PinAll(r.dir, []string{place})
		if err != nil {
			t.Fatal(err)
		}
		d := record.Open([]byte(base))
		f, _ := d.Front()
		u, err := d.Edit(record.Fact, p.Sets(f), nil)
		if err != nil {
			t.Fatal(err)
		}
		u2, err := u.Doc.Edit(record.Fact, []frontmatter.Set{{Key: RefKey}}, nil)
		if err != nil {
			t.Fatal(err)
		}
		return u2.Doc.Src
	}
	m := record.Merge(record.Fact, []byte(base), side("auth.go#Sign"), side("auth.go#Verify"), markdown.MergeLabels{})
	if len(m.Conflicts) > 0 || strings.Count(string(m.Out), " symbol:") != 2 {
		t.Errorf("%v:\n%s", m.Conflicts, m.Out)
	}
}
