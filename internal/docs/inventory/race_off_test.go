//go:build !race

package inventory

const raceDetector = false
