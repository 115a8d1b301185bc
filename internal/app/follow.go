package app

import (
	"context"
	"time"

	"sdd/internal/index"
	"sdd/internal/learning"
)

// pollEvery is how often Follow polls for changes that raise no event.
const pollEvery = time.Second

// Follow calls notify after every change of the store until ctx ends, whether this process, another one, an editor or a commit made
// it. It may call notify from several goroutines and without a change; notify must not block and must not call back. For changes
// without an event it polls every second while watched returns true.
func (w *App) Follow(ctx context.Context, watched func() bool, notify func()) {
	forgetRecords := w.Index.Subscribe(func([]index.Change) { notify() })
	forgetLearnings := w.Learnings.Subscribe(func(learning.Event) { notify() })
	context.AfterFunc(ctx, func() { forgetRecords(); forgetLearnings() })
	w.Store.WatchHead(ctx, notify) // a commit makes learnings and news out of date without changing a file of the store
	go w.poll(ctx, watched, notify)
}

// poll refreshes the index every second, since there are no events before the store exists, and none on some file
// systems.
func (w *App) poll(ctx context.Context, watched func() bool, notify func()) {
	every := time.NewTicker(pollEvery)
	defer every.Stop()
	was, pending := w.Store.Exists(), len(w.Store.Pending())
	for {
		select {
		case <-every.C:
		case <-ctx.Done():
			return
		}
		if !watched() {
			continue
		}
		_ = w.Index.Refresh(ctx) // the next read reports a fault
		now, open := w.Store.Exists(), len(w.Store.Pending())
		if now != was || open != pending {
			was, pending = now, open
			notify()
		}
	}
}
