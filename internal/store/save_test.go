package store

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"sdd/internal/fault"
	"sdd/internal/record"
)

const topic = "explore/topic.md"

func TestSaveMakesTheStore(t *testing.T) {
	s := newStore(t)
	done := s.mustSave(t, setSection(topic, "Goals", "- one"))
	if !done.Created || done.Unchanged || done.Path != topic || string(done.After) != "## Goals\n- one\n" {
		t.Errorf("%+v", done)
	}
	if got := s.mustRead(t, topic); got != string(done.After) {
		t.Errorf("file is %q", got)
	}
	f, err := s.Read(topic)
	if err != nil || f.Stat != done.Stat || f.Stat == (Stat{}) {
		t.Errorf("Stat of the save %+v, of the file %+v, %v", done.Stat, f.Stat, err)
	}
	want := []string{".gitattributes", ".gitignore", ".local", "config.yaml", "explore"}
	if got := files(t, s.sdd); !slices.Equal(got, want) {
		t.Errorf("made %v, want %v", got, want)
	}
	if got := files(t, s.abs(tmpFolder)); len(got) > 0 {
		t.Errorf("left %v in tmp", got)
	}
}

func TestSaveChangesAndKeeps(t *testing.T) {
	s := newStore(t)
	s.byHand(t, topic, "hello\r\n## Goals\n- old\n## Mine\ntext")
	before := s.mustRead(t, topic)
	os.Chmod(s.abs(topic), 0o640)
	done := s.mustSave(t, setSection(topic, "Goals", "- new"))
	if done.Created || string(done.Before) != before {
		t.Errorf("%+v", done)
	}
	if fi, _ := os.Stat(s.abs(topic)); fi.Mode().Perm() != 0o640 {
		t.Errorf("mode is %v", fi.Mode())
	}
	if v, ok := s.Version(record.Etag([]byte(before))); !ok || string(v) != before {
		t.Errorf("the version before is not kept: %q", v)
	}
	if text, ok := s.SectionVersion("explore/topic", "goals", record.Etag([]byte("- old"))); !ok || text != "- old" {
		t.Errorf("the section before is not kept: %q", text)
	}
	if text, ok := s.SectionVersion("explore/topic", "Mine", record.Etag([]byte("text"))); !ok || text != "text" {
		t.Errorf("a section that was not changed is not found: %q", text)
	}
}

