// Package app has the uses of one store, created once; the command line, the servers and the views share them.
package app

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"sdd/internal/anchor"
	"sdd/internal/answer"
	"sdd/internal/answer/embed"
	"sdd/internal/candidate"
	"sdd/internal/codesearch"
	"sdd/internal/decision"
	"sdd/internal/fact"
	"sdd/internal/fact/extract"
	"sdd/internal/index"
	"sdd/internal/learning"
	"sdd/internal/record"
	"sdd/internal/repos"
	"sdd/internal/store"
	"sdd/internal/tier"
)

// App has the use cases of one store. It is safe for concurrent use.
type App struct {
	Store     *store.Store
	Index     *index.Index
	Learnings *learning.Learnings
	Facts     *fact.Facts
	Decisions *decision.Decisions
	Inbox     *candidate.Inbox
	Answers   *answer.Answers

	Embeddings *embed.Embeddings
	Code       *codesearch.Searcher
	Tree       *anchor.Tree // the code that records name
	tree       *tier.Tree
	follow     sync.Once
	unfollow   func()
	joins      joins
	hubs       hubs
	forOthers  bool                              // see ForOthers
	others     []repos.Repository                // in a joined store
	fetch      func(names []string) error        // nil for no fetch by questions
	commits    atomic.Pointer[map[string]string] // of the other repositories in a joined store, by name
	fromHub    bool                              // the records are a hub's
	plainOf    *App                              // the records are its private ones, in memory
}

type Options struct {
	Extract candidate.Extractor // nil is the built-in one
}

// New returns the use cases of st, whose index is ix. It reads no files.
func New(st *store.Store, ix *index.Index, o Options) *App {
	w := &App{Store: st, Index: ix, Learnings: learning.New(st, ix), Facts: fact.New(st, ix),
		joins: joins{by: map[string]*joined{}, trees: map[string]*anchor.Tree{}}}
	if o.Extract == nil {
		o.Extract = w.extract
	}
	w.Decisions = decision.New(st, ix)
	w.Inbox = candidate.New(st, ix, candidate.Options{
		Extract: o.Extract, Units: extract.Units, Missing: extract.Missing,
		Keepers: map[record.Kind]candidate.Keeper{record.Decision: w.keepDecision, candidate.Tidy: w.keepTidy},
	})
	w.Decisions.WithInbox(w.captured)
	w.Embeddings = embed.New(st, ix)
	w.Tree = anchor.New(st.Dir())
	w.Tree.Elsewhere = w.joins.tree
	w.tree = tier.New(st.Dir(), store.Folder)
	w.Code = codesearch.New(st.Dir(), codesearch.Options{Config: st.Config, Records: w.RecordsOn})
	w.Answers = answer.New(answer.Sources{
		Store: st, Index: ix, Facts: w.Facts, Decisions: w.Decisions, Learnings: w.Learnings, Commits: commits{w.Inbox, w.tree},
		Standing: w.Standing, Tree: w.Tree, Tiers: w.answerTiers, Embeddings: w.Embeddings, Extras: w.extras(),
	})
	return w
}

// Close writes pending files and stops following the index. The caller must close the index after it.
func (w *App) Close() {
	w.follow.Do(func() { w.unfollow = func() {} })
	w.unfollow()
	w.joins.close()
	w.hubs.swap("", nil)
	w.Answers.Close()
	w.Embeddings.Close()
	w.Code.Close()
	w.Tree.Close()
	w.Decisions.Close()
	w.Inbox.Close()
	w.Facts.Close()
	w.Learnings.Close()
}

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
	go w.poll(ctx, w.Store.Exists(), len(w.Store.Pending()), watched, notify)
}

// poll refreshes the index: there are no events before the store exists, and none on some file systems. It notifies when the store's
// existence or its number of pending files is no longer was or pending.
func (w *App) poll(ctx context.Context, was bool, pending int, watched func() bool, notify func()) {
	every := time.NewTicker(pollEvery)
	defer every.Stop()
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
