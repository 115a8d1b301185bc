package cli

import (
	"context"

	"github.com/spf13/cobra"

	"sdd/internal/fault"
	"sdd/internal/inbox"
)

func newExtract(a *app) *cobra.Command {
	var r inbox.Range
	cmd := &cobra.Command{
		Use:   "extract [A..B|REV]",
		Short: "Find facts and decisions in commits: what the code shows becomes a record, the rest waits in the inbox",
		Long: `Look for facts and decisions in the last commit, in one revision, in a range, in the whole history, or in what is not
committed yet: what a commit, the title of a pull request or a line of the changelog says that it changes for users, and
the options, environment variables, routes and fields that the code got. What the tree that is checked out shows becomes a
record, the rest goes to .sdd/inbox for review. Again adds nothing, and what was rejected stays so. What the hooks found
since is written along.`,
		Example: `  sdd extract
  sdd extract main..feature
  sdd extract --all
  sdd extract --staged --json`,
		Args: mayHave("RANGE"),
		RunE: func(cmd *cobra.Command, args []string) error {
			spec := ""
			if len(args) == 1 {
				spec = args[0]
				if spec == "" {
					return fault.New(fault.Invalid, "the range is empty").For("range").With("give A..B or one revision; without it the last commit is meant")
				}
			}
			return a.runExtract(cmd.Context(), spec, r)
		},
	}
	cmd.Flags().BoolVar(&r.Staged, "staged", false, "look at what is staged instead")
	cmd.Flags().BoolVar(&r.All, "all", false, "look at the whole history, the newest 20,000 commits of it")
	cmd.Flags().BoolVar(&r.Worktree, "worktree", false, "look at what is changed on disk instead")
	return cmd
}

func (a *app) runExtract(ctx context.Context, spec string, r inbox.Range) error {
	w, err := a.uses()
	if err != nil {
		return err
	}
	if r.All {
		r.Heard = a.progress("%d commits read, looking at what they changed")
		r.Stored = a.progress("%d candidates stored")
	}
	return a.answer(w.Inbox.Extract(ctx, spec, r, inbox.By{Tool: "sdd extract"}))
}