// snapshotOf lists all that is below a folder, with states.
func snapshotOf(t *testing.T, dir string) map[string]string {
	t.Helper()
	out := map[string]string{}
	err := filepath.Walk(dir, func(p string, fi os.FileInfo, err error) error {
		if err == nil {
			out[p] = fi.ModTime().String() + fi.Mode().String()
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestUnchangedTouchesNothing(t *testing.T) {
	for _, fresh := range []bool{false, true} {
		s := newStore(t)
		if fresh { // a clone: no tool has saved here
			s.byHand(t, topic, "## Goals\n- one\n")
		} else {
			s.mustSave(t, setSection(topic, "Goals", "- one"))
		}
		before := snapshotOf(t, s.dir)
		done := s.mustSave(t, setSection(topic, "Goals", "- one"))
		if !done.Unchanged || done.Stat == (Stat{}) {
			t.Errorf("%+v", done)
		}
		after := snapshotOf(t, s.dir)
		if len(before) != len(after) {
			t.Errorf("files came or went: %v, then %v", before, after)
		}
		for p, st := range before {
			if after[p] != st {
				t.Errorf("%s was %s, is %s", p, st, after[p])
			}
		}
	}
}

func TestApplyErrorWritesNothing(t *testing.T) {
	s := newStore(t)
	s.mustSave(t, setSection(topic, "Goals", "- one"))
	before := snapshotOf(t, s.dir)
	e := setSection(topic, "Goals", "- two")
	bad := fault.New(fault.Invalid, "no")
	e.Apply = func([]byte, bool) ([]byte, error) { return nil, bad }
	if _, err := s.Save(context.Background(), e); !errors.Is(err, bad) {
		t.Fatal(err)
	}
	for p, st := range snapshotOf(t, s.dir) {
		if before[p] != st {
			t.Errorf("%s changed", p)
		}
	}
}

func TestSaveTooLarge(t *testing.T) {
	s := newStore(t)
	_, err := s.Save(context.Background(), setSection(topic, "Goals", strings.Repeat("x", 2<<20)))
	wantFault(t, err, fault.Invalid)
	if _, err := os.Stat(s.abs(topic)); err == nil {
		t.Error("it was written")
	}
}

// editors are the ways a file is saved by hand.
var editors = map[string]func(s *Store, t testing.TB, path, text string){
	"rename":   (*Store).byHand,
	"in place": (*Store).inPlace,
}

// during calls f once when a save reaches the point.
func (s *Store) during(point string, f func()) {
	s.step = func(p string) error {
		if p == point {
			s.step = nil
			f()
		}
		return nil
	}
}

// inTheWay runs f for every way in which an editor comes in the way of a save: how it saves, and
// whether a look before the exchange sees it or only what comes out.
func inTheWay(t *testing.T, f func(t *testing.T, s *Store, edit func(text string))) {
	for name, save := range editors {
		for _, point := range []string{"written", "checked"} {
			t.Run(name+" "+point, func(t *testing.T) {
				s := newStore(t)
				s.mustSave(t, setSection(topic, "Goals", "- one"))
				f(t, s, func(text string) { s.during(point, func() { save(s, t, topic, text) }) })
				if got := files(t, s.abs(tmpFolder)); len(got) > 0 {
					t.Errorf("left %v in tmp", got)
				}
			})
		}
	}
}

func TestEditorBetweenReadAndExchange(t *testing.T) {
	inTheWay(t, func(t *testing.T, s *Store, edit func(string)) {
		edit("## Goals\n- one\n## Notes\nmine\n")
		done := s.mustSave(t, setSection(topic, "Goals", "- two"))
		want := "## Goals\n- two\n## Notes\nmine\n"
		if got := s.mustRead(t, topic); got != want || string(done.After) != want {
			t.Errorf("file is %q, reported %q", got, done.After)
		}
		if len(done.Notices) > 0 || len(s.Pending()) > 0 {
			t.Errorf("notices %v", done.Notices)
		}
	})
}

func TestEditorChangesTheSameSectionMeanwhile(t *testing.T) {
	inTheWay(t, func(t *testing.T, s *Store, edit func(string)) {
		edit("## Goals\n- one\n- by hand\n")
		done := s.mustSave(t, setSection(topic, "Goals", "- two"))
		if got := s.mustRead(t, topic); got != "## Goals\n- two\n" {
			t.Errorf("file is %q", got)
		}
		pending := s.Pending()
		if len(pending) != 1 || pending[0].Kind != NoteDisplaced || !slices.Equal(pending[0].Sections, []string{"Goals"}) {
			t.Fatalf("pending %+v", pending)
		}
		if len(done.Notices) != 1 || done.Notices[0].ID != pending[0].ID {
			t.Errorf("told %+v", done.Notices)
		}
	})
}

func TestMergeWithAnEditor(t *testing.T) {
	inTheWay(t, func(t *testing.T, s *Store, edit func(string)) {
		e := setSection(topic, "Goals", "- one\n- two")
		e.Merge = func(base, ours, theirs []byte) ([]byte, error) { return mergeFake("", base, ours, theirs) }
		edit("## Goals\n- one\n- by hand\n")
		done := s.mustSave(t, e)
		if got := s.mustRead(t, topic); got != "## Goals\n- one\n- by hand\n- two\n" {
			t.Errorf("merged to %q", got)
		}
		if len(done.Notices) > 0 || len(s.Pending()) > 0 {
			t.Errorf("notices %v", done.Notices)
		}
	})
}

// TestNoMergeWithAStaleEditor has the editor save a text from before an acknowledged change, in a section that the save writes too.
// A merge would take the missing section for a deletion, so the save is made anew from the editor's text.
func TestNoMergeWithAStaleEditor(t *testing.T) {
	inTheWay(t, func(t *testing.T, s *Store, edit func(string)) {
		s.mustSave(t, setSection(topic, "Notes", "- n"))
		e := setSection(topic, "Goals", "- two")
		e.Apply = func(before []byte, exists bool) ([]byte, error) {
			d := parseFake(before)
			d.set("Goals", "- two")
			d.set("Notes", "- n")
			return d.bytes(), nil
		}
		e.Merge = func(base, ours, theirs []byte) ([]byte, error) { return mergeFake("", base, ours, theirs) }
		edit("## Goals\n- one\n## Risks\n- by hand\n")
		s.mustSave(t, e)
		if got := parseFake([]byte(s.mustRead(t, topic))).texts; got["Goals"] != "- two" || got["Notes"] != "- n" || got["Risks"] != "- by hand" {
			t.Errorf("file has %q", got)
		}
	})
}

func TestConflictGivesTheEditorItsFileBack(t *testing.T) {
	inTheWay(t, func(t *testing.T, s *Store, edit func(string)) {
		e := setSection(topic, "Goals", "- two")
		apply := e.Apply
		e.Apply = func(before []byte, exists bool) ([]byte, error) {
			if parseFake(before).texts["Goals"] != "- one" {
				return nil, fault.New(fault.Conflict, "changed").With("read again")
			}
			return apply(before, exists)
		}
		edit("## Goals\n- mine\n")
		_, err := s.Save(context.Background(), e)
		wantFault(t, err, fault.Conflict)
		if got := s.mustRead(t, topic); got != "## Goals\n- mine\n" {
			t.Errorf("file is %q", got)
		}
	})
}

func TestEditorSavesAgainWhileItsFileIsPutBack(t *testing.T) {
	for name, save := range editors {
		t.Run(name, func(t *testing.T) {
			s := newStore(t)
			s.mustSave(t, setSection(topic, "Goals", "- one"))
			s.during("checked", func() {
				s.byHand(t, topic, "## Goals\n- one\n## Notes\n- first\n")
				s.during("exchanged", func() { save(s, t, topic, "## Goals\n- one\n## Notes\n- second\n") })
			})
			s.mustSave(t, setSection(topic, "Goals", "- two"))
			if got := s.mustRead(t, topic); got != "## Goals\n- two\n## Notes\n- second\n" {
				t.Errorf("file is %q", got)
			}
			if got := files(t, s.abs(tmpFolder)); len(got) > 0 {
				t.Errorf("left %v in tmp", got)
			}
		})
	}
}

// TestAnEditorReadsASaveThatIsPutBack has an editor save a text made from the saved version, which was in place for a moment only. The
// save finds its change in that text; the change is still the save's own, and is lost when an editor saves an older text.
func TestAnEditorReadsASaveThatIsPutBack(t *testing.T) {
	for name, merge := range map[string]func(base, ours, theirs []byte) ([]byte, error){
		"merged":      func(base, ours, theirs []byte) ([]byte, error) { return mergeFake("", base, ours, theirs) },
		"saved again": nil,
	} {
		t.Run(name, func(t *testing.T) {
			s := newStore(t)
			s.mustSave(t, setSection(topic, "Goals", "- one"))
			s.during("checked", func() {
				s.byHand(t, topic, "## Goals\n- one\n- by hand\n")
				s.during("exchanged", func() { s.byHand(t, topic, s.mustRead(t, topic)+"## Risks\n- by hand\n") })
			})
			e := setSection(topic, "Notes", "- two")
			e.Merge = merge
			done := s.mustSave(t, e)
			want := "## Goals\n- one\n## Notes\n- two\n## Risks\n- by hand\n"
			if got := s.mustRead(t, topic); got != want || string(done.After) != want || done.Unchanged || len(done.Notices) > 0 {
				t.Fatalf("file is %q, reported %+v", got, done)
			}
			old := []byte("## Goals\n- one\n- by hand\n")
			s.byHand(t, topic, string(old))
			lost := s.Observe(topic, "explore/topic", old)
			if len(lost) != 1 || lost[0].Kind != NoteOverwritten || !slices.Equal(lost[0].Sections, []string{"Notes"}) {
				t.Errorf("lost %+v", lost)
			}
			if _, err := s.Resolve(context.Background(), "explore/topic"); err != nil || !strings.Contains(s.mustRead(t, topic), "- two") {
				t.Errorf("resolved to %q, %v", s.mustRead(t, topic), err)
			}
			if _, err := s.undoLast(""); err != nil {
				t.Error(err)
			}
			if _, err := s.undoLast(""); err != nil || !strings.Contains(s.mustRead(t, topic), "- by hand") {
				t.Errorf("undone to %q, %v", s.mustRead(t, topic), err)
			}
		})
	}
}

func TestASaveInPlaceUnderWayIsWaitedFor(t *testing.T) {
	for _, point := range []string{"", "written", "checked"} {
		s := newStore(t)
		s.mustSave(t, setSection(topic, "Goals", "- one"))
		var f *os.File
		begin := func() {
			var err error
			if f, err = os.OpenFile(s.abs(topic), os.O_WRONLY|os.O_TRUNC, 0); err != nil {
				t.Fatal(err)
			}
			time.AfterFunc(30*time.Millisecond, func() {
				f.WriteString("## Goals\n- one\n## Notes\n" + point + " mine\n")
				f.Close()
			})
		}
		if point == "" {
			begin()
		} else {
			s.during(point, begin)
		}
		done := s.mustSave(t, setSection(topic, "Goals", "- two "+point))
		if want := "## Goals\n- two " + point + "\n## Notes\n" + point + " mine\n"; s.mustRead(t, topic) != want || len(done.Notices) > 0 {
			t.Errorf("%q: file is %q, notices %v", point, s.mustRead(t, topic), done.Notices)
		}
	}
}

func TestAnEditorThatNeverRests(t *testing.T) {
	s := newStore(t)
	s.mustSave(t, setSection(topic, "Goals", "- one"))
	n := 0
	s.step = func(p string) error {
		if p == "written" && n < 3*lateRounds {
			n++
			s.byHand(t, topic, fmt.Sprintf("## Goals\n- one\n## Notes\n%d\n", n))
		}
		return nil
	}
	s.mustSave(t, setSection(topic, "Goals", "- two"))
	if got, want := s.mustRead(t, topic), fmt.Sprintf("## Goals\n- two\n## Notes\n%d\n", n); got != want {
		t.Errorf("file is %q, want %q", got, want)
	}
}

func TestFileDeletedMeanwhile(t *testing.T) {
	s := newStore(t)
	s.mustSave(t, setSection(topic, "Goals", "- one"))
	s.during("written", func() { os.Remove(s.abs(topic)) })
	done := s.mustSave(t, setSection(topic, "Goals", "- two"))
	if got := s.mustRead(t, topic); got != "## Goals\n- two\n" || !done.Created {
		t.Errorf("file is %q, %+v", got, done)
	}
}

func TestAnEditorRenamesTheOldFileFirst(t *testing.T) {
	s := newStore(t)
	for _, point := range []string{"", "written", "checked"} {
		s.mustSave(t, setSection(topic, "Goals", "- one"))
		before := s.mustRead(t, topic)
		begin := func() {
			os.Rename(s.abs(topic), s.abs(topic)+"~")
			time.AfterFunc(10*time.Millisecond, func() { s.inPlace(t, topic, before+"## "+point+"\nmine\n") })
		}
		if point == "" {
			begin()
		} else {
			s.during(point, begin)
		}
		done := s.mustSave(t, setSection(topic, "Goals", "- two"))
		want := strings.Replace(before, "- one", "- two", 1) + "## " + point + "\nmine\n"
		if got := s.mustRead(t, topic); got != want || done.Created || len(done.Notices) > 0 {
			t.Errorf("%q: file is %q, want %q, %+v", point, got, want, done)
		}
	}
}

func TestFileMadeMeanwhile(t *testing.T) {
	s := newStore(t)
	s.Ensure()
	s.during("written", func() { s.byHand(t, topic, "## Notes\nmine\n") })
	s.mustSave(t, setSection(topic, "Goals", "- two"))
	if got := s.mustRead(t, topic); got != "## Notes\nmine\n## Goals\n- two\n" {
		t.Errorf("file is %q", got)
	}
}

func TestFoldersVanish(t *testing.T) {
	for _, gone := range []string{".", ".local", ".local/tmp", ".local/locks", ".local/trash", ".local/journal", "explore"} {
		for _, when := range []string{"before", "written", "exchanged", "placed"} {
			t.Run(gone+" "+when, func(t *testing.T) {
				s := newStore(t)
				s.mustSave(t, setSection(topic, "Goals", "- one"))
				s.mustSave(t, setSection(topic, "Goals", "- two"))
				vanish := func() { os.RemoveAll(s.abs(gone)) }
				if when == "before" {
					vanish()
				} else {
					s.during(when, vanish)
				}
				done := s.mustSave(t, setSection(topic, "Goals", "- three"))
				if when == "placed" || when == "exchanged" {
					// It was deleted with what the save had already put there.
					done = s.mustSave(t, setSection(topic, "Goals", "- four"))
				}
				if got := s.mustRead(t, topic); got != string(done.After) {
					t.Errorf("file is %q, want %q", got, done.After)
				}
				s.mustSave(t, setSection(topic, "Goals", "- five"))
				if _, err := s.undoLast(""); err != nil {
					t.Errorf("undo: %v", err)
				}
			})
		}
	}
}
