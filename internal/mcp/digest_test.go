package mcp

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sdd/internal/app"
	"sdd/internal/index"
	"sdd/internal/store"
)

// TestDigestFollowsARename: a record that has another file now is not gone.
func TestDigestFollowsARename(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, ".sdd", "explore", name) }
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(at(name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	move := func(from, to string) {
		t.Helper()
		if err := os.Rename(at(from), at(to)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.MkdirAll(at(""), 0o777); err != nil {
		t.Fatal(err)
	}
	write("a.md", "---\ntitle: A\n---\n\n## Goals\n\n- one\n")
	st, err := store.Open(store.Options{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	ix := index.Open(st)
	srv, end, err := open(t.Context(), app.Mount{Store: st, Index: ix}, app.AgentOptions{Version: "1"}, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		end()
		ix.Close()
		st.Close()
	})
	l := connect(t, srv)
	l.hello("2025-06-18")
	ask := func(tool, args string) string {
		t.Helper()
		l.send(call("1", tool, args))
		for {
			if r := l.next(); r.Method == "" {
				_, line, _ := strings.Cut(string(r.Result), "Changed since your last call: ")
				line, _, _ = strings.Cut(line, `"`)
				return line
			}
		}
	}
	search, save := `{"query":"one"}`, `{"title":"Other","goals":"- two"}`
	for _, step := range []struct {
		name, tool, args string
		change           func()
		want             string
	}{
		{"first call", "sdd_search", search, func() {}, ""},
		{"save", "sdd_explore", `{"title":"A","context":"c"}`, func() {}, ""},
		{"renamed", "sdd_search", search, func() { move("a.md", "b.md") }, "explore/a: .sdd/explore/a.md was renamed to .sdd/explore/b.md"},
		{"back, a save", "sdd_explore", save, func() { move("b.md", "a.md") }, "explore/a: .sdd/explore/b.md was renamed to .sdd/explore/a.md"},
		{"removed", "sdd_search", search, func() { os.Remove(at("a.md")) }, "explore/a: .sdd/explore/a.md is gone"},
		{"made by hand", "sdd_search", search, func() { write("h.md", "---\ntitle: Hand\n---\n") }, "explore/hand: .sdd/explore/h.md was edited"},
		{"made by hand, renamed", "sdd_search", search, func() { move("h.md", "i.md") },
			"explore/hand: .sdd/explore/h.md was renamed to .sdd/explore/i.md"},
		{"renamed, and back with another text", "sdd_search", search, func() {
			move("i.md", "j.md")
			if err := ix.Refresh(t.Context()); err != nil {
				t.Error(err)
			}
			os.Remove(at("j.md"))
			write("i.md", "---\ntitle: Hand\n---\n\n## Goals\n")
		}, "explore/hand: .sdd/explore/i.md was edited"},
	} {
		step.change()
		if got := ask(step.tool, step.args); got != step.want {
			t.Errorf("%s: %q, want %q", step.name, got, step.want)
		}
	}
}
