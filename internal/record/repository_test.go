package record

import (
	"slices"
	"testing"
)

// TestRepository: a path in a joined store and back; no other path is another repository's.
func TestRepository(t *testing.T) {
	for _, path := range []string{"explore/a.md", "facts/sub/folder/b.md", "decisions/@x/c.md"} {
		if name, in := Repository(InRepository("billing", path)); name != "billing" || in != path {
			t.Errorf("%s comes back as %q %q", path, name, in)
		}
	}
	for _, path := range []string{"explore/a.md", "explore/a@b.md", "personal/explore/@x/a.md", "explore/@x.md", "explore/sub/@x/a.md", ""} {
		if name, in := Repository(path); name != "" || in != path {
			t.Errorf("%s is in %q as %q", path, name, in)
		}
	}
}

// TestQualified: a record of another repository never names a record of the own store, unless a repository is in the name.
func TestQualified(t *testing.T) {
	const text = "---\nid: fact-000000000001\ntitle: T\nparent: fact-000000000002\nsupersedes: [decision/a, Some Title, decision/b@shop, 7]\n---\n\nx\n"
	for path, want := range map[string][]any{
		"decisions/@billing/t.md": {"decision/t@billing", "fact-000000000002", "decision/a@billing", "decision/some-title@billing", "decision/b@shop"},
		"facts/@billing/t.md":     {"fact-000000000001@billing", "fact-000000000002@billing", "decision/a@billing", "Some Title@billing", "decision/b@shop"},
		"decisions/t.md":          {"decision/t", "fact-000000000002", "decision/a", "Some Title", "decision/b@shop"},
	} {
		r := Parse(path, []byte(text), Defaults{Project: "own"})
		got := append([]any{r.ID, r.FrontMatter["parent"]}, r.FrontMatter["supersedes"].([]any)[:3]...)
		if path == "decisions/@billing/t.md" {
			want[1] = "decision/fact-000000000002@billing" // a decision names decisions
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", path, got, want)
		}
		if wantProject := map[bool]string{true: "own", false: "billing"}[path == "decisions/t.md"]; r.Project != wantProject {
			t.Errorf("%s is of the project %q", path, r.Project)
		}
	}
}
