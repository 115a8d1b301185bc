package store

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"sdd/internal/journal"
)

// text is some 2 KB, as a record of middle size.
func benchText(i int) string {
	return fmt.Sprintf("- goal %d\n", i) + strings.Repeat("- a line of the kind that people write down\n", 40)
}

// filled returns a store that holds n records, written without syncing.
func filled(b *testing.B, n int) *Store {
	b.Helper()
	s := newStore(b)
	if _, err := s.Ensure(); err != nil {
		b.Fatal(err)
	}
	if err := os.MkdirAll(s.abs("explore"), 0o755); err != nil {
		b.Fatal(err)
	}
	for i := range n {
		if err := os.WriteFile(s.abs(fmt.Sprintf("explore/r%d.md", i)), []byte("## Goals\n"+benchText(i)), 0o644); err != nil {
			b.Fatal(err)
		}
	}
	return s
}

// BenchmarkSave measures durable saves at different sizes of the store, with the floor beside
// them: temp, fsync, rename, fsync folder of the same bytes, in turns, so that both have the same
// disk. "x-floor" is the ratio of the medians.
func BenchmarkSave(b *testing.B) {
	for _, n := range []int{100, 10_000} {
		b.Run(fmt.Sprintf("insert/%d", n), func(b *testing.B) {
			s, i := filled(b, n), 0
			againstFloor(b, s, func(text string) {
				i++
				s.mustSave(b, setSection(fmt.Sprintf("explore/new%d.md", i), "Goals", text))
			})
		})
		b.Run(fmt.Sprintf("upsert/%d", n), func(b *testing.B) {
			s, i := filled(b, n), 0
			againstFloor(b, s, func(text string) {
				i++
				s.mustSave(b, setSection(fmt.Sprintf("explore/r%d.md", i%n), "Goals", text))
			})
		})
	}
}

func againstFloor(b *testing.B, s *Store, save func(text string)) {
	dir := filepath.Join(s.dir, "raw")
	if err := os.CopyFS(dir, os.DirFS(s.abs("explore"))); err != nil {
		b.Fatal(err)
	}
	save(benchText(0)) // what a process pays once
	var saves, raws []time.Duration
	for i := 0; b.Loop(); i++ {
		text := benchText(-i)
		start := time.Now()
		save(text)
		saves = append(saves, time.Since(start))
		b.StopTimer()
		start = time.Now()
		if err := rawDurable(dir, fmt.Sprintf("r%d.md", i%100), []byte("## Goals\n"+text)); err != nil {
			b.Fatal(err)
		}
		raws = append(raws, time.Since(start))
		b.StartTimer()
	}
	slices.Sort(saves)
	slices.Sort(raws)
	a, r := saves[len(saves)/2], raws[len(raws)/2]
	b.ReportMetric(float64(a.Microseconds()), "µs-save")
	b.ReportMetric(float64(r.Microseconds()), "µs-floor")
	b.ReportMetric(float64(a)/float64(r), "x-floor")
}

func rawDurable(dir, name string, data []byte) error {
	tmp := filepath.Join(dir, "."+name)
	f, err := os.OpenFile(tmp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	if _, err := f.Write(data); err != nil {
		return err
	}
	if err := f.Sync(); err != nil {
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	if err := os.Rename(tmp, filepath.Join(dir, name)); err != nil {
		return err
	}
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer d.Close()
	return d.Sync()
}

func BenchmarkScan(b *testing.B) {
	s := filled(b, 10_000)
	for b.Loop() {
		n := 0
		s.Scan(context.Background(), func(string, Stat) error { n++; return nil })
		if n != 10_000 {
			b.Fatal(n)
		}
	}
}

func BenchmarkRead(b *testing.B) {
	s := filled(b, 1)
	for b.Loop() {
		if _, err := s.Read("explore/r0.md"); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkOpen(b *testing.B) {
	s := filled(b, 1)
	for b.Loop() {
		o, err := Open(Options{Dir: s.dir})
		if err != nil || !o.Exists() {
			b.Fatal(err)
		}
	}
}

// BenchmarkObserve is the cost for a file that no tool saved, at a cold start.
func BenchmarkObserve(b *testing.B) {
	s := filled(b, 100)
	s.mustSave(b, setSection("explore/new.md", "Goals", "x"))
	f, _ := s.Read("explore/r0.md")
	for b.Loop() {
		s.Observe("explore/r0.md", "", f.Bytes)
	}
}

func BenchmarkSync(b *testing.B) {
	s := filled(b, 100)
	w := s.Watch(b.Context())
	w.Sync(b.Context())
	if err := w.Polling(); err != nil {
		b.Skip(err)
	}
	for b.Loop() {
		if _, rescan, err := w.Sync(b.Context()); err != nil || rescan {
			b.Fatal(rescan, err)
		}
	}
}

// BenchmarkJournalLoad is what the first save of a process pays for a long journal.
func BenchmarkJournalLoad(b *testing.B) {
	s := newStore(b)
	t, _, _, err := s.prepare(context.Background())
	if err != nil {
		b.Fatal(err)
	}
	for i := range 10_000 {
		e := journal.Entry{Op: journal.Save, Record: fmt.Sprintf("explore/r%d", i), Path: fmt.Sprintf("explore/r%d.md", i), Before: "0123456789abcdef", After: "fedcba9876543210",
			Sections: []journal.Change{{Name: "Goals", Before: benchText(i), After: benchText(-i)}}}
		if err := s.append(t, &e); err != nil {
			b.Fatal(err)
		}
	}
	for b.Loop() {
		o := openAt(b, s.dir)
		if got := o.Entries("explore/r9999"); len(got) != 1 {
			b.Fatal(got)
		}
	}
}
