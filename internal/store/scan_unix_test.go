//go:build unix

package store

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

// TestListOfARemovedFolder reads a folder that is deleted after it was opened, as git does when it changes the branch.
func TestListOfARemovedFolder(t *testing.T) {
	name := filepath.Join(t.TempDir(), "ideas")
	if err := os.Mkdir(name, 0o755); err != nil {
		t.Fatal(err)
	}
	d, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	if err := os.Remove(name); err != nil {
		t.Fatal(err)
	}
	if err := list(d, func(name string, _ fs.FileMode, _ Stat) error { t.Errorf("%q is there", name); return nil }); err != nil {
		t.Error(err)
	}
}
