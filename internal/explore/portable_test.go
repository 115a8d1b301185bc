package explore

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"sdd/internal/store"
)

// TestCommittedFilesArePortable is law 8: what a save leaves for git has no path and no host of this machine, and no time but
// the date on which the record was made, which no later save changes.
func TestCommittedFilesArePortable(t *testing.T) {
	st, ix := benchStore(t, 0)
	host, _ := os.Hostname()
	save := func(goals string) string {
		t.Helper()
		r, err := Save(t.Context(), st, ix, Input{Title: "User auth", Fields: Fields{Goals: goals}})
		if err != nil {
			t.Fatal(err)
		}
		text, err := os.ReadFile(filepath.Join(st.Dir(), r.File))
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	first := save("- log in")
	if !regexp.MustCompile(`(?m)^created: \d{4}-\d\d-\d\d$`).MatchString(first) {
		t.Errorf("created is no date: %q", first)
	}
	file := filepath.Join(st.Dir(), store.Folder, "explore", "user-auth.md")
	old := regexp.MustCompile(`created: .*`).ReplaceAllString(first, "created: 2020-02-02")
	if err := os.WriteFile(file, []byte(old), 0o644); err != nil {
		t.Fatal(err)
	}
	want := strings.NewReplacer("revision: 1", "revision: 2", "- log in", "- log out").Replace(old)
	if got := save("- log out"); got != want {
		t.Errorf("the next save makes\n%s\nwant\n%s", got, want)
	}
	err := filepath.WalkDir(filepath.Join(st.Dir(), store.Folder), func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			if e != nil && e.Name() == ".local" {
				return fs.SkipDir
			}
			return err
		}
		text, err := os.ReadFile(path)
		for _, own := range []string{st.Dir(), filepath.ToSlash(st.Dir()), host} {
			if len(own) > 4 && strings.Contains(string(text), own) {
				t.Errorf("%s has %q of this machine:\n%s", path, own, text)
			}
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}
