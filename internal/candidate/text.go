package candidate

import (
	"fmt"
	"strings"

	"sdd/internal/markdown"
	"sdd/internal/record"
	"sdd/internal/store"
)

// Text renders candidates for an agent or a person, one per line, with their text quoted as data.
func Text(list []Candidate) string {
	if len(list) == 0 {
		return ""
	}
	var b strings.Builder
	for _, c := range list {
		fmt.Fprintf(&b, "- [%s] %s %s %.2f", record.OneLine(c.ID), record.OneLine(c.Kind), record.OneLine(c.Status), c.Confidence)
		if c.Commit != "" {
			fmt.Fprintf(&b, " (commit %s)", record.OneLine(c.Commit[:min(len(c.Commit), 12)]))
		}
		fmt.Fprintf(&b, ": %s\n", record.OneLine(c.Content))
		if c.Reason != "" {
			fmt.Fprintf(&b, "  reason: %s\n", record.OneLine(c.Reason))
		}
	}
	return markdown.Quote(b.String(), store.Folder+"/inbox", 0)
}
