package index

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"sdd/internal/record"
)

// followed returns a view of the decisions of a shelf.
func followed(s *shelf, ix *Index) *View[string] {
	parse := func(_ string, src []byte) *string {
		text := string(src)
		return &text
	}
	return NewView(ix, ix.st, record.Decision, parse, func(text *string) string { return record.Etag([]byte(*text)) })
}

// TestViewFollows: a view reads each change of its kind once, whoever made it, and all files when it begins.
func TestViewFollows(t *testing.T) {
	s := newShelf(t, map[string]string{"explore/a.md": "# A\n", "decisions/one.md": "---\ntitle: One\n---\n", "decisions/two.md": "---\ntitle: Two\n---\n"})
	ix := s.open()
	f := followed(s, ix)
	defer f.Close()
	expect := func(what string, want ...string) {
		t.Helper()
		if got, err := f.stale(t.Context()); err != nil || !slices.Equal(got, want) {
			t.Errorf("after %s: %v, %v; want %v", what, got, err, want)
		}
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if paths, err := f.stale(gone); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v, %v", paths, err)
	}
	expect("the start", "decisions/one.md", "decisions/two.md")
	expect("nothing")
	s.write("explore/a.md", "# A\n\nmore\n")
	expect("a change of another kind")
	s.write("decisions/two.md", "---\ntitle: Two\n---\n\nmore\n")
	s.write("decisions/three.md", "---\ntitle: Three\n---\n")
	expect("a change and a new file", "decisions/three.md", "decisions/two.md")
	s.remove("decisions/one.md")
	expect("a deletion", "decisions/one.md")
	f.Wrote("decisions/two.md")
	expect("a save of this process", "decisions/two.md")
	f.Close()
	s.write("decisions/two.md", "---\ntitle: Two\n---\n\nonce more\n")
	expect("beginning again", "decisions/three.md", "decisions/two.md")
}

// TestViewReadsNothing: after a list was asked for once, a process that saves still only identifies the records that others
// save, also where all files are compared; the next question reads them.
func TestViewReadsNothing(t *testing.T) {
	s := newShelf(t, map[string]string{"decisions/one.md": "---\ntitle: One\n---\n"})
	ix := s.open()
	f := followed(s, ix)
	defer f.Close()
	if _, err := f.stale(t.Context()); err != nil {
		t.Fatal(err)
	}
	for i, title := range []string{"two", "three"} {
		ix.behind = i > 0
		s.write("decisions/"+title+".md", "---\ntitle: "+title+"\n---\n\nwords\n")
		before := time.Now()
		if list, err := ix.Holders(t.Context(), "decision/"+title); err != nil || len(list) != 1 {
			t.Fatalf("%v, %v", list, err)
		}
		if ix.feed.awaited() {
			t.Errorf("%s: what waits is read at once", title)
		}
		if n := ix.Len(); n != 1+i && time.Since(before) < quiet {
			t.Errorf("%s: %d records were read", title, n)
		}
		if paths, err := f.stale(t.Context()); err != nil || !slices.Equal(paths, []string{"decisions/" + title + ".md"}) {
			t.Errorf("%s: %v, %v", title, paths, err)
		}
	}
	if n := ix.Len(); n != 3 {
		t.Errorf("%d records after the question", n)
	}
}

// TestCompareFindsWhatIsGone: a file that was only identified, and went without an event, holds nothing any more.
func TestCompareFindsWhatIsGone(t *testing.T) {
	s := newShelf(t, map[string]string{"decisions/one.md": "---\ntitle: One\n---\n"})
	ix := s.open()
	s.write("decisions/two.md", "---\ntitle: Two\n---\n")
	for i, want := range []int{1, 0} {
		if i > 0 {
			s.remove("decisions/two.md")
			ix.watcher.Sync(t.Context()) // as if the events were lost
			ix.behind = true
		}
		if list, err := ix.Holders(t.Context(), "decision/two"); err != nil || len(list) != want {
			t.Errorf("%d: %v, %v", i, list, err)
		}
	}
}
