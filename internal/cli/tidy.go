package cli

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"sdd/internal/app"
	"sdd/internal/candidate"
)

func newTidy(a *session) *cobra.Command {
	var propose bool
	cmd := &cobra.Command{
		Use:   "tidy",
		Short: "Propose which records to archive or supersede: duplicates, covered, gone code, unused, contradictions",
		Args:  noArgs,
		RunE: a.with(func(ctx context.Context, w *app.App, _ []string) error {
			var out app.Tidied
			var err error
			if propose {
				out, err = w.Propose(ctx, candidate.By{Tool: "sdd tidy"})
			} else {
				out, err = w.Tidy(ctx)
			}
			if err != nil {
				return err
			}
			if propose && !a.json {
				fmt.Fprintf(a.err, "%d put into the inbox\n", out.Added)
			}
			return a.print(out, out.Text)
		}),
	}
	cmd.Flags().BoolVar(&propose, "propose", false, "put the proposals into the inbox, for approve and reject")
	return cmd
}
