package store

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"sdd/internal/journal"
	"sdd/internal/record"
)

func segmentsOf(t *testing.T, s *Store) []string {
	t.Helper()
	names, err := filepath.Glob(s.abs(journal.Folder) + "/*")
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
		if _, err := s.undoLast(""); err != nil {
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
		if e := s.Entries("explore/topic"); len(e) != 20 || !strings.HasPrefix(e[0].Sections[0].After, "19\n") {
			t.Errorf("%d entries", len(e))
		}
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
