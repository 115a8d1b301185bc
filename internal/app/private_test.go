package app

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"filippo.io/age"

	"sdd/internal/answer"
	"sdd/internal/explore"
	"sdd/internal/fault"
	"sdd/internal/lookup"
	"sdd/internal/record"
	"sdd/internal/sealed"
)

// private makes a store whose user has a key.
func private(t *testing.T) (dir string) {
	t.Helper()
	dir = t.TempDir()
	id, err := age.GenerateX25519Identity()
	if err != nil {
		t.Fatal(err)
	}
	key := filepath.Join(t.TempDir(), "age.txt")
	for file, text := range map[string]string{key: id.String() + "\n",
		filepath.Join(dir, ".sdd", "config.yaml"): "private:\n  recipients: [" + id.Recipient().String() + "]\n"} {
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv(sealed.KeyEnv, key)
	return dir
}

// TestPrivateTogether: tools that save private records at once lose nothing, and no file has a word of them.
func TestPrivateTogether(t *testing.T) {
	dir := private(t)
	const tools = 6
	var all sync.WaitGroup
	for n := range tools {
		w := reopen(t, dir)
		all.Go(func() {
			in := explore.Input{Title: "Tender", Scope: "Private", Append: true, Fields: explore.Fields{Goals: fmt.Sprintf("- xylophone%d", n)}}
			if _, err := w.Explore(t.Context(), in); err != nil {
				t.Error(err)
			}
			in.Title = fmt.Sprintf("Tender %d", n)
			if _, err := w.Explore(t.Context(), in); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	w := reopen(t, dir)
	_, err := w.InPrivate(t.Context(), func(far *App) error {
		r, err := far.Get(t.Context(), lookup.Ask{ID: "private/explore/tender"})
		for n := range tools {
			if !strings.Contains(r.Text(), fmt.Sprintf("xylophone%d", n)) {
				t.Errorf("lost %d:\n%s", n, r.Text())
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	found, err := w.SearchWith(t.Context(), lookup.Query{Query: "xylophone3"})
	if err != nil || found.Total < 2 || found.Results[0].ID != "private/explore/tender-3" || found.Results[0].Scope != record.Private {
		t.Errorf("%v, %+v", err, found)
	}
	if r, err := w.BriefWith(t.Context(), answer.Query{Query: "what about xylophone3?"}); err != nil || !strings.Contains(r.Context, "private/explore/tender") {
		t.Errorf("%v\n%s", err, r.Context)
	}
	w.Close()
	w.Index.Close()
	err = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		src, err := os.ReadFile(path)
		if strings.Contains(string(src), "xylophone") || strings.Contains(strings.ToLower(string(src)+path[len(dir):]), "tender") {
			t.Errorf("%s has the text", path)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

// TestPrivateOnlyHere: a save that does not go through Explore is refused, and others than the user get nothing.
func TestPrivateOnlyHere(t *testing.T) {
	dir := private(t)
	w := reopen(t, dir)
	in := explore.Input{Title: "Tender", Scope: record.Private, Fields: explore.Fields{Goals: "- xylophone"}}
	if _, err := explore.Save(t.Context(), w.Store, w.Index, in); !fault.Is(err, fault.Outside) {
		t.Errorf("a save in plain: %v", err)
	}
	if _, err := w.Explore(t.Context(), in); err != nil {
		t.Fatal(err)
	}
	w.ForOthers()
	if found, err := w.SearchWith(t.Context(), lookup.Query{Query: "xylophone"}); err != nil || found.Total != 0 || found.Note != "" {
		t.Errorf("for others: %v, %+v", err, found)
	}
	if r, err := w.Explore(t.Context(), in); !fault.Is(err, fault.Unavailable) || r.Sections.Goals != "" {
		t.Errorf("a save for others: %v, %+v", err, r)
	}
}
