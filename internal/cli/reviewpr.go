package cli

import (
	"context"

	"github.com/spf13/cobra"

	"sdd/internal/app"
	"sdd/internal/history"
)

func newReviewPR(a *session) *cobra.Command {
	var base string
	var sarif bool
	cmd := command("review-pr --base REF",
		"Print what a branch changes in records and in the code under them, for its pull request", noArgs,
		a.with(func(ctx context.Context, w *app.App, _ []string) error {
			if a.json && sarif {
				return usage("one of --json and --sarif is allowed")
			}
			p, err := history.PullRequestOf(ctx, w.Store, base)
			if err != nil {
				return err
			}
			if sarif {
				return a.writeJSON(p.SARIF())
			}
			return a.print(p, p.Markdown)
		}))
	f := cmd.Flags()
	f.StringVar(&base, "base", "", "branch that this one is to be merged into")
	f.BoolVar(&sarif, "sarif", false, "print SARIF 2.1.0, findings at their lines")
	return cmd
}
