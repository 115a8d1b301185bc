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
	cmd := command("tidy",
		"Propose which records to archive or supersede: duplicates, covered, gone code, unused, contradictions", noArgs,
		a.with(func(ctx context.Context, w *app.App, _ []string) error {
			var out app.Tidied
			var err error
			if propose {
				out, err = w.Propose(ctx, candidate.By{Tool: "sdd tidy"})
			} else {
				out, err = w.Tidy(ctx)
			}
			if err == nil && propose && !a.json {
				fmt.Fprintf(a.err, "%d put into the inbox\n", out.Added)
			}
			return a.answer(out, err)
		}))
	cmd.Flags().BoolVar(&propose, "propose", false, "put the proposals into the inbox, for approve and reject")
	return cmd
}
