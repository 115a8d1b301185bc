// Package memory gives memory back to the system and sets when garbage is collected. Each part holds a figure of sdd-eval bench:
//
//   - Rest and ReleaseProgram: an idle server holds 10 MiB. Without ReleaseProgram it holds 27, and 20 are allowed.
//   - Grow with little, while the index loads: 130 MiB at most with 100,000 records. Without it 163, and 160 are allowed.
//   - Grow with much, in one code search: 90 ms instead of 120.
//   - Package start: tools/list is answered after 13 ms instead of 16.
package memory

import (
	"runtime/debug"
	"slices"
	"sync"
	"time"
)

// restAfter is how long a server is idle before it gives memory back. Every editor window keeps a server that is idle most
// of the time: it then uses 10 MiB, or 27 without ReleaseProgram.
const restAfter = time.Second

// A process has one heap and one program, whatever it serves.
var process = rests{release: func() {
	debug.FreeOSMemory()
	ReleaseProgram()
}}

// Rest gives memory back once each time the process has been idle for a while, until stop is called. active returns how many
// requests of a server are not answered yet: meanwhile nothing is given back.
func Rest(active func() int) (stop func()) { return process.add(active) }

// Busy marks the process as working. It does nothing when Rest was not called.
func Busy() { process.busy() }

// rests are the servers that give memory back together.
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
			r.timer = nil // a test may give the next server another clock
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

// again begins a new wait, with mu held.
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
	for _, f := range active { // called without the lock: active may take a lock whose holder waits for this one
		if (*f)() > 0 {
			r.busy()
			return
		}
	}
	r.release()
}

// A process has one collector, whoever sets it.
var collector = growths{set: debug.SetGCPercent}

// Grow sets how many percent the heap may grow between two collections, until done is called: more for little work, less for
// much garbage. Where several are in force, the least counts.
func Grow(percent int) (done func()) { return collector.add(percent) }

// growths are the settings in force.
type growths struct {
	set func(percent int) (was int)

	mu    sync.Mutex
	usual int // while there is none
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

// least is the smallest percentage held; there is one at least.
func (g *growths) least() int {
	return *slices.MinFunc(g.held, func(a, b *int) int { return *a - *b })
}
