package memory

import (
	"runtime/debug"
	"slices"
	"sync"
	"time"
)

// restAfter is how long nothing is done before a server gives memory back. Every editor window keeps a server that is asked
// nothing most of the time: with this it holds 10 MiB, without the pages of the program 27.
const restAfter = time.Second

// A process has one heap and one program, whatever it serves.
var process = rests{release: func() {
	debug.FreeOSMemory()
	ReleaseProgram()
}}

// Rest gives memory back once whenever nothing has been done for a while, until stop is called. active returns how many
// requests of a server are not answered yet: meanwhile nothing is given back.
func Rest(active func() int) (stop func()) { return process.add(active) }

// Busy says that something is being done. Where nobody has called Rest it does nothing.
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
			r.timer = nil // the next server may live by another clock
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
	for _, f := range active { // without the lock, which whoever holds theirs may wait for
		if (*f)() > 0 {
			r.busy()
			return
		}
	}
	r.release()
}
