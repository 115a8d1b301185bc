package history

import (
	"fmt"
	"strings"
	"testing"

	"sdd/internal/anchor"
)

func TestHasWord(t *testing.T) {
	words := map[string]bool{}
	for _, p := range []string{"auth/jwt.go", "a b.md", "Straße.txt", "old"} {
		words[lastWord(p)] = true
	}
	for text, want := range map[string]bool{
		"see `auth/jwt.go#Sign`": true, "jwt.go:12": true, "the end: jwt.go.": true, "`a b.md`": true,
		"in Straße.txt": true, "the folder src/old/": true, "jwt.gox": false, "my-jwt.go": false, "older": false, "": false,
	} {
		if got := hasWord([]byte(text), words); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}

func TestFirstLines(t *testing.T) {
	for n, want := range map[int]int{0: 0, 8: 8, 9: 9, 10: 9, 500: 9} {
		if got := strings.Count(firstLines(strings.Repeat("x\n", n)), "\n"); got != want {
			t.Errorf("%d lines: %d", n, got)
		}
	}
}

// TestPullRequestCodeMoves removes a function: one that the branch moves to another file moved, one of which another file
// had a copy before is gone.
func TestPullRequestCodeMoves(t *testing.T) {
	body := "func F(a int) int {\n\tfor a > 10 {\n\t\ta = a / 3\n\t}\n\treturn a\n}\n"
	for _, c := range []struct {
		name        string
		base, head  map[string]string
		gone, moved int
	}{
		{"moved", map[string]string{"b.go": "package p\n"}, map[string]string{"b.go": "package p\n\n" + body}, 0, 1},
		{"to a new file", nil, map[string]string{"c.go": "package p\n\n" + body}, 0, 1},
		{"copied before", map[string]string{"b.go": "package q\n\n" + body}, map[string]string{"b.go": "package q\n\n" + body + "\nvar B int\n"}, 1, 0},
		{"gone", nil, nil, 1, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := newTestRepo(t)
			r.Write(".sdd/config.yaml", "project: demo\n")
			r.Write(".sdd/facts/f.md", "---\nid: fact-0123456789ab\ncode_ref: a.go#F\n---\n\nF divides.\n")
			r.Write("a.go", "package p\n\n"+body+"\nvar A int\n")
			for name, text := range c.base {
				r.Write(name, text)
			}
			r.Commit("Ann", "base")
			r.Git("checkout", "-q", "-b", "feature")
			r.Write("a.go", "package p\n\nvar A int\n")
			for name, text := range c.head {
				r.Write(name, text)
			}
			r.Commit("Bob", "feature")
			if p := reviewed(t, r, "main"); p.Code.Gone != c.gone || p.Code.Moved != c.moved {
				t.Errorf("%+v", p.Code)
			}
		})
	}
}

// TestPullRequestCodeIsBounded changes more code than a review shows.
func TestPullRequestCodeIsBounded(t *testing.T) {
	r := manyAnchors(t, 30, 1)
	p := reviewed(t, r, "main")
	if c := p.Code; c.Records != 30 || len(c.Changes) != mostCode || c.More != 10 || c.Gone != 0 {
		t.Errorf("%d records, %d shown, %d more, %d gone", c.Records, len(c.Changes), c.More, c.Gone)
	}
	if text := p.Markdown(); !strings.Contains(text, "\n- and 10 more\n") {
		t.Error(text)
	}
}

// manyAnchors is a branch that changes the first function of each file; records are about functions of every file.
func manyAnchors(t testing.TB, files, each int) *testRepo {
	r := newTestRepo(t)
	r.Write(".sdd/config.yaml", "project: demo\n")
	code := func(i, plus int) string {
		var b strings.Builder
		b.WriteString("package p\n")
		for k := range 20 {
			fmt.Fprintf(&b, "\nfunc F%d(a int) int {\n\tif a > %d {\n\t\treturn %d\n\t}\n\treturn a + %d\n}\n", k, i, k, plus)
			plus = 1
		}
		return b.String()
	}
	for i := range files {
		r.Write(fmt.Sprintf("p%d/f%d.go", i/50, i), code(i, 1))
		var places []string
		for k := range each {
			places = append(places, fmt.Sprintf("p%d/f%d.go#F%d", i/50, i, k))
		}
		p, err := anchor.PinAll(r.Dir, places)
		if err != nil || len(p.Seen) != each {
			t.Fatal(p.Warnings, err)
		}
		for k, place := range places {
			id := fmt.Sprintf("fact-%012x", i*each+k)
			r.Write(".sdd/facts/"+id+".md", fmt.Sprintf("---\nid: %s\ncode_ref: %s\nseen: %s\n---\n\nF%d adds one.\n", id, place, p.Seen[k], k))
		}
	}
	r.Commit("Ann", "base")
	r.Git("checkout", "-q", "-b", "feature")
	for i := range files {
		r.Write(fmt.Sprintf("p%d/f%d.go", i/50, i), code(i, 2))
	}
	r.Commit("Bob", "feature")
	return r
}

// BenchmarkPullRequestCode reviews a change of 500 files under 10,000 anchors.
func BenchmarkPullRequestCode(b *testing.B) {
	r := manyAnchors(b, 500, 20)
	st := r.store()
	for b.Loop() {
		p, err := PullRequestOf(b.Context(), st, "main")
		if err != nil || p.Code.Records != 500 {
			b.Fatal(p.Code.Records, err)
		}
	}
}
