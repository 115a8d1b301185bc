package fact

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"sdd/internal/record"
)

func TestState(t *testing.T) {
	now := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	ago := func(days float64) string {
		return record.Stamp(now.Add(-time.Duration(days * 24 * float64(time.Hour))))
	}
	for _, c := range []struct{ head, want string }{
		{"level: 0\ncreated: 2001-01-01", active},
		{"level: 1\ncreated: " + ago(29.9), active},
		{"level: 1\ncreated: " + ago(30), stale},
		{"level: 2\ncreated: " + ago(6.9), active},
		{"level: 2\ncreated: " + ago(7), stale},
		{"level: 3\ncreated: " + ago(2.9), active},
		{"level: 3\ncreated: " + ago(3), stale},
		{"level: 3\ncreated: " + ago(100) + "\nrefreshed: " + ago(1), active},
		{"level: 3\ncreated: " + ago(1) + "\nrefreshed: " + ago(4), stale}, // refreshed counts, whichever is later
		{"level: 3\nvalid_from: " + ago(4), stale},
		{"level: 3\nvalid_from: " + ago(4) + "\ncreated: " + ago(1), active},
		{"level: 3\ncreated: 2026-11-17", stale},
		{"level: 3", active}, // its age is unknown
		{"level: 3\nttl: {days: 10}\ncreated: " + ago(9), active},
		{"level: 0\nttl: {days: 10}\ncreated: " + ago(10), stale},
		{"level: 0\nttl: {days: 0.5}\ncreated: " + ago(0.6), stale},
		{"level: 3\nttl: {refresh_on: 'x'}\ncreated: " + ago(100), active}, // a ttl without days has no age
		{"level: 3\nttl: {days: ten}\ncreated: " + ago(100), active},
		{"level: 0\nvalid_until: " + ago(0.1), stale},
		{"level: 0\nvalid_until: " + ago(-1), active},
		{"level: 0\nvalid_from: " + ago(-1), stale},
		{"level: 3\ncreated: " + ago(-400), active}, // a clock that jumped
		{"level: 3\nstatus: archived\ncreated: " + ago(100), archived},
		{"level: 3\nstatus: superseded\ncreated: " + ago(100), superseded},
		{"level: 0\nstatus: stale", stale},
		{"level: 3\ncreated: " + ago(100) + "\ncode_ref: a.go#F\nseen: a.go#F symbol:9:0123456789ab", active}, // it ages with the code
		{"level: 2\ncreated: " + ago(100) + "\ncode_ref: a.go\nseen: [0123456789ab, 'a.go file:9:0123456789ab']", active},
		{"level: 3\ncreated: " + ago(100) + "\ncode_ref: a.go#F", stale}, // the place was not there
		{"level: 3\ncreated: " + ago(100) + "\ncode_ref: a.go#F\nseen: 0123456789ab", stale},
		{"level: 3\nttl: {days: 10}\ncreated: " + ago(11) + "\ncode_ref: a.go#F\nseen: a.go#F symbol:9:0123456789ab", stale},
		{"level: 1\ncreated: " + ago(100) + "\nparent: discovery:domain:x\nid: " + idOf("Text"), active},  // discovery looks itself
		{"level: 1\ncreated: " + ago(100) + "\nparent: discovery:domain:x\nid: fact-0123456789ab", stale}, // edited by hand: it ages
	} {
		f := parse("facts/x.md", []byte("---\n"+c.head+"\n---\n\nText\n"))
		f.judge(now.Unix(), false)
		if f.State != c.want || f.State != f.Status && f.Why == "" || f.State == f.Status && f.Why != "" {
			t.Errorf("%s: %s (%s), want %s", strings.ReplaceAll(c.head, "\n", ", "), f.State, f.Why, c.want)
		}
		if next := f.turns(now.Unix()); next > 0 { // nothing changes before, and something does then
			was := f.State
			f.judge(next-1, false)
			before := f.State
			f.judge(next, false)
			if before != was || f.State == was {
				t.Errorf("%s: turns at %d from %s to %s to %s", c.head, next, was, before, f.State)
			}
		}
	}
}

