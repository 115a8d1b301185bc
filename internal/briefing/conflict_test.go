package briefing

import "testing"

// The sides of a merge conflict stay apart on one line, and no marker makes a heading of what stands above it.
func TestInlinedConflict(t *testing.T) {
	got := inlined("Logins so far\n<<<<<<< HEAD\n- by mail\n=======\n- by key\n>>>>>>> topic\n")
	want := "Logins so far; (merge conflict, one side, HEAD); by mail; (the other side, topic); by key"
	if got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
