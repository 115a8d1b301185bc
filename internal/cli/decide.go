package cli

import (
	"context"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"sdd/internal/app"
	"sdd/internal/decision"
	"sdd/internal/fault"
	"sdd/internal/transcript"
)

func newDecide(a *session) *cobra.Command {
	cmd := newDecideAdd(a)
	cmd.Use, cmd.Short = "decide [TEXT]", "Record a decision with its reasons; add, capture, list, show, graph"
	cmd.AddCommand(newDecideAdd(a), newDecideCapture(a), newDecideList(a), newDecideShow(a), newDecideGraph(a))
	cmd.SuggestionsMinimumDistance = 2
	cmd.Args = func(cmd *cobra.Command, args []string) error {
		if len(args) != 1 || strings.ContainsAny(args[0], " \t\n") {
			return oneText(cmd, args)
		}
		if near := cmd.SuggestionsFor(args[0]); len(near) > 0 {
			return fault.New(fault.Invalid, "there is no command %q", cmd.CommandPath()[len("sdd "):]+" "+args[0]).
				With("did you mean sdd decide " + near[0] + "? To record it as a decision: sdd decide add")
		}
		return nil
	}
	return cmd
}

func newDecideAdd(a *session) *cobra.Command {
	var in decision.Input
	cmd := command("add TEXT", "Record one decision", oneText,
		a.with(func(ctx context.Context, w *app.App, args []string) error {
			in.Decision, in.Tool = strings.Join(args, " "), "sdd decide"
			return a.answer(w.Decisions.Record(ctx, in))
		}))
	f := cmd.Flags()
	f.StringArrayVar(&in.Reasons, "reason", nil, "why; may be given several times, as all lists")
	f.StringArrayVar(&in.Consequences, "consequence", nil, "what follows from it")
	f.StringArrayVar(&in.Constraints, "constraint", nil, "what limited the choice")
	f.StringArrayVar(&in.Assumptions, "assumption", nil, "what was taken as true")
	f.StringArrayVar(&in.Alternatives, "alternative", nil, "what was turned down")
	f.StringVar(&in.Supersedes, "supersedes", "", "the decision that it replaces")
	f.StringArrayVar(&in.DependsOn, "depends-on", nil, "a decision that it rests on")
	f.StringArrayVar(&in.RelatesTo, "relates-to", nil, "a decision that it has to do with")
	f.StringVar(&in.Status, "status", "", "proposed, accepted, superseded or rejected (default accepted)")
	f.StringVar(&in.Source, "source", "", "where it is from, such as explore/user-auth or an issue")
	f.StringVar(&in.Scope, "scope", "", "project (default) or personal, which git does not take")
	a.codeRefFlag(cmd, &in.CodeRef)
	return cmd
}

const mostCaptured = 8 << 20 // bytes of a text

func newDecideCapture(a *session) *cobra.Command {
	var in decision.Input
	cmd := command("capture [FILE|-]",
		"Find the decisions in a text, such as an answer or a transcript, and record those that are sure", mayHave("FILE"),
		a.with(func(ctx context.Context, w *app.App, args []string) error {
			from := a.stdin
			switch {
			case len(args) == 1 && args[0] != "-":
				f, err := os.Open(args[0])
				if err != nil {
					return fault.New(fault.NotFound, "cannot read %s: %v", args[0], err).With("name a file that is there, or - for standard input")
				}
				defer f.Close()
				from = f
			case isTerminal(a.in):
				return fault.New(fault.Invalid, "a text is required").For("text").With("name a file, or pipe the text in")
			}
			words := transcript.Prose(from, transcript.Formats, transcript.User, transcript.Agent)
			defer words.Close()
			text := fault.Must(readAll(words, mostCaptured))
			if strings.TrimSpace(text) == "" {
				return fault.New(fault.Invalid, "the text is empty").For("text").With("give an answer or a transcript")
			}
			in.Text, in.Tool = text, "sdd decide"
			return a.answer(w.Decisions.Record(ctx, in))
		}))
	f := cmd.Flags()
	f.StringVar(&in.Source, "source", "", "where the text is from")
	f.StringVar(&in.Scope, "scope", "", "project (default) or personal, which git does not take")
	return cmd
}

