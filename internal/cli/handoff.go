package cli

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"sdd/internal/app"
	"sdd/internal/transfer"
)

func newHandoff(a *session) *cobra.Command {
	var ask transfer.HandoffAsk
	cmd := &cobra.Command{
		Use:   "handoff RECORD [--to TARGET]",
		Short: "Make the first document of a pipeline of an exploration or decision: " + strings.Join(transfer.HandoffTargets(), ", "),
		Long: `Make the first document of another way of working of an exploration and the decisions that it led to, or of a decision.

  openspec      openspec/changes/<slug>/proposal.md
  gentle-ai     the same file where there is an openspec folder, else its text
  backlog       a task in backlog/tasks where there is such a folder, else its text
  adr           a MADR file in the folder of the project's decisions, else in docs/decisions
  spec-kit      the text for /speckit.specify and /speckit.plan
  hoofy         the parts that its first stage asks for
  github-issue  the body of an issue

The document contains the whole text of an exploration: items become tasks or open questions, a task keeps its box, the rest stays as it is.
Without --to it is handoff.to of .sdd/config.yaml, else the pipeline whose folders are there. A text goes to standard output.
An existing file is never overwritten. If it has another text, even an earlier one of the same record, the command names it and
ends with code 4: move or delete it, or print the document with --dry-run. A record gets no second ADR and no second task.`,
		Example: `  sdd handoff explore/user-auth --to openspec
  sdd handoff user-auth --to github-issue | gh issue create --title "User auth" --body-file -
  sdd handoff decision/use-postgres --to adr --dry-run`,
		Args: oneArg("RECORD"),
		RunE: a.with(func(ctx context.Context, w *app.App, args []string) error {
			ask.ID = args[0]
			out, err := transfer.HandOff(ctx, transfer.HandoffSources{Store: w.Store, Index: w.Index, Decisions: w.Decisions}, ask)
			if err != nil {
				return err
			}
			err = a.print(out, func() string {
				switch {
				case out.File == "":
					return out.Text
				case ask.DryRun:
					would := map[string]string{
						"create": "would create %s\n", "unchanged": "would leave %s: it says the same\n",
						"kept": "would not write %s: it says something else\n",
					}
					fmt.Fprintf(a.err, would[out.Action], a.safe(out.File))
					return out.Text
				}
				return out.File + " " + out.Action + "\n"
			})
			if err == nil && !a.json {
				fmt.Fprintln(a.err, "next: "+a.safe(out.Next))
			}
			return err
		}),
	}
	cmd.Flags().StringVar(&ask.To, "to", "", strings.Join(transfer.HandoffTargets(), ", "))
	cmd.Flags().BoolVar(&ask.DryRun, "dry-run", false, "print the document and write nothing")
	narrow(cmd, &ask.Project, &ask.Scope)
	return cmd
}
