package store

import (
	"bytes"
	"fmt"
	"os"
	"strings"
	"testing"

	"sdd/internal/journal"
	"sdd/internal/record"
)

// titled is setSection with a title in front matter.
func titled(path, title, text string) Edit {
	e := setSection(path, "Goals", text)
	e.Apply = func([]byte, bool) ([]byte, error) {
		return fmt.Appendf(nil, "---\ntitle: %s\n---\n## Goals\n%s\n", title, text), nil
	}
	return e
}

// TestSavedIsTrustedOnlyUntouched: what another process saved is known without reading it, and whatever else happens to
// the file takes that away, also within one tick of the clock and with the same size.
func TestSavedIsTrustedOnlyUntouched(t *testing.T) {
	if !everyChange {
		t.Skip("files are always read here")
	}
	rewrite := func(s *Store, change func([]byte) []byte) {
		t.Helper()
		name := segmentsOf(t, s)[0]
		data, err := os.ReadFile(name)
		if err == nil {
			err = os.WriteFile(name, change(data), 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	lastLine := func(data []byte) []byte {
		lines := bytes.Split(bytes.TrimSpace(data), []byte("\n"))
		return lines[len(lines)-1]
	}
	save := func(b *Store) { b.mustSave(t, titled(topic, "Topic", "- text")) }
	for _, c := range []struct {
		name   string
		before bool // the file is there already, made by a tool
		do     func(b *Store)
		saved  bool
	}{
		{"created", false, save, true},
		{"changed", true, save, true},
		{"with another tool's save before", true, func(b *Store) {
			openAt(t, b.dir).mustSave(t, titled(topic, "Topic", "- other"))
			save(b)
		}, false},
		{"under the name of another record", true, func(b *Store) {
			e := titled(topic, "Topic", "- text")
			e.Record = "explore/other"
			b.mustSave(t, e)
		}, false},
		{"without a title", false, func(b *Store) { b.mustSave(t, setSection(topic, "Goals", "- text")) }, false},
		{"edited in place", true, func(b *Store) {
			save(b)
			b.inPlace(t, topic, strings.Replace(b.mustRead(t, topic), "text", "edit", 1))
		}, false},
		{"edited in place, the times put back", true, func(b *Store) {
			save(b)
			st, _ := os.Stat(b.abs(topic))
			b.inPlace(t, topic, strings.Replace(b.mustRead(t, topic), "text", "edit", 1))
			os.Chtimes(b.abs(topic), st.ModTime(), st.ModTime())
		}, false},
		{"replaced by an editor", true, func(b *Store) {
			save(b)
			st, _ := os.Stat(b.abs(topic))
			b.byHand(t, topic, strings.Replace(b.mustRead(t, topic), "Topic", "Other", 1))
			os.Chtimes(b.abs(topic), st.ModTime(), st.ModTime())
		}, false},
		{"moved away and back", true, func(b *Store) {
			save(b)
			os.Rename(b.abs(topic), b.abs("explore/x.md"))
			os.Rename(b.abs("explore/x.md"), b.abs(topic))
		}, false},
		{"another record moved there", true, func(b *Store) {
			b.mustSave(t, titled("explore/other.md", "Other", "- text"))
			os.Rename(b.abs("explore/other.md"), b.abs(topic))
		}, false},
		{"deleted", true, func(b *Store) {
			save(b)
			os.Remove(b.abs(topic))
		}, false},
		{"permissions changed", true, func(b *Store) {
			save(b)
			os.Chmod(b.abs(topic), 0o600)
		}, false},
		{"through a link", false, func(b *Store) {
			b.byHand(t, "facts/real.md", "x\n")
			os.Symlink("../facts/real.md", b.abs(topic))
			save(b)
		}, false},
		{"without a journal", true, func(b *Store) {
			save(b)
			os.RemoveAll(b.abs(journal.Folder))
		}, false},
		{"its entry lost", true, func(b *Store) {
			save(b)
			rewrite(b, func(data []byte) []byte { return bytes.TrimSuffix(bytes.TrimSpace(data), lastLine(data)) })
		}, false},
		{"the entry of an older version", true, func(b *Store) {
			save(b)
			rewrite(b, func(data []byte) []byte {
				line := string(lastLine(data))
				_, rest, _ := strings.Cut(line, `,"state":`)
				_, rest, _ = strings.Cut(rest, `,"title":"Topic","head":"---\ntitle: Topic\n---\n"`)
				head, _, _ := strings.Cut(line, `,"state":`)
				return bytes.Replace(data, []byte(line), []byte(head+rest), 1)
			})
		}, false},
		{"a later entry that tells of another file", true, func(b *Store) {
			save(b)
			b.byHand(t, "facts/real.md", "x\n")
			fi, _ := os.Lstat(b.abs("facts/real.md"))
			st := statOf(fi)
			e := journal.Entry{ID: "forged", Op: journal.Save, Record: "x", Path: topic, After: record.Etag([]byte("x")), State: &st, Title: "X", Head: "---\ntitle: X\n---\n"}
			if err := mustTree(t, b).journal.Append(&e); err != nil {
				t.Fatal(err)
			}
		}, false},
		{"a later entry without a state", true, func(b *Store) {
			save(b)
			e := journal.Entry{ID: "forged", Op: journal.Save, Record: "x", Path: topic, After: record.Etag([]byte("x"))}
			if err := mustTree(t, b).journal.Append(&e); err != nil {
				t.Fatal(err)
			}
		}, false},
	} {
		a := newStore(t)
		for _, dir := range []string{"explore", "facts"} {
			if err := os.MkdirAll(a.abs(dir), 0o755); err != nil {
				t.Fatal(err)
			}
		}
		b := openAt(t, a.dir)
		if c.before {
			b.mustSave(t, titled(topic, "Topic", "- first"))
		}
		w := watch(t, a)
		_, cursor := a.Notices(Cursor{}, "")
		c.do(b)
		if _, rescan, err := w.Sync(t.Context()); rescan || err != nil {
			t.Fatalf("%s: rescan %v, %v", c.name, rescan, err)
		}
		got, ok := w.Saved(topic)
		if ok != c.saved {
			t.Errorf("%s: known without reading: %v %+v", c.name, ok, got)
			continue
		}
		if !ok {
			continue
		}
		src := []byte(a.mustRead(t, topic))
		if head, _ := record.Front(src); got.Etag != record.Etag(src) || got.Title != "Topic" || got.Record != "explore/topic" || string(got.Head) != string(head.Src) || len(head.Src) == 0 {
			t.Errorf("%s: got %+v of %q", c.name, got, src)
		}
		if news, _ := a.Notices(cursor, ""); len(news) != 1 || news[0].Kind != NoteSaved || news[0].Path != topic {
			t.Errorf("%s: notices %+v", c.name, news)
		}
		if _, _, err := w.Sync(t.Context()); err != nil {
			t.Fatal(err)
		}
		if _, ok := w.Saved(topic); ok {
			t.Errorf("%s: known again, though nothing has happened", c.name)
		}
	}
}
