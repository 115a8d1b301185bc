package cli

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"sdd/internal/app"
	"sdd/internal/learning"
)

func newStatus(a *session) *cobra.Command {
	var learnings bool
	cmd := command("status", "Show the store's records, problems and use; --learnings: figures of the learnings", noArgs,
		a.with(func(ctx context.Context, w *app.App, _ []string) error {
			if learnings {
				m, err := w.Learnings.Metrics(ctx)
				return a.answerWith(m, err, func() string { return metricsText(m) })
			}
			s, err := w.Status(ctx)
			return exitIf(len(s.Problems) > 0, errFindings, a.answer(s, err))
		}))
	cmd.Flags().BoolVar(&learnings, "learnings", false, "print the figures of the learnings instead")
	return cmd
}

// metricsText is the figures, one on each line.
func metricsText(m learning.Metrics) string {
	var b strings.Builder
	row := func(name, format string, v ...any) { fmt.Fprintf(&b, "%-22s %s\n", name, fmt.Sprintf(format, v...)) }
	row("learnings", "%d", m.Total)
	row("by status", "%s", counts(m.ByStatus))
	row("by scope", "%s", counts(m.ByScope))
	row("by impact", "%s", counts(m.ByImpact))
	row("source parents", "%s", counts(m.SourceParents))
	row("duplicates prevented", "%d", m.DuplicatesPrevented)
	row("injected a prompt", "%.1f", m.InjectionRate)
	row("validated", "%.0f %%", 100*m.ValidationRate)
	row("outdated", "%.0f %%", 100*m.OutdatedRate)
	return b.String()
}

func counts(m map[string]int) string {
	var parts []string
	for _, k := range slices.Sorted(maps.Keys(m)) {
		if m[k] > 0 {
			parts = append(parts, fmt.Sprintf("%s %d", k, m[k]))
		}
	}
	return strings.Join(parts, ", ")
}
