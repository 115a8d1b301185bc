//go:build race

package inventory

// raceDetector reports whether the race detector watches, under which everything takes ten times as long.
const raceDetector = true
