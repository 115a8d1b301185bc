package answer

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The sides of a merge conflict are different passages, and no marker makes a heading of the line above it.
func TestConflictIsTold(t *testing.T) {
	b := withFacts(t, 0)
	file := filepath.Join(b.Store.Dir(), ".sdd", "explore", "logins.md")
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	text := "---\ntitle: Logins\n---\n\n## Context\n\nLogins so far\n<<<<<<< HEAD\n- by mail\n=======\n- by key\n>>>>>>> topic\n"
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	r := b.ask(t, Query{Query: "Which logins are there?", Mode: Route})
	for _, want := range []string{"Logins so far", "(merge conflict, one side, HEAD)", "by mail", "(the other side, topic)", "by key"} {
		if !strings.Contains(r.Context, want) {
			t.Errorf("no %q in\n%s", want, r.Context)
		}
	}
	if strings.Contains(r.Context, "<<<") || strings.Contains(r.Context, "===") {
		t.Errorf("a marker is told:\n%s", r.Context)
	}
}
