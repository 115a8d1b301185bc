package index

import (
	"context"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"sdd/internal/longtest"
	"sdd/internal/store"
)

// cached is a store with a cache of some segments, and dead records in it.
const cacheFolder = ".local/" + cacheIn

func cached(t testing.TB) *shelf {
	t.Helper()
	s := newShelf(t, nil)
	for i := range 120 {
		s.write(fmt.Sprintf("explore/r%d.md", i), fmt.Sprintf("---\ntitle: Record %d\nproject: demo\ncreated: 2026-01-01\nsession_id: s\n---\n\n## Goals\n\nword w%d UserAuth\n", i, i))
	}
	ix := s.open()
	ix.Close()
	ix = s.open()
	for i := range 30 {
		s.put(ix, fmt.Sprintf("explore/r%d.md", i), fmt.Sprintf("# Record %d\n\nnew w%d\n", i, i))
	}
	ix.Close()
	return s
}

func (s *shelf) cacheFiles() []string {
	s.t.Helper()
	var names []string
	entries, err := os.ReadDir(s.file(cacheFolder))
	if err != nil {
		s.t.Fatal(err)
	}
	for _, e := range entries {
		if e.Name() != ".gitignore" {
			names = append(names, e.Name())
		}
	}
	return names
}

// reads counts the files that the next load reads.
func (s *shelf) reads() int {
	s.t.Helper()
	st, err := store.Open(store.Options{Dir: s.dir})
	if err != nil {
		s.t.Fatal(err)
	}
	ix := Open(st)
	defer ix.Close()
	ix.own = ix.settings()
	if c, err := ix.cache.load(ix.own); err == nil {
		ix.contents = c
	}
	jobs, err := ix.compare(context.Background())
	if err != nil {
		s.t.Fatal(err)
	}
	return len(jobs)
}

func TestCacheSavesReading(t *testing.T) {
	s := cached(t)
	ix := s.open() // files that were young when they were read
	ix.Close()
	if n := s.reads(); n > 0 {
		// A slow machine is no defect: what is young is read once more.
		time.Sleep(2 * racy)
		s.open().Close()
		n = s.reads()
		if n > 0 {
			t.Errorf("with a cache %d files are read", n)
		}
	}
	before := s.cacheTimes()
	ix = s.open()
	ask(t, ix, Query{Text: "word"})
	ix.Close()
	if after := s.cacheTimes(); after != before {
		t.Errorf("a search alone wrote the cache:\n%s\n%s", before, after)
	}
	ix = s.open()
	s.put(ix, "explore/r1.md", "# Record 1\n")
	s.refresh(ix)
	if after := s.cacheTimes(); after != before {
		t.Errorf("a save wrote the cache:\n%s\n%s", before, after)
	}
}

func (s *shelf) cacheTimes() string {
	s.t.Helper()
	var b strings.Builder
	for _, name := range s.cacheFiles() {
		fi, err := os.Stat(filepath.Join(s.file(cacheFolder), name))
		if err != nil {
			s.t.Fatal(err)
		}
		fmt.Fprintln(&b, name, fi.Size(), fi.ModTime().UnixNano())
	}
	return b.String()
}

// Whatever is wrong with the cache: the answers are those without one.
func TestDamagedCache(t *testing.T) {
	s := cached(t)
	want := s.fromNothing()
	pristine := t.TempDir()
	if err := os.CopyFS(filepath.Join(pristine, "index"), os.DirFS(s.file(cacheFolder))); err != nil {
		t.Fatal(err)
	}
	restore := func() {
		s.remove(cacheFolder)
		if err := os.CopyFS(s.file(cacheFolder), os.DirFS(filepath.Join(pristine, "index"))); err != nil {
			t.Fatal(err)
		}
	}
	check := func(what string) {
		t.Helper()
		ix := s.open()
		if got := answers(t, ix); got != want {
			t.Errorf("%s:\n%s", what, firstDifference(want, got))
		}
		ix.Close()
		restore()
	}
	check("untouched")
	for at, name := range s.cacheFiles() {
		path := filepath.Join(s.file(cacheFolder), name)
		whole, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		bad := map[string][]byte{
			"empty": {}, "cut": whole[:len(whole)/2], "a byte short": whole[:len(whole)-1], "longer": append(whole[:len(whole):len(whole)], 0),
			"flipped": flip(whole, len(whole)/2), "head": flip(whole, 0), "tail": flip(whole, len(whole)-1), "text": []byte(strings.Repeat("no cache\n", 100)),
		}
		for i, what := range slices.Sorted(maps.Keys(bad)) {
			if (at+i)%2 != 0 && !longtest.Set() { // the files share the ways
				continue
			}
			os.WriteFile(path, bad[what], 0o644)
			check(name + " " + what)
		}
		os.Remove(path)
		check(name + " gone")
		os.Remove(path)
		os.Mkdir(path, 0o755)
		check(name + " a folder")
		os.Remove(path)
		os.Symlink("/etc/passwd", path)
		check(name + " a link")
	}
	s.remove(cacheFolder)
	os.Symlink(t.TempDir(), s.file(cacheFolder))
	check("a link for the folder")
	s.remove(".local")
	s.write(".local", "a file\n")
	ix := s.open()
	if got := answers(t, ix); got != want {
		t.Error(firstDifference(want, got))
	}
}

