package anchor

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

func TestNamed(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"auth.go":           "package auth\n\ntype A struct{}\n\nfunc (A) Sign() {}\n\nfunc (A) Close() {}\n\ntype B struct{}\n\nfunc (B) Close() {}\n",
		"internal/jwt.go":   "package jwt\n\nfunc Parse() {}\n",
		"tools/sign.py":     "def sign(text):\n    return text\n",
		"docs/Guide.md":     "# Guide\n\n## Signing keys\n\nText\n",
		"build/out.json":    "{}\n",
		".gitignore":        "build/\n",
		".github/ci.yml":    "on: push\n",
		"internal/a/b/c.go": "package b\n",
	} {
		os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o777)
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if out, err := exec.Command("git", "-C", dir, "init", "-q").CombinedOutput(); err != nil {
		t.Skip(string(out))
	}
	for _, c := range []struct{ text, want string }{
		{"Sign with ES256", ""},
		{"see internal/jwt.go.", "internal/jwt.go"},
		{"see (internal/jwt.go), auth.go: both", "internal/jwt.go auth.go"},
		{"`auth.go#Sign` takes a key", "auth.go#A.Sign"},
		{"auth.go#A.Sign() takes a key, auth.go#Sign too", "auth.go#A.Sign"},
		{"auth.go#Close is twice there", ""},
		{"`docs/Guide.md#Signing keys` says so", "docs/Guide.md#Signing keys"},
		{"tools/sign.py:2 returns it", "tools/sign.py#L2"},
		{"tools/sign.py:9 is behind the end", ""},
		{"tools/sign.py#L1-L2", "tools/sign.py#L1-L2"},
		{"jwt.go is not at the top", ""},
		{"a folder: internal/ and internal/a", ""},
		{"git ignores build/out.json", ""},
		{".github/ci.yml runs it, and **auth.go** too", ".github/ci.yml auth.go"},
		{"/etc/passwd ../x.go https://x.org/auth.go v1.2.3 e.g. a@b.c", ""},
		{"auth.go internal/jwt.go tools/sign.py docs/Guide.md", "auth.go internal/jwt.go tools/sign.py"}, // the most
	} {
		if got := strings.Join(Named(dir, c.text), " "); got != c.want {
			t.Errorf("%s: %q, want %s", c.text, got, c.want)
		}
	}
}
