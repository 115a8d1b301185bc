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
		var released, open atomic.Int32
		r := rests{release: func() { released.Add(1) }}
		after := func(d time.Duration, want int32, what string) {
			t.Helper()
			time.Sleep(d)
			synctest.Wait()
			if n := released.Load(); n != want {
				t.Fatalf("%s: memory was given back %d times, want %d", what, n, want)
			}
		}
		r.busy()
		after(time.Minute, 0, "without a server")
		stop := r.add(func() int { return int(open.Load()) })
		after(restAfter-time.Millisecond, 0, "before its time")
		after(2*time.Millisecond, 1, "soon after the start")
		after(time.Hour, 1, "when nothing happens")
		for range 100 {
			r.busy()
			after(restAfter/2, 1, "while requests come")
		}
		after(time.Minute, 2, "when no more come")
		open.Store(1)
		r.busy()
		after(time.Minute, 2, "while a request is not answered")
		stopOther := r.add(func() int { return 0 })
		after(time.Minute, 2, "while a request to one of two is not answered")
		open.Store(0)
		after(time.Minute, 3, "when it is answered")
		stop()
		r.busy()
		after(time.Minute, 4, "when one of two has ended")
		stopOther()
		r.busy()
		after(time.Hour, 4, "when both have ended")
		stop = r.add(func() int { return 0 })
		after(time.Minute, 5, "when another one begins")
		stop()
	})
}

// TestGrow: the least of what is asked for is in force, in whatever order it ends, and in the end what was before.
func TestGrow(t *testing.T) {
	now := 100
	g := growths{set: func(percent int) (was int) {
		was, now = now, percent
		return was
	}}
	is := func(want int, what string) {
		t.Helper()
		if now != want {
			t.Errorf("%s: %d %%, want %d", what, now, want)
		}
	}
	start := g.add(300)
	is(300, "at the start")
	load := g.add(40)
	is(40, "a load")
	other := g.add(40)
	load()
	is(40, "of two loads one has ended")
	start()
	is(40, "the start ends in a load")
	code := g.add(400)
	is(40, "a search of code in a load")
	other()
	other()
	is(400, "the load has ended, twice")
	code()
	is(100, "nothing is asked for")
	now = 50
	g.add(200)()
	is(50, "what the user had set")
}