// TestAsOfNow lists facts while time goes by: each answer is that of its moment, and no file changes.
func TestAsOfNow(t *testing.T) {
	f := newFixture(t)
	var ids []string
	for level := range 4 {
		ids = append(ids, f.add(Input{Content: fmt.Sprint("Level ", level), Level: level}).ID)
	}
	var before []string
	for _, name := range f.files() {
		before = append(before, f.read(name))
	}
	start := f.now
	for _, c := range []struct {
		days  int
		stale int
	}{{2, 0}, {3, 1}, {6, 1}, {7, 2}, {29, 2}, {30, 3}, {3000, 3}, {5, 1}, {-400, 0}} {
		f.now = start.AddDate(0, 0, c.days)
		n := 0
		for _, id := range ids {
			if f.get(id).State == stale {
				n++
			}
		}
		if n != c.stale {
			t.Errorf("after %d days %d are stale, want %d", c.days, n, c.stale)
		}
	}
	for i, name := range f.files() {
		if f.read(name) != before[i] {
			t.Errorf("%s was written to", name)
		}
	}
}

func TestGlob(t *testing.T) {
	for _, c := range []struct {
		glob, yes, no string
	}{
		{"api/**", "api/a.go api/b/c.go", "api2/a.go x/api/a.go"},
		{"go.mod", "go.mod sub/go.mod", "go.mod.bak"},
		{"/go.mod", "go.mod", "sub/go.mod"},
		{"*.proto", "a.proto x/y/b.proto", "a.protox"},
		{"internal/*/auth", "internal/x/auth/jwt.go internal/y/auth", "internal/auth/a internal/x/y/auth/a"},
		{"api", "api/a.go x/api/b api", "apis/a"},
		{"api/", "api/a.go", "apis/a.go"},
		{"src/**/test/*.go", "src/test/a.go src/a/b/test/c.go", "src/a.go test/a.go"},
		{"a/b , c/*.md", "a/b a/b/c c/x.md", "a/c c/d/x.md"},
		{"**", "a a/b", ""},
		{"docs/[ab]?.md", "docs/a1.md docs/b2.md", "docs/c1.md docs/a.md"},
		{"données/**", "données/é.txt", "donnees/x"},
	} {
		g, err := compileGlob(c.glob)
		if err != nil {
			t.Errorf("%s: %v", c.glob, err)
			continue
		}
		for _, p := range strings.Fields(c.yes) {
			if !g.match(p) {
				t.Errorf("%s does not match %s", c.glob, p)
			}
		}
		for _, p := range strings.Fields(c.no) {
			if g.match(p) {
				t.Errorf("%s matches %s", c.glob, p)
			}
		}
	}
	for _, bad := range []string{"", " ", ",", "a,,b", "a//b", "../a", "a/../b", "./a", "[", "a/[b"} {
		if _, err := compileGlob(bad); err == nil {
			t.Errorf("%q is taken", bad)
		}
	}
}

// TestGlobTakesItsTime matches what takes for ever when every way is tried.
func TestGlobTakesItsTime(t *testing.T) {
	g, err := compileGlob(strings.Repeat("**/a/", 60) + "b")
	if err != nil || g.match(strings.Repeat("a/", 300)+"c") || !g.match(strings.Repeat("a/", 300)+"b") {
		t.Error(err)
	}
}

// FuzzGlob: what a pattern matches lies in the folders that are looked at for it.
func FuzzGlob(f *testing.F) {
	f.Add("api/**", "api/x/y")
	f.Add("a*/b?,c", "ab/bc/d")
	f.Add("**/x/**/y", "x/y")
	f.Fuzz(func(t *testing.T, pattern, path string) {
		g, err := compileGlob(pattern)
		if err != nil || len(pattern) > 200 || len(path) > 200 || !g.match(path) {
			return
		}
		for _, folder := range g.folders() {
			if folder == "." || path == folder || strings.HasPrefix(path, folder+"/") {
				return
			}
		}
		t.Errorf("%q matches %q, which lies in none of %v", pattern, path, g.folders())
	})
}
