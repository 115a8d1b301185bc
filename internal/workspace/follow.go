package workspace

import (
	"context"
	"time"

	"sdd/internal/index"
	"sdd/internal/learning"
)

// lookEvery is how often Follow looks where nothing tells of changes.
const lookEvery = time.Second

// Follow calls tell after every change of the store, by this process or another, by hand or by a commit, until ctx ends.
// Calls may come from several goroutines and more often than something changed; tell must not block and must not call back.
// seen reports whether anybody would see the change: what no event tells of is looked for only then, every second.
func (w *Workspace) Follow(ctx context.Context, seen func() bool, tell func()) {
	forgetRecords := w.Index.Subscribe(func([]index.Change) { tell() })
	forgetLearnings := w.Learnings.Subscribe(func(learning.Event) { tell() })
	context.AfterFunc(ctx, func() { forgetRecords(); forgetLearnings() })
	w.Store.WatchHead(ctx, tell) // a commit outdates learnings and makes news old, and changes no file of the store
	go w.look(ctx, seen, tell)
}

// look brings the index up to date now and then: where there is no store yet, or where the file system tells
// nothing, no event does.
func (w *Workspace) look(ctx context.Context, seen func() bool, tell func()) {
	every := time.NewTicker(lookEvery)
	defer every.Stop()
	was, pending := w.Store.Exists(), len(w.Store.Pending())
	for {
		select {
		case <-every.C:
		case <-ctx.Done():
			return
		}
		if !seen() {
			continue
		}
		_ = w.Index.Refresh(ctx) // whoever reads next is told what is wrong
		now, open := w.Store.Exists(), len(w.Store.Pending())
		if now != was || open != pending {
			was, pending = now, open
			tell()
		}
	}
}
