//go:build race

package docs

// raceDetector reports whether the race detector watches, under which everything takes ten times as long.
const raceDetector = true
