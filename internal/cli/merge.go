package cli

import (
	"context"

	"github.com/spf13/cobra"

	"sdd/internal/app"
	"sdd/internal/merge"
	"sdd/internal/setup"
)

func newMerge(a *session) *cobra.Command {
	return &cobra.Command{
		Use:   "merge BASE",
		Short: "Merge a branch into this one, records by section and item",
		Args:  oneArg("BASE"),
		RunE: a.with(func(ctx context.Context, w *app.App, args []string) error {
			b, err := merge.MergeBranch(ctx, w.Store.Dir(), args[0], setup.DriverSettings(setup.Program()))
			if err != nil {
				return err
			}
			return exitIf(b.Action == merge.InConflict, exitConflict, a.print(b, b.Text))
		}),
	}
}
