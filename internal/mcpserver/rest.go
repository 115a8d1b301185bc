package mcpserver

import (
	"runtime/debug"
	"time"

	"sdd/internal/memory"
)

// restAfter is how long nothing is asked before the server gives back memory that it does not need just now.
// Every editor window keeps a server that is asked nothing most of the time.
const restAfter = time.Second

// rest gives memory back once when it has been quiet for a while.
type rest struct {
	timer  *time.Timer
	active func() int // requests that are not answered
}

func newRest(active func() int) *rest {
	r := &rest{active: active}
	r.timer = time.AfterFunc(restAfter, r.due)
	return r
}

// busy notes that something was asked.
func (r *rest) busy() { r.timer.Reset(restAfter) }

func (r *rest) due() {
	if r.active() > 0 {
		r.timer.Reset(restAfter)
		return
	}
	debug.FreeOSMemory()
	memory.ReleaseProgram()
}

func (r *rest) stop() { r.timer.Stop() }
