package cli

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

// completions returns the completions that the program prints for a shell, without the descriptions, and cobra's directive.
func completions(t *testing.T, args ...string) (offered []string, directive string) {
	t.Helper()
	var out, errs bytes.Buffer
	if code := run(context.Background(), faces, append([]string{cobra.ShellCompNoDescRequestCmd}, args...), strings.NewReader(""), &out, &errs); code != exitDone {
		t.Fatalf("exit code %d: %s", code, &errs)
	}
	lines := strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")
	return lines[:len(lines)-1], lines[len(lines)-1]
}

func writeStore(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		file := filepath.Join(dir, ".sdd", filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestCompletionsNameWhatThereIs(t *testing.T) {
	dir := writeStore(t, map[string]string{
		"explore/user-auth.md":                         "---\ntitle: User auth\n---\n\n## Goals\n\nx\n\n## Open ends\n\ny\n",
		"explore/user-auth@web.md":                     "---\ntitle: User auth\nproject: web\n---\n",
		"explore/Named by hand.md":                     "# Named by hand\n",
		"decisions/use-go.md":                          "---\ntitle: Use Go\n---\n",
		"facts/fact-0123456789ab-it-is-so.md":          "---\nid: fact-0123456789ab\n---\nIt is so\n",
		"facts/fact-0123456789ac.md":                   "---\n: broken [\n",
		"ideas/idea-0123456789ab-pin-it.md":            "---\nid: idea-0123456789ab\n---\nPin it\n",
		"inbox/fact-aaaaaaaaaaaa-wait.md":              "---\nid: fact-aaaaaaaaaaaa\nkind: fact\n---\nWait\n",
		"personal/explore/mine.md":                     "---\ntitle: Mine\nscope: personal\n---\n",
		"explore/.hidden.md":                           "x",
		"explore/no-record.txt":                        "x",
		"decisions/folder/use-git.md":                  "---\ntitle: Use git\n---\n",
		"personal/decisions/use-vim.md":                "---\ntitle: Use Vim\nscope: personal\n---\n",
		"personal/facts/fact-0123456789ab-it-is-so.md": "---\nid: fact-0123456789ab\nscope: personal\n---\nIt is so\n",
	})
	for _, c := range []struct {
		args      string // blanks separate them; ␠ is a blank in one
		want      string
		directive string
	}{
		{"show ", ".sdd/explore/Named␠by␠hand.md decision/use-go decision/use-git decision/use-vim explore/mine explore/user-auth fact-0123456789ab fact-0123456789ac fact-aaaaaaaaaaaa idea-0123456789ab", ":4"},
		{"show explore/u", "explore/user-auth", ":4"},
		{"show explore/user-auth ", "", ":4"},
		{"explore ", "Mine Named␠by␠hand User␠auth", ":4"},
		{"explore U", "User␠auth", ":4"},
		{"handoff d", "decision/use-git decision/use-go decision/use-vim", ":4"},
		{"fact refresh ", "fact-0123456789ab fact-0123456789ac", ":4"},
		{"fact refresh fact-0123456789ab ", "fact-0123456789ac", ":4"},
		{"decide add x --depends-on decision/use-v", "decision/use-vim", ":4"},
		{"review app", "apply approve", ":4"},
		{"review approve ", "fact-aaaaaaaaaaaa", ":4"},
		{"review validate ", "idea-0123456789ab", ":4"},
		{"review list ", "", ":4"},
		{"diff decision/use-g", "decision/use-git decision/use-go", ":0"},
		{"export --format ", "claude-memory ideas-jsonl", ":36"},
		{"handoff explore/user-auth --to a", "adr", ":36"},
		{"context --mode ", "auto discovery route extract", ":36"},
		{"setup cu", "cursor", ":4"},
		{"status ", "", ":4"},
		{"check ", "", ":0"},
		{"import --format ideas-jsonl ", "", ":0"},
	} {
		t.Run(c.args, func(t *testing.T) {
			args := append([]string{"--dir", dir}, strings.Split(c.args, " ")...)
			offered, directive := completions(t, args...)
			var got []string
			for _, o := range offered {
				if strings.HasPrefix(o, args[len(args)-1]) { // as the shells choose
					got = append(got, strings.ReplaceAll(o, " ", "␠"))
				}
			}
			want := strings.Fields(c.want)
			slices.Sort(got)
			slices.Sort(want)
			if c.directive != directive || !slices.Equal(got, want) {
				t.Errorf("got %q %s,\nwant %q %s", got, directive, want, c.directive)
			}
		})
	}
	if _, err := os.Stat(filepath.Join(dir, ".sdd", ".local")); err == nil {
		t.Error("completing wrote into the store")
	}
}

// TestManyRecords: titles need a read of each file, so of many explorations none are offered.
func TestManyRecords(t *testing.T) {
	files := map[string]string{}
	for i := range manyRecords + 1 {
		files[fmt.Sprintf("explore/topic-%d.md", i)] = "x"
	}
	dir := writeStore(t, files)
	if got, _ := completions(t, "--dir", dir, "show", "explore/topic-"); len(got) != manyRecords+1 {
		t.Errorf("got %d explorations, want %d", len(got), manyRecords+1)
	}
	if got, _ := completions(t, "--dir", dir, "explore", ""); len(got) != 0 {
		t.Errorf("%d titles are offered", len(got))
	}
}

func TestCompletionsWithoutAStore(t *testing.T) {
	for _, dir := range []string{t.TempDir(), filepath.Join(t.TempDir(), "missing")} {
		for _, args := range [][]string{{"show", ""}, {"show", "x#"}, {"explore", ""}, {"merge", ""}, {"review", "approve", ""}} {
			if got, directive := completions(t, append([]string{"--dir", dir}, args...)...); len(got) != 0 || directive != ":4" && directive != ":36" {
				t.Errorf("%q: got %q %s", args, got, directive)
			}
		}
	}
}

// TestOffersAreForWhatThereIs: an offer for a command or flag that is gone would never be made.
func TestOffersAreForWhatThereIs(t *testing.T) {
	a := &session{faces: faces}
	root := newRoot(a)
	find := func(name string) *cobra.Command {
		cmd, _, err := root.Find(strings.Fields(name))
		if err != nil || cmd.CommandPath() != "sdd "+name {
			t.Errorf("there is no command %q", name)
			return nil
		}
		return cmd
	}
	for name := range a.argumentOffers() {
		find(name)
	}
	for name := range a.flagOffers() {
		command, flag, _ := strings.Cut(name, " --")
		if cmd := find(command); cmd != nil && cmd.Flags().Lookup(flag) == nil {
			t.Errorf("%s has no flag --%s", command, flag)
		}
	}
}
