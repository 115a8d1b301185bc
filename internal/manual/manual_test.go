package manual

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"sdd/internal/cli"
	"sdd/internal/mcp"
	"sdd/schema"
)

func TestReferenceIsFresh(t *testing.T) {
	dir := filepath.Join("..", "..", filepath.FromSlash(Folder))
	want := Reference()
	for name, text := range want {
		got, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil || !bytes.Equal(got, text) {
			t.Errorf("%s/%s is not what the program says (%v): go generate ./internal/manual", Folder, name, err)
		}
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if want[e.Name()] == nil {
			t.Errorf("%s/%s is made by nobody", Folder, e.Name())
		}
	}
}

// TestReferenceTellsEverything: every command, flag, tool and argument that people or agents can use is there.
func TestReferenceTellsEverything(t *testing.T) {
	all := Reference()
	lines := strings.Split(string(all["commands.md"]), "\n")
	has := func(prefix string) bool {
		for _, l := range lines {
			if l == prefix || strings.HasPrefix(l, prefix+"`") || strings.HasPrefix(l, prefix+" ") {
				return true
			}
		}
		return false
	}
	for _, c := range documented(cli.Commands())[1:] {
		if !has("## " + c.CommandPath()) {
			t.Errorf("%s is missing", c.CommandPath())
		}
		for _, f := range flags(c.NonInheritedFlags()) {
			if f.Short == "" && !has("- `--"+f.Name) {
				t.Errorf("%s --%s is missing", c.CommandPath(), f.Name)
			}
		}
	}
	offers := mcp.Offers()
	for _, tool := range append(offers.Tools, offers.Compat...) {
		_, section, ok := strings.Cut(string(all["tools.md"]), "\n### "+tool.Name+"\n")
		section, _, _ = strings.Cut(section, "\n### ")
		if !ok {
			t.Errorf("%s is missing", tool.Name)
		}
		for _, r := range schema.Rows(schema.Input(tool.Name)) {
			if !strings.Contains(section, "\n| `"+r.Name+"`") {
				t.Errorf("%s of %s is missing", r.Name, tool.Name)
			}
		}
	}
}

func TestBlocks(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"one\ntwo\n\nthree", "one\ntwo|three"},
		{"one\n\n  a\n  b\n\n  c\n\ntwo\n", "one|=a\nb\n\nc|two"},
		{"one\n  a", "one|=a"},
		{"", ""},
		{"\n\n", ""},
	} {
		var got []string
		for _, b := range blocks(c.text) {
			text := strings.Join(b.Lines, "\n")
			if b.Literal {
				text = "=" + text
			}
			got = append(got, text)
		}
		if s := strings.Join(got, "|"); s != c.want {
			t.Errorf("%q: got %q, want %q", c.text, s, c.want)
		}
	}
}

func TestRoff(t *testing.T) {
	for in, want := range map[string]string{
		"plain":      "plain",
		".TH":        `\&.TH`,
		"'quoted'":   `\(aqquoted\(aq`,
		`a\b`:        `a\eb`,
		"--at REV…":  `\-\-at REV\[u2026]`,
		"~/x ^1 `y`": `\(ti/x \(ha1 \(gay\(ga`,
	} {
		if got := roff(in); got != want {
			t.Errorf("%q: got %q, want %q", in, got, want)
		}
	}
}

func TestPagesAreReproducible(t *testing.T) {
	day := time.Date(2026, 11, 21, 23, 59, 0, 0, time.FixedZone("", -3600))
	a, b := Pages("v1.2.3", day), Pages("v1.2.3", day)
	if len(a) < 40 || a[0].Name != "sdd.1" {
		t.Fatalf("%d pages, the first is %s", len(a), a[0].Name)
	}
	for i, p := range a {
		if p.Name != b[i].Name || !bytes.Equal(p.Text, b[i].Text) {
			t.Errorf("%s differs from itself", p.Name)
		}
		if head, _, _ := strings.Cut(string(p.Text), "\n"); !strings.HasSuffix(head, ` 1 2026-11-22 "sdd v1.2.3" "sdd"`) {
			t.Errorf("%s begins with %s", p.Name, head)
		}
	}
}

// TestPagesAreGood lets the formatters judge that are here.
func TestPagesAreGood(t *testing.T) {
	dir := t.TempDir()
	var files []string
	for _, p := range Pages("v1.2.3", time.Unix(0, 0)) {
		file := filepath.Join(dir, p.Name)
		if err := os.WriteFile(file, p.Text, 0o644); err != nil {
			t.Fatal(err)
		}
		files = append(files, file)
	}
	judged := false
	for _, judge := range [][]string{{"mandoc", "-T", "lint", "-W", "warning"}, {"groff", "-man", "-ww", "-z", "-Tutf8"}} {
		program, err := exec.LookPath(judge[0])
		if err != nil {
			continue
		}
		judged = true
		if out, err := exec.Command(program, append(judge[1:], files...)...).CombinedOutput(); err != nil || len(out) > 0 {
			t.Errorf("%s: %v\n%s", judge[0], err, out)
		}
	}
	if !judged {
		t.Skip("neither mandoc nor groff is here")
	}
}
