package lsp

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"sdd/internal/check"
	"sdd/internal/index"
	"sdd/internal/store"
)

// TestRenameKeepsLinks: after the edits of a rename every name of the record means it still, whatever form the name has.
func TestRenameKeepsLinks(t *testing.T) {
	files := map[string]string{
		"explore/login.md": "---\ntitle: Log in\n---\n\n# Log in\n\n## Context\n\nThis is `explore/log-in`.\n",
		"decisions/a.md": "---\ntitle: A\nstatus: accepted\nrelates_to: [explore/log-in, \"Log in\", explore/login.md, 'sdd://explore/log-in']\n---\n\n" +
			"## Decision Outcome\n\n[x](../explore/login.md#context), <sdd://explore/log-in>, [y](sdd://explore/log-in#context).\n",
		"facts/fact-4be0643f1d98-b.md": "---\nid: fact-4be0643f1d98\nlevel: 0\nstatus: active\nparent: sdd://explore/log-in\n---\n\nSee `explore/log-in`.\r\n",
	}
	for _, title := range []string{"Sign in", "C++ & C#", "日本語", "\"quoted\": yes", "log  IN"} {
		t.Run(title, func(t *testing.T) {
			root, err := filepath.EvalSymlinks(t.TempDir())
			if err != nil {
				t.Fatal(err)
			}
			for name, text := range files {
				file := filepath.Join(root, ".sdd", name)
				if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			c := dial(t, root)
			c.initialize(nil)
			const doc = ".sdd/explore/login.md"
			c.open(doc)
			params := c.where(doc, "Log in")
			params["newName"] = title
			var edit workspaceEdit
			answer := c.call("textDocument/rename", params)
			if err := json.Unmarshal(answer, &edit); err != nil || len(edit.Changes) == 0 {
				t.Fatalf("%s", answer)
			}
			for uri, edits := range edit.Changes {
				src, err := os.ReadFile(pathOf(uri))
				if err != nil {
					t.Fatal(err)
				}
				text := newText(src, false)
				for _, e := range slices.Backward(edits) {
					text = text.with(change{&e.Range, e.Text})
				}
				if err := os.WriteFile(pathOf(uri), text.src, 0o644); err != nil {
					t.Fatal(err)
				}
			}
			st, err := store.Open(store.Options{Dir: root})
			if err != nil {
				t.Fatal(err)
			}
			defer st.Close()
			ix := index.Open(st)
			defer ix.Close()
			report, err := check.Check(context.Background(), st, ix, check.Options{})
			if err != nil || len(report.Findings) > 0 {
				t.Errorf("%v: %s", err, report.Text())
			}
			if err := ix.Refresh(context.Background()); err != nil {
				t.Fatal(err)
			}
			if e := ix.Lookup(index.Ref{ID: title}); len(e) != 1 || e[0].File != doc || e[0].Title != strings.Join(strings.Fields(title), " ") {
				t.Errorf("%+v", e)
			}
		})
	}
}
