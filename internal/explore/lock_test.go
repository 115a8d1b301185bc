package explore

import (
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"sdd/internal/index"
	"sdd/internal/store"
)

// TestSaveHoldsNoLockWhileFilesAreRead: a process that is reading many files when it is to save a record keeps no other process
// from saving that record.
func TestSaveHoldsNoLockWhileFilesAreRead(t *testing.T) {
	dir := t.TempDir()
	a, b := processAt(t, dir, "a"), processAt(t, dir, "b")
	save := func(p *process, goals string) error {
		_, err := Save(t.Context(), p.st, p.ix, Input{Title: "User auth", Fields: Fields{Goals: goals}, Append: true})
		return err
	}
	if err := save(a, "- first"); err != nil {
		t.Fatal(err)
	}
	reading, goOn := make(chan struct{}), make(chan struct{})
	var once sync.Once
	defer a.ix.Subscribe(func([]index.Change) { // which is told while files are read
		once.Do(func() {
			close(reading)
			<-goOn
		})
	})()
	if err := os.WriteFile(filepath.Join(dir, store.Folder, "explore", "other.md"), []byte("# Other\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	<-reading
	saved := make(chan error)
	go func() { saved <- save(a, "- from a") }()
	for i := range 50 { // one of them comes after a has begun
		if err := save(b, fmt.Sprintf("- from b %d", i)); err != nil {
			t.Error(err)
		}
	}
	close(goOn)
	if err := <-saved; err != nil {
		t.Error(err)
	}
}
