package lsp

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

// BenchmarkEditor measures what an editor waits for in a store of 10,000 records: SDD_RECORDS sets another number.
func BenchmarkEditor(b *testing.B) {
	root, err := filepath.EvalSymlinks(b.TempDir())
	if err != nil {
		b.Fatal(err)
	}
	n := 10_000
	if s := os.Getenv("SDD_RECORDS"); s != "" {
		fmt.Sscan(s, &n)
	}
	write := func(file, text string) {
		file = filepath.Join(root, filepath.FromSlash(file))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			b.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			b.Fatal(err)
		}
	}
	write("main.go", "package main\n\nfunc main() {}\n\ntype Config struct{}\n")
	for k := range 500 {
		write(fmt.Sprintf("p%d/main.go", k), "package main\n\nfunc main() {}\n\ntype Config struct{}\n")
	}
	words := "- a line of some words about the tokens of the session and the cache\n"
	for i := range n {
		body := strings.Repeat(words, 6) + fmt.Sprintf("- `p%d/main.go#main`\n", i%500)
		switch i % 4 {
		case 0:
			write(fmt.Sprintf(".sdd/decisions/choice-%d.md", i), fmt.Sprintf(
				"---\ntitle: Choice %d\nstatus: accepted\ndepends_on: [decision/choice-%d]\n---\n\n## Decision Outcome\n\n%s", i, i+4, body))
		case 1:
			write(fmt.Sprintf(".sdd/facts/fact-%012x-a.md", i), fmt.Sprintf("---\nid: fact-%012x\nlevel: 1\nstatus: active\n---\n\nFact %d\n\n%s", i, i, body))
		default:
			text := strings.Repeat(words, 6)
			write(fmt.Sprintf(".sdd/explore/topic-%d.md", i), fmt.Sprintf(
				"---\ntitle: Topic %d\n---\n\n## Goals\n\n%s\n## Context\n\nSee sdd://decision/choice-%d.\n\n%s", i, text, i/4*4, text))
		}
	}
	for _, args := range [][]string{{"init", "-q"}, {"add", "-A"}, {"-c", "user.name=Ann", "-c", "user.email=a@b", "commit", "-qm", "begin"}} {
		if out, err := exec.Command("git", append([]string{"-C", root}, args...)...).CombinedOutput(); err != nil {
			b.Fatalf("%v: %s", err, out)
		}
	}
	warm := dial(b, root) // fills the cache of the index
	warm.initialize(nil)
	warm.open(".sdd/explore/topic-2.md")
	warm.call("textDocument/hover", warm.where(".sdd/explore/topic-2.md", "sdd://decision|"))
	warm.in.Close()
	<-warm.ended
	authorWait = 15 * time.Millisecond
	const doc = ".sdd/explore/topic-2.md"
	began, used := time.Now(), cpu()
	c := dial(b, root)
	c.initialize(nil)
	b.ReportMetric(ms(time.Since(began)), "initialize-ms")
	c.open(doc)
	c.call("textDocument/hover", c.where(doc, "sdd://decision|"))
	b.ReportMetric(ms(time.Since(began)), "first-hover-ms")
	b.ReportMetric(ms(cpu()-used), "first-hover-cpu-ms")
	c.diagnostics(doc)
	b.ReportMetric(ms(time.Since(began)), "first-diagnostics-ms")
	began = time.Now()
	c.open("p4/main.go")
	c.call("textDocument/codeLens", c.where("p4/main.go", "package"))
	b.ReportMetric(ms(time.Since(began)), "first-lens-ms")
	report := func(name string, f func()) {
		var all []time.Duration
		before := cpu()
		for range 30 {
			began := time.Now()
			f()
			all = append(all, time.Since(began))
		}
		slices.Sort(all)
		b.ReportMetric(ms(all[15]), name+"-ms")
		b.ReportMetric(ms(all[28]), name+"-p95-ms")
		b.ReportMetric(ms((cpu()-before)/30), name+"-cpu-ms")
	}
	report("hover", func() { c.call("textDocument/hover", c.where(doc, "sdd://decision|")) })
	report("completion", func() { c.call("textDocument/completion", c.where(doc, "sdd://decision|")) })
	c.change(doc, "session", "tokens")
	report("completion-word", func() { c.call("textDocument/completion", c.where(doc, "the tokens|")) })
	report("references", func() { c.call("textDocument/references", c.where(doc, "sdd://decision|")) })
	report("definition", func() { c.call("textDocument/definition", c.where(doc, "sdd://decision|")) })
	report("lens", func() { c.call("textDocument/codeLens", c.where("p4/main.go", "package")) })
	report("code-hover", func() { c.call("textDocument/hover", c.where("p4/main.go", "func main")) })
	report("actions", func() { c.call("textDocument/codeAction", c.where(doc, "title")) })
	report("key", func() {
		c.change(doc, "Goals", "Goalx")
		c.diagnostics(doc)
		c.change(doc, "Goalx", "Goals")
		c.diagnostics(doc)
	})
	const decision = ".sdd/decisions/choice-40.md"
	c.open(decision)
	report("key-decision", func() {
		c.change(decision, "words", "wordx")
		c.diagnostics(decision)
		c.change(decision, "wordx", "words")
		c.diagnostics(decision)
	})
	for range b.N {
	}
}

// cpu is the processor time of this process.
func cpu() time.Duration {
	var u syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
