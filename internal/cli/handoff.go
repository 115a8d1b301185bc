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
	cmd := command("handoff RECORD [--to TARGET]", "Make a proposal, task, ADR or issue of an exploration or decision", oneArg("RECORD"),
		a.with(func(ctx context.Context, w *app.App, args []string) error {
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
		}))
	cmd.Flags().StringVar(&ask.To, "to", "", strings.Join(transfer.HandoffTargets(), ", "))
	cmd.Flags().BoolVar(&ask.DryRun, "dry-run", false, "print the document and write nothing")
	narrow(cmd, &ask.Project, &ask.Scope)
	return cmd
}
