package cli

import (
	"context"

	"github.com/spf13/cobra"

	"sdd/internal/app"
	"sdd/internal/candidate"
	"sdd/internal/fault"
)

func newExtract(a *session) *cobra.Command {
	var r candidate.Range
	cmd := &cobra.Command{
		Use:   "extract [A..B|REV]",
		Short: "Find facts and decisions in commits: what the code shows becomes a record, the rest waits in the inbox",
		Long: `Look for facts and decisions in the last commit, in one revision, in a range, in the whole history, or in what is not
committed yet: changes for users that a commit, the title of a pull request or a line of the changelog names, and new
options, environment variables, routes and fields in the code. What the checked-out tree shows becomes a record, the rest
goes to .sdd/inbox for review. A second run adds nothing, and rejected candidates stay rejected. It also writes what the
hooks have found.`,
		Example: `  sdd extract
  sdd extract main..feature
  sdd extract --all
  sdd extract --staged --json`,
		Args: mayHave("RANGE"),
		RunE: a.with(func(ctx context.Context, w *app.App, args []string) error {
			spec := ""
			if len(args) == 1 {
				spec = args[0]
				if spec == "" {
					return fault.New(fault.Invalid, "the range is empty").For("range").
						With("give A..B or one revision; without it the last commit is meant")
				}
			}
			if r.All {
				r.Read = a.progress("%d commits read, looking at what they changed")
				r.Stored = a.progress("%d candidates stored")
			}
			return a.answer(w.Inbox.Extract(ctx, spec, r, candidate.By{Tool: "sdd extract"}))
		}),
	}
	cmd.Flags().BoolVar(&r.Staged, "staged", false, "look at what is staged instead")
	cmd.Flags().BoolVar(&r.All, "all", false, "look at the whole history, the newest 20,000 commits of it")
	cmd.Flags().BoolVar(&r.Worktree, "worktree", false, "look at what is changed on disk instead")
	return cmd
}
