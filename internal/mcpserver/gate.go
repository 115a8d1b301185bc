package mcpserver

import "sync"

// gate holds back the reader of a connection while too much waits to be answered.
type gate struct {
	maxCount, maxSize int

	mu     sync.Mutex
	less   sync.Cond
	count  int
	size   int
	closed bool
}

func newGate(maxCount, maxSize int) *gate {
	g := &gate{maxCount: maxCount, maxSize: maxSize}
	g.less.L = &g.mu
	return g
}

// enter waits for a place for a request of that size; the only one has always a place. It returns
// false once the gate is closed.
func (g *gate) enter(size int) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	for !g.closed && g.count > 0 && (g.count >= g.maxCount || g.size+size > g.maxSize) {
		g.less.Wait()
	}
	if g.closed {
		return false
	}
	g.count++
	g.size += size
	return true
}

func (g *gate) leave(size int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.count--
	g.size -= size
	g.less.Broadcast()
}

func (g *gate) close() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.closed = true
	g.less.Broadcast()
}
