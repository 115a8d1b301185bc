package git

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"
)

func TestPlainIgnores(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("git is asked there")
	}
	for text, want := range map[string]bool{
		"":                                          true,
		"[core]\n\tbare = false\n":                  true,
		"[core]\n\tignorecase = false\n":            true,
		"[core]\n\tignoreCase\n":                    false,
		"[core]\n\tExcludesFile = ~/.ignored\n":     false,
		"[include]\n\tpath = more\n":                false,
		"[includeIf \"gitdir:~/w/\"]\n\tpath = x\n": false,
		"[user]\n\texcludesfile = x\n":              true,
	} {
		for _, where := range []string{"own", "global", "system"} {
			dir := t.TempDir()
			file := map[string]string{"own": filepath.Join(dir, "config"), "global": filepath.Join(dir, "global"), "system": filepath.Join(dir, "system")}
			t.Setenv("GIT_CONFIG_GLOBAL", file["global"])
			t.Setenv("GIT_CONFIG_SYSTEM", file["system"])
			if err := os.WriteFile(file[where], []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
			if got := PlainIgnores(dir, dir); got != want {
				t.Errorf("%q as %s settings: %v, want %v", text, where, got, want)
			}
		}
	}
	t.Setenv("GIT_CONFIG_COUNT", "1")
	if PlainIgnores(t.TempDir(), t.TempDir()) {
		t.Error("settings of the environment are passed over")
	}
}
