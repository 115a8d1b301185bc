//go:build !race

package markdown

import "sdd/internal/longtest"

// raceShare divides the numbers of random rounds.
var raceShare = longtest.Of(10, 1)
