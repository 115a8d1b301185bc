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
	cmd := command("extract [A..B|REV]",
		"Find facts and decisions in commits: what the code shows becomes a record, the rest waits in the inbox", mayHave("RANGE"),
		a.with(func(ctx context.Context, w *app.App, args []string) error {
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
		}))
	cmd.Flags().BoolVar(&r.Staged, "staged", false, "look at what is staged instead")
	cmd.Flags().BoolVar(&r.All, "all", false, "look at the whole history, the newest 20,000 commits of it")
	cmd.Flags().BoolVar(&r.Worktree, "worktree", false, "look at what is changed on disk instead")
	return cmd
}
