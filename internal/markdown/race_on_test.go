//go:build race

package markdown

// The race detector makes the random rounds ten times as slow, and finds nothing in what only computes: .ci/run runs them all without it.
import "sdd/internal/longtest"

var raceShare = longtest.Of(40, 8)
