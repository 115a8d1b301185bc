package record

import (
	"strings"
	"testing"
)

func TestExplorationID(t *testing.T) {
	for _, c := range []struct{ slug, project, scope, own, want string }{
		{"auth", "sdd", "project", "sdd", "explore/auth"},
		{"auth", "", "project", "sdd", "explore/auth"},
		{"auth", "SDD", "project", "sdd", "explore/auth"},
		{"auth", "Other Project", "project", "sdd", "explore/auth@other-project"},
		{"auth", "C++", "project", "sdd", "explore/auth@c-plus-plus"},
		{"auth", "sdd", "personal", "sdd", "personal/explore/auth"},
		{"auth", "other", "personal", "sdd", "personal/explore/auth@other"},
	} {
		if got := ExplorationID(c.slug, c.project, c.scope, c.own); got != c.want {
			t.Errorf("ExplorationID(%q, %q, %q, %q) = %q, want %q", c.slug, c.project, c.scope, c.own, got, c.want)
		}
		if got := ExplorationFile(c.slug, c.project, c.scope, c.own); got != c.want+".md" {
			t.Errorf("ExplorationFile = %q, want %q", got, c.want+".md")
		}
	}
}

func TestHexID(t *testing.T) {
	id := HexID("idea", "Café: use ß\nand more", nil)
	if want := "idea-" + hashHex("café: use ß\nand more", 12); id != want {
		t.Errorf("HexID = %q, want %q", id, want)
	}
	for _, same := range []string{"cafe\u0301: USE ß\r\nand more", "  Café: use ß\nand more\n\n", "Café: use ß\rand more"} {
		if got := HexID("idea", same, nil); got != id {
			t.Errorf("HexID(%q) = %q, want %q", same, got, id)
		}
	}
	if got := HexID("idea", "Café: use ß\n\nand more", nil); got == id {
		t.Errorf("a blank line more has the same id")
	}
	long := HexID("idea", "Café: use ß\nand more", func(taken string) bool { return taken == id })
	if len(long) != len("idea-")+16 || !strings.HasPrefix(long, id) {
		t.Errorf("HexID of a collision = %q", long)
	}
	for s, want := range map[string]bool{
		id: true, long: true, "fact-0123456789ab": true, "idea-030": false, "idea-0123456789aB": false,
		"idea-0123456789abcd": false, "decision-0123456789ab": false, "-0123456789ab": false, "": false,
	} {
		if IsHexID(s) != want {
			t.Errorf("IsHexID(%q) = %v", s, !want)
		}
	}
	for name, want := range map[string]string{
		"idea-0123456789ab-use-x": "idea-0123456789ab", "fact-0123456789abcdef-y": "fact-0123456789abcdef", "fact-0123456789ab": "fact-0123456789ab",
		"idea-0123456789abc": "", "notes": "",
	} {
		if got := fileID(name); got != want {
			t.Errorf("fileID(%q) = %q, want %q", name, got, want)
		}
	}
	if got := HexFile(Fact, "fact-0123456789ab", "API: uses JWT", Personal); got != "personal/facts/fact-0123456789ab-api-uses-jwt.md" {
		t.Errorf("HexFile = %q", got)
	}
}

func TestEtag(t *testing.T) {
	if a, b := Etag([]byte("a")), Etag([]byte("b")); a == b || len(a) != 16 || a != hashHex("a", 16) {
		t.Errorf("Etag: %q, %q", a, b)
	}
}

func TestLockOf(t *testing.T) {
	for id, want := range map[string]string{
		"idea-0123456789ab": "idea-0123456789ab", "idea-0123456789abcdef": "idea-0123456789ab", "fact-0123456789abcdef": "fact-0123456789ab",
		"decision/a-0123456789abcdef": "decision/a-0123456789abcdef", "explore/x": "explore/x", "idea-0123456789abcdeg": "idea-0123456789abcdeg", "": "",
	} {
		if got := LockOf(id); got != want {
			t.Errorf("%q: got %q, want %q", id, got, want)
		}
	}
}
