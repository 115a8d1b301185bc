package cli

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"sdd/internal/learning"
)

func newReview(a *app) *cobra.Command {
	var act learning.Action
	var candidates candidateReview
	cmd := &cobra.Command{
		Use:   "review ACTION ID…",
		Short: "Review candidates and learnings: " + strings.Join(reviewActions(), ", "),
		Long: `Move learnings through their life. Nothing is deleted: a deleted one stays in its file, marked, and restore brings
it back as archived. An action that the learning's status does not allow is refused, with those that are.

Candidates for facts, decisions and ideas wait in .sdd/inbox: list shows them, approve makes records of them, reject
marks them for good. Who sets their status by hand, in a pull request say, has it done by the next call, such as apply.`,
		Example: `  sdd review list --status pending
  sdd review approve fact-4be0643f1d98
  sdd review approve --all --min-confidence 0.7
  sdd review reject decision/use-redis --reason "only tried"
  sdd review validate idea-4be0643f1d98
  sdd review outdate idea-4be0643f1d98 --reason "Vitest is gone"
  sdd review apply idea-4be0643f1d98 --target WEB-14
  sdd review edit idea-4be0643f1d98 --content "Tests use Vitest 3"`,
		Args: cobra.MinimumNArgs(1),
		ValidArgsFunction: func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			return actions(args)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			act.Action, act.IDs = args[0], args[1:]
			if mine, err := a.reviewInbox(cmd.Context(), candidates, act); mine || err != nil {
				return err
			}
			return a.runReview(cmd.Context(), act)
		},
	}
	f := cmd.Flags()
	f.StringVar(&act.Content, "content", "", "with edit: the new text")
	f.StringVar(&act.Reason, "reason", "", "with outdate, archive and reject: why")
	f.StringVar(&act.Target, "target", "", "with apply: the work that used it, such as an issue key")
	f.StringVar(&act.By, "by", "", "with resurrect: who (default user)")
	f.StringVar(&act.IfMatch, "if-match", "", "with edit: etag of the file the new text was written against")
	candidates.flags(cmd)
	return cmd
}

func actions(args []string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return reviewActions(), cobra.ShellCompDirectiveNoFileComp
}

func (a *app) runReview(ctx context.Context, act learning.Action) error {
	l, err := a.learnings()
	if err != nil {
		return err
	}
	act.Tool = "sdd review"
	out, err := l.Review(ctx, act)
	return a.printReviewed(out, err)
}

// printReviewed prints what was done, also where a later id failed.
func (a *app) printReviewed(out learning.Reviewed, err error) error {
	if err != nil && (a.json || len(out.Items) == 0) {
		return err
	}
	if e := a.print(out, out.Text); e != nil {
		return e
	}
	return err
}
