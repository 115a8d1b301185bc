package eval

import (
	"context"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"sdd/internal/anchor"
	"sdd/internal/longtest"
)

const (
	fill = `func Fill(rows []string, width int) (out []string) {
	for i, row := range rows {
		if i < width {
			out = append(out, row+"-"+row)
		}
	}
	return out
}
`
	code = `package p

import "fmt"

// Limit is a limit.
const Limit = 10

type Pair struct{ Left, Right int }

func (p Pair) Sum() int { return p.Left + p.Right }

func Print(p Pair) {
	fmt.Println(p.Left, p.Right)
}

func Drop() int { return Limit }

`
)

// history makes a repository with one change of each kind after its first commit.
func history(t *testing.T) string {
	dir := t.TempDir()
	git := func(args ...string) {
		cmd := exec.Command("git", append([]string{"-C", dir, "-c", "user.name=a", "-c", "user.email=a@b", "-c", "commit.gpgsign=false"}, args...)...)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	commit := func(files map[string]string) {
		for name, text := range files {
			path := filepath.Join(dir, name)
			if text == "" {
				if err := os.Remove(path); err != nil {
					t.Fatal(err)
				}
			} else if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		git("add", "-A")
		git("commit", "-q", "-m", "change")
	}
	git("init", "-q")
	commit(map[string]string{"a.go": code + fill})
	text := strings.NewReplacer("// Limit is a limit.", "// Limit limits.", "return p.Left + p.Right", "return p.Left +\n\t\tp.Right",
		`import "fmt"`, `import "fmt" // to print`).Replace(code)
	commit(map[string]string{"a.go": text + fill}) // comments and layout
	text = strings.ReplaceAll(text, "p.Left, p.Right)", "p.Right, p.Left)")
	commit(map[string]string{"a.go": text + fill}) // Print
	text = strings.ReplaceAll(text, "func Drop() int { return Limit }\n", "")
	commit(map[string]string{"a.go": text + fill})                                                // Drop
	commit(map[string]string{"a.go": text + strings.ReplaceAll(fill, "Fill", "Pad")})             // Fill has another name
	commit(map[string]string{"a.go": text, "b.go": "package p\n\n" + fill})                       // and another file
	commit(map[string]string{"a.go": "", "b.go": "", "c.go": text, "d.go": "package p\n" + fill}) // all files have, the small symbols by chance
	return dir
}

// measure returns the report of a replay with a judge.
func measure(t *testing.T, dir string, judge func(*anchor.Tree, context.Context, []anchor.Anchor) []anchor.Verdict) *report {
	return replay(t.Context(), replayOptions{repos: []string{dir}, commits: 100, shown: 9, only: "go", judge: judge}, io.Discard)
}

func TestReplay(t *testing.T) {
	r := measure(t, history(t), (*anchor.Tree).Judge)
	want := tally{Repo: "all", Symbols: 6, Comparisons: 36, Told: ratio{11, 11}, Alarms: ratio{0, 25}, Followed: ratio{4, 4},
		Wrong: ratio{0, 21}, QuietFiles: 1, Quiet: ratio{0, 7}}
	if r.all() != want || len(r.examples) > 0 || r.missed() != nil {
		t.Errorf("%+v\nwant %+v\n%+v", r.all(), want, r.examples)
	}
}

// TestBrokenJudge: each figure shows the judge that it is there for.
func TestBrokenJudge(t *testing.T) {
	dir := history(t)
	all := func(state anchor.State) func(*anchor.Tree, context.Context, []anchor.Anchor) []anchor.Verdict {
		return func(at *anchor.Tree, ctx context.Context, anchors []anchor.Anchor) []anchor.Verdict {
			verdicts := at.Judge(ctx, anchors)
			for i := range verdicts {
				if state == anchor.Moved { // always to the first lines
					verdicts[i].Lines = [2]int{1, 1}
				} else {
					verdicts[i].State = state
				}
			}
			return verdicts
		}
	}
	for state, want := range map[anchor.State]string{
		anchor.Fresh:   "changes told",
		anchor.Unknown: "changes told; moves followed",
		anchor.Drifted: "false alarms; moves followed; alarms at quiet changes",
		anchor.Gone:    "false alarms; moves followed; alarms at quiet changes",
		anchor.Moved:   "changes told; moves followed",
	} {
		if state != anchor.Drifted && state != anchor.Moved && !longtest.Set() { // these two miss every figure
			continue
		}
		r := measure(t, dir, all(state))
		if err := r.missed(); err == nil || err.Error() != "not reached: "+want {
			t.Errorf("all %s: %v, want %s", state, err, want)
		}
		if len(r.examples) == 0 {
			t.Errorf("all %s: no examples", state)
		}
	}
}

// TestAnchors: the table has the figures, and a missing tool is named.
func TestAnchors(t *testing.T) {
	dir := history(t)
	var table, text, stderr strings.Builder
	if err := Run(t.Context(), []string{"anchors", "-repo", dir, "-modules", t.TempDir()}, &table, &stderr); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(table.String(), "| go | 6 | ") || !strings.Contains(table.String(), "Skipped: no parser of rust.") {
		t.Error(table.String())
	}
	if err := Run(t.Context(), []string{"anchors", "-repo", dir, "-commits", "3", "-symbols", "2"}, &text, &stderr); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(text.String(), "| all |  | 2 |") {
		t.Error(text.String())
	}
	if err := Run(t.Context(), []string{"anchors", "x"}, &text, &stderr); err == nil {
		t.Error("an argument was accepted")
	}
}

// TestGoTruth: what is a change to the truth, and what is not.
func TestGoTruth(t *testing.T) {
	dump := func(src string) decl {
		tree := parseGo([]byte("package a\n" + src))
		if tree.Broken || len(tree.Decls) == 0 {
			t.Fatalf("%s is not parsed", src)
		}
		return tree.Decls[0]
	}
	for _, c := range []struct {
		was, is     string
		same, alike bool
	}{
		{"func f(a int) { g(a) }", "func f(a int) {\n\t// a\n\tg(\n\t\ta,\n\t)\n}", true, true},
		{"var x = 1", "var (\n\tx = 1\n)", true, true},
		{"var (\n\tx = 1\n)", "const (\n\tx = 1\n)", false, false},
		{"func f(a int) { f(a) }", "func g(a int) { g(a) }", false, true},
		{"func f(a ...int) { f(a...) }", "func f(a ...int) { f(a) }", false, false},
		{"type a = int", "type a int", false, false},
		{"func f() { x := (1 + 2) * 3 }", "func f() { x := 1 + 2*3 }", false, false},
	} {
		a, b := dump(c.was), dump(c.is)
		if (a.Dump == b.Dump) != c.same || (a.Neutral == b.Neutral) != c.alike {
			t.Errorf("%s\n%s\nsame %v, alike %v", c.was, c.is, a.Dump == b.Dump, a.Neutral == b.Neutral)
		}
	}
}
