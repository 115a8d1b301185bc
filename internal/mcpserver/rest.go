package mcpserver

import (
	"runtime/debug"
	"sync"
	"time"

	"sdd/internal/memory"
)

// How long nothing is asked before the server gives back memory that it does not need just now. Every editor window keeps a
// server that is asked nothing most of the time.
const (
	restAfter  = 200 * time.Millisecond // before the pages of the program go, which takes a millisecond
	sleepAfter = time.Second            // before the heap is cleaned up too, which takes longer the more records there are
)

// rest gives memory back once when it has been quiet for a while.
type rest struct {
	active func() int // requests that are not answered

	mu      sync.Mutex
	timer   *time.Timer
	resting bool // the first step is done
	ended   bool
}

func newRest(active func() int) *rest {
	r := &rest{active: active}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.timer = time.AfterFunc(restAfter, r.due)
	return r
}

// busy notes that something was asked.
func (r *rest) busy() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.resting = false; !r.ended {
		r.timer.Reset(restAfter)
	}
}

func (r *rest) due() {
	if r.active() > 0 {
		r.busy()
		return
	}
	r.mu.Lock()
	first := !r.resting
	if r.resting = true; first && !r.ended {
		r.timer.Reset(sleepAfter)
	}
	r.mu.Unlock()
	if !first {
		debug.FreeOSMemory()
	}
	memory.ReleaseProgram()
}

func (r *rest) stop() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.ended = true
	r.timer.Stop()
}
