package memory

import (
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"slices"
	"sync"
)

// A process has one collector, whoever sets it.
var collector = growths{set: debug.SetGCPercent}

// Grow sets how many percent the heap may grow between two collections, until done is called: more for little work, less for
// much garbage. Where several are in force, the least counts.
func Grow(percent int) (done func()) { return collector.add(percent) }

// Spare begins no collection before the heap has that many bytes, from now on, where Grow says nothing else. Go begins one
// whenever the heap has doubled, which takes a process that needs little memory no time.
func Spare(bytes uint64) {
	live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(live)
	heap := max(live[0].Value.Uint64(), 4<<20) // Go takes a smaller heap for one of 4 MiB
	collector.usually(max(100, int(bytes*100/heap)-100))
	runtime.AddCleanup(new(*int), Spare, bytes) // after the next collection
}

// growths are the settings in force.
type growths struct {
	set func(percent int) (was int)

	mu    sync.Mutex
	usual int // while there is none
	held  []*int
}

func (g *growths) usually(percent int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if len(g.held) == 0 && percent != g.usual {
		g.set(percent)
	}
	g.usual = percent
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
