package learning

import (
	"strings"

	"sdd/internal/config"
	"sdd/internal/record"
)

// oneLine checks an argument that becomes a value of the front matter, and returns it without space around it.
func oneLine(arg, s string, lim config.Limits) (string, error) {
	s = strings.TrimSpace(s)
	return s, record.CheckLine(arg, s, lim.Title)
}
