package cli

import (
	"github.com/spf13/cobra"

	"sdd/internal/lookup"
)

func newStatus(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "status",
		Short: "Say what the store holds and what is wrong with it",
		Args:  noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			st, ix, err := a.open()
			if err != nil {
				return err
			}
			s, err := lookup.StatusOf(cmd.Context(), st, ix)
			if err != nil {
				return err
			}
			return a.print(s, s.Text)
		},
	}
}
