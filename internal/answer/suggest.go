package answer

import (
	"context"
	"fmt"

	"sdd/internal/fault"
)

// suggest returns commands that would improve the next answer.
func (b *Answers) suggest(ctx context.Context, m *material) (list []string) {
	list = append(list, m.problems...)
	if b.Commits != nil {
		if n, err := b.Commits.Pending(ctx); err == nil && n > 0 {
			list = append(list, fmt.Sprintf("%s for approval: sdd_review action list kind candidate, then approve or reject",
				fault.Count(n, "candidate waits", "candidates wait")))
		}
	}
	if m.staleFact != "" {
		list = append(list, m.staleFact+" is stale: check it, then sdd_review action refresh, or correct it")
	}
	if broken := b.Index.Broken(); len(broken) > 0 {
		list = append(list, fmt.Sprintf("%s a defect, such as %s: sdd check names the lines",
			fault.Count(len(broken), "record has", "records have"), broken[0].File))
	}
	return list
}
