package cli

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"sdd/internal/answer"
	"sdd/internal/app"
)

func newContext(a *session) *cobra.Command {
	var q answer.Query
	var hub bool
	causal := true
	cmd := command("context QUESTION", "What this project knows about a question, in one text inside a token budget", nil,
		a.with(func(ctx context.Context, w *app.App, args []string) error {
			q.Query = strings.Join(args, " ")
			q.IncludeCausal = &causal
			q.Tool, q.AsOne = "sdd context", a.json
			out, err := a.brief(ctx, w, hub, q)
			if err != nil {
				return err
			}
			for _, s := range out.Suggestions {
				fmt.Fprintln(a.err, "suggestion: "+a.safe(s))
			}
			return a.print(answer.Whole{Context: out.Context, Result: out}, func() string { return out.Context })
		}))
	f := cmd.Flags()
	f.IntVar(&q.MaxTokens, "max-tokens", 0,
		"budget of the answer in o200k tokens, 50 to 100000 (default: budgets.context of config.yaml, else 3000)")
	f.StringVar(&q.Mode, "mode", "", "auto, discovery, route (reads only) or extract (default auto)")
	f.BoolVar(&causal, "include-causal", true, "include the causes of decisions")
	f.BoolVar(&q.AutoExtractGit, "auto-extract-git", false, "read new commits first")
	f.StringVar(&q.Agent, "agent", "", "whose local learnings count, such as ed-001")
	f.StringVar(&q.TaskHint, "task-hint", "", "more words about what is to be done")
	withRepos(cmd, &q.With)
	hubFlag(cmd, &hub)
	noZero(cmd, "max-tokens")
	return cmd
}
