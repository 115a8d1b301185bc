//go:build !race

package markdown

const raceShare = 1
