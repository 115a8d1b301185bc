package bench

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// context measures the context call on stores of facts, decisions and explorations: through a running server, and
// including the start of the process.
func (b *bench) context(c *corpus) error {
	f := &facts{root: filepath.Join(b.dir, fmt.Sprintf("facts-%d", c.size)), size: c.size, words: c.words}
	if err := f.write(); err != nil {
		return err
	}
	s, err := b.ready(f.root)
	if err != nil {
		return err
	}
	defer func() { _ = s.close() }()
	if err := s.brief(f.question(0), 300); err != nil { // runs discovery and loads the index
		return err
	}
	ping := func(int) error {
		_, err := s.call("ping", nil)
		return err
	}
	took, floor, err := inTurn(b.samples, func(i int) error { return s.brief(f.question(i), 300) }, ping)
	if err != nil {
		return err
	}
	r := timed("context, 3,000 tokens", f.size, took).against("ping", ms(median(floor)))
	switch f.size {
	case 1_000:
		r = r.must(r.P95 <= 20, "p95 ≤ 20 ms")
	case 10_000:
		r = r.must(r.P95 <= 50, "p95 ≤ 50 ms")
	}
	b.add(r)
	if err := s.close(); err != nil { // writes the cache
		return err
	}

	first := func(i int) error {
		s, err := b.ready(f.root)
		if err != nil {
			return err
		}
		err = s.brief(f.question(i), 300)
		go s.close()
		return err
	}
	took, floor, err = inTurn(b.starts, first, func(int) error { return exec.Command(b.sdd, "version").Run() })
	if err != nil {
		return err
	}
	r = timed("start to first context, with cache", f.size, took).against("sdd version", ms(median(floor)))
	if f.size == 1_000 {
		r = r.must(r.Value <= 300, "≤ 300 ms")
	}
	b.add(r)
	return nil
}

// brief asks for the context; an answer with fewer tokens than the minimum is an error.
func (s *server) brief(question string, least int) error {
	a, err := s.tool("sdd_context", map[string]any{"query": question})
	if err != nil {
		return err
	}
	var out struct {
		TokensUsed int `json:"tokens_used"`
	}
	if a.IsError || len(a.Content) == 0 || json.Unmarshal(a.StructuredContent, &out) != nil {
		return fmt.Errorf("the context of %q: %v", question, a.Content)
	}
	if out.TokensUsed < least || out.TokensUsed > 3000 {
		return fmt.Errorf("the context of %q has %d tokens", question, out.TokensUsed)
	}
	return nil
}

// facts is a store of facts, a tenth of it decisions and a tenth explorations.
type facts struct {
	root  string
	size  int
	words *words
}

var domains = strings.Fields("auth billing search gateway storage deploy mobile reports import audit")

func (f *facts) write() error {
	for _, d := range []string{"facts", "decisions", "explore"} {
		if err := os.MkdirAll(filepath.Join(f.root, ".sdd", d), 0o755); err != nil {
			return err
		}
	}
	for i := range f.size {
		rng := rand.New(rand.NewPCG(uint64(i), 7))
		var b strings.Builder
		name := ""
		text := func(n int) string {
			var t strings.Builder
			f.words.sentence(rng, &t, n)
			return t.String()
		}
		domain := domains[rng.IntN(len(domains))]
		switch i % 10 {
		case 8:
			title := f.words.title(rng, i)
			name = "decisions/" + strings.ReplaceAll(strings.ToLower(title), " ", "-") + ".md"
			fmt.Fprintf(&b, "---\ntitle: %s\nstatus: accepted\ndate: 2026-01-02\n---\n\n# %s\n\n## Context and Problem Statement\n\n%s\n\n"+
				"## Decision Outcome\n\nChosen option: %q, because %s.\n", title, title, text(20), title, text(12))
		case 9:
			title := f.words.title(rng, i)
			name = "explore/" + strings.ReplaceAll(strings.ToLower(title), " ", "-") + ".md"
			fmt.Fprintf(&b, "---\ntitle: %s\n---\n\n## Goals\n\n- %s\n\n## Decisions\n\n- %s\n", title, text(20), text(20))
		default:
			id := fmt.Sprintf("fact-%012x", i)
			name = "facts/" + id + ".md"
			level := 1 + i%3
			if i%50 == 0 {
				level = 0
			}
			fmt.Fprintf(&b, "---\nid: %s\nlevel: %d\ndomain: %s\nmodule: m%d\nttl: {days: 90000}\ncreated: 2026-01-02\n---\nThe %s %s %s\n",
				id, level, domain, rng.IntN(f.size/20+1), domain, text(16), rareWord(i))
		}
		if err := os.WriteFile(filepath.Join(f.root, ".sdd", name), []byte(b.String()), 0o644); err != nil {
			return err
		}
	}
	syncDisks()
	return nil
}

// question is a different one each time, about the subject of the records.
func (f *facts) question(i int) string {
	rng := rand.New(rand.NewPCG(uint64(i), 99))
	var b strings.Builder
	f.words.sentence(rng, &b, 4)
	return fmt.Sprintf("How does %s handle %s %s?", domains[i%len(domains)], b.String(), rareWord(rng.IntN(f.size)))
}

// discovery measures the first call in a large repository.
func (b *bench) discovery() error {
	root := filepath.Join(b.dir, "discovery")
	for i := range b.files {
		dir := filepath.Join(root, fmt.Sprintf("services/s%02d/internal/p%02d", i/500, i/25%20))
		if i%25 == 0 {
			if err := os.MkdirAll(dir, 0o755); err != nil {
				return err
			}
		}
		text := fmt.Sprintf("package p\n\n// F%d does what its name says.\nfunc F%d() {}\n", i, i)
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("f%05d.go", i)), []byte(text), 0o644); err != nil {
			return err
		}
	}
	if err := os.WriteFile(filepath.Join(root, "go.mod"),
		[]byte("module example.com/shop\n\ngo 1.26\n\nrequire github.com/spf13/cobra v1.10.2\n"), 0o644); err != nil {
		return err
	}
	if git, err := exec.LookPath("git"); err == nil {
		for _, args := range [][]string{{"init", "-q"}, {"add", "-A"},
			{"-c", "user.name=a", "-c", "user.email=a@example.com", "commit", "-qm", "first"}} {
			cmd := exec.Command(git, args...)
			cmd.Dir = root
			if out, err := cmd.CombinedOutput(); err != nil {
				return fmt.Errorf("git %s: %w\n%s", args[0], err, out)
			}
		}
	}
	var took, floor []time.Duration
	for range max(3, b.starts/2) {
		if err := os.RemoveAll(filepath.Join(root, ".sdd")); err != nil {
			return err
		}
		s, err := b.ready(root)
		if err != nil {
			return err
		}
		var out struct {
			Discovered bool `json:"discovery_performed"`
			Facts      int  `json:"facts_count"`
		}
		t, err := timing(func() error { return s.must("sdd_context", map[string]any{"query": "What is this project?"}, &out) })
		if err = firstOf(err, s.close()); err != nil {
			return err
		}
		if !out.Discovered || out.Facts < 5 {
			return errors.New("nothing was discovered")
		}
		took = append(took, t)
		if t, err = timing(func() error { return statAll(root) }); err != nil {
			return err
		}
		floor = append(floor, t)
	}
	r := timed(fmt.Sprintf("first context in a repository of %s files", grouped(b.files)), 0, took).
		against("look at all names", ms(median(floor)))
	if b.files == 10_000 {
		r = r.must(r.P95 <= 1000, "p95 ≤ 1,000 ms")
	}
	b.add(r)
	return nil
}
