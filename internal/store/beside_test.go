package store

import (
	"fmt"
	"strings"
	"testing"

	"sdd/internal/journal"
	"sdd/internal/record"
)

// TestPanicBeside: a panic in what is worked out beside the disk reaches the caller, and the next save works.
func TestPanicBeside(t *testing.T) {
	s := newStore(t)
	s.mustSave(t, setSection(topic, "Goals", "- one"))
	e := setSection(topic, "Goals", "- two")
	e.Changed = func(_, _ *record.Doc) []journal.Change { panic("in Changed") }
	func() {
		defer func() {
			if p := recover(); !strings.Contains(fmt.Sprint(p), "in Changed") {
				t.Error(p)
			}
		}()
		done, err := s.Save(t.Context(), e)
		t.Errorf("saved %+v, %v", done, err)
	}()
	s.mustSave(t, setSection(topic, "Goals", "- three"))
	if got := s.mustRead(t, topic); got != "## Goals\n- three\n" {
		t.Errorf("file is %q", got)
	}
}
