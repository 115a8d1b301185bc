package cli

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"sdd/internal/app"
	"sdd/internal/candidate"
	"sdd/internal/fault"
)

func newReview(a *session) *cobra.Command {
	var act app.ReviewArgs
	var level int
	cmd := command("review [ACTION [ID…]]",
		"Review learnings, facts and candidates: list, approve, reject, validate, refresh, archive and more", nil,
		func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				args = []string{"list"}
				if act.Status == "" {
					act.Kind = cmp.Or(act.Kind, "candidate")
				}
			}
			if cmd.Flags().Changed("level") {
				act.Level = &level
			}
			act.Action, act.IDs = args[0], args[1:]
			if act.All && len(act.IDs) > 0 {
				return usage("%s takes ids or --all, not both", act.Action)
			}
			return a.runReview(cmd.Context(), act)
		})
	f := cmd.Flags()
	f.StringVar(&act.Kind, "kind", "", "with list: learning (default), fact or candidate")
	f.StringVar(&act.Status, "status", "", "with list: only this status")
	f.IntVar(&act.Limit, "limit", 0, "with list: items a page (default 20)")
	f.StringVar(&act.Cursor, "cursor", "", "with list: where the last page ended")
	f.StringVar(&act.Content, "content", "", "with edit: the new text")
	f.StringVar(&act.Reason, "reason", "", "with outdate, archive and reject: why")
	f.StringVar(&act.Target, "target", "", "with apply: the work that used it, such as an issue key")
	f.StringVar(&act.By, "by", "", "with resurrect: who (default user)")
	f.StringVar(&act.IfMatch, "if-match", "", "with edit: etag of the file the new text was written against")
	f.IntVar(&act.TTLDays, "ttl-days", 0, "with refresh: days until the fact is stale")
	f.BoolVar(&act.Purge, "purge", false, "with delete: remove the file of a fact")
	f.IntVar(&level, "level", 0, "with graduate: level of the fact (default by category)")
	f.StringVar(&act.Domain, "domain", "", "with graduate: domain of the fact (default by category); with list: of candidates")
	f.BoolVar(&act.All, "all", false, "with approve: all that are pending, from --min-confidence on")
	f.Float64Var(&act.Least, "min-confidence", 0, "with approve --all and list of candidates: 0 to 1")
	return cmd
}

func newReviewAction(a *session, action, short string) *cobra.Command {
	return command(action+" ID…", short, someArgs("ID"),
		func(cmd *cobra.Command, args []string) error {
			return a.runReview(cmd.Context(), app.ReviewArgs{Action: action, IDs: args})
		})
}

func (a *session) runReview(ctx context.Context, act app.ReviewArgs) error {
	act.Tool = "sdd review"
	out, err := a.uses().Review(ctx, act)
	text := out.Text
	if len(out.Items) == 0 { // then it quotes no record
		text = func() string { return asCommand(out.Text()) }
	}
	return a.printReviewed(len(out.Items), out, text, err)
}

// printReviewed prints the results for n records, even when a later record failed: the failure is then on standard error only.
func (a *session) printReviewed(n int, out any, text func() string, err error) error {
	if err != nil && n == 0 {
		return err
	}
	a.printed = true
	return cmp.Or(a.print(out, text), err)
}

func newTidy(a *session) *cobra.Command {
	var propose bool
	cmd := command("tidy",
		"Propose which records to archive or supersede: duplicates, covered, gone code, unused, contradictions", noArgs,
		a.with(func(ctx context.Context, w *app.App, _ []string) error {
			if !propose {
				return a.answer(w.Tidy(ctx))
			}
			out := fault.Must(w.Propose(ctx, candidate.By{Tool: "sdd tidy"}))
			if !a.json {
				fmt.Fprintf(a.err, "%d put into the inbox\n", out.Added)
			}
			return a.print(out, out.Text)
		}))
	cmd.Flags().BoolVar(&propose, "propose", false, "put the proposals into the inbox, for approve and reject")
	return cmd
}

func newExtract(a *session) *cobra.Command {
	var r candidate.Range
	cmd := command("extract [A..B|REV]",
		"Find facts and decisions in commits: what the code shows becomes a record, the rest waits in the inbox", mayHave("RANGE"),
		a.with(func(ctx context.Context, w *app.App, args []string) error {
			spec := strings.Join(args, "")
			if spec == "" && len(args) == 1 {
				return fault.New(fault.Invalid, "the range is empty").For("range").
					With("give A..B or one revision; without it the last commit is meant")
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
