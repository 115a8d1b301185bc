package discovery

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	_ "sdd/internal/longtest" // files are in memory where there is room
)

var update = flag.Bool("update", false, "write what is found into the fixtures")

const want = "WANT"

// lay writes the files of an archive into a new folder and runs the lines `git: …` of its comment there.
func lay(t testing.TB, a *txtar.Archive) string {
	t.Helper()
	root := filepath.Join(t.TempDir(), "a-folder-of-somebody")
	if err := os.Mkdir(root, 0o777); err != nil {
		t.Fatal(err)
	}
	for _, f := range a.Files {
		if f.Name != want {
			write(t, root, f.Name, string(f.Data))
		}
	}
	for line := range strings.Lines(string(a.Comment)) {
		if args, ok := strings.CutPrefix(strings.TrimSpace(line), "git: "); ok {
			runGit(t, root, strings.Fields(args)...)
		}
	}
	return root
}

func write(t testing.TB, root, name, text string) {
	t.Helper()
	file := filepath.Join(root, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

// runGit runs git with settings of its own and commits that are the same on every run.
func runGit(t testing.TB, dir string, args ...string) string {
	t.Helper()
	cmd := exec.Command("git", append([]string{"-C", dir, "-c", "protocol.file.allow=always"}, args...)...)
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_SYSTEM="+os.DevNull,
		"GIT_AUTHOR_NAME=A", "GIT_AUTHOR_EMAIL=a@example.com", "GIT_AUTHOR_DATE=2024-01-01T00:00:00Z",
		"GIT_COMMITTER_NAME=A", "GIT_COMMITTER_EMAIL=a@example.com", "GIT_COMMITTER_DATE=2024-01-01T00:00:00Z")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

func discover(t testing.TB, root string) Report {
	t.Helper()
	r, err := Discover(t.Context(), root)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// reportText is a report as the fixtures have it.
func reportText(r Report) string {
	var b strings.Builder
	for _, f := range r.Facts {
		fmt.Fprintf(&b, "%d %s (%s, %.2f)\n    %s\n", f.Level, f.Key, f.Source, f.Confidence, f.Content)
	}
	fmt.Fprintf(&b, "domains %s\n", strings.Join(r.Domains, " "))
	for _, a := range r.ADRs {
		fmt.Fprintf(&b, "adr %s %q %s %s\n", a.Path, a.Title, a.Status, a.Date)
	}
	fmt.Fprintf(&b, "files %d\n", r.Files)
	for _, w := range r.Warnings {
		fmt.Fprintf(&b, "warning %s\n", w)
	}
	return b.String()
}

// fixtures calls do for every archive of testdata.
func fixtures(t *testing.T, do func(t *testing.T, file string, a *txtar.Archive)) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal("no fixtures", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			a, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			do(t, file, a)
		})
	}
}

func TestFixtures(t *testing.T) {
	fixtures(t, func(t *testing.T, file string, a *txtar.Archive) {
		got := reportText(discover(t, lay(t, a)))
		last := len(a.Files) - 1
		if *update {
			if last >= 0 && a.Files[last].Name == want {
				a.Files = a.Files[:last]
			}
			a.Files = append(a.Files, txtar.File{Name: want, Data: []byte(got)})
			if err := os.WriteFile(file, txtar.Format(a), 0o666); err != nil {
				t.Fatal(err)
			}
			return
		}
		if last < 0 || a.Files[last].Name != want {
			t.Fatal("the fixture says nothing of what is wanted: run with -update and read it")
		}
		if diff := cmp.Diff(string(a.Files[last].Data), got); diff != "" {
			t.Error(diff)
		}
	})
}
