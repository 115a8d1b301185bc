package store

import (
	"errors"
	"os"
	"slices"
	"testing"
	"time"

	"sdd/internal/record"
)

// errKilled is how a test stops a save as kill -9 would: nothing is cleaned up.
var errKilled = errors.New("errKilled")

// killAt runs the save up to the point, and passes tells of each before.
func (s *Store) killAt(t *testing.T, point string, e Edit, passes func(point string)) {
	t.Helper()
	s.step = func(p string) error {
		passes(p)
		if p == point {
			panic(errKilled)
		}
		return nil
	}
	defer func() {
		if recover() != errKilled {
			t.Fatalf("the save did not come to %q", point)
		}
		s.step = nil
		for i := range s.turns { // the process is gone
			s.turns[i] = make(chan struct{}, 1)
		}
	}()
	s.Save(t.Context(), e)
}

func TestRecoverAfterAKill(t *testing.T) {
	for _, c := range []struct {
		point string
		edit  string // by hand, before the exchange
		file  string // after recovery
		lost  []string
	}{
		{"written", "", "## Goals\n- one\n", nil},
		{"exchanged", "", "## Goals\n- two\n", nil},
		{"placed", "", "## Goals\n- two\n", nil},
		{"exchanged", "## Goals\n- one\n## Notes\nmine\n", "## Goals\n- two\n", []string{"Notes"}},
	} {
		t.Run(c.point, func(t *testing.T) {
			s := newStore(t)
			s.mustSave(t, setSection(topic, "Goals", "- one"))
			s.killAt(t, c.point, setSection(topic, "Goals", "- two"), func(point string) {
				if point == "checked" && c.edit != "" {
					s.byHand(t, topic, c.edit)
				}
			})
			other := openAt(t, s.dir)
			if err := other.Recover(t.Context()); err != nil {
				t.Fatal(err)
			}
			if got := s.mustRead(t, topic); got != c.file {
				t.Errorf("file is %q, want %q", got, c.file)
			}
			if left := files(t, s.abs(tmpFolder)); len(left) > 0 {
				t.Errorf("left %v", left)
			}
			if got := sectionsOf(other.Pending()); !slices.Equal(got, c.lost) {
				t.Errorf("pending %v, want %v", got, c.lost)
			}
			if _, ok := other.Version(record.Etag([]byte("## Goals\n- one\n"))); !ok && c.edit == "" {
				t.Error("the old version is lost")
			}
			if c.lost != nil {
				if _, err := other.Resolve(t.Context(), "explore/topic"); err != nil {
					t.Fatal(err)
				}
				if got := s.mustRead(t, topic); got != "## Goals\n- two\n## Notes\nmine\n" {
					t.Errorf("resolved to %q", got)
				}
			}
		})
	}
}

func TestRecoverLeavesASaveUnderWayAlone(t *testing.T) {
	s := newStore(t)
	s.mustSave(t, setSection(topic, "Goals", "- one"))
	s.during("written", func() {
		if err := openAt(t, s.dir).Recover(t.Context()); err != nil {
			t.Error(err)
		}
		if left := files(t, s.abs(tmpFolder)); len(left) != 1 {
			t.Errorf("left %v", left)
		}
	})
	s.mustSave(t, setSection(topic, "Goals", "- two"))
}

func TestAFileHeldOpenIsLookedAtLater(t *testing.T) {
	s := newStore(t)
	s.mustSave(t, setSection(topic, "Goals", "- one"))
	long := time.Now().Add(-time.Hour) // nothing points to a save under way
	os.Chtimes(s.abs(topic), long, long)
	f, err := os.OpenFile(s.abs(topic), os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	s.mustSave(t, setSection(topic, "Goals", "- two"))
	if len(s.Pending()) > 0 {
		t.Error("pending", s.Pending())
	}
	// Only now it writes, to a file that is not in place any more.
	text := "## Goals\n- one\n## Notes\nmine\n"
	if _, err := f.WriteAt([]byte(text), 0); err != nil {
		t.Fatal(err)
	}
	f.Close()
	if got := sectionsOf(s.Pending()); !slices.Equal(got, []string{"Notes"}) {
		t.Errorf("pending %v", got)
	}
	if _, err := s.Resolve(t.Context(), "explore/topic"); err != nil {
		t.Fatal(err)
	}
	if got := s.mustRead(t, topic); got != "## Goals\n- two\n## Notes\nmine\n" {
		t.Errorf("resolved to %q", got)
	}
}

func TestTempNames(t *testing.T) {
	for _, n := range []tempName{
		{true, 0xab, "n", "", "0123456789abcdef", "explore/a-b=c/d.md"},
		{false, 0, "n", "0123456789abcdef", "", "explore/=s==.md"},
	} {
		if got, ok := parseTempName(n.String()); !ok || got != n {
			t.Errorf("%q is %+v, want %+v", n, got, n)
		}
	}
	for _, bad := range []string{"", "new", "old-zz-n-a-b-c", "x-00-n-a-b-c", "new-00-n"} {
		if _, ok := parseTempName(bad); ok {
			t.Errorf("%q is a temporary file's name", bad)
		}
	}
}
