package memory

import "testing"

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
