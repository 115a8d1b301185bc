package transfer

import (
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sdd/internal/inbox"
	"sdd/internal/index"
	"sdd/internal/learning"
	"sdd/internal/store"
)

// project opens the store of a new project called demo.
func project(t testing.TB) Uses {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "demo")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	return opened(t, dir)
}

func opened(t testing.TB, dir string) Uses {
	t.Helper()
	at := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	now := func() time.Time { return at }
	st, err := store.Open(store.Options{Dir: dir, Now: now})
	if err != nil {
		t.Fatal(err)
	}
	ix := index.Open(st)
	u := Uses{Store: st, Index: ix, Learnings: learning.New(st, ix), Inbox: inbox.New(st, ix, inbox.Options{}), Now: now}
	t.Cleanup(func() {
		u.Inbox.Close()
		u.Learnings.Close()
		ix.Close()
		st.Close()
	})
	return u
}

// tree is every record of a store, by its path. What inbox and learnings date themselves has no time.
func tree(t testing.TB, u Uses) map[string]string {
	t.Helper()
	out := map[string]string{}
	root := filepath.Join(u.Store.Dir(), ".sdd")
	err := filepath.WalkDir(root, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, _ := filepath.Rel(root, p)
		if name == ".local" || name == "views" {
			return filepath.SkipDir
		}
		if d.IsDir() || filepath.Ext(name) != ".md" {
			return nil
		}
		src, err := os.ReadFile(p)
		out[filepath.ToSlash(name)] = string(src)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

var madeNow = regexp.MustCompile(`created: "?20[0-9T:-]+Z"?\n`)

// undated leaves away when candidates without a date were put into the inbox.
func undated(tree map[string]string) map[string]string {
	out := map[string]string{}
	for name, src := range tree {
		if strings.HasPrefix(name, "inbox/") {
			src = madeNow.ReplaceAllString(src, "")
		}
		out[name] = src
	}
	return out
}

func bring(t testing.TB, u Uses, format, path string) Brought {
	t.Helper()
	out, err := Import(t.Context(), u, format, Ask{Path: path}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// give exports a format and returns where the export lies.
func give(t testing.TB, u Uses, format string) (string, Outgoing) {
	t.Helper()
	out, err := Export(t.Context(), u, format)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if len(out.Files) == 1 && out.Files[0].Name == "" {
		path := filepath.Join(dir, "export")
		if err := os.WriteFile(path, out.Files[0].Bytes, 0o600); err != nil {
			t.Fatal(err)
		}
		return path, out
	}
	if _, err := WriteFolder(dir, out.Files); err != nil {
		t.Fatal(err)
	}
	return dir, out
}

// stable is the law: what came in goes out, comes in again and changes nothing, here and elsewhere.
func stable(t testing.TB, format, path string) (first Brought, u Uses, sent Outgoing) {
	t.Helper()
	u = project(t)
	first = bring(t, u, format, path)
	a := tree(t, u)
	still := func(what, path string) {
		t.Helper()
		again := bring(t, u, format, path)
		if again.Created+again.Updated+again.Kept > 0 {
			t.Errorf("%s: %s", what, again.Text())
		}
		if diff := cmp.Diff(a, tree(t, u)); diff != "" {
			t.Errorf("%s changed the records: %s", what, diff)
		}
	}
	still("the same again", path)
	back, sent := give(t, u, format)
	still("its export", back)
	other := project(t)
	bring(t, other, format, back)
	if diff := cmp.Diff(undated(a), undated(tree(t, other))); diff != "" {
		t.Errorf("the export makes other records elsewhere: %s", diff)
	}
	_, resent := give(t, other, format)
	if diff := cmp.Diff(sent.Files, resent.Files); diff != "" {
		t.Errorf("the export of the export is another: %s", diff)
	}
	return first, u, sent
}

var token = "ghp_" + strings.Repeat("aB3dE6gH9", 4)

// hoofyDatabase makes Hoofy's database by the real sqlite3.
func hoofyDatabase(t testing.TB) string {
	t.Helper()
	if _, err := exec.LookPath("sqlite3"); err != nil {
		t.Skip("there is no sqlite3")
	}
	src, err := os.ReadFile("testdata/hoofy.sql")
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "memory.db")
	cmd := exec.Command("sqlite3", "-bail", path)
	cmd.Stdin = strings.NewReader(strings.ReplaceAll(string(src), "@SECRET@", token))
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return path
}

// golden compares with a file of testdata; SDD_UPDATE=1 writes it.
func golden(t *testing.T, name, got string) {
	t.Helper()
	file := filepath.Join("testdata", name+".golden")
	if os.Getenv("SDD_UPDATE") != "" {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Error(diff)
	}
}

func TestEveryFormat(t *testing.T) {
	for _, c := range []struct{ name, format, path string }{
		{"hoofy", Hoofy, ""},
		{"engram", Engram, "testdata/engram.json"},
		{"memory", Memory, "testdata/memory.jsonl"},
		{"madr", MADR, "testdata/madr"},
		{"adr-tools", ADRTools, "testdata/adr-tools"},
		{"backlog", Backlog, "testdata/backlog"},
		{"basic-memory", BasicMemory, "testdata/basic-memory"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.path == "" {
				c.path = hoofyDatabase(t)
			}
			if found, err := Detect(c.path); err != nil || found != c.format {
				t.Errorf("found %q, %v", found, err)
			}
			out, u, sent := stable(t, c.format, c.path)
			var b strings.Builder
			b.WriteString(out.Text())
			files := undated(tree(t, u))
			for _, name := range sortedKeys(files) {
				fmt.Fprintf(&b, "-- %s --\n%s", name, files[name])
			}
			for _, f := range sent.Files {
				fmt.Fprintf(&b, "== export %s ==\n%s", f.Name, f.Bytes)
			}
			golden(t, c.name, b.String())
		})
	}
}

// Decision records come back byte for byte.
func TestDocumentsComeBackAsTheyWere(t *testing.T) {
	for _, format := range []string{MADR, ADRTools, BasicMemory, Backlog} {
		u := project(t)
		bring(t, u, format, "testdata/"+format)
		_, sent := give(t, u, format)
		for _, f := range sent.Files {
			want, err := os.ReadFile(filepath.Join("testdata", format, filepath.FromSlash(f.Name)))
			if err != nil {
				t.Fatal(err)
			}
			if f.Name == "Billing.md" { // a key that means something else here goes to the end
				continue
			}
			if diff := cmp.Diff(string(want), string(f.Bytes)); diff != "" {
				t.Errorf("%s/%s: %s", format, f.Name, diff)
			}
		}
		if len(sent.Files) < 2 {
			t.Errorf("%s: %d files", format, len(sent.Files))
		}
	}
}

func names(files []File) (out []string) {
	for _, f := range files {
		out = append(out, f.Name)
	}
	slices.Sort(out)
	return out
}
