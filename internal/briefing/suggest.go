package briefing

import (
	"context"
	"fmt"

	"sdd/internal/git"
)

// suggest names what would make the next answer better, and can be done at once.
func (b *Briefing) suggest(ctx context.Context, m *material) (list []string) {
	list = append(list, m.said...)
	if b.Commits != nil {
		if n, err := b.Commits.Pending(ctx); err == nil && n > 0 {
			list = append(list, fmt.Sprintf("%s for approval: sdd_review action list kind candidate, then approve or reject", count(n, "candidate waits", "candidates wait")))
		}
	}
	if m.staleFact != "" {
		list = append(list, m.staleFact+" is stale: check it, then sdd_review action refresh, or correct it")
	}
	if broken := b.Index.Broken(); len(broken) > 0 {
		list = append(list, fmt.Sprintf("%s not be read whole, such as %s: sdd check names the lines", count(len(broken), "record could", "records could"), broken[0].File))
	}
	if b.hookMissing(ctx) {
		list = append(list, "sdd hooks install: what commits change is then found by itself")
	}
	return list
}

func count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

// hookMissing reports whether commits are made here and nothing is told of them.
func (b *Briefing) hookMissing(ctx context.Context) bool {
	if git.CheckedOutCommit(ctx, b.Store.Dir()) == "" {
		return false
	}
	return b.Hooked != nil && !b.Hooked()
}
