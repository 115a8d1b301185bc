package memory

import (
	"runtime/debug"
	"slices"
	"sync"
)

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

// least is the smallest percentage held, of one at least.
func (g *growths) least() int {
	return *slices.MinFunc(g.held, func(a, b *int) int { return *a - *b })
}
