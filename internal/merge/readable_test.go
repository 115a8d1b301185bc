package merge

import "testing"

func TestReadableShowsWhatATerminalWouldObey(t *testing.T) {
	got := string(Readable([]byte("a\x1b[2J \u009b1m \x9b1m caf\xe9 \u202e\u200f\n")))
	if want := "a<U+001B>[2J <U+009B>1m <9B>1m caf<E9> <U+202E>\u200f\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
