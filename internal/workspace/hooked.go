package workspace

import (
	"context"
	"sync"
	"time"

	"sdd/internal/setup"
)

// commitHook remembers whether the post-commit hook is installed. Asking git takes some milliseconds.
type commitHook struct {
	dir string

	mu      sync.Mutex
	checked time.Time
	there   bool
}

// hookCheckedFor is how long an answer is used.
const hookCheckedFor = 10 * time.Second

// installed is false where the hook is missing and can be installed.
func (h *commitHook) installed() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if !h.checked.IsZero() && time.Since(h.checked) < hookCheckedFor {
		return h.there
	}
	ctx, stop := context.WithTimeout(context.Background(), time.Second)
	defer stop()
	status, err := setup.HooksStatus(ctx, h.dir, []string{"post-commit"})
	h.checked, h.there = time.Now(), err != nil || len(status.Hooks) == 0 || status.Hooks[0].State != setup.HookMissing
	return h.there
}
