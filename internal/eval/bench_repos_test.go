package eval

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

const (
	repositories  = 200 // the own one among them
	recordsOfEach = 500
	remotes       = 20 // repositories that are fetched from a URL while others push to them
	pushes        = 5  // to each
	sameQuestions = 100
)

var withRepositories = flag.Bool("repositories", false, "run TestRepositories, which makes a hundred thousand records")

// TestRepositories holds questions over the records of many repositories to their bars.
func TestRepositories(t *testing.T) {
	if !*withRepositories {
		t.Skip("without -repositories")
	}
	b := &bench{dir: t.TempDir(), log: t.Output(), samples: 200, starts: 20}
	check(b.build())
	b.repos()
	var report bytes.Buffer
	check(b.table(&report))
	t.Log("\n" + report.String())
	if bytes.Contains(report.Bytes(), []byte("**no**")) {
		t.Error("a bar is missed")
	}
}

// repos measures questions over the records of many repositories: against one store with the same records, and while other
// processes push and fetch.
func (b *bench) repos() {
	dir := filepath.Join(b.dir, "repos")
	for name, sub := range map[string]string{"XDG_CONFIG_HOME": "config", "XDG_CACHE_HOME": "cache"} {
		was, set := os.LookupEnv(name)
		check(os.Setenv(name, filepath.Join(dir, sub)))
		defer func() {
			if os.Unsetenv(name); set {
				os.Setenv(name, was)
			}
		}()
	}
	c := &corpus{root: filepath.Join(dir, "own"), size: repositories * recordsOfEach, words: newWords()}
	merged := get(newCorpus(dir, c.size))
	check(os.MkdirAll(c.explore(), 0o755))
	for _, r := range c.records(0, recordsOfEach) {
		check(os.WriteFile(filepath.Join(c.explore(), r.file()), r.markdown(), 0o644))
	}
	for k := 1; k < repositories; k++ {
		at := filepath.Join(dir, fmt.Sprintf("r%03d", k))
		check(commit(at, c.records(k*recordsOfEach, recordsOfEach)))
		if k < remotes {
			at = "file://" + at
		}
		check(b.run(c.root, "repos", "add", at))
	}
	question := func(i int) string { return rareWord(i*7919%c.size) + " " + commonWord(i%commonWords) }
	ask := func(i int) error { return b.run(c.root, "search", "--with", "all", question(i)) }
	once := timing(func() error { return ask(0) })
	b.add(timed("first search over 200 repositories, cache deleted", c.size, []time.Duration{once}))
	var all []time.Duration
	for i := range b.starts {
		all = append(all, timing(func() error { return ask(i) }))
	}
	r := timed("sdd search over 200 repositories, with cache", c.size, all)
	b.add(r.must(r.Value <= 500, "≤ 500 ms"))

	s := get(b.ready(c.root))
	defer s.close()
	one := get(b.ready(merged.root))
	defer one.close()
	same := 0
	for i := range sameQuestions {
		with := get(s.ranked(question(i), "all"))
		without := get(one.ranked(question(i), ""))
		if slices.Equal(with, without) {
			same++
		} else {
			fmt.Fprintf(b.log, "%q has another order\n", question(i))
		}
	}
	b.add(row{Figure: "questions with the results of one store in the same order", Records: c.size, Unit: "of 100", Value: float64(same), Note: "scores and order, ties aside"}.must(same == sameQuestions, "100"))
	for _, tool := range []string{"sdd_search", "sdd_context"} {
		all = nil
		for i := range b.samples {
			all = append(all, timing(func() error {
				return s.must(tool, map[string]any{"query": question(i + sameQuestions), "with": "all"}, &struct{}{})
			}))
		}
		r = timed(tool+" over 200 repositories", c.size, all)
		if tool == "sdd_search" {
			r = r.must(r.P95 <= 50, "p95 ≤ 50 ms")
		}
		b.add(r)
	}
	b.peak(s, row{Figure: "peak memory over 200 repositories", Records: c.size}, 160)
	b.pushed(c, s, dir)
}

// pushed pushes to the remotes and fetches, and asks after each fetch: the pushed records must be found, the replaced ones not.
func (b *bench) pushed(c *corpus, s *server, dir string) {
	var all []time.Duration
	wrong, next := 0, c.size
	for range pushes {
		fresh := c.records(next, remotes-1)
		for k := 1; k < remotes; k++ {
			at := filepath.Join(dir, fmt.Sprintf("r%03d", k))
			check(commit(at, append(c.records(k*recordsOfEach, recordsOfEach), fresh[k-1]))) // without the last push
		}
		check(b.run(c.root, "repos", "sync"))
		for k := range fresh {
			for i, want := range map[int]int{next + k: 1, next + k - len(fresh): 0} {
				if i < c.size {
					continue
				}
				all = append(all, timing(func() error {
					var f found
					err := s.must("sdd_search", map[string]any{"query": rareWord(i), "limit": 100, "max_tokens": 100_000, "with": "all"}, &f)
					if len(f.Results) != want {
						wrong++
					}
					return err
				}))
			}
		}
		next += len(fresh)
	}
	b.add(timed("sdd_search after pushes to 19 repositories and their fetch", c.size, all))
	b.add(row{Figure: "records missing or of an old commit after the fetch", Records: c.size, Unit: "", Value: float64(wrong)}.must(wrong == 0, "0"))
}

// ranked returns the first 100 results with their scores, in the order of the scores and of the titles: own records win ties. It leaves
// out the last score, whose records may be on the next page too.
func (s *server) ranked(query, with string) (all []string, err error) {
	var f struct {
		Results []struct {
			Title string
			Score float64
		}
	}
	args := map[string]any{"query": query, "limit": 100, "max_tokens": 100_000}
	if with != "" {
		args["with"] = with
	}
	if err := s.must("sdd_search", args, &f); err != nil || len(f.Results) == 0 {
		return nil, err
	}
	last := f.Results[len(f.Results)-1].Score
	for i := 0; i < len(f.Results) && f.Results[i].Score != last; {
		from, score := i, f.Results[i].Score
		for ; i < len(f.Results) && f.Results[i].Score == score; i++ {
			all = append(all, fmt.Sprintf("%g %s", score, f.Results[i].Title))
		}
		slices.Sort(all[from:])
	}
	return all, nil
}

// run runs sdd in dir.
func (b *bench) run(dir string, args ...string) error {
	cmd := exec.Command(b.sdd, args...)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("sdd %s: %w\n%s", strings.Join(args, " "), err, out)
	}
	return nil
}

// commit makes a commit with these records in the repository at dir, and the repository if there is none.
func commit(dir string, records []record) error {
	if out, err := exec.Command("git", "init", "-q", "-b", "main", dir).CombinedOutput(); err != nil {
		return fmt.Errorf("git init: %w\n%s", err, out)
	}
	var in bytes.Buffer
	fmt.Fprintf(&in, "commit refs/heads/main\ncommitter a <a@b.c> %d +0000\ndata 1\nx\ndeleteall\n", time.Now().Unix())
	for _, r := range records {
		src := r.markdown()
		path, err := json.Marshal(".sdd/explore/" + r.file())
		if err != nil {
			return err
		}
		fmt.Fprintf(&in, "M 100644 inline %s\ndata %d\n%s\n", path, len(src), src)
	}
	cmd := exec.Command("git", "-C", dir, "fast-import", "--quiet", "--force")
	cmd.Stdin = &in
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("git fast-import: %w\n%s", err, out)
	}
	return nil
}
