package store

import (
	"context"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"sdd/internal/record"

	"sdd/internal/fault"
)

// observe reads the file and reports it as the index does.
func (s *Store) observe(t testing.TB, path string) []Notice {
	t.Helper()
	f, err := s.Read(path)
	if err != nil {
		t.Fatal(err)
	}
	return s.Observe(path, "", f.Bytes)
}

func sectionsOf(notices []Notice) []string {
	var out []string
	for _, n := range notices {
		out = append(out, n.Sections...)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// edits is one story: tools save, then somebody writes the file.
type edits struct {
	name  string
	saves [][2]string // section, text
	file  string
	lost  []string // sections
}

func TestObserveFindsWhatAStaleBufferOverwrote(t *testing.T) {
	for _, c := range []edits{
		{"stale buffer", [][2]string{{"Goals", "- a"}, {"Goals", "- a\n- tool"}}, "## Goals\n- a\n- hand\n", []string{"Goals"}},
		{"stale by two saves", [][2]string{{"Goals", "- a"}, {"Goals", "- a\n- b"}, {"Goals", "- a\n- b\n- c"}}, "## Goals\n- a\n", []string{"Goals"}},
		{"two sections", [][2]string{{"Goals", "- a"}, {"Notes", "- n"}, {"Goals", "- a\n- b"}}, "## Goals\n- a\n", []string{"Goals", "Notes"}},
		{"replaced line", [][2]string{{"Goals", "- use SQLite for the index"}, {"Goals", "- use Postgres for the index"}}, "## Goals\n- use SQLite for the index\n", []string{"Goals"}},
		{"numbered lines", [][2]string{{"Goals", "writer 3 save 15"}, {"Goals", "writer 3 save 16"}, {"Goals", "writer 3 save 17"}}, "## Goals\nwriter 3 save 15\n", []string{"Goals"}},
		{"numbered lines, touched", [][2]string{{"Goals", "writer 3 save 15"}, {"Goals", "writer 3 save 16"}, {"Goals", "writer 3 save 17"}}, "## Goals\nwriter 3 save 15, checked\n", []string{"Goals"}},
		{"cleared and back", [][2]string{{"Goals", "- a\n- b\n- c"}, {"Goals", ""}}, "## Goals\n- a\n- b\n- c, more\n", []string{"Goals"}},
		{"a first save", [][2]string{{"Goals", "- a"}}, "## Notes\nwhat stood there before\n", []string{"Goals"}},
		{"emptied", [][2]string{{"Goals", "- a"}}, "", []string{"Goals"}},
		{"back to an older text", [][2]string{{"Goals", "- x"}, {"Goals", "- y"}, {"Goals", "- x\n- z"}}, "## Goals\n- x\n", []string{"Goals"}},
		{"moved lines back", [][2]string{{"Goals", "- a\n- b"}, {"Goals", "- b\n- a"}}, "## Goals\n- a\n- b\n", []string{"Goals"}},
		{"other script", [][2]string{{"Goals", "- 旧い目標"}, {"Goals", "- 旧い目標\n- 新しい計画を立てる"}}, "## Goals\n- 旧い目標\n", []string{"Goals"}},

		{"current buffer", [][2]string{{"Goals", "- a"}, {"Goals", "- a\n- tool"}}, "## Goals\n- a\n- tool\n- hand\n", nil},
		{"one of several lines deleted", [][2]string{{"Goals", "- first thing\n- second thing"}}, "## Goals\n- second thing\n", nil},
		{"reworded", [][2]string{{"Goals", "- a"}, {"Goals", "- a\n- answer a query in one millisecond"}}, "## Goals\n- a\n- answer every query in one millisecond\n", nil},
		{"reworded after a replacement", [][2]string{{"Goals", "- use SQLite for the index"}, {"Goals", "- use Postgres for the index"}}, "## Goals\n- use Postgres 16 for the index\n", nil},
		{"a line by hand unlike what was lost", [][2]string{{"Goals", "- a"}, {"Goals", "- a\n- answer a query in one millisecond"}}, "## Goals\n- a\n- answer mails in time\n", []string{"Goals"}},
		{"a line by hand more like an earlier one", [][2]string{{"Goals", "- keep the old index on disk"}, {"Goals", "- keep the old index on disk\n- keep the new index on disk"}},
			"## Goals\n- keep the old index on the disk\n", []string{"Goals"}},
		{"moved to another section", [][2]string{{"Goals", "- keep it small"}}, "## Goals\n## Notes\n- keep it small\n", nil},
		{"renamed section", [][2]string{{"Goals", "- keep it small"}}, "## Aims\n- keep it small\n", nil},
		{"replaced by a later save", [][2]string{{"Goals", "- a"}, {"Goals", "- b"}}, "## Goals\n- b\n- hand\n", nil},
		{"cleared", [][2]string{{"Goals", "- a\n- b"}, {"Goals", ""}}, "## Goals\n- something new\n", nil},
		{"spaced out", [][2]string{{"Goals", "- a\n- b"}}, "\n\n## Goals\n\n- a\n\n- b\n\n", nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newStore(t)
			for _, save := range c.saves {
				s.mustSave(t, setSection(topic, save[0], save[1]))
			}
			for i, name := range slices.Sorted(maps.Keys(editors)) {
				other := openAt(t, s.dir) // another process
				editors[name](s, t, topic, c.file)
				got := other.observe(t, topic)
				if i > 0 && len(c.lost) > 0 {
					got = other.Pending() // it was found already
				}
				if !slices.Equal(sectionsOf(got), c.lost) {
					t.Errorf("%s: lost %v, want %v", name, sectionsOf(got), c.lost)
				}
				if again := other.observe(t, topic); len(again) > 0 {
					t.Errorf("%s: told twice: %v", name, again)
				}
			}
			if got := sectionsOf(s.Pending()); !slices.Equal(got, c.lost) {
				t.Errorf("pending %v, want %v", got, c.lost)
			}
			if got := s.mustRead(t, topic); got != c.file {
				t.Errorf("the file was touched: %q", got)
			}
		})
	}
}

func TestSaveReportsWhatWasOverwritten(t *testing.T) {
	s := newStore(t)
	s.mustSave(t, setSection(topic, "Goals", "- a"))
	s.mustSave(t, setSection(topic, "Notes", "- n"))
	s.byHand(t, topic, "## Goals\n- a\n")
	done := openAt(t, s.dir).mustSave(t, setSection(topic, "Goals", "- b"))
	if !slices.Equal(sectionsOf(done.Notices), []string{"Notes"}) {
		t.Errorf("told %v", done.Notices)
	}
	if len(s.Pending()) != 1 {
		t.Errorf("pending %v", s.Pending())
	}
	// Who only adds something may not know of it; who replaces what stands there has taken it over.
	s.mustSave(t, setSection(topic, "Notes", "- m"))
	if len(s.Pending()) != 1 {
		t.Errorf("after an addition pending %v", s.Pending())
	}
	s.mustSave(t, setSection(topic, "Notes", "- k"))
	if len(s.Pending()) != 0 {
		t.Errorf("pending %v", s.Pending())
	}
}

// TestAnAdditionHidesNoLoss: the change of a section that an editor undid is pending until somebody has seen to it, also when
// other tools go on adding to the section before anybody was told.
func TestAnAdditionHidesNoLoss(t *testing.T) {
	s := newStore(t)
	s.mustSave(t, setSection(topic, "Goals", "- a"))
	s.mustSave(t, setSection(topic, "Goals", "- a\n- mark"))
	s.byHand(t, topic, "## Goals\n- a\n")
	other := openAt(t, s.dir)
	other.observe(t, topic)
	other.mustSave(t, setSection(topic, "Goals", "- a\n- more"))
	if got := sectionsOf(s.Pending()); !slices.Equal(got, []string{"Goals"}) {
		t.Fatalf("pending %v", got)
	}
	if _, err := s.Resolve(t.Context(), strings.TrimSuffix(topic, ".md")); err != nil {
		t.Fatal(err)
	}
	if got := s.mustRead(t, topic); !strings.Contains(got, "- mark") || !strings.Contains(got, "- more") {
		t.Errorf("put back: %q", got)
	}
	if got := s.Pending(); len(got) != 0 {
		t.Errorf("pending %v", got)
	}
}

func TestAnAdditionOfWhatWasLostSettlesIt(t *testing.T) {
	s := newStore(t)
	s.mustSave(t, setSection(topic, "Goals", "- a"))
	s.mustSave(t, setSection(topic, "Goals", "- a\n- mark"))
	s.byHand(t, topic, "## Goals\n- a\n")
	s.observe(t, topic)
	s.mustSave(t, setSection(topic, "Goals", "- a\n- mark\n- more"))
	if got := s.Pending(); len(got) != 0 {
		t.Errorf("pending %v", got)
	}
}

func TestStaleBufferSavedDuringASave(t *testing.T) {
	s := newStore(t)
	s.mustSave(t, setSection(topic, "Goals", "- a"))
	s.mustSave(t, setSection(topic, "Notes", "- n"))
	s.during("written", func() { s.inPlace(t, topic, "## Goals\n- a\n- hand\n") })
	done := s.mustSave(t, setSection(topic, "Risks", "- r"))
	if got := s.mustRead(t, topic); got != "## Goals\n- a\n- hand\n## Risks\n- r\n" {
		t.Errorf("file is %q", got)
	}
	if !slices.Equal(sectionsOf(done.Notices), []string{"Notes"}) {
		t.Errorf("told %v", done.Notices)
	}
}

func TestPendingGoesWhenTheTextIsBack(t *testing.T) {
	s := newStore(t)
	s.mustSave(t, setSection(topic, "Goals", "- a"))
	s.mustSave(t, setSection(topic, "Goals", "- a\n- tool"))
	s.byHand(t, topic, "## Goals\n- a\n")
	s.observe(t, topic)
	s.byHand(t, topic, "## Goals\n- a\n- tool\n- and more\n")
	s.observe(t, topic)
	if got := s.Pending(); len(got) != 0 {
		t.Errorf("pending %v", got)
	}
	s.byHand(t, topic, "## Goals\n- a\n")
	if got := s.observe(t, topic); len(got) != 1 {
		t.Errorf("the next time it is not told: %v", got)
	}
}

func TestResolvePutsBack(t *testing.T) {
	s := newStore(t)
	s.mustSave(t, setSection(topic, "Goals", "- a"))
	s.mustSave(t, setSection(topic, "Notes", "- n"))
	s.mustSave(t, setSection(topic, "Goals", "- a\n- tool"))
	s.byHand(t, topic, "## Goals\n- a\n- hand\n")
	s.observe(t, topic)
	done, err := s.Resolve(context.Background(), "explore/topic")
	if err != nil {
		t.Fatal(err)
	}
	if got := string(done.After); got != "## Goals\n- a\n- hand\n- tool\n## Notes\n- n\n" {
		t.Errorf("file is %q", got)
	}
	if got := s.Pending(); len(got) != 0 {
		t.Errorf("pending %v", got)
	}
	if got := s.observe(t, topic); len(got) != 0 {
		t.Errorf("lost %v", got)
	}
	_, err = s.Resolve(context.Background(), "explore/topic")
	wantFault(t, err, fault.NotFound)
}

func TestResolveConflict(t *testing.T) {
	s := newStore(t)
	s.mustSave(t, setSection(topic, "Goals", "- a"))
	s.mustSave(t, setSection(topic, "Goals", "- tool"))
	s.byHand(t, topic, "## Goals\n- hand\n")
	s.observe(t, topic)
	_, err := s.Resolve(context.Background(), "explore/topic")
	f := wantFault(t, err, fault.Conflict)
	for _, text := range []string{"- tool", "- hand"} {
		if !strings.Contains(f.Message, text) {
			t.Errorf("%q does not show %q", f.Message, text)
		}
	}
	if got := s.mustRead(t, topic); got != "## Goals\n- hand\n" {
		t.Errorf("file is %q", got)
	}
	if len(s.Pending()) != 1 {
		t.Error("not pending any more")
	}
	if err := s.Dismiss(context.Background(), "explore/topic"); err != nil {
		t.Fatal(err)
	}
	if len(s.Pending()) != 0 {
		t.Error("still pending")
	}
}

func TestResolveDisplacedWords(t *testing.T) {
	s := newStore(t)
	s.mustSave(t, setSection(topic, "Goals", "- one"))
	s.during("written", func() { s.byHand(t, topic, "## Goals\n- one\n- by hand\n") })
	s.mustSave(t, setSection(topic, "Goals", "- one\n- two"))
	done, err := s.Resolve(context.Background(), "explore/topic")
	if err != nil {
		t.Fatal(err)
	}
	if got := string(done.After); got != "## Goals\n- one\n- two\n- by hand\n" {
		t.Errorf("file is %q", got)
	}
	if len(s.Pending()) != 0 {
		t.Error("still pending")
	}
}

func TestObserveFollowsARenamedFile(t *testing.T) {
	s := newStore(t)
	s.byHand(t, topic, "id: explore/topic\n")
	s.mustSave(t, setSection(topic, "Goals", "- a"))
	os.Remove(s.abs(topic))
	s.Observe(topic, "", nil)
	s.byHand(t, "explore/renamed.md", "id: explore/topic\n## Notes\nstale\n")
	if got := s.observe(t, "explore/renamed.md"); !slices.Equal(sectionsOf(got), []string{"Goals"}) {
		t.Errorf("lost %v", got)
	}
}

func TestObserveWaitsForASaveUnderWay(t *testing.T) {
	s := newStore(t)
	s.mustSave(t, setSection(topic, "Goals", "- a"))
	other := openAt(t, s.dir)
	found := make(chan []Notice)
	s.during("placed", func() { // the new file is there, its journal entry is not
		started := make(chan struct{})
		go func() {
			f, _ := other.Read(topic)
			close(started)
			found <- other.Observe(topic, "", f.Bytes)
		}()
		<-started
	})
	s.mustSave(t, setSection(topic, "Goals", "- b"))
	if got := <-found; len(got) > 0 {
		t.Errorf("told of %v", got)
	}
	if got := s.Pending(); len(got) > 0 {
		t.Errorf("pending %v", got)
	}
}

func TestNotices(t *testing.T) {
	a := newStore(t)
	a.Ensure()
	b := openAt(t, a.dir)
	_, cursor := a.Notices(Cursor{}, "")
	b.mustSave(t, setSection(topic, "Goals", "- a"))
	a.observe(t, topic)
	a.byHand(t, "explore/hand.md", "## Goals\nx\n")
	a.observe(t, "explore/hand.md")
	a.observe(t, "explore/hand.md")
	a.Observe("explore/gone.md", "", nil)
	a.byHand(t, topic, "## Goals\n")
	a.observe(t, topic)
	got, next := a.Notices(cursor, "")
	var kinds []string
	for _, n := range got {
		kinds = append(kinds, fmt.Sprint(n.Kind, " ", n.Path))
		if n.Text() == "" {
			t.Errorf("%+v says nothing", n)
		}
	}
	want := []string{"saved explore/topic.md", "edited explore/hand.md", "removed explore/gone.md", "edited explore/topic.md", "overwritten explore/topic.md"}
	if !slices.Equal(kinds, want) {
		t.Errorf("got %v\nwant %v", kinds, want)
	}
	if got, _ := a.Notices(next, ""); len(got) > 0 {
		t.Errorf("told twice: %v", got)
	}
	// A new client, and one of another process, hear of what is pending.
	for _, s := range []*Store{a, b} {
		if got, _ := s.Notices(Cursor{}, ""); len(got) != 1 || !got[0].Pending() {
			t.Errorf("a new client hears %v", got)
		}
	}
}

// TestNoticesOfOthers: of two clients of one process each hears of what the other saves, and of what is edited.
func TestNoticesOfOthers(t *testing.T) {
	a := newStore(t)
	a.Ensure()
	cursor := map[string]Cursor{}
	for _, c := range []string{"one", "two"} {
		_, cursor[c] = a.Notices(Cursor{}, c)
	}
	if _, err := a.Save(WithCaller(t.Context(), "one"), setSection(topic, "Goals", "- a")); err != nil {
		t.Fatal(err)
	}
	a.byHand(t, "explore/hand.md", "## Goals\nx\n")
	a.observe(t, "explore/hand.md")
	for c, want := range map[string]string{"one": "[edited]", "two": "[saved edited]"} {
		news, _ := a.Notices(cursor[c], c)
		var kinds []NoticeKind
		for _, n := range news {
			kinds = append(kinds, n.Kind)
		}
		if fmt.Sprint(kinds) != want {
			t.Errorf("%s hears %v, want %s", c, kinds, want)
		}
	}
}

// TestAnOwnSaveIsNoEdit: the watcher may read the file of a save before its entry is in the journal, and may report it late.
func TestAnOwnSaveIsNoEdit(t *testing.T) {
	s := newStore(t)
	s.Ensure()
	_, cursor := s.Notices(Cursor{}, "one")
	s.during("placed", func() { s.observe(t, topic) })
	if _, err := s.Save(WithCaller(t.Context(), "one"), setSection(topic, "Goals", "- a")); err != nil {
		t.Fatal(err)
	}
	s.feed.add(Notice{Kind: NoteEdited, Path: topic, etag: record.Etag([]byte(s.mustRead(t, topic)))})
	if got, _ := s.Notices(cursor, "one"); len(got) > 0 {
		t.Errorf("told %v of an own save", got)
	}
	if got, _ := s.Notices(cursor, "two"); len(got) != 1 || got[0].Kind != NoteSaved {
		t.Errorf("the other client is told %v", got)
	}
}

// TestAnOwnRemovalIsReportedToOthersOnly: the index finds that the file is gone before or after the removal is in the feed.
func TestAnOwnRemovalIsReportedToOthersOnly(t *testing.T) {
	gone := Notice{Kind: NoteRemoved, Path: topic}
	own := gone
	own.caller = "one"
	for _, order := range [][]Notice{{own, gone}, {gone, own}} {
		s := newStore(t)
		_, cursor := s.Notices(Cursor{}, "one")
		for _, n := range order {
			s.feed.add(n)
		}
		if got, _ := s.Notices(cursor, "one"); len(got) > 0 {
			t.Errorf("the caller is told %v", got)
		}
		if got, _ := s.Notices(cursor, "two"); len(got) != 1 {
			t.Errorf("the other client is told %v", got)
		}
		s.feed.add(Notice{Kind: NoteEdited, Path: topic, etag: "back"})
		s.feed.add(gone)
		if got, _ := s.Notices(cursor, "one"); len(got) != 2 {
			t.Errorf("a later removal by hand: %v", got)
		}
	}
}

func TestANoticeNamesItsFileOnce(t *testing.T) {
	for _, kind := range []NoticeKind{NoteEdited, NoteRemoved} {
		if got := (Notice{Kind: kind, Path: topic}).Text(); strings.Count(got, topic) != 1 {
			t.Errorf("%q", got)
		}
	}
}

// TestNoticesWhileOthersSave reads the feed while it is added to: both need the journal.
func TestNoticesWhileOthersSave(t *testing.T) {
	a := newStore(t)
	a.Ensure()
	b := openAt(t, a.dir)
	_, cursor := a.Notices(Cursor{}, "")
	done := make(chan bool)
	go func() {
		defer close(done)
		for i := range 100 {
			b.mustSave(t, setSection(topic, "Goals", fmt.Sprint("- ", i)))
			a.observe(t, topic)
		}
	}()
	for {
		a.Notices(cursor, "") // does not wait for the save that waits for it
		select {
		case <-done:
			return
		default:
		}
	}
}

// counted is setSection with a revision in front matter.
func counted(path, name, text string) Edit {
	e := setSection(path, name, text)
	apply := e.Apply
	e.Apply = func(before []byte, exists bool) ([]byte, error) {
		after, err := apply(before, exists)
		n := describeFake(path, record.Open(before)).Revision
		_, body, ok := strings.Cut(string(after), "\n---\n")
		if !ok {
			body = string(after)
		}
		return fmt.Appendf(nil, "---\nrevision: %d\n---\n%s", n+1, body), err
	}
	return e
}

func TestARevisionTellsWhatATextWasMadeFrom(t *testing.T) {
	s := newStore(t)
	s.mustSave(t, counted(topic, "Goals", "- a"))
	s.mustSave(t, counted(topic, "Goals", "- a\n- tool"))
	s.byHand(t, topic, "---\nrevision: 2\n---\n## Goals\n- a\n")
	if got := s.observe(t, topic); len(got) > 0 {
		t.Errorf("deleted on purpose, but told of %v", got)
	}
	s.byHand(t, topic, "---\nrevision: 1\n---\n## Goals\n- a\n")
	if got := s.observe(t, topic); len(got) != 1 {
		t.Errorf("a stale buffer, but told of %v", got)
	}
	// The next save counts on from the stale text. That does not bring the change back.
	s.mustSave(t, counted(topic, "Notes", "- n"))
	s.byHand(t, topic, "---\nrevision: 2\n---\n## Goals\n- a\n## Notes\n- n\n- hand\n")
	if got := s.observe(t, topic); len(got) > 0 {
		t.Errorf("told twice: %v", got)
	}
	if got := sectionsOf(s.Pending()); !slices.Equal(got, []string{"Goals"}) {
		t.Errorf("pending %v", got)
	}
	if _, err := s.Resolve(t.Context(), "explore/topic"); err != nil {
		t.Fatal(err)
	}
	if got := s.mustRead(t, topic); !strings.Contains(got, "- tool") || !strings.Contains(got, "- hand") {
		t.Errorf("resolved to %q", got)
	}
}

// TestEachLossWaitsByItself: one is not closed by another, by a later edit of a current text, nor by a save that only adds.
func TestEachLossWaitsByItself(t *testing.T) {
	s := newStore(t)
	s.mustSave(t, setSection(topic, "Goals", "- base"))
	stale := s.mustRead(t, topic)
	for _, text := range []string{"- one", "- two", "- three"} {
		s.mustSave(t, setSection(topic, "Goals", "- base\n"+text))
		s.byHand(t, topic, stale)
		openAt(t, s.dir).ObserveAgain(topic, []byte(stale)) // which it has seen before
	}
	s.mustSave(t, setSection(topic, "Goals", "- base\n- four"))
	s.byHand(t, topic, "## Goals\n- base\n- four\n- by hand\n")
	s.observe(t, topic)
	lost := func() (all []string) {
		for _, n := range openAt(t, s.dir).Pending() {
			all = append(all, n.LostText())
		}
		return all
	}
	if got := lost(); !slices.Equal(got, []string{"- one", "- two", "- three"}) {
		t.Fatalf("lost %q", got)
	}
	if err := s.Dismiss(t.Context(), s.Pending()[1].ID); err != nil {
		t.Fatal(err)
	}
	s.byHand(t, topic, "## Goals\n- base\n- one\n- four\n- by hand\n")
	s.observe(t, topic)
	if got := lost(); !slices.Equal(got, []string{"- three"}) { // the second was dropped, and is not found again
		t.Errorf("lost %q", got)
	}
}

// TestARevisionGivenTwice: a stale text is counted on from, so that two saves give one revision. Neither has what only the other brought.
func TestARevisionGivenTwice(t *testing.T) {
	forked := func(t *testing.T) (s *Store, note, goal string) {
		s = newStore(t)
		stale := string(s.mustSave(t, counted(topic, "Goals", "- a")).After)
		note = string(s.mustSave(t, counted(topic, "Notes", "- n")).After)
		s.byHand(t, topic, stale)
		s.observe(t, topic)
		goal = string(s.mustSave(t, counted(topic, "Goals", "- a\n- goal")).After)
		return s, note, goal
	}
	t.Run("put back and lost again", func(t *testing.T) {
		s, note, goal := forked(t)
		for _, c := range []struct{ text, lost string }{{note, "Goals"}, {goal, "Notes"}, {note, "Goals"}} {
			s.byHand(t, topic, c.text)
			s.observe(t, topic)
			if got := sectionsOf(s.Pending()); !slices.Equal(got, []string{c.lost}) {
				t.Errorf("pending %v, want %s", got, c.lost)
			}
		}
	})
	t.Run("which of them is not known", func(t *testing.T) {
		s, note, _ := forked(t)
		s.byHand(t, topic, strings.Replace(note, "- n\n", "- by hand\n", 1))
		if got := sectionsOf(s.observe(t, topic)); !slices.Equal(got, []string{"Goals"}) {
			t.Errorf("lost %v", got)
		}
	})
}

// TestPutBackByHandAndLostAgain: a later change that is there says nothing of one that was not there when it was made.
func TestPutBackByHandAndLostAgain(t *testing.T) {
	s := newStore(t)
	stale := string(s.mustSave(t, setSection(topic, "Goals", "- base")).After)
	s.mustSave(t, setSection(topic, "Goals", "- base\n- one"))
	s.byHand(t, topic, stale)
	s.observe(t, topic)
	two := string(s.mustSave(t, setSection(topic, "Goals", "- base\n- two")).After)
	for _, c := range []struct {
		text string
		lost []string
	}{{"## Goals\n- base\n- one\n- two\n", nil}, {two, []string{"- one"}}} {
		s.byHand(t, topic, c.text)
		s.observe(t, topic)
		var lost []string
		for _, n := range s.Pending() {
			lost = append(lost, n.LostText())
		}
		if !slices.Equal(lost, c.lost) {
			t.Errorf("lost %q, want %q", lost, c.lost)
		}
	}
}

// TestALineOfLongAgoIsNoRewording: a buffer may be older than the changes that are looked at first.
func TestALineOfLongAgoIsNoRewording(t *testing.T) {
	s := newStore(t)
	s.mustSave(t, setSection(topic, "Goals", "- base"))
	base := s.mustRead(t, topic)
	old := string(s.mustSave(t, setSection(topic, "Goals", "- base\n- change 1 by a server")).After)
	s.byHand(t, topic, base)
	s.observe(t, topic)
	for n := range 64 + 2 {
		s.mustSave(t, setSection(topic, "Goals", fmt.Sprintf("- base\n- other words, number %d", n)))
	}
	s.mustSave(t, setSection(topic, "Goals", "- base\n- change 2 by a server"))
	s.byHand(t, topic, old)
	s.observe(t, topic)
	lost := s.Pending()
	if len(lost) != 1 || lost[0].LostText() != "- change 2 by a server" {
		t.Errorf("lost %v", lost)
	}
}

// TestWhatSettlesALoss: each by itself, and only for good when the words were dropped or superseded.
func TestWhatSettlesALoss(t *testing.T) {
	lose := func(t *testing.T) (s *Store, stale, with string) {
		s = newStore(t)
		stale = string(s.mustSave(t, setSection(topic, "Goals", "- base")).After)
		with = string(s.mustSave(t, setSection(topic, "Goals", "- base\n- tool")).After)
		s.byHand(t, topic, stale)
		s.observe(t, topic)
		if len(s.Pending()) != 1 {
			t.Fatalf("pending %v", s.Pending())
		}
		return s, stale, with
	}
	again := func(t *testing.T, s *Store, stale string) { // another stale buffer, with a word of its own
		s.byHand(t, topic, stale+"- by hand\n")
		s.observe(t, topic)
	}
	t.Run("dismissed, for good", func(t *testing.T) {
		s, stale, with := lose(t)
		if err := s.Dismiss(t.Context(), "explore/topic"); err != nil {
			t.Fatal(err)
		}
		s.byHand(t, topic, with)
		s.observe(t, topic)
		again(t, s, stale)
		if got := s.Pending(); len(got) > 0 {
			t.Errorf("dropped, but pending %v", got)
		}
	})
	t.Run("back, until it is lost again", func(t *testing.T) {
		s, stale, with := lose(t)
		again(t, s, with)
		if got := s.Pending(); len(got) > 0 {
			t.Errorf("back, but pending %v", got)
		}
		again(t, s, stale)
		if got := s.Pending(); len(got) != 1 {
			t.Errorf("lost again, but pending %v", got)
		}
	})
	t.Run("the very bytes of the last save are back", func(t *testing.T) {
		s, _, with := lose(t)
		s.byHand(t, topic, with)
		s.observe(t, topic)
		if got := s.Pending(); len(got) > 0 {
			t.Errorf("back, but pending %v", got)
		}
	})
	t.Run("taken away by a save", func(t *testing.T) {
		s, _, with := lose(t)
		s.byHand(t, topic, with) // of which nobody was told
		s.mustSave(t, setSection(topic, "Goals", "- base\n- other"))
		if got := s.Pending(); len(got) > 0 {
			t.Errorf("pending %v", got)
		}
	})
}

// TestTheSameStaleTextAgain: another process saved in between, of which this one has heard nothing.
func TestTheSameStaleTextAgain(t *testing.T) {
	s := newStore(t)
	stale := string(s.mustSave(t, setSection(topic, "Goals", "- base")).After)
	other := openAt(t, s.dir)
	other.observe(t, topic)
	s.mustSave(t, setSection(topic, "Goals", "- base\n- tool"))
	s.byHand(t, topic, stale)
	if got := other.ObserveAgain(topic, []byte(stale)); len(got) != 1 || got[0].LostText() != "- tool" {
		t.Errorf("lost %v", got)
	}
	if got := s.Pending(); len(got) != 1 {
		t.Errorf("pending %v", got)
	}
}

// TestUndoneIsNoLoss: what an undo took out may come back, and a file that an undo brought back is edited as any.
func TestUndoneIsNoLoss(t *testing.T) {
	s := newStore(t)
	s.mustSave(t, setSection(topic, "Goals", "- a"))
	with := string(s.mustSave(t, setSection(topic, "Goals", "- a\n- b")).After)
	if _, err := s.undoLast(""); err != nil {
		t.Fatal(err)
	}
	s.byHand(t, topic, with)
	if got := s.observe(t, topic); len(got) > 0 {
		t.Errorf("told of %v", got)
	}
	// A candidate becomes a record of the same id, and is a candidate again.
	file := func(path string) Edit {
		e := setSection(path, "Fact", "logs are lines")
		e.Record = "fact-1"
		return e
	}
	s.mustSave(t, file("inbox/f.md"))
	s.mustSave(t, file("facts/f.md"))
	gone := Edit{Record: "fact-1", Resolve: func() (string, error) { return "inbox/f.md", nil }}
	if _, err := s.Remove(t.Context(), gone); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if _, err := s.undoLast("fact-1"); err != nil {
			t.Fatal(err)
		}
	}
	s.byHand(t, "inbox/f.md", "id: fact-1\n## Fact\nlogs are plain lines\n")
	if got := s.observe(t, "inbox/f.md"); len(got) > 0 {
		t.Errorf("told of %v", got)
	}
}

// TestNoticeOfAReturn has git switch between the text of a tool and another one, and has a file come back.
func TestNoticeOfAReturn(t *testing.T) {
	s := newStore(t)
	s.mustSave(t, setSection(topic, "Goals", "- a"))
	saved := s.mustRead(t, topic)
	other := saved + "- typed\n"
	_, cursor := s.Notices(Cursor{}, "one")
	told := func(when string, want ...NoticeKind) {
		t.Helper()
		var news []Notice
		news, cursor = s.Notices(cursor, "one")
		var got []NoticeKind
		for _, n := range news {
			got = append(got, n.Kind)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: told %v, want %v", when, got, want)
		}
	}
	put := func(text string) {
		s.byHand(t, topic, text)
		s.observe(t, topic)
	}
	for range 2 {
		put(other)
		told("other branch", NoteEdited)
		put(saved)
		told("back", NoteEdited)
		put(saved)
		told("the same again")
	}
	if err := os.Remove(s.abs(topic)); err != nil {
		t.Fatal(err)
	}
	s.Observe(topic, "", nil)
	told("removed", NoteRemoved)
	put(saved)
	told("there again", NoteEdited)
}
