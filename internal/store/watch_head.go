package store

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/fsnotify/fsnotify"

	"sdd/internal/git"
)

// headPause is how long HEAD must stay the same before a change is reported: a rebase makes many commits.
const headPause = 100 * time.Millisecond

// headPoll is how often HEAD is compared where the file system reports no changes.
const headPoll = 2 * time.Second

// WatchHead calls tell whenever another commit, or none, is checked out, until ctx ends: after a commit, a merge, a
// checkout or a rebase, by any program. Outside git, and where git's folder is created later, it does nothing. Calls do
// not overlap. Git writes to the folder of HEAD, of its log, or of the branch; where those cannot be watched, WatchHead
// compares HEAD every two seconds.
func (s *Store) WatchHead(ctx context.Context, tell func()) {
	_, gitDir, common, ok := git.Top(s.dir)
	if !ok {
		return
	}
	was := git.CheckedOutCommit(ctx, s.dir)
	events, err := fsnotify.NewWatcher()
	if err == nil && !watchable(gitDir) {
		events.Close()
		err = errMoved
	}
	if err == nil {
		if err = events.Add(gitDir); err != nil {
			events.Close()
		}
	}
	if err != nil {
		go everySoOften(ctx, func() { was = s.tellHead(ctx, was, tell) })
		return
	}
	_ = events.Add(filepath.Join(gitDir, "logs")) // git may keep no logs
	go func() {
		defer events.Close()
		names := watchBranch(events, gitDir, common, nil)
		pause := time.After(headPause) // for changes since HEAD was read
		for {
			select {
			case <-ctx.Done():
				return
			case <-events.Errors: // events were lost
				pause = time.After(headPause)
			case e, ok := <-events.Events:
				if !ok {
					return
				}
				if name := filepath.Base(e.Name); name == "HEAD" || name == "logs" || slices.Contains(names, name) {
					pause = time.After(headPause)
				}
			case <-pause:
				pause = nil
				_ = events.Add(filepath.Join(gitDir, "logs"))
				names = watchBranch(events, gitDir, common, names)
				was = s.tellHead(ctx, was, tell)
			}
		}
	}()
}

// watchBranch watches the folders that lead to the checked-out branch, and drops those of the branch before. It returns
// the names of the folders and the branch: git removes folders when it packs branches, and creates them anew.
func watchBranch(events *fsnotify.Watcher, gitDir, common string, before []string) (names []string) {
	const heads = "refs/heads"
	if head, err := os.ReadFile(filepath.Join(gitDir, "HEAD")); err == nil {
		if ref, ok := strings.CutPrefix(strings.TrimSpace(string(head)), "ref: "+heads+"/"); ok {
			names = strings.Split(ref, "/")
		}
	}
	folder := func(parts []string) string {
		return filepath.Join(common, filepath.FromSlash(heads), filepath.FromSlash(strings.Join(parts, "/")))
	}
	if !slices.Equal(names, before) {
		for n := range before {
			_ = events.Remove(folder(before[:n]))
		}
	}
	for n := range names {
		_ = events.Add(folder(names[:n]))
	}
	return names
}

func (s *Store) tellHead(ctx context.Context, was string, tell func()) string {
	now := git.CheckedOutCommit(ctx, s.dir)
	if now != was && ctx.Err() == nil {
		tell()
	}
	return now
}

// everySoOften calls f until ctx ends.
func everySoOften(ctx context.Context, f func()) {
	every := time.NewTicker(headPoll)
	defer every.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-every.C:
			f()
		}
	}
}
