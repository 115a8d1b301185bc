package store

import (
	"context"
	"os"
	"strings"
	"testing"

	"sdd/internal/fault"
	"sdd/internal/record"
)

func TestUndoWalksBack(t *testing.T) {
	s := newStore(t)
	var versions []string
	for _, text := range []string{"- a", "- b", "- c"} {
		s.mustSave(t, setSection(topic, "Goals", text))
		versions = append(versions, s.mustRead(t, topic))
	}
	for _, want := range []string{versions[1], versions[0]} {
		if _, err := openAt(t, s.dir).undoLast(""); err != nil {
			t.Fatal(err)
		}
		if got := s.mustRead(t, topic); got != want {
			t.Errorf("file is %q, want %q", got, want)
		}
	}
	if _, err := s.undoLast("explore/topic"); err != nil { // the save that made it
		t.Fatal(err)
	}
	if _, err := os.Stat(s.abs(topic)); err == nil {
		t.Error("the file is still there")
	}
	for _, v := range versions {
		if got, ok := s.Version(record.Etag([]byte(v))); !ok || string(got) != v {
			t.Errorf("the version %q is lost", v)
		}
	}
	_, err := s.undoLast("")
	wantFault(t, err, fault.NotFound)
}

func TestUndoOfARemoval(t *testing.T) {
	s := newStore(t)
	text := string(s.mustSave(t, setSection(topic, "Goals", "- a")).After)
	gone := Edit{Record: "explore/topic", Resolve: func() (string, error) { return topic, nil }}
	if _, err := s.Remove(t.Context(), gone); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(s.abs(topic)); err == nil {
		t.Fatal("still there")
	}
	_, err := s.Remove(t.Context(), gone)
	wantFault(t, err, fault.NotFound)
	s.byHand(t, topic, "another file\n")
	_, err = s.undoLast("")
	wantFault(t, err, fault.Conflict)
	os.Remove(s.abs(topic))
	if _, err := s.undoLast(""); err != nil {
		t.Fatal(err)
	}
	if got := s.mustRead(t, topic); got != text {
		t.Errorf("file is %q", got)
	}
}

func TestRemoveSeesAnEditor(t *testing.T) {
	s := newStore(t)
	s.mustSave(t, setSection(topic, "Goals", "- a"))
	calls := 0
	_, err := s.Remove(t.Context(), Edit{Record: "explore/topic", Resolve: func() (string, error) { return topic, nil },
		Allow: func(now []byte) error {
			if calls++; calls == 1 {
				s.byHand(t, topic, "## Goals\n- mine\n")
				return nil
			}
			return fault.New(fault.Conflict, "no, it says %q", now).With("read it")
		}})
	wantFault(t, err, fault.Conflict)
	if got := s.mustRead(t, topic); got != "## Goals\n- mine\n" {
		t.Errorf("file is %q", got)
	}
}

func TestUndoKeepsHandEdits(t *testing.T) {
	s := newStore(t)
	s.mustSave(t, setSection(topic, "Goals", "- a"))
	s.mustSave(t, setSection(topic, "Notes", "- n"))
	s.byHand(t, topic, "by hand\n## Goals\n- a\n- more\n## Notes\n- n\n")
	if _, err := s.undoLast(""); err != nil {
		t.Fatal(err)
	}
	if got := s.mustRead(t, topic); got != "by hand\n## Goals\n- a\n- more\n" {
		t.Errorf("file is %q", got)
	}
	if got := s.observe(t, topic); len(got) > 0 {
		t.Errorf("what was undone is called lost: %v", got)
	}
}

func TestUndoConflicts(t *testing.T) {
	s := newStore(t)
	s.mustSave(t, setSection(topic, "Goals", "- a"))
	s.byHand(t, topic, "## Goals\n- mine\n")
	_, err := s.undoLast("")
	wantFault(t, err, fault.Conflict) // it would delete what was written by hand
	s.mustSave(t, setSection(topic, "Goals", "- b"))
	s.byHand(t, topic, "## Goals\n- c\n")
	_, err = s.undoLast("")
	wantFault(t, err, fault.Conflict)
	os.Remove(s.abs(topic))
	_, err = s.undoLast("")
	wantFault(t, err, fault.NotFound)
}

