package record

import (
	"strings"
	"testing"

	_ "sdd/internal/longtest"
)

// TestLongOutcome: with the text scanned again at each mark, this took hours.
func TestLongOutcome(t *testing.T) {
	for _, mark := range []string{`"`, "**", "` "} {
		if option, _, ok := ChosenOption("Chosen option: " + strings.Repeat(mark, 500_000) + "x"); !ok || option == "" {
			t.Errorf("%q: %q, %v", mark, Brief(option), ok)
		}
	}
}
