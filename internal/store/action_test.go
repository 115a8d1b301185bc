package store

import (
	"fmt"
	"strings"
	"testing"

	"sdd/internal/journal"
)

// TestActionText: an action on many files names the first ones and counts the others.
func TestActionText(t *testing.T) {
	a := Action{ID: "a"}
	for n := range mostNamed + 2 {
		a.Changes = append(a.Changes, journal.Entry{Use: "extract", Tool: "sdd extract", Path: fmt.Sprintf("inbox/%d.md", n)})
	}
	if got := a.Text(); !strings.HasPrefix(got, "extract by sdd extract at ") || !strings.HasSuffix(got, "inbox/4.md made, and 2 more") {
		t.Errorf("%q", got)
	}
}