func flip(b []byte, at int) []byte {
	b = append([]byte(nil), b...)
	b[at] ^= 0x55
	return b
}

// A cache that cannot be written is no reason to say anything.
func TestUnwritableCache(t *testing.T) {
	if os.Getuid() == 0 || runtime.GOOS == "windows" {
		t.Skip("permissions do not hold this user back")
	}
	s := cached(t)
	want := s.fromNothing()
	s.remove(cacheFolder)
	os.Chmod(s.file(".local"), 0o555)
	defer os.Chmod(s.file(".local"), 0o755)
	ix := s.open()
	if got := answers(t, ix); got != want {
		t.Error(firstDifference(want, got))
	}
	ix.Close()
}

// A segment that moves to a file is the same, and leaves no file behind.
func TestSpill(t *testing.T) {
	s := cached(t)
	ix := s.open()
	ix.work.Wait() // the cache is written behind
	before := strings.Join(s.cacheFiles(), " ")
	var b builder
	b.add(parse("explore/a.md", []byte("# A\n\nsome words\n"), store.Stat{}, ix.own.Defaults))
	seg := b.finish()
	spilled := ix.cache.spill(seg)
	defer spilled.close()
	if canMap && spilled == seg {
		t.Error("the segment stays on the heap")
	}
	if string(spilled.data) != string(seg.data) {
		t.Error("the segment has other bytes")
	}
	spilled.release()
	if spilled.find("words") == nil {
		t.Error("the segment cannot be read")
	}
	if after := strings.Join(s.cacheFiles(), " "); canMap && after != before {
		t.Errorf("files %s, before %s", after, before)
	}
	s.remove(cacheFolder)
	s.write(cacheFolder, "no folder\n")
	if ix.cache.spill(seg) != seg {
		t.Error("a segment was spilled to nowhere")
	}
}

// The cache of a store that was made by hand does not show up in git.
func TestCacheIsIgnored(t *testing.T) {
	s := cached(t)
	if b, err := os.ReadFile(filepath.Join(s.file(cacheFolder), ".gitignore")); err != nil || string(b) != "*\n" {
		t.Errorf("%q, %v", b, err)
	}
	s = newShelf(t, map[string]string{".gitignore": "/.local/\n", "explore/a.md": "# A\n"})
	s.open().Close()
	if _, err := os.Stat(filepath.Join(s.file(cacheFolder), ".gitignore")); err == nil {
		t.Error("a second .gitignore was made")
	}
}

// Two processes with one cache.
func TestTwoIndexesOneCache(t *testing.T) {
	s := cached(t)
	a, b := s.open(), s.open()
	s.put(a, "explore/a.md", "# From a\n")
	s.put(b, "explore/b.md", "# From b\n")
	a.Close()
	b.Close()
	ix := s.open()
	if got, want := answers(t, ix), s.fromNothing(); got != want {
		t.Error(firstDifference(want, got))
	}
}

