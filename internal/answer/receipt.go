package answer

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"sdd/internal/git"
	"sdd/internal/index"
	"sdd/internal/record"
	"sdd/internal/store"
)

// gitPatience is the longest wait for git's count of uncommitted records.
const gitPatience = 2 * time.Second

// receipts caches the last receipt, since git takes longer than all other work of an answer.
type receipts struct {
	changes atomic.Int64 // reported by the index

	mu     sync.Mutex
	cancel func() // of the subscription
	last   Receipt
	of     state // that last is of
}

// state is the state that a receipt depends on.
type state struct {
	changes int64
	commit  string
	staged  int64 // modification time of git's index
	known   bool
}

// follow counts the changes of records from now on.
func (r *receipts) follow(ix *index.Index) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.cancel == nil {
		r.cancel = ix.Listen(func([]index.Change) { r.changes.Add(1) })
	}
}

// ask starts to make the receipt, and returns a channel for it. Outside git it is the
// zero receipt.
func (r *receipts) ask(ctx context.Context, dir string) <-chan Receipt {
	out := make(chan Receipt, 1)
	go func() { out <- r.find(ctx, dir) }()
	return out
}

func (r *receipts) find(ctx context.Context, dir string) Receipt {
	repo, err := git.Open(dir)
	if err != nil {
		return Receipt{}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	ctx, stop := context.WithTimeout(ctx, gitPatience)
	defer stop()
	now := state{changes: r.changes.Load(), commit: git.CheckedOutCommit(ctx, dir), known: true}
	if st, err := os.Stat(filepath.Join(repo.Dir, "index")); err == nil {
		now.staged = st.ModTime().UnixNano()
	}
	if now == r.of {
		return r.last
	}
	receipt := Receipt{Commit: now.commit}
	states, err := repo.Dirty(ctx, within(repo.Top, filepath.Join(dir, store.Folder)))
	if err != nil {
		return receipt // the next call asks again
	}
	for _, s := range states {
		if _, file, ok := strings.Cut("/"+s.Path, "/"+store.Folder+"/"); ok {
			if _, ok := record.KindOf(file); ok {
				receipt.Dirty++
			}
		}
	}
	r.last, r.of = receipt, now
	return receipt
}

// within is a path in git's spelling.
func within(top, path string) string {
	if real, err := filepath.EvalSymlinks(filepath.Dir(path)); err == nil {
		path = filepath.Join(real, filepath.Base(path))
	}
	if real, err := filepath.EvalSymlinks(top); err == nil {
		top = real
	}
	rel, err := filepath.Rel(top, path)
	if err != nil {
		return store.Folder
	}
	return filepath.ToSlash(rel)
}

func (r *receipts) close() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.cancel != nil {
		r.cancel()
		r.cancel = nil
	}
}
