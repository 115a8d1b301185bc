package workspace

import (
	"context"
	"sync"
	"time"

	"sdd/internal/setup"
)

// hooked remembers whether git tells the program of commits here. Asking git takes some milliseconds.
type hooked struct {
	dir string

	mu   sync.Mutex
	at   time.Time // of the last look
	told bool
}

// hookedFor is how long an answer counts.
const hookedFor = 10 * time.Second

// know is false where a hook for commits is missing and can be installed.
func (h *hooked) know() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if !h.at.IsZero() && time.Since(h.at) < hookedFor {
		return h.told
	}
	ctx, stop := context.WithTimeout(context.Background(), time.Second)
	defer stop()
	status, err := setup.HooksStatus(ctx, h.dir, []string{"post-commit"})
	h.at, h.told = time.Now(), err != nil || len(status.Hooks) == 0 || status.Hooks[0].State != setup.HookMissing
	return h.told
}
