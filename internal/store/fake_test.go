package store

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"sdd/internal/fault"
	"sdd/internal/journal"
	"sdd/internal/record"
)

// The tests' records: level-2 sections, found by their lines; the id is the path without .md.

type fakeDoc struct {
	head  string
	names []string
	texts map[string]string
}

func parseFake(src []byte) fakeDoc {
	d := fakeDoc{texts: map[string]string{}}
	name, in := "", false
	bodies := map[string]*strings.Builder{}
	for line := range strings.Lines(string(src)) {
		if n, ok := strings.CutPrefix(line, "## "); ok {
			name, in = strings.TrimSpace(n), true
			if bodies[name] == nil {
				bodies[name] = &strings.Builder{}
				d.names = append(d.names, name)
			}
			continue
		}
		if in {
			bodies[name].WriteString(line)
		} else {
			d.head += line
		}
	}
	for n, b := range bodies {
		d.texts[n] = strings.Trim(b.String(), "\n")
	}
	return d
}

func (d *fakeDoc) set(name, text string) {
	if !slices.Contains(d.names, name) {
		d.names = append(d.names, name)
	}
	d.texts[name] = text
}

func (d fakeDoc) bytes() []byte {
	var b strings.Builder
	b.WriteString(d.head)
	for _, n := range d.names {
		b.WriteString("## " + n + "\n" + d.texts[n] + "\n")
	}
	return []byte(b.String())
}

func describeFake(path string, doc *record.Doc) journal.File {
	d := parseFake(doc.Src)
	out := journal.File{Record: strings.TrimSuffix(path, ".md")}
	for line := range strings.Lines(d.head) {
		if id, ok := strings.CutPrefix(line, "id: "); ok {
			out.Record = strings.TrimSpace(id)
		}
		if n, ok := strings.CutPrefix(line, "revision: "); ok {
			out.Revision, _ = strconv.Atoi(strings.TrimSpace(n))
		}
	}
	for _, n := range d.names {
		out.Sections = append(out.Sections, journal.Section{Name: n, Text: d.texts[n]})
	}
	return out
}

// mergeFake merges by section, and lines that both sides added to the same text.
func mergeFake(_ string, base, ours, theirs []byte) ([]byte, error) {
	b, o, t := parseFake(base), parseFake(ours), parseFake(theirs)
	out := parseFake(ours)
	for _, n := range t.names {
		switch {
		case t.texts[n] == b.texts[n] || t.texts[n] == o.texts[n]:
		case o.texts[n] == b.texts[n]:
			out.set(n, t.texts[n])
		case strings.HasPrefix(o.texts[n], b.texts[n]) && strings.HasPrefix(t.texts[n], b.texts[n]):
			out.set(n, o.texts[n]+strings.TrimPrefix(t.texts[n], b.texts[n]))
		default:
			return nil, fault.New(fault.Conflict, "both sides changed %s: %q and %q", n, o.texts[n], t.texts[n]).With("merge by hand")
		}
	}
	for _, n := range b.names {
		if _, ok := t.texts[n]; !ok && o.texts[n] == b.texts[n] {
			delete(out.texts, n)
			out.names = slices.DeleteFunc(out.names, func(s string) bool { return s == n })
		}
	}
	return out.bytes(), nil
}

// putBackFake makes changes of sections again as mergeFake does.
func putBackFake(_ string, now []byte, lost []journal.Change) (after []byte, left []journal.Change) {
	for _, c := range lost {
		base, theirs := parseFake(now), parseFake(now)
		base.set(c.Name, c.Before)
		theirs.set(c.Name, c.After)
		if out, err := mergeFake("", base.bytes(), now, theirs.bytes()); err == nil {
			now = out
		} else {
			left = append(left, c)
		}
	}
	return now, left
}

// setSection is an Edit of one section of the record at path.
func setSection(path, name, text string) Edit {
	return Edit{
		Record:  strings.TrimSuffix(path, ".md"),
		Resolve: func() (string, error) { return path, nil },
		Apply: func(before []byte, exists bool) ([]byte, error) {
			d := parseFake(before)
			if exists && d.texts[name] == text {
				return before, nil
			}
			d.set(name, text)
			return d.bytes(), nil
		},
	}
}

// openFake opens a store of the tests' records.
func openFake(o Options) (*Store, error) {
	s, err := Open(o)
	if err == nil {
		s.describe, s.merge, s.putBack = describeFake, mergeFake, putBackFake
	}
	return s, err
}

func openAt(t testing.TB, dir string) *Store {
	t.Helper()
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	s, err := openFake(Options{Dir: dir, Tool: "test"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

// undoLast takes back the last action of a record, or of all for "".
func (s *Store) undoLast(id string) ([]Saved, error) {
	a, err := s.Last(id)
	if err != nil {
		return nil, err
	}
	return s.TakeBack(context.Background(), a.ID)
}

func newStore(t testing.TB) *Store {
	t.Helper()
	return openAt(t, t.TempDir())
}

func (s *Store) mustSave(t testing.TB, e Edit) Saved {
	t.Helper()
	done, err := s.Save(context.Background(), e)
	if err != nil {
		t.Fatalf("save: %v", err)
	}
	return done
}

func (s *Store) mustRead(t testing.TB, path string) string {
	t.Helper()
	b, err := os.ReadFile(s.abs(path))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// byHand writes a file as a person would, by rename.
func (s *Store) byHand(t testing.TB, path, text string) {
	t.Helper()
	name := s.abs(path)
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name+"~", []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(name+"~", name); err != nil {
		t.Fatal(err)
	}
}

// inPlace truncates a file and writes it, as VS Code does.
func (s *Store) inPlace(t testing.TB, path, text string) {
	t.Helper()
	if err := os.WriteFile(s.abs(path), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func files(t testing.TB, dir string) []string {
	t.Helper()
	var out []string
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		out = append(out, e.Name())
	}
	return out
}

func wantFault(t testing.TB, err error, code fault.Code) *fault.Error {
	t.Helper()
	if !fault.Is(err, code) {
		t.Fatalf("got %v, want a fault %q", err, code)
	}
	f := fault.Of(err)
	if f.Hint == "" {
		t.Errorf("%v says not what to do", err)
	}
	return f
}
