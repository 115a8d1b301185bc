package store

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/quick"
	"time"

	"sdd/internal/record"
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
		got, ok := apply(a, patch(a, b))
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
	p := patch(a, b)
	if got, ok := apply(a, p); !ok || !bytes.Equal(got, b) {
		t.Error("a long text comes out wrong")
	}
	if len(p) != 2 || len(p[0].Text) > 20 {
		t.Errorf("%d hunks: %.200v", len(p), p)
	}
	if _, ok := apply([]byte("short"), p); ok {
		t.Error("a patch fits what it was not made for")
	}
}

func TestParseHead(t *testing.T) {
	for _, record := range []string{"explore/a", `quote " back \ slash`, "日本語\n", `,"before":"x`} {
		e := Entry{ID: "1", Op: OpSave, Record: record, Path: "explore/" + record + ".md", Before: "0123456789abcdef", After: "",
			Sections: []SectionChange{{Name: "Goals", Before: record, After: record}}}
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

// TestParseBrief: what is read of an entry without its texts is what stands there, whatever the texts are.
func TestParseBrief(t *testing.T) {
	texts := []string{"", "x", `,"sections":[{"name":"no"}]`, `],"patch":[`, `{"name":`, `"},{"name":"no",`, "\\\"", "line\nline", "日本語\u2028<&>", "}"}
	for i, a := range texts {
		for k, b := range texts {
			e := Entry{ID: "1", Op: OpSave, Record: a, Path: b, Tool: b, Session: a, Time: time.Unix(int64(i), int64(k)).UTC(), Use: "explore", Lock: b, Source: []string{a, b}, Revision: i * k}
			if i > 0 {
				e.Sections = []SectionChange{{Name: a, Before: b, After: a}, {Name: b, Before: a, After: b}}
			}
			if k > 0 {
				e.Patch = []hunk{{0, 1, a}, {2, 3, b}}
			}
			line, err := e.line()
			if err != nil {
				t.Fatal(err)
			}
			line = bytes.TrimSpace(line)
			want, _ := parseEntry(line)
			want.Patch, want.Revision, want.Source = nil, 0, nil
			for i := range want.Sections {
				want.Sections[i].Before, want.Sections[i].After = "", ""
			}
			got, ok := parseBrief(line)
			if !ok || !reflect.DeepEqual(got, want) {
				t.Errorf("%s\ngot  %+v\nwant %+v", line, got, want)
			}
		}
	}
	for _, bad := range []string{"", "{", "garbage}", `{"id":"1","op":"save","sections":[`, `{"id":1,"op":"save","sections":[]}`,
		`{"id":"1","op":"save","record":"x","path":"y","before":"","after":"","sections":[{"name":7}]}`} {
		if e, ok := parseBrief([]byte(bad)); ok {
			t.Errorf("%q is an entry: %+v", bad, e)
		}
	}
}

func segmentsOf(t *testing.T, s *Store) []string {
	t.Helper()
	names, err := filepath.Glob(s.abs(journalFolder) + "/*")
	if err != nil {
		t.Fatal(err)
	}
	return names
}

func TestJournalWithTornAndGarbageLines(t *testing.T) {
	s := newStore(t)
	s.mustSave(t, setSection(topic, "Goals", "- a"))
	s.mustSave(t, setSection(topic, "Goals", "- b"))
	name := segmentsOf(t, s)[0]
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		t.Fatal(err)
	}
	fmt.Fprint(f, "\n\x00\xff garbage }\n\n{}\n[1,2]\n{\"id\":\"x\",\"op\":\"from the future\",\"record\":\"r\",\"path\":\"p\",\"before\":\"\",\"after\":\"\"}\n")
	fmt.Fprint(f, `{"id":"torn","op":"save","record":"explore/topic","path":"explore/to`) // a crash
	f.Close()
	for _, s := range []*Store{s, openAt(t, s.dir)} {
		s.mustSave(t, setSection(topic, "Goals", "- c"+s.proc))
		if _, err := s.Undo(t.Context(), ""); err != nil {
			t.Error(err)
		}
		if got := s.mustRead(t, topic); got != "## Goals\n- b\n" {
			t.Errorf("file is %q", got)
		}
	}
}

func TestJournalIsReadAcrossSegments(t *testing.T) {
	s, other := newStore(t), (*Store)(nil)
	big := strings.Repeat("a long line of text, this one\n", 10000)
	for i := range 20 {
		s.mustSave(t, setSection(topic, "Goals", fmt.Sprintf("%d\n%s", i, big)))
		if i == 2 {
			other = openAt(t, s.dir)
			other.Pending()
		}
	}
	if n := len(segmentsOf(t, s)); n < 2 {
		t.Fatalf("%d segments", n)
	}
	for _, s := range []*Store{s, other, openAt(t, s.dir)} {
		if e := s.entriesOf(mustTree(t, s), "explore/topic"); len(e) != 20 || !strings.HasPrefix(e[0].Sections[0].After, "19\n") {
			t.Errorf("%d entries", len(e))
		}
	}
}

func mustTree(t testing.TB, s *Store) *tree {
	t.Helper()
	tree, err := s.open()
	if err != nil {
		t.Fatal(err)
	}
	return tree
}

func TestJournalDropsTheOldest(t *testing.T) {
	s := newStore(t)
	_, p, _, err := s.prepare(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for i := range journalSize/segmentSize + 3 {
		if err := os.WriteFile(s.abs(journalFolder+"/"+segmentName(i+1)), nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	os.Truncate(s.abs(journalFolder+"/"+segmentName(journalSize/segmentSize+3)), segmentSize)
	if err := s.append(mustTree(t, s), p, &Entry{Op: OpSave, Record: "x"}); err != nil {
		t.Fatal(err)
	}
	if n := len(segmentsOf(t, s)); n > journalSize/segmentSize+1 {
		t.Errorf("%d segments", n)
	}
}

// TestJournalIsForgottenWhenDropped: a process that reads on for ever keeps marks of a bounded part of the journal, knows the
// last entry of a record whose entries are there, and still tells the saves before its start from those after it.
func TestJournalIsForgottenWhenDropped(t *testing.T) {
	writes := newStore(t)
	writes.journal.roll = 4 << 10
	tree, p, _, err := writes.prepare(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	tag := func(i int) string { return fmt.Sprintf("%016x", i+1) }
	save := func(i int) {
		path := fmt.Sprintf("explore/%d.md", i%100)
		if err := writes.append(tree, p, &Entry{Op: OpSave, Record: path, Path: path, After: tag(i)}); err != nil {
			t.Fatal(err)
		}
	}
	const before = 1000
	for i := range before {
		save(i)
	}
	reads := openAt(t, writes.dir)
	reads.journal.roll = writes.journal.roll
	j, most := &reads.journal, 0
	at := mustTree(t, reads)
	reads.Pending()
	for i := before; i < 50_000; i++ {
		save(i)
		path := fmt.Sprintf("explore/%d.md", i%100)
		ref, ok := reads.writer(at, path, tag(i))
		if !ok {
			t.Fatalf("save %d is not known", i)
		}
		if e, ok := j.load(ref.n); !ok || e.Path != path || e.After != tag(i) {
			t.Fatalf("save %d reads %+v, %v", i, e, ok)
		}
		if j.entries[ref.n].olderThan(j.began) {
			t.Fatalf("save %d is older than its reader", i)
		}
		if n := slices.IndexFunc(j.entries, func(m mark) bool { return !m.olderThan(j.began) }); i%1000 == 0 && n >= 0 {
			if e, ok := j.load(int32(n)); ok && e.After < tag(before) {
				t.Fatalf("save %s was not before the start", e.After)
			}
		}
		most = max(most, len(j.entries))
	}
	if j.reading < 3 {
		t.Errorf("the journal was read %d times from its start", j.reading)
	}
	const line = 150 // bytes, at least
	if limit := int(writes.journal.roll) / line * (2*journalSize/segmentSize + 3); most > limit {
		t.Errorf("%d marks, want at most %d", most, limit)
	}
}

func TestVersionFromTheJournal(t *testing.T) {
	s := newStore(t)
	a := s.mustSave(t, setSection(topic, "Goals", "- a")).After
	b := s.mustSave(t, setSection(topic, "Goals", "- b")).After
	s.byHand(t, topic, "something else\n") // b is on no disk any more
	for _, v := range [][]byte{a, b} {
		if got, ok := openAt(t, s.dir).Version(record.Etag(v)); !ok || !bytes.Equal(got, v) {
			t.Errorf("version %q: %q %v", v, got, ok)
		}
	}
	for _, bad := range []string{"", "../../config.yaml", "0123456789abcdef", "0123"} {
		if got, ok := s.Version(bad); ok {
			t.Errorf("version %q: %q", bad, got)
		}
	}
}

func TestTrashKeepsWhatUndoNeeds(t *testing.T) {
	s := newStore(t)
	s.mustSave(t, setSection(topic, "Goals", "- a"))
	s.mustSave(t, setSection(topic, "Goals", "- b"))
	s.mustSave(t, setSection(topic, "Goals", "- c"))
	tree, p, _, err := s.prepare(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	big, err := p.trash.OpenFile("0000000000000001", os.O_WRONLY|os.O_CREATE, 0o644)
	if err != nil {
		t.Fatal(err)
	}
	big.Truncate(trashSize + 1)
	big.Close()
	s.pruneNow(tree, p)
	if got := files(t, s.abs(trashFolder)); len(got) != 1 || got[0] != record.Etag([]byte("## Goals\n- b\n")) {
		t.Errorf("kept %v", got)
	}
	s.opt.Now = func() time.Time { return time.Now().Add(2 * trashAge) }
	s.pruneNow(tree, p)
	if got := files(t, s.abs(trashFolder)); len(got) != 0 {
		t.Errorf("kept %v", got)
	}
}
