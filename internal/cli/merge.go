package cli

import (
	"github.com/spf13/cobra"

	"sdd/internal/merge"
	"sdd/internal/setup"
)

func newMerge(a *session) *cobra.Command {
	return &cobra.Command{
		Use:   "merge BASE",
		Short: "Merge a branch into this one, records by section and item",
		Args:  oneArg("BASE"),
		RunE: func(cmd *cobra.Command, args []string) error {
			st, _, err := a.open()
			if err != nil {
				return err
			}
			b, err := merge.MergeBranch(cmd.Context(), st.Dir(), args[0], setup.DriverSettings(setup.Program()))
			if err != nil {
				return err
			}
			return exitIf(b.Action == merge.InConflict, exitConflict, a.print(b, b.Text))
		},
	}
}
