//go:build race

package transport_test

// The race detector keeps shadow memory beside the program's own, so memory is not measured under it.
const raceDetector = true
