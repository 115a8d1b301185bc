package mcpserver

import (
	"fmt"
	"strings"

	"sdd/internal/store"
)

// maxTold is how many changes the digest names; the others it counts.
const maxTold = 5

// digest says in one line what changed, "" when nothing did. What has to be put back comes
// first and is always named.
func digest(news []store.Notice) string {
	var parts []string
	named, more := map[string]bool{}, 0
	for _, n := range news {
		if n.Pending() {
			parts = append(parts, n.Text())
			named[n.Path] = true
		}
	}
	for _, n := range news {
		if n.Pending() || named[n.Path] {
			continue
		}
		named[n.Path] = true
		if len(parts) >= maxTold {
			more++
			continue
		}
		parts = append(parts, n.Text())
	}
	if len(parts) == 0 {
		return ""
	}
	line := "Changed since your last call: " + strings.Join(parts, "; ")
	if more > 0 {
		line += fmt.Sprintf("; and %d more", more)
	}
	return line
}
