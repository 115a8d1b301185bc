package cli

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"sdd/internal/fault"
	"sdd/internal/learning"
)

// learnOptions are the flags of sdd learn; they are named like the tool's arguments.
type learnOptions struct {
	in        learning.Input
	inject    bool
	query     string
	maxTokens int
}

func newLearn(a *session) *cobra.Command {
	var o learnOptions
	cmd := &cobra.Command{
		Use:   "learn [TEXT|-]",
		Short: "Keep what was learned, or give an agent what is known (--inject)",
		Args:  cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if o.inject {
				return a.runInject(cmd, o, args)
			}
			return a.runLearn(cmd.Context(), o, strings.Join(args, " "))
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.in.Scope, "scope", "", "local (its agent, default) or global (all agents); a signal names its own")
	f.StringVar(&o.in.Parent, "parent", "", "the idea or outside id, such as an issue key, that it came from")
	f.StringVar(&o.in.Agent, "agent", "", "the agent that learned it, or gets the learnings, such as ed-001")
	f.StringVar(&o.in.Impact, "impact", "", "low, medium, high or critical (default: by rules)")
	f.StringVar(&o.in.Category, "category", "", "such as Testing (default: by rules)")
	f.BoolVar(&o.inject, "inject", false, "print the learnings for --agent instead")
	f.StringVar(&o.query, "query", "", "with --inject: what the work is about, for the ranking")
	f.IntVar(&o.maxTokens, "max-tokens", 0, "with --inject: budget in o200k tokens, 50 to 100000 (default 2000)")
	noZero(cmd, "max-tokens")
	return cmd
}

func (a *session) runLearn(ctx context.Context, o learnOptions, text string) error {
	if o.query != "" || o.maxTokens != 0 {
		return usage("--query and --max-tokens go with --inject")
	}
	w, err := a.uses()
	if err != nil {
		return err
	}
	o.in.Tool = "sdd learn"
	var out learning.Learned
	switch {
	case text == "-", text == "" && !isTerminal(a.in):
		out, err = w.Learnings.LearnFrom(ctx, a.stdin, o.in)
	case strings.TrimSpace(text) == "":
		return fault.New(fault.Invalid, "text is required").For("text").With("give the learning, or - to read signals from standard input")
	default:
		o.in.Content = text
		out, err = w.Learnings.Learn(ctx, o.in)
	}
	return a.answer(out, err)
}

func (a *session) runInject(cmd *cobra.Command, o learnOptions, args []string) error {
	if len(args) > 0 {
		return usage("--inject prints learnings, it keeps none: %q", args[0])
	}
	w, err := a.uses()
	if err != nil {
		return err
	}
	out, err := w.Learnings.Inject(cmd.Context(), o.in.Agent, o.query, o.maxTokens)
	if err != nil {
		return err
	}
	return a.print(out, func() string { return out.Text })
}
