package journal

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/quick"

	_ "sdd/internal/longtest"
)

func TestPatch(t *testing.T) {
	lines := func(r *rand.Rand) []byte {
		var b strings.Builder
		for range r.IntN(12) {
			b.WriteString(strings.Repeat(string(rune('a'+r.IntN(4))), r.IntN(12)))
			if r.IntN(8) > 0 {
				b.WriteByte('\n')
			}
		}
		return []byte(b.String())
	}
	law := func(seed uint64) bool {
		r := rand.New(rand.NewPCG(seed, 1))
		a, b := lines(r), lines(r)
		got, ok := Apply(a, Patch(a, b))
		return ok && bytes.Equal(got, b)
	}
	if err := quick.Check(law, &quick.Config{MaxCount: 5000}); err != nil {
		t.Error(err)
	}
	var long strings.Builder
	for i := range 1000 {
		fmt.Fprintf(&long, "line number %d\n", i)
	}
	a := []byte(long.String())
	b := bytes.Replace(bytes.Replace(a, []byte("number 10\n"), []byte("number ten\n"), 1), []byte("number 900\n"), nil, 1)
	p := Patch(a, b)
	if got, ok := Apply(a, p); !ok || !bytes.Equal(got, b) {
		t.Error("a long text comes out wrong")
	}
	if len(p) != 2 || len(p[0].Text) > 20 {
		t.Errorf("%d hunks: %.200v", len(p), p)
	}
	if _, ok := Apply([]byte("short"), p); ok {
		t.Error("a patch fits what it was not made for")
	}
}

func TestParseHead(t *testing.T) {
	for _, record := range []string{"explore/a", `quote " back \ slash`, "日本語\n", `,"before":"x`} {
		e := Entry{ID: "1", Op: Save, Record: record, Path: "explore/" + record + ".md", Before: "0123456789abcdef", After: "",
			Sections: []Change{{Name: "Goals", Before: record, After: record}}}
		line, err := e.line()
		if err != nil {
			t.Fatal(err)
		}
		if bytes.Count(line, []byte("\n")) != 2 {
			t.Errorf("%q is not one line", line)
		}
		h, ok := parseHead(bytes.TrimSpace(line))
		if want := (head{e.ID, e.Op, e.Record, e.Path, e.Before, e.After}); !ok || h != want {
			t.Errorf("got %+v, want %+v", h, want)
		}
		if full, ok := parseEntry(line); !ok || full.Record != record {
			t.Errorf("got %+v", full)
		}
	}
	for _, bad := range []string{"", "{", "}", "{}", `{"id":"1"}`, `{"id":"1","op":"save","record":"x","path":"y","before":"","after":"`, "garbage}"} {
		if _, ok := parseHead([]byte(bad)); ok {
			t.Errorf("%q is an entry", bad)
		}
	}
}

func open(t *testing.T, dir, proc string) *Journal {
	t.Helper()
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	j := Open(root, proc)
	t.Cleanup(func() {
		j.Close()
		root.Close()
	})
	return j
}

func TestJournalDropsTheOldest(t *testing.T) {
	dir := t.TempDir()
	j := open(t, dir, "a")
	if err := os.MkdirAll(filepath.Join(dir, Folder), 0o755); err != nil {
		t.Fatal(err)
	}
	for i := range mostSize/segmentSize + 3 {
		if err := os.WriteFile(filepath.Join(dir, segmentPath(i+1)), nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	os.Truncate(filepath.Join(dir, segmentPath(mostSize/segmentSize+3)), segmentSize)
	if err := j.Append(&Entry{ID: "a1", Op: Save, Record: "x"}); err != nil {
		t.Fatal(err)
	}
	if left, _ := j.numbers(); len(left) > mostSize/segmentSize+1 {
		t.Errorf("%d segments", len(left))
	}
}

// TestJournalIsForgottenWhenDropped: a process that reads on for ever keeps marks of a bounded part of the journal, knows the
// last entry of a record whose entries are there, and still tells the saves before its start from those after it.
func TestJournalIsForgottenWhenDropped(t *testing.T) {
	dir := t.TempDir()
	writes := open(t, dir, "w")
	writes.roll = 4 << 10
	tag := func(i int) string { return fmt.Sprintf("%016x", i+1) }
	save := func(i int) {
		path := fmt.Sprintf("explore/%d.md", i%100)
		if err := writes.Append(&Entry{ID: fmt.Sprint("w", i), Op: Save, Record: path, Path: path, After: tag(i)}); err != nil {
			t.Fatal(err)
		}
	}
	const before = 1000
	for i := range before {
		save(i)
	}
	j := open(t, dir, "r")
	j.roll = writes.roll
	j.Pending()
	most, again := 0, 0
	for i := before; i < 50_000; i++ {
		save(i)
		path := fmt.Sprintf("explore/%d.md", i%100)
		known := len(j.entries)
		saved := j.Saved(path, tag(i))
		if !saved.ByTool {
			t.Fatalf("save %d is not known", i)
		}
		if saved.News == nil {
			t.Fatalf("save %d is no news", i)
		}
		if e, ok := j.Entry(*saved.News); !ok || e.Path != path || e.After != tag(i) {
			t.Fatalf("save %d reads %+v", i, e)
		}
		if n := slices.IndexFunc(j.entries, func(m mark) bool { return !m.olderThan(j.began) }); i%1000 == 0 && n >= 0 {
			if e, ok := j.load(int32(n)); ok && e.After < tag(before) {
				t.Fatalf("save %s was not before the start", e.After)
			}
		}
		if len(j.entries) < known {
			again++
		}
		most = max(most, len(j.entries))
	}
	if again < 2 {
		t.Errorf("the journal was read %d times again from its start", again)
	}
	const line = 150 // bytes, at least
	if limit := int(writes.roll) / line * (2*mostSize/segmentSize + 3); most > limit {
		t.Errorf("%d marks, want at most %d", most, limit)
	}
}