type decisionList struct {
	Decisions []decision.Decision `json:"decisions"`
	Total     int                 `json:"total"`
	Next      string              `json:"next_cursor,omitempty"`
}

func newDecideList(a *session) *cobra.Command {
	var f decision.Filter
	cmd := command("list", "List decisions, the newest first", noArgs,
		a.with(func(ctx context.Context, w *app.App, _ []string) error {
			list, next, total, err := w.Decisions.List(ctx, f)
			fault.Check(err)
			return a.paint(decisionList{list, total, next}, func(p *painter) {
				for _, d := range list {
					p.line(plainText, d.Line())
				}
				a.noteMore(len(list), total, next, "no decision found")
			})
		}))
	fl := cmd.Flags()
	fl.StringVar(&f.Status, "status", "", "only proposed, accepted, superseded or rejected ones")
	fl.StringVar(&f.Text, "text", "", "only those with all these words")
	fl.StringVar(&f.Scope, "scope", "", "only project or personal ones")
	fl.IntVar(&f.Limit, "limit", 0, "decisions a page, 1 to 500 (default 50)")
	fl.StringVar(&f.Cursor, "cursor", "", "where the last page ended")
	return cmd
}

func newDecideShow(a *session) *cobra.Command {
	var depth int
	cmd := command("show DECISION|QUESTION",
		"Show a decision, or those that answer a question, with their causes and links", cobra.ArbitraryArgs,
		a.with(func(ctx context.Context, w *app.App, args []string) error {
			found := askDecisions(ctx, w, strings.Join(args, " "), depth)
			return a.print(found, found.Text)
		}))
	cmd.Flags().IntVar(&depth, "depth", 0, "links followed, 1 to 100 (default 5)")
	return cmd
}

// askDecisions returns the decisions that answer a question; having none is a fault.
func askDecisions(ctx context.Context, w *app.App, query string, depth int) decision.Found {
	if strings.TrimSpace(query) == "" {
		fault.Check(fault.New(fault.Invalid, "a decision or question is required").For("query").
			With("sdd decide show DECISION|QUESTION [flags]"))
	}
	found := fault.Must(w.Decisions.Ask(ctx, query, depth))
	if len(found.Chains) == 0 {
		fault.Check(fault.New(fault.NotFound, "no decision has to do with %q", query).With("sdd decide list shows them all"))
	}
	return found
}

func newDecideGraph(a *session) *cobra.Command {
	var depth int
	var status string
	var mermaid bool
	cmd := command("graph [DECISION|QUESTION]",
		"Show how decisions hang together, all or those of a question: text, --mermaid or --json", cobra.ArbitraryArgs,
		a.with(func(ctx context.Context, w *app.App, args []string) error {
			query := strings.Join(args, " ")
			asked := strings.TrimSpace(query) != ""
			switch {
			case mermaid && a.json:
				return usage("one of --mermaid and --json is allowed")
			case asked && status != "":
				return usage("--status goes with the graph of all decisions")
			}
			var graph decision.Graph
			if asked {
				graph = askDecisions(ctx, w, query, depth).Graph
			} else {
				graph = fault.Must(w.Decisions.Graph(ctx, status))
			}
			if mermaid {
				return a.print(graph, graph.Mermaid)
			}
			return a.print(graph, graph.Text)
		}))
	f := cmd.Flags()
	f.BoolVar(&mermaid, "mermaid", false, "print a Mermaid flowchart")
	f.IntVar(&depth, "depth", 0, "links followed from what answers the question, 1 to 100 (default 5)")
	f.StringVar(&status, "status", "", "only decisions of this status")
	return cmd
}
