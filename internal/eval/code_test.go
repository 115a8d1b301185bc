package eval

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

func TestHunksOfACommit(t *testing.T) {
	dir := t.TempDir()
	run := func(args ...string) {
		t.Helper()
		cmd := exec.Command("git", append([]string{"-C", dir, "-c", "user.name=a", "-c", "user.email=a@b.c"}, args...)...)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	run("init", "-q")
	write("a.go", "package a\n\nfunc Parse() {\n\tone()\n\ttwo()\n}\n\nfunc Flush() {}\n")
	write("a_test.go", "package a\n")
	run("add", "-A")
	run("commit", "-q", "-m", "Begin the project with Parse")
	write("a.go", "package a\n\nfunc Parse() {\n\tthree()\n}\n\nfunc Flush() {}\n\nfunc last() {}\n")
	write("a_test.go", "package a\n\nvar x = 1\n")
	run("commit", "-q", "-a", "-m", "Parse calls three (#12)")
	ctx := context.Background()
	commits := taken(ctx, dir, 5)
	if len(commits) != 0 {
		t.Fatalf("a subject of three words is taken: %v", commits)
	}
	run("commit", "-q", "--amend", "-m", "Parse and Flush call only three (#12)")
	commits = taken(ctx, dir, 5)
	if len(commits) != 1 || commits[0].Text != "Parse and Flush call only three" || !reflect.DeepEqual(commits[0].Files, []string{"a.go"}) {
		t.Fatalf("%+v", commits)
	}
	hunks := hunksOf(ctx, commits[0])
	if want := []hunk{{"a.go", 4, 5, false}, {"a.go", 8, 9, true}}; !reflect.DeepEqual(hunks, want) {
		t.Errorf("%+v, want %+v", hunks, want)
	}
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	var out strings.Builder
	err := Run(ctx, []string{"code", dir}, &out, &out)
	if err != nil || !strings.Contains(out.String(), "| 1 | 1.000 | 1.000 | 1.000 | 1.000 | 1.000 | 1.000 |") {
		t.Errorf("%v\n%s", err, &out)
	}
}
