package store

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/fsnotify/fsnotify"

	"sdd/internal/git"
)

// headQuiet is how long git has to be quiet: one command writes several files.
const headQuiet = 100 * time.Millisecond

// WatchHead calls f after git has moved what is checked out where the store is: a commit, a merge, another branch. It
// may call f without need, and does so from one goroutine until ctx ends. Outside git, and where the
// system gives no watch, it never does.
func (s *Store) WatchHead(ctx context.Context, f func()) {
	_, gitDir, common, ok := git.Top(s.dir)
	if !ok {
		return
	}
	w, err := fsnotify.NewWatcher()
	if err != nil {
		return
	}
	// Folders that git makes later are added when something else tells of them.
	add := func() {
		for _, dir := range headFolders(gitDir, common) {
			_ = w.Add(dir)
		}
	}
	add()
	context.AfterFunc(ctx, func() { w.Close() })
	go func() {
		quiet := time.NewTimer(time.Hour)
		quiet.Stop()
		for {
			select {
			case e, ok := <-w.Events:
				if !ok {
					return
				}
				if movesHead(gitDir, e.Name) {
					quiet.Reset(headQuiet)
				}
			case _, ok := <-w.Errors: // events were lost
				if !ok {
					return
				}
				quiet.Reset(headQuiet)
			case <-quiet.C:
				add()
				f()
			}
		}
	}()
}

// headFolders are those in which git writes when it moves what is checked out: of HEAD, of its log, of
// the branch, and of tables of references.
func headFolders(gitDir, common string) []string {
	dirs := []string{gitDir, filepath.Join(gitDir, "logs"), filepath.Join(common, "refs", "heads"), filepath.Join(gitDir, "reftable"), filepath.Join(common, "reftable")}
	if src, err := os.ReadFile(filepath.Join(gitDir, "HEAD")); err == nil {
		if ref, ok := strings.CutPrefix(strings.TrimSpace(string(src)), "ref: "); ok {
			dirs = append(dirs, filepath.Dir(filepath.Join(common, filepath.FromSlash(ref))))
		}
	}
	return dirs
}

// movesHead reports whether a change of that file may have moved what is checked out. In the folder of git itself
// most changes are of other things.
func movesHead(gitDir, file string) bool {
	if strings.HasSuffix(file, ".lock") {
		return false
	}
	if filepath.Dir(file) != filepath.Clean(gitDir) {
		return true
	}
	name := filepath.Base(file)
	return name == "HEAD" || name == "packed-refs"
}
