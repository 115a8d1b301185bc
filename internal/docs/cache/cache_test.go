package cache

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"testing"
	"time"

	"sdd/internal/atomicfile"
)

func read(t *testing.T, f Folder, key string) string {
	t.Helper()
	file, err := f.Open(key)
	if err != nil {
		return ""
	}
	defer file.Close()
	data, err := io.ReadAll(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func TestFolder(t *testing.T) {
	f := Folder{filepath.Join(t.TempDir(), "a", "b"), 1 << 20}
	if got := read(t, f, "k"); got != "" {
		t.Errorf("%q", got)
	}
	f.Put("k", []byte("on"), []byte("e"))
	f.Put("../../k", []byte("two"))
	f.Put("k", []byte("three"))
	if a, b := read(t, f, "k"), read(t, f, "../../k"); a != "three" || b != "two" {
		t.Errorf("%q %q", a, b)
	}
	f.Drop("k")
	f.Drop("none")
	if got := read(t, f, "k"); got != "" {
		t.Errorf("%q", got)
	}
	none := Folder{}
	none.Put("k", []byte("x"))
	none.Drop("k")
	if got := read(t, none, "k"); got != "" {
		t.Errorf("%q", got)
	}
	// A disk that takes nothing is no failure.
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	Folder{filepath.Join(file, "below"), 1}.Put("k", []byte("x"))
}

func TestShrink(t *testing.T) {
	f := Folder{t.TempDir(), 1 << 20}
	for i := range 10 {
		f.Put(fmt.Sprint(i), make([]byte, 1000))
		if err := os.Chtimes(f.file(fmt.Sprint(i)), time.Time{}, time.Unix(int64(i+1), 0)); err != nil {
			t.Fatal(err)
		}
	}
	left, fresh, other := filepath.Join(f.Path, atomicfile.Prefix+"1"), filepath.Join(f.Path, atomicfile.Prefix+"2"), filepath.Join(f.Path, "other")
	for _, name := range []string{left, fresh, other} {
		if err := os.WriteFile(name, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if name != fresh {
			if err := os.Chtimes(name, time.Time{}, time.Unix(1, 0)); err != nil {
				t.Fatal(err)
			}
		}
	}
	f.Most = 5000
	f.Put("new", make([]byte, 1000))
	for i := range 10 {
		if kept := read(t, f, fmt.Sprint(i)) != ""; kept != (i >= 6) {
			t.Errorf("%d: kept %v", i, kept)
		}
	}
	for name, want := range map[string]bool{left: false, fresh: true, other: true} {
		if _, err := os.Stat(name); (err == nil) != want {
			t.Errorf("%s: %v", filepath.Base(name), err)
		}
	}
}
