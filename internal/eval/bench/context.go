package bench

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"time"

	"sdd/internal/eval/must"
)

// context measures the context call on stores of facts, decisions and explorations: through a running server, and
// including the start of the process.
func (b *bench) context(c *corpus) {
	f := &facts{root: filepath.Join(b.dir, fmt.Sprintf("facts-%d", c.size)), size: c.size, words: c.words}
	f.write()
	s := must.Get(b.ready(f.root))
	defer func() { _ = s.close() }()
	must.Check(s.brief(f.question(0), 300)) // runs discovery and loads the index
	took, floor := inTurn(b.samples, func(i int) error { return s.brief(f.question(i), 300) }, s.ping)
	r := timed("context, 3,000 tokens", f.size, took).against("ping", ms(median(floor)))
	if most := map[int]float64{1_000: 20, 10_000: 50}[f.size]; most > 0 {
		r = r.must(r.P95 <= most, "p95 ≤ %g ms", most)
	}
	b.add(r)
	must.Check(s.close()) // writes the cache

	first := func(i int) error {
		s := must.Get(b.ready(f.root))
		defer func() { go s.close() }()
		return s.brief(f.question(i), 300)
	}
	took, floor = inTurn(b.starts, first, b.version)
	r = timed("start to first context, with cache", f.size, took).against("sdd version", ms(median(floor)))
	b.add(r.atMost(map[int]float64{1_000: 300}))
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

func (f *facts) write() {
	for _, d := range []string{"facts", "decisions", "explore"} {
		must.Check(os.MkdirAll(filepath.Join(f.root, ".sdd", d), 0o755))
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
		must.Check(os.WriteFile(filepath.Join(f.root, ".sdd", name), []byte(b.String()), 0o644))
	}
	syncDisks()
}

// question is a different one each time, about the subject of the records.
func (f *facts) question(i int) string {
	rng := rand.New(rand.NewPCG(uint64(i), 99))
	var b strings.Builder
	f.words.sentence(rng, &b, 4)
	return fmt.Sprintf("How does %s handle %s %s?", domains[i%len(domains)], b.String(), rareWord(rng.IntN(f.size)))
}

// discovery measures the first call in a large repository.
func (b *bench) discovery() {
	root := filepath.Join(b.dir, "discovery")
	for i := range b.files {
		dir := filepath.Join(root, fmt.Sprintf("services/s%02d/internal/p%02d", i/500, i/25%20))
		if i%25 == 0 {
			must.Check(os.MkdirAll(dir, 0o755))
		}
		text := fmt.Sprintf("package p\n\n// F%d does what its name says.\nfunc F%d() {}\n", i, i)
		must.Check(os.WriteFile(filepath.Join(dir, fmt.Sprintf("f%05d.go", i)), []byte(text), 0o644))
	}
	module := "module example.com/shop\n\ngo 1.26\n\nrequire github.com/spf13/cobra v1.10.2\n"
	must.Check(os.WriteFile(filepath.Join(root, "go.mod"), []byte(module), 0o644))
	commitAll(root)
	var took, floor []time.Duration
	for range max(3, b.starts/2) {
		must.Check(os.RemoveAll(filepath.Join(root, ".sdd")))
		s := must.Get(b.ready(root))
		var out struct {
			Discovered bool `json:"discovery_performed"`
			Facts      int  `json:"facts_count"`
		}
		took = append(took, timing(func() error { return s.must("sdd_context", map[string]any{"query": "What is this project?"}, &out) }))
		must.Check(s.close())
		if !out.Discovered || out.Facts < 5 {
			must.Check(errors.New("nothing was discovered"))
		}
		floor = append(floor, timing(func() error { return statAll(root) }))
	}
	r := timed(fmt.Sprintf("first context in a repository of %s files", grouped(b.files)), 0, took).
		against("look at all names", ms(median(floor)))
	if b.files == 10_000 {
		r = r.must(r.P95 <= 1000, "p95 ≤ 1,000 ms")
	}
	b.add(r)
}
