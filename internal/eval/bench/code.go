package bench

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"sdd/internal/eval/must"
)

// code measures code search by grep, with one process for each search, on a git work tree of a million lines (-lines) of Go's
// own sources. The floor is ripgrep if it is installed, which only lists lines, else grep -rn.
func (b *bench) code() {
	root := filepath.Join(b.dir, "code")
	sourceTree(root, b.lines)
	commitAll(root)
	program, list := "ripgrep", []string{"rg", "--no-config", "-n"}
	if _, err := exec.LookPath("rg"); err != nil {
		program, list = "grep -rn", []string{"grep", "-rnE"}
	}
	prints := func(args []string) func(int) error {
		return func(int) error {
			cmd := exec.Command(args[0], args[1:]...)
			cmd.Dir = root
			out, err := cmd.Output()
			if err == nil && len(bytes.TrimSpace(out)) == 0 {
				err = errors.New("nothing found")
			}
			if err != nil {
				return fmt.Errorf("%s: %w", strings.Join(args, " "), err)
			}
			return nil
		}
	}
	for _, q := range []struct {
		name, pattern string
		args          []string
	}{
		{"code search, a symbol", `SetReadDeadline\b`, []string{"--pattern", `SetReadDeadline\b`}},
		{"code search, an expression", `func \(\w+ \*?\w+\) Unmarshal\w+\(`, []string{"--pattern", `func \(\w+ \*?\w+\) Unmarshal\w+\(`}},
		{"code search, a question", "(?i)handshake|timeout|connection|checked",
			[]string{"where is the handshake timeout of a connection checked"}},
	} {
		floor := append(append([]string{}, list...), q.pattern)
		if program != "ripgrep" {
			floor[len(floor)-1] = strings.TrimPrefix(q.pattern, "(?i)") // in grep's syntax
			floor = append(floor, ".")
		}
		ours := append([]string{b.sdd, "code"}, q.args...)
		must.Check(firstOf(prints(ours)(0), prints(floor)(0))) // puts the files into the system's cache
		took, least := inTurn(b.starts, prints(ours), prints(floor))
		r := timed(q.name, 0, took).against(program, ms(median(least)))
		r.Note = fmt.Sprintf("%d lines", b.lines)
		b.add(r.must(median(took) <= time.Second && r.Ratio <= 1.5, "≤ 1 s, ≤ 1.5 × %s", program))
	}
	b.codeMemory(root)
}

// codeMemory measures a server's memory for searches of the same tree.
func (b *bench) codeMemory(root string) {
	s := must.Get(b.ready(root))
	defer s.close()
	for range 3 {
		must.Check(s.must("sdd_code", map[string]any{"query": "where is the handshake timeout of a connection checked"}, &struct{}{}))
	}
	b.peak(s, row{Figure: "peak memory, code search", Note: fmt.Sprintf("%d lines", b.lines)}, 64)
}

// sourceTree copies Go's own libraries to dir, file by file in the order of their names, up to the wanted number of
// lines.
func sourceTree(dir string, want int) {
	out := must.Get(exec.Command("go", "env", "GOROOT").Output())
	from, lines := filepath.Join(strings.TrimSpace(string(out)), "src"), 0
	must.Check(filepath.WalkDir(from, func(p string, e fs.DirEntry, err error) error {
		if err == nil && e.IsDir() && p == filepath.Join(from, "cmd") {
			return filepath.SkipDir
		}
		if err != nil || e.IsDir() || !strings.HasSuffix(p, ".go") {
			return err
		}
		src := must.Get(os.ReadFile(p))
		to := filepath.Join(dir, must.Get(filepath.Rel(from, p)))
		must.Check(firstOf(os.MkdirAll(filepath.Dir(to), 0o755), os.WriteFile(to, src, 0o644)))
		if lines += bytes.Count(src, []byte("\n")); lines >= want {
			return filepath.SkipAll
		}
		return nil
	}))
	if lines < want {
		must.Check(fmt.Errorf("%s has only %d lines of Go", from, lines))
	}
}
