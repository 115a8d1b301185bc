package screens

import (
	"os"
	"strings"
	"testing"
)

// TestASaveOnATerminal: a person gets what was saved, where, and what is odd about it, a line each, and not an agent's page.
func TestASaveOnATerminal(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.Mkdir(dir+"/.git", 0o755); err != nil { // none above counts
		t.Fatal(err)
	}
	save := func(args ...string) string {
		return strings.ReplaceAll(string(onTerminal(t, "sdd", dir, append([]string{"--dir", dir, "explore"}, args...)...)), "\r\n", "\n")
	}
	if got, want := save("User auth", "--goals", "- log in"), "User auth created: goals (explore/user-auth, revision 1)\n.sdd/explore/user-auth.md\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got, want := save("User auth", "--goals", "- log in"), "User auth unchanged (explore/user-auth, revision 1)\n.sdd/explore/user-auth.md\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	odd := save("User auths", "--goals", "## A heading", "--context", "x")
	if lines := strings.Split(odd, "\n"); len(lines) != 4 || !strings.HasPrefix(lines[2], "note: ") || !strings.Contains(lines[2], "explore/user-auth is nearly the same title: User auth") {
		t.Errorf("%q", odd)
	}
	if got := save("User auth", "--goals", "- log in", "--json"); !strings.Contains(got, `"topic_key": "explore/user-auth"`) {
		t.Errorf("%q", got)
	}
}
