package memory

import (
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// TestRest plays what a server does, on a clock of the test's own.
func TestRest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var program, heap, open atomic.Int32
		r := rests{program: func() { program.Add(1) }, heap: func() { heap.Add(1) }}
		after := func(d time.Duration, wantProgram, wantHeap int32, what string) {
			t.Helper()
			time.Sleep(d)
			synctest.Wait()
			if p, h := program.Load(), heap.Load(); p != wantProgram || h != wantHeap {
				t.Fatalf("%s: the program's pages were given back %d times, the heap %d times; want %d and %d", what, p, h, wantProgram, wantHeap)
			}
		}
		r.busy()
		after(time.Minute, 0, 0, "without a server")
		stop := r.add(func() int { return int(open.Load()) })
		after(restAfter+time.Millisecond, 1, 0, "soon after the start")
		after(sleepAfter, 2, 1, "a second later")
		after(time.Hour, 2, 1, "when nothing happens")
		for range 100 {
			r.busy()
			after(restAfter/2, 2, 1, "while requests come")
		}
		after(time.Minute, 4, 2, "when no more come")
		open.Store(1)
		r.busy()
		after(time.Minute, 4, 2, "while a request is not answered")
		stopOther := r.add(func() int { return 0 })
		after(time.Minute, 4, 2, "while a request to one of two is not answered")
		open.Store(0)
		after(time.Minute, 6, 3, "when it is answered")
		stop()
		r.busy()
		after(time.Minute, 8, 4, "when one of two has ended")
		stopOther()
		r.busy()
		after(time.Hour, 8, 4, "when both have ended")
		stop = r.add(func() int { return 0 })
		after(time.Minute, 10, 5, "when another one begins")
		stop()
	})
}