// What processes that were killed left behind goes, what is in use stays.
func TestOrphansGo(t *testing.T) {
	s := cached(t)
	for _, name := range []string{"dead.seg", "dead.seg-abc.tmp", "young.seg", "other.txt"} {
		s.write(cacheFolder+"/"+name, "x")
		if strings.HasPrefix(name, "dead") || name == "other.txt" {
			long := time.Now().Add(-time.Hour)
			os.Chtimes(s.file(cacheFolder+"/"+name), long, long)
		}
	}
	ix := s.open()
	s.put(ix, "explore/new.md", "# New\n")
	ix.Close()
	got := strings.Join(s.cacheFiles(), " ")
	if strings.Contains(got, "dead") || !strings.Contains(got, "young.seg") || !strings.Contains(got, "other.txt") {
		t.Errorf("left are %s", got)
	}
}

// Small changes make small files, and many of them do not make many files.
func TestCacheFilesStayFew(t *testing.T) {
	s := cached(t)
	long := time.Now().Add(-time.Hour)
	for i := range 60 {
		ix := s.open()
		s.put(ix, fmt.Sprintf("explore/n%d.md", i%50), fmt.Sprintf("# N %d\n\nword %d\n", i, i))
		ix.Close()
		for _, name := range s.cacheFiles() {
			os.Chtimes(filepath.Join(s.file(cacheFolder), name), long, long)
		}
	}
	if n := len(s.cacheFiles()); n > 10 {
		t.Errorf("%d files", n)
	}
	if got, want := answers(t, s.open()), s.fromNothing(); got != want {
		t.Error(firstDifference(want, got))
	}
}

// A segment with any bytes in it, under a good checksum, has other records and terms, and that
// is all: nothing panics, nothing reads outside, nothing runs on.
func FuzzCache(f *testing.F) {
	s := cached(f)
	var state, seg []byte
	fs.WalkDir(os.DirFS(s.file(cacheFolder)), ".", func(p string, d fs.DirEntry, err error) error {
		b, _ := os.ReadFile(filepath.Join(s.file(cacheFolder), p))
		switch {
		case p == stateName:
			state = b
		case strings.HasSuffix(p, segmentExt) && len(b) > len(seg):
			seg = b
		}
		return nil
	})
	f.Add(state, seg, uint16(0), uint64(0))
	f.Add(state, seg, uint16(300), uint64(1<<40))
	f.Add(state[:40], seg[:200], uint16(9), uint64(7))
	for i := range 40 {
		f.Add(state, seg, uint16(i*97), uint64(1)<<(i%64)-1)
	}
	ix := s.open()
	f.Fuzz(func(t *testing.T, state, seg []byte, at uint16, v uint64) {
		state, seg = append([]byte(nil), state...), append([]byte(nil), seg...)
		if len(seg) > 8 {
			n := int(at) % (len(seg) - 8)
			if at%3 == 0 {
				n = len(seg) - 8 - n%200
			}
			binary.LittleEndian.PutUint64(seg[max(n, 0):], v)
		}
		if len(state) > 4 {
			binary.LittleEndian.PutUint32(state[len(state)-4:], crc32.Checksum(state[:len(state)-4], castagnoli()))
		}
		own := ix.settings()
		c, err := decodeState(state, own, func(*cacheFile) (*segment, error) { return openSegment(seg) })
		if err != nil {
			if c != nil {
				t.Fatal("contents with an error")
			}
			var opened *segment
			if opened, err = openSegment(seg); err != nil {
				return
			}
			c = newContents()
			c.add(&live{seg: opened, stats: make([]store.Stat, opened.len())})
		}
		odd := &Index{st: ix.st, ctx: context.Background(), contents: c}
		odd.loaded.Store(true)
		for _, text := range []string{"", "word", "UserAuth w5", "record 7", "rec"} {
			odd.candidates(context.Background(), &Query{Text: text, Limit: 10, Project: "demo", Session: "s"}, nil, new(Page))
			odd.candidates(context.Background(), &Query{Text: text, Limit: 10}, nil, new(Page))
		}
		odd.Lookup(Ref{ID: "record 7"})
		odd.Near("Records 7", "demo", "project", 3)
		odd.Suggest("recrd-7", 3)
		odd.Entries()
		for _, l := range c.segs {
			var out discard
			if m, err := merge(&out, []input{{l.seg, l.dead}}, func() error { return nil }); err == nil && m.docs > l.seg.len() {
				t.Fatalf("%d records of %d", m.docs, l.seg.len())
			}
		}
	})
}

type discard struct{}

func (discard) Write(b []byte) (int, error) { return len(b), nil }
