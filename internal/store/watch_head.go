package store

import (
	"context"
	"time"

	"github.com/fsnotify/fsnotify"

	"sdd/internal/git"
)

const (
	headPause = 100 * time.Millisecond // without events before HEAD is read: a rebase makes many commits
	headPoll  = 2 * time.Second        // between two reads where the file system reports no changes
)

// WatchHead calls tell whenever another commit, or none, is checked out, until ctx ends; calls do not overlap. Outside git it does nothing.
// Git writes into its folder whenever it moves HEAD; where that cannot be watched, HEAD is compared every two seconds.
func (s *Store) WatchHead(ctx context.Context, tell func()) {
	_, gitDir, _, ok := git.Top(s.dir)
	if !ok {
		return
	}
	was := git.CheckedOutCommit(ctx, s.dir)
	events, err := fsnotify.NewWatcher()
	every := headPause
	if err != nil || !watchable(gitDir) || events.Add(gitDir) != nil {
		every = headPoll
	}
	if err != nil {
		events = &fsnotify.Watcher{} // sends nothing
	} else {
		context.AfterFunc(ctx, func() { events.Close() })
	}
	go func() {
		due := time.NewTimer(every) // for changes since HEAD was read
		for {
			select {
			case <-ctx.Done():
				return
			case <-events.Errors: // events were lost
				due.Reset(every)
			case <-events.Events:
				due.Reset(every)
			case <-due.C:
				if now := git.CheckedOutCommit(ctx, s.dir); now != was && ctx.Err() == nil {
					was = now
					tell()
				}
				if every == headPoll {
					due.Reset(headPoll)
				}
			}
		}
	}()
}
