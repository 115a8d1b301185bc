package cli

import (
	"github.com/spf13/cobra"

	"sdd/internal/history"
)

func newReviewPR(a *session) *cobra.Command {
	var base string
	var sarif bool
	cmd := &cobra.Command{
		Use:   "review-pr --base REF",
		Short: "Print what a branch changes in records, for its pull request",
		Long: `Print one comment in Markdown on the commits of this branch since it parted from its base: what they decide, ask
and drop; which other open branches and work trees change the same sections; and which records name files that
the branch deletes or renames. The text of records is in code spans and fences, and the whole fits into one
comment. The first line marks the comment, so that it can be found and updated.

Nothing is written. A shallow clone must hold the commit in which the branch parted from its base.`,
		Example: `  sdd review-pr --base origin/main
  sdd review-pr --base main --sarif > review.sarif`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if a.json && sarif {
				return usage("one of --json and --sarif is allowed")
			}
			st, _, err := a.open()
			if err != nil {
				return err
			}
			p, err := history.PullRequestOf(cmd.Context(), st, base)
			if err != nil {
				return err
			}
			if sarif {
				return a.writeJSON(p.SARIF())
			}
			return a.print(p, p.Markdown)
		},
	}
	f := cmd.Flags()
	f.StringVar(&base, "base", "", "branch that this one is to be merged into")
	f.BoolVar(&sarif, "sarif", false, "print SARIF 2.1.0, findings at their lines")
	return cmd
}
