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
		Long: `List the records that could be archived or superseded, each with the reason and the commands that settle it:

  duplicate      another learning or fact, or a newer decision, says the same
  covered        it says this and more; an exploration of nearly the same title has all of its lines
  gone           the code that the record names is gone
  unused         no answer on this machine used the fact for 90 days; only after 90 days of counting
  contradiction  a newer learning, fact or decision may contradict it

It writes nothing. With --propose duplicate, covered and gone wait in the inbox: an approval archives the record, or
makes the newer decision supersede the older one, and a rejected proposal never comes back. Unused facts, explorations and
contradictions are only listed, and so are personal records.`,
		Example: `  sdd tidy
  sdd tidy --propose
  sdd review approve tidy-4be0643f1d98
  sdd review reject tidy-4be0643f1d98 --reason "both are needed"`,
		Args: noArgs,
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
