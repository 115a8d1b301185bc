// Package memory returns memory to the system and controls when garbage is collected. Each part supports a figure of sdd-eval
// bench:
//
//   - Rest and ReleaseProgram: an idle server uses 10 MiB; without ReleaseProgram 27. The limit is 20.
//   - Grow with little, while the index loads: at most 130 MiB with 100,000 records; without it 163. The limit is 160.
//   - Grow with much, in one code search: 90 ms instead of 120.
//   - Package start: the answer to tools/list after 13 ms instead of 16.
package memory

import (
	"runtime/debug"
	"slices"
	"sync"
	"time"
)

// restAfter is the idle time after which a server returns memory. Every editor window runs one, which is idle most of the time.
const restAfter = time.Second

// A process has one heap and one program, which all its servers share.
var process = rests{release: func() {
	debug.FreeOSMemory()
	ReleaseProgram()
}}

// Rest returns memory to the system once in each idle period of the process, until the caller calls stop. active returns the
// number of a server's requests without an answer; the process is idle only when it is 0.
func Rest(active func() int) (stop func()) { return process.add(active) }

// Busy marks the process as working. It does nothing without a call of Rest.
func Busy() { process.busy() }

// rests are the servers that share the wait.
type rests struct {
	release func()

	mu     sync.Mutex
	active []*func() int
	timer  *time.Timer
}

func (r *rests) add(active func() int) (stop func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.active = append(r.active, &active)
	r.again()
	return func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		if r.active = slices.DeleteFunc(r.active, func(f *func() int) bool { return f == &active }); len(r.active) == 0 {
			r.timer.Stop()
			r.timer = nil // in tests the next server may have another clock
		}
	}
}

func (r *rests) busy() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.active) > 0 {
		r.again()
	}
}

// again begins a new wait. The caller holds mu.
func (r *rests) again() {
	if r.timer == nil {
		r.timer = time.AfterFunc(restAfter, r.due)
		return
	}
	r.timer.Reset(restAfter)
}

func (r *rests) due() {
	r.mu.Lock()
	active := slices.Clone(r.active)
	r.mu.Unlock()
	for _, f := range active { // without the lock: active may take a lock whose holder waits for this one
		if (*f)() > 0 {
			r.busy()
			return
		}
	}
	r.release()
}

// A process has one garbage collector, which all callers share.
var collector = growths{set: debug.SetGCPercent}

// Grow sets the heap's growth between two collections, in percent, until done: low saves memory, high time. The lowest in force counts.
func Grow(percent int) (done func()) { return collector.add(percent) }

// growths are the settings in force.
type growths struct {
	set func(percent int) (was int)

	mu    sync.Mutex
	usual int // the setting before the first call
	held  []*int
}

func (g *growths) add(percent int) (done func()) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.held = append(g.held, &percent)
	if was := g.set(g.least()); len(g.held) == 1 {
		g.usual = was
	}
	return sync.OnceFunc(func() {
		g.mu.Lock()
		defer g.mu.Unlock()
		g.held = slices.DeleteFunc(g.held, func(p *int) bool { return p == &percent })
		if len(g.held) == 0 {
			g.set(g.usual)
			return
		}
		g.set(g.least())
	})
}

// least is the lowest percentage in force; there is at least one.
func (g *growths) least() int {
	return *slices.MinFunc(g.held, func(a, b *int) int { return *a - *b })
}