func TestUndoWithoutJournal(t *testing.T) {
	s := newStore(t)
	_, err := s.undoLast("")
	wantFault(t, err, fault.NotFound)
	s.mustSave(t, setSection(topic, "Goals", "- a"))
	os.RemoveAll(s.abs(localFolder))
	_, err = s.undoLast("")
	wantFault(t, err, fault.NotFound)
}

// TestUndoTakesBackWholeActions: all that one call changed goes together or not at all, and what the program did by itself stays.
func TestUndoTakesBackWholeActions(t *testing.T) {
	s := newStore(t)
	save := func(ctx context.Context, e Edit) {
		t.Helper()
		if _, err := s.Save(ctx, e); err != nil {
			t.Fatal(err)
		}
	}
	other := "facts/other.md"
	save(t.Context(), setSection(topic, "Goals", "- a"))
	ctx := WithAction(t.Context())
	save(ctx, setSection(topic, "Goals", "- a\n- b"))
	save(ByItself(ctx), setSection("facts/found.md", "Fact", "found"))
	openAt(t, s.dir).mustSave(t, setSection("explore/between.md", "Goals", "- z"))
	save(ctx, setSection(other, "Fact", "made"))
	save(ctx, setSection(topic, "Notes", "- n"))
	save(ByItself(t.Context()), setSection("facts/later.md", "Fact", "found later"))

	a, err := s.Last("")
	if err != nil || len(a.Changes) != 3 || a.ID != s.Acted(ctx).ID {
		t.Fatalf("%v %+v", err, a)
	}
	for _, part := range []string{"explore/topic.md changed (Goals)", "facts/other.md made", "explore/topic.md changed (Notes)"} {
		if !strings.Contains(a.Text(), part) {
			t.Errorf("%q does not name %q", a.Text(), part)
		}
	}
	s.byHand(t, other, "## Fact\nedited\n") // one file cannot be taken back: nothing is
	before := s.mustRead(t, topic)
	_, err = openAt(t, s.dir).TakeBack(t.Context(), a.ID)
	wantFault(t, err, fault.Conflict)
	if got := s.mustRead(t, topic); got != before {
		t.Errorf("half of it was taken back: %q", got)
	}
	s.byHand(t, other, "## Fact\nmade\n")
	done, err := openAt(t, s.dir).undoLast("")
	if err != nil || len(done) != 3 {
		t.Fatalf("%v %v", err, done)
	}
	if _, err := os.Stat(s.abs(other)); err == nil {
		t.Error("the file that the action made is still there")
	}
	if got := s.mustRead(t, topic); got != "## Goals\n- a\n" {
		t.Errorf("file is %q", got)
	}
	if a, err = s.Last("explore/topic"); err != nil || len(a.Changes) != 1 || a.Changes[0].Before != "" {
		t.Errorf("the action before it: %v %+v", err, a)
	}
	_, err = s.Last("facts/found")
	wantFault(t, err, fault.NotFound)
}

// TestUndoOfWhatAnEditorTookBack goes on to the action before.
func TestUndoOfWhatAnEditorTookBack(t *testing.T) {
	s := newStore(t)
	s.mustSave(t, setSection(topic, "Goals", "- a"))
	stale := s.mustRead(t, topic)
	s.mustSave(t, setSection(topic, "Goals", "- a\n- b"))
	s.byHand(t, topic, stale)
	for range 2 {
		if _, err := s.undoLast(""); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := os.Stat(s.abs(topic)); err == nil {
		t.Error("the file is still there")
	}
	if got := s.Pending(); len(got) > 0 {
		t.Errorf("pending %v", got)
	}
}
