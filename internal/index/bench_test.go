package index

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"sdd/internal/index/indextest"
	"sdd/internal/store"
)

// The stores of the benchmarks, made once; 100,000 records not with -short.
var benchSizes = []int{100, 1_000, 10_000, 100_000}

var benchStores = map[int]*shelf{}

func benchStore(b *testing.B, n int) *shelf {
	b.Helper()
	if n > 10_000 && testing.Short() {
		b.Skip("large")
	}
	if s := benchStores[n]; s != nil {
		return &shelf{b, s.dir}
	}
	dir := filepath.Join(benchDir, fmt.Sprint(n))
	s := &shelf{b, dir}
	if err := indextest.New(20_000).Write(dir, 0, n); err != nil {
		b.Fatal(err)
	}
	s.write("config.yaml", "project: demo\n")
	benchStores[n] = s
	return s
}

// benchDir is removed when all tests are over.
var benchDir string

func TestMain(m *testing.M) {
	var err error
	if benchDir, err = os.MkdirTemp("", "sdd-index-bench"); err != nil {
		panic(err)
	}
	code := m.Run()
	os.RemoveAll(benchDir)
	os.Exit(code)
}

func bySize(b *testing.B, run func(b *testing.B, s *shelf)) {
	for _, n := range benchSizes {
		b.Run(fmt.Sprint(n), func(b *testing.B) { run(b, benchStore(b, n)) })
	}
}

// resident reports the largest resident memory of this process so far, where the system tells.
func resident(b *testing.B) {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return
	}
	for line := range strings.Lines(string(status)) {
		var kb float64
		if n, _ := fmt.Sscanf(line, "VmHWM: %f kB", &kb); n == 1 {
			b.ReportMetric(kb/1024, "MiB-peak")
		}
	}
}

// forgetPeak makes resident count from now on.
func forgetPeak() {
	runtime.GC()
	os.WriteFile("/proc/self/clear_refs", []byte("5"), 0o200)
}

// From opening to the first answer, everything read from the records.
func BenchmarkFirstSearchWithoutCache(b *testing.B) {
	bySize(b, func(b *testing.B, s *shelf) {
		forgetPeak()
		for b.Loop() {
			b.StopTimer()
			s.remove(cacheFolder)
			b.StartTimer()
			s.firstSearch(b)
		}
		resident(b)
	})
}

// From opening to the first answer, with a cache.
func BenchmarkFirstSearchWithCache(b *testing.B) {
	bySize(b, func(b *testing.B, s *shelf) {
		s.firstSearch(b)
		forgetPeak()
		for b.Loop() {
			s.firstSearch(b)
		}
		resident(b)
	})
}

func (s *shelf) firstSearch(b *testing.B) {
	st, err := store.Open(store.Options{Dir: s.dir})
	if err != nil {
		b.Fatal(err)
	}
	ix := Open(st)
	if err := ix.Refresh(context.Background()); err != nil {
		b.Fatal(err)
	}
	ask(b, ix, Query{Text: indextest.RareWord(1)})
	b.StopTimer()
	ix.Close()
	b.StartTimer()
}

func BenchmarkSearch(b *testing.B) {
	for name, text := range map[string]string{
		"rare": indextest.RareWord(17), "percent": indextest.CommonWord, "every": "the", "list": "", "question": "how does the percentile of this topic work",
	} {
		b.Run(name, func(b *testing.B) {
			bySize(b, func(b *testing.B, s *shelf) {
				ix := s.opened(b)
				forgetPeak()
				for b.Loop() {
					if err := ix.Refresh(context.Background()); err != nil {
						b.Fatal(err)
					}
					ask(b, ix, Query{Text: text})
				}
				resident(b)
			})
		})
	}
}

func (s *shelf) opened(b *testing.B) *Index {
	st, err := store.Open(store.Options{Dir: s.dir})
	if err != nil {
		b.Fatal(err)
	}
	ix := Open(st)
	b.Cleanup(ix.Close)
	if err := ix.Refresh(context.Background()); err != nil {
		b.Fatal(err)
	}
	return ix
}

// One record after the other, as many saves make them.
func BenchmarkPut(b *testing.B) {
	corpus := indextest.New(20_000)
	bySize(b, func(b *testing.B, s *shelf) {
		ix := s.opened(b)
		texts := make([][]byte, 500)
		for i := range texts {
			texts[i] = corpus.Text(1_000_000 + i)
		}
		i := 0
		for b.Loop() {
			ix.Put(store.Saved{Path: fmt.Sprintf("explore/put-%d.md", i), After: texts[i%len(texts)]})
			i++
		}
	})
}

