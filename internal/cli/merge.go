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
		Long: `Merge BASE (a branch, tag or commit) into what is checked out and commit, as git merge does, with records merged by
section and item even where this clone has not been set up for it. Use it where a hosting service's merge
button reports conflicts: it does not know the driver.

The exit code is 4 when something is in conflict: what, and what to do next, is printed, and the merge is under
way as git leaves it. Staged changes are refused.`,
		Example: `  sdd merge main
  git fetch && sdd merge origin/main && git push`,
		Args: oneArg("BASE"),
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
