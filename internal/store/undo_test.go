package store

import (
	"context"
	"os"
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
		if _, err := openAt(t, s.dir).Undo(t.Context(), ""); err != nil {
			t.Fatal(err)
		}
		if got := s.mustRead(t, topic); got != want {
			t.Errorf("file is %q, want %q", got, want)
		}
	}
	if _, err := s.Undo(t.Context(), "explore/topic"); err != nil { // the save that made it
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
	_, err := s.Undo(t.Context(), "")
	wantFault(t, err, fault.NotFound)
}

func TestUndoOfARemoval(t *testing.T) {
	s := newStore(t)
	text := string(s.mustSave(t, setSection(topic, "Goals", "- a")).After)
	gone := Removal{Record: "explore/topic", Resolve: func() (string, error) { return topic, nil }}
	if _, err := s.Remove(t.Context(), gone); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(s.abs(topic)); err == nil {
		t.Fatal("still there")
	}
	_, err := s.Remove(t.Context(), gone)
	wantFault(t, err, fault.NotFound)
	s.byHand(t, topic, "another file\n")
	_, err = s.Undo(t.Context(), "")
	wantFault(t, err, fault.Conflict)
	os.Remove(s.abs(topic))
	if _, err := s.Undo(t.Context(), ""); err != nil {
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
	_, err := s.Remove(t.Context(), Removal{Record: "explore/topic", Resolve: func() (string, error) { return topic, nil },
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
	if _, err := s.Undo(t.Context(), ""); err != nil {
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
	_, err := s.Undo(t.Context(), "")
	wantFault(t, err, fault.Conflict) // it would delete what was written by hand
	s.mustSave(t, setSection(topic, "Goals", "- b"))
	s.byHand(t, topic, "## Goals\n- c\n")
	_, err = s.Undo(t.Context(), "")
	wantFault(t, err, fault.Conflict)
	os.Remove(s.abs(topic))
	_, err = s.Undo(t.Context(), "")
	wantFault(t, err, fault.NotFound)
}

func TestUndoWithoutJournal(t *testing.T) {
	s := newStore(t)
	_, err := s.Undo(context.Background(), "")
	wantFault(t, err, fault.NotFound)
	s.mustSave(t, setSection(topic, "Goals", "- a"))
	os.RemoveAll(s.abs(localFolder))
	_, err = s.Undo(context.Background(), "")
	wantFault(t, err, fault.NotFound)
}
