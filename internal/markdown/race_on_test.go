//go:build race

package markdown

// raceShare is what the race detector leaves of the random rounds: it makes them ten times as slow, and finds nothing in what
// only computes.
const raceShare = 8
