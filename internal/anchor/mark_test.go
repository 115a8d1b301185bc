package anchor

import (
	"fmt"
	"runtime"
	"testing"
	"time"
)

// TestAlarmsLookAtFiftyFiles: the marks of one answer read at most fifty files, and none for records that name no code.
func TestAlarmsLookAtFiftyFiles(t *testing.T) {
	r := newRepo(t)
	var lists [][]Anchor
	for i := range 70 {
		name := fmt.Sprintf("f%d.go", i)
		r.write(name, fmt.Sprintf("package p\n\nfunc F() int { return %d }\n", i))
		a := r.pin(name + "#F")
		r.write(name, "package p\n\nfunc F() int { return -1 }\n")
		lists = append(lists, nil, []Anchor{a}, []Anchor{{Ref: Ref{Path: "missing.go"}, Mention: true}})
	}
	tree := r.tree()
	verdicts := tree.Alarms(t.Context(), lists)
	for i, v := range verdicts {
		if want := i%3 == 1 && i/3 < mostMarked; (v != nil) != want {
			t.Errorf("list %d: %+v", i, v)
		}
	}
	if n := len(tree.files); n > mostMarked {
		t.Errorf("%d files were read", n)
	}
	bare := r.tree()
	bare.Alarms(t.Context(), [][]Anchor{nil, {{Ref: Ref{Path: "f1.go"}, Mention: true}}})
	if len(bare.files) > 0 {
		t.Errorf("%d files were read for records that can have no alarm", len(bare.files))
	}
}

// TestCausesAreKept: one look at the history for each place and checked-out commit.
func TestCausesAreKept(t *testing.T) {
	r := newRepo(t)
	r.write("auth.go", signer)
	a := r.pin("auth.go#Sign")
	r.commit("Begin")
	change := func(result string) {
		r.write("auth.go", "package auth\n\nfunc Sign(key []byte, text string) []byte {\n\treturn "+result+"\n}\n")
	}
	change("nil")
	tree := r.tree()
	tree.Patience = time.Minute
	mark := func() string {
		v := tree.Alarms(t.Context(), [][]Anchor{{a}})
		return v[0].Mark(tree.Causes(t.Context(), v)[0])
	}
	if m := mark(); m != "auth.go#Sign changed, not committed" {
		t.Errorf("%q", m)
	}
	r.commit("Return nothing")
	want := "auth.go#Sign drifted since " + r.git("rev-parse", "--short=7", "HEAD") + ": Return nothing"
	if m := mark(); m != want || len(tree.causes.all) != 1 {
		t.Errorf("%q, want %q", m, want)
	}
	for key := range tree.causes.all {
		tree.causes.all[key] = &Since{Commit: "0123456789", Subject: "Kept"}
	}
	if m := mark(); m != "auth.go#Sign drifted since 0123456: Kept" {
		t.Errorf("%q: the history was read again", m)
	}
	r.write("other.go", "package auth\n")
	r.commit("Other")
	if m := mark(); m != want {
		t.Errorf("%q, want %q", m, want)
	}
	tree.Patience = time.Nanosecond // a busy machine
	tree.causes = memory[*Since]{}
	if m := mark(); m != "auth.go#Sign changed" {
		t.Errorf("%q", m)
	}
}

// TestSearchGoesOn: an answer does not wait for a long search, and a later one has its result.
func TestSearchGoesOn(t *testing.T) {
	r := newRepo(t)
	r.write("auth.go", signer)
	r.commit("first")
	a := r.pin("auth.go#Sign")
	r.git("rm", "-q", "auth.go")
	r.commit("drop")
	tree := r.tree()
	tree.Patience = 1
	for tree.Alarms(t.Context(), [][]Anchor{{a}})[0] == nil {
		if t.Context().Err() != nil {
			t.Fatal("the search has no result")
		}
		runtime.Gosched()
	}
	if v := tree.Alarms(t.Context(), [][]Anchor{{a}})[0]; v == nil || v.State != Gone {
		t.Errorf("%+v", v)
	}
}
