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
)

// code measures code search by grep, with one process for each search, on a git work tree of a million lines (-lines) of Go's
// own sources. The floor is ripgrep if it is installed, which only lists lines, else grep -rn.
func (b *bench) code() error {
	root := filepath.Join(b.dir, "code")
	if err := sourceTree(root, b.lines); err != nil {
		return err
	}
	for _, args := range [][]string{{"init", "-q"}, {"add", "."}} {
		if out, err := exec.Command("git", append([]string{"-C", root}, args...)...).CombinedOutput(); err != nil {
			return fmt.Errorf("git %s: %w\n%s", args[0], err, out)
		}
	}
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
		if err := firstOf(prints(ours)(0), prints(floor)(0)); err != nil { // puts the files into the system's cache
			return err
		}
		took, least, err := inTurn(b.starts, prints(ours), prints(floor))
		if err != nil {
			return err
		}
		r := timed(q.name, 0, took).against(program, ms(median(least)))
		r.Note = fmt.Sprintf("%d lines", b.lines)
		b.add(r.must(median(took) <= time.Second && r.Ratio <= 1.5, "≤ 1 s, ≤ 1.5 × %s", program))
	}
	return b.codeMemory(root)
}

// codeMemory measures a server's memory for searches of the same tree.
func (b *bench) codeMemory(root string) error {
	s, err := b.ready(root)
	if err != nil {
		return err
	}
	for range 3 {
		err = firstOf(err, s.must("sdd_code", map[string]any{"query": "where is the handshake timeout of a connection checked"}, &struct{}{}))
	}
	if err == nil {
		var mib float64
		if mib, err = peakMemory(s.pid()); err == nil {
			r := row{Figure: "peak memory, code search", Unit: "MiB", Value: mib, Note: fmt.Sprintf("%d lines", b.lines)}
			b.add(r.must(mib <= 64, "≤ 64 MiB"))
		}
	}
	return firstOf(skipOr(err), s.close())
}

// sourceTree copies Go's own libraries to dir, file by file in the order of their names, up to the wanted number of
// lines.
func sourceTree(dir string, want int) error {
	out, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return fmt.Errorf("go env GOROOT: %w", err)
	}
	from, lines := filepath.Join(strings.TrimSpace(string(out)), "src"), 0
	err = filepath.WalkDir(from, func(p string, e fs.DirEntry, err error) error {
		if err == nil && e.IsDir() && p == filepath.Join(from, "cmd") {
			return filepath.SkipDir
		}
		if err != nil || e.IsDir() || !strings.HasSuffix(p, ".go") {
			return err
		}
		src, err := os.ReadFile(p)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(from, p)
		if err != nil {
			return err
		}
		to := filepath.Join(dir, rel)
		if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(to, src, 0o644); err != nil {
			return err
		}
		if lines += bytes.Count(src, []byte("\n")); lines >= want {
			return filepath.SkipAll
		}
		return nil
	})
	if err == nil && lines < want {
		err = fmt.Errorf("%s has only %d lines of Go", from, lines)
	}
	return err
}