// Near for new titles and for stored ones, among 10,000 that are like them and 200 saved since.
func BenchmarkNear(b *testing.B) {
	const stored, saved = 10_000, 200
	for name, title := range benchTitles() {
		b.Run(name, func(b *testing.B) {
			s := &shelf{b, b.TempDir()}
			save := func(i int) {
				s.write(fmt.Sprintf("explore/%d.md", i), fmt.Sprintf("---\ntitle: %s\nproject: demo\n---\n\n## Goals\n\nx\n", title(i)))
			}
			for i := range stored {
				save(i)
			}
			ix := s.opened(b)
			ix.work.Wait() // for the cache
			for i := range saved {
				save(stored + i)
				if i%50 == 20 {
					if err := ix.Refresh(context.Background()); err != nil {
						b.Fatal(err)
					}
				}
			}
			for name, first := range map[string]int{"new": stored + saved, "stored": 0} {
				b.Run(name, func(b *testing.B) {
					b.ReportAllocs()
					for i := 0; b.Loop(); i++ {
						ix.Near(title(first+i%saved), "demo", "project", 3)
					}
				})
			}
		})
	}
}

// benchTitles makes titles of several kinds; the i-th of each is always the same.
func benchTitles() map[string]func(i int) string {
	syllables := strings.Fields("an be con der en fal gre hor in ja ket lo men nor op pre qui re sta ten ul ver wi yon zel tion ing ment able ous")
	rng := rand.New(rand.NewPCG(7, 11))
	words := make([]string, 20_000)
	for i := range words {
		for range 2 + rng.IntN(3) {
			words[i] += syllables[rng.IntN(len(syllables))]
		}
	}
	const consonants, vowels = "bdfgklmnprtv", "aiou"
	number := func(i int) (w string) {
		for range 4 {
			w += string(consonants[i/4%12]) + string(vowels[i%4])
			i /= 48
		}
		return w + "x"
	}
	pick := func(i int) func() string {
		rng := rand.New(rand.NewPCG(uint64(i), 42))
		return func() string { return words[rng.IntN(len(words))] }
	}
	return map[string]func(int) string{
		"numbered": func(i int) string { return fmt.Sprint("Topic ", i) },
		"words": func(i int) string { // three words that others have too, and one of its own
			w := pick(i)
			return w() + " " + w() + " " + w() + " " + number(i)
		},
		"letters": func(i int) string { // words without any order
			word := func(n int) string {
				var w [6]byte
				for k := range w {
					w[k] = byte('a' + n%26)
					n = n/26*7 + n%997 + 11
				}
				return string(w[:])
			}
			return fmt.Sprintf("%s %s %s n%d", word(i*131), word(i*17+5), word(i*7919+3), i)
		},
		"topics": func(i int) string { // a word that all have
			w := pick(i)
			return fmt.Sprintf("Topic %06d %s %s", i, w(), w())
		},
		"short": func(i int) string { // two words, one of a few
			return words[i%40] + " " + pick(i)()
		},
	}
}

func BenchmarkLookup(b *testing.B) {
	bySize(b, func(b *testing.B, s *shelf) {
		ix := s.opened(b)
		for b.Loop() {
			if len(ix.Lookup(Ref{ID: indextest.Path(17)})) != 1 {
				b.Fatal("not found")
			}
		}
	})
}

func BenchmarkSuggest(b *testing.B) {
	bySize(b, func(b *testing.B, s *shelf) {
		ix := s.opened(b)
		for b.Loop() {
			ix.Suggest("explore/topic-00017", 3)
		}
	})
}

// Rank for questions with words of every rarity, with p95 of the calls.
func BenchmarkRank(b *testing.B) {
	questions := []string{
		"How does the percentile of this topic work?",
		"why " + indextest.RareWord(17) + " and not ADR-016",
		"what did we decide about percentile in 2024",
		"Как работает percentile в topic?",
		"percentille of topik " + indextest.RareWord(3),
		"internal/index/find.go",
	}
	bySize(b, func(b *testing.B, s *shelf) {
		ix := s.opened(b)
		ix.work.Wait() // for the cache
		forgetPeak()
		var took []time.Duration
		for b.Loop() {
			start := time.Now()
			if err := ix.Refresh(context.Background()); err != nil {
				b.Fatal(err)
			}
			if _, err := ix.Rank(context.Background(), RankQuery{Text: questions[len(took)%len(questions)], Limit: 40}); err != nil {
				b.Fatal(err)
			}
			took = append(took, time.Since(start))
		}
		slices.Sort(took)
		b.ReportMetric(float64(took[len(took)*95/100].Microseconds())/1000, "ms-p95")
		resident(b)
	})
}
