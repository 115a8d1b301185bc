package store

import (
	"errors"
	"strings"
	"testing"

	"sdd/internal/fault"
)

// TestDiskDoesNotConfirm has the disk fail when a file is in its place: nobody is told that it is saved, also not when the
// same is saved again, until the disk has taken it.
func TestDiskDoesNotConfirm(t *testing.T) {
	for name, before := range map[string]string{"new": "", "changed": "- a"} {
		t.Run(name, func(t *testing.T) {
			s := newStore(t)
			if before != "" {
				s.mustSave(t, setSection(topic, "Goals", before))
			}
			broken, written := true, 0
			s.step = func(point string) error {
				if point == "placed" {
					written++
				}
				if point == "confirmed" && broken {
					return errors.New("input/output error")
				}
				return nil
			}
			told := 0
			e := setSection(topic, "Goals", "- b")
			e.Done = func(Saved) { told++ }
			for range 2 {
				_, err := s.Save(t.Context(), e)
				if f := wantFault(t, err, fault.Unwritable); !strings.Contains(f.Message, "does not confirm") || told != 0 {
					t.Errorf("%+v, told %d times", f, told)
				}
			}
			broken = false
			if done, err := s.Save(t.Context(), e); err != nil || done.Unchanged || told != 1 || written != 3 {
				t.Errorf("saved again: %+v, %v, told %d times, written %d times", done, err, told, written)
			}
			if done, err := s.Save(t.Context(), e); err != nil || !done.Unchanged || told != 1 || written != 3 {
				t.Errorf("saved once more: %+v, %v, told %d times, written %d times", done, err, told, written)
			}
		})
	}
}
