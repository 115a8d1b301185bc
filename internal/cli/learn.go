package cli

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"sdd/internal/app"
	"sdd/internal/fault"
	"sdd/internal/learning"
	"sdd/internal/transcript"
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
	cmd := command("learn [TEXT|-]", "Keep what was learned, or give an agent what is known (--inject)", cobra.ArbitraryArgs,
		a.with(func(ctx context.Context, w *app.App, args []string) error {
			switch {
			case !o.inject:
				return a.learn(ctx, w.Learnings, o, strings.Join(args, " "))
			case len(args) > 0:
				return usage("--inject prints learnings, it keeps none: %q", args[0])
			}
			out, err := w.Learnings.Inject(ctx, o.in.Agent, o.query, o.maxTokens)
			return a.answerWith(out, err, func() string {
				if out.Text == "" {
					fmt.Fprintln(a.err, "no learning is for this agent")
				}
				return out.Text
			})
		}))
	f := cmd.Flags()
	f.StringVar(&o.in.Scope, "scope", "", "local (its agent, default) or global (all agents); a signal names its own")
	f.StringVar(&o.in.Parent, "parent", "", "the idea or outside id, such as an issue key, that it came from")
	f.StringVar(&o.in.Agent, "agent", "", "the agent that learned it, or gets the learnings, such as ed-001")
	f.StringVar(&o.in.Impact, "impact", "", "low, medium, high or critical (default: by rules)")
	f.StringVar(&o.in.Category, "category", "", "such as Testing (default: by rules)")
	codeRefFlag(cmd, &o.in.CodeRef)
	f.BoolVar(&o.inject, "inject", false, "print the learnings for --agent instead")
	f.StringVar(&o.query, "query", "", "with --inject: what the work is about, for the ranking")
	f.IntVar(&o.maxTokens, "max-tokens", 0, "with --inject: budget in o200k tokens, 50 to 100000 (default 2000)")
	noZero(cmd, "max-tokens")
	return cmd
}

func (a *session) learn(ctx context.Context, l *learning.Learnings, o learnOptions, text string) error {
	if o.query != "" || o.maxTokens != 0 {
		return usage("--query and --max-tokens go with --inject")
	}
	o.in.Tool = "sdd learn"
	var out learning.Learned
	var err error
	switch {
	case text == "-", text == "" && !isTerminal(a.in):
		// Signals in JSON lines are read with their authors as they are.
		words := transcript.Prose(a.stdin, []transcript.Format{transcript.SpecStory, transcript.MarkdownChat}, transcript.Agent)
		defer words.Close()
		out, err = l.LearnFrom(ctx, words, o.in)
	case strings.TrimSpace(text) == "":
		return fault.New(fault.Invalid, "text is required").For("text").With("give the learning, or - to read signals from standard input")
	default:
		o.in.Content = text
		out, err = l.Learn(ctx, o.in)
	}
	return a.answer(out, err)
}
