//go:build !race

package signal

// raceDetector is true where the tests run under the race detector.
const raceDetector = false
