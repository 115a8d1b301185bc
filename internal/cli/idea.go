package cli

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"sdd/internal/app"
	"sdd/internal/fault"
	"sdd/internal/learning"
	"sdd/internal/transcript"
)

func newIdea(a *session) *cobra.Command {
	return commandGroup("idea", "Ideas of every colour, learnings among them: add, list, show, set, done, log, check, events",
		newIdeaAdd(a), newIdeaList(a), newIdeaShow(a), newIdeaSet(a),
		newReviewAction(a, "done", "Mark an idea or outside id as done: its learnings are archived, and the best are suggested to keep"),
		newIdeaLog(a), newIdeaCheck(a), newIdeaEvents(a))
}

func newIdeaAdd(a *session) *cobra.Command {
	var in learning.Input
	cmd := command("add TEXT --color COLOR", "Add an idea; the same text again is the same idea", oneText,
		a.with(func(ctx context.Context, w *app.App, args []string) error {
			in.Content, in.Tool = strings.Join(args, " "), "sdd idea"
			out := fault.Must(w.Learnings.Add(ctx, in))
			return a.print(out, func() string { return fmt.Sprintf("%s %s (%s)\n", out.ID, out.Action, out.File) })
		}))
	f := cmd.Flags()
	f.StringVar(&in.Color, "color", "", "black, gray, orange, purple, red, blue, green, white (green and done) or yellow (a learning)")
	f.StringVar(&in.Status, "status", "", "pending, active, blocked or done; green also failed, timeout, review")
	f.StringVar(&in.Parent, "parent", "", "the idea or outside id, such as an issue key, that it came from")
	f.StringVar(&in.Scope, "scope", "", "of a learning: local or global")
	f.StringVar(&in.Agent, "agent", "", "who had it")
	f.StringVar(&in.Impact, "impact", "", "of a learning: low, medium, high or critical (default: by rules)")
	f.StringVar(&in.Category, "category", "", "of a learning: such as Testing (default: by rules)")
	return cmd
}

type ideaPage struct {
	Ideas      []learning.Idea `json:"ideas"`
	Total      int             `json:"total"`
	NextCursor string          `json:"next_cursor"`
}

func newIdeaList(a *session) *cobra.Command {
	var filter learning.Filter
	var validated bool
	cmd := command("list", "List ideas, the newest first", noArgs, nil)
	cmd.RunE = a.with(func(ctx context.Context, w *app.App, _ []string) error {
		if cmd.Flags().Changed("validated") {
			filter.Validated = &validated
		}
		ideas, next, total, err := w.Learnings.List(ctx, filter)
		fault.Check(err)
		return a.printIdeas(ideas, next, total, "no idea found")
	})
	f := cmd.Flags()
	f.StringVar(&filter.Color, "color", "", "only this colour; yellow are learnings, white is green and done")
	f.StringVar(&filter.Status, "status", "", "only this status; any lists deleted ones too")
	f.StringVar(&filter.Scope, "scope", "", "only local or global learnings")
	f.StringVar(&filter.Impact, "impact", "", "only this impact")
	f.StringVar(&filter.Category, "category", "", "only this category")
	f.StringVar(&filter.Agent, "agent", "", "only what this agent learned")
	f.StringVar(&filter.Parent, "parent", "", "only what came from this idea or outside id")
	f.StringVar(&filter.Text, "text", "", "only those with all these words")
	f.BoolVar(&validated, "validated", false, "only validated ones (--validated=false: the others)")
	f.IntVar(&filter.Limit, "limit", 0, "ideas a page, 1 to 500 (default 50)")
	f.StringVar(&filter.Cursor, "cursor", "", "where the last page ended")
	return cmd
}

func (a *session) printIdeas(ideas []learning.Idea, next string, total int, empty string) error {
	return a.paint(ideaPage{ideas, total, next}, func(p *painter) {
		for _, i := range ideas {
			paintIdea(p, i)
		}
		a.noteMore(len(ideas), total, next, empty)
	})
}

// paintIdea prints an idea in two lines: its keys, and the first line of its text.
func paintIdea(p *painter, i learning.Idea) {
	var facts []string
	for _, s := range []string{i.Color, i.Effective(), i.Scope, i.Impact, i.Category, strings.Join(i.Agents, " "), i.Parent, i.Created} {
		if s != "" && s != "yellow" {
			facts = append(facts, s)
		}
	}
	if i.Validated {
		facts = append(facts, "validated")
	}
	p.line(bold, i.ID+"  "+strings.Join(facts, "  "))
	text, _, _ := strings.Cut(strings.TrimSpace(i.Content), "\n")
	p.line(plainText, "    "+text)
	if v := i.Verdict; v != nil {
		p.line(yellow, "    "+verdictLine(v))
	}
}

func verdictLine(v *learning.Verdict) string {
	s := v.Status + ": " + v.Reason
	if v.Commit != "" {
		s += fmt.Sprintf(" (commit %.10s)", v.Commit)
	}
	if v.By != "" {
		s += " (" + v.By + ")"
	}
	if e := v.Evidence; e != nil {
		s += fmt.Sprintf(": %q against %q", e.Old, e.New)
	}
	return s
}

func newIdeaShow(a *session) *cobra.Command {
	return command("show ID", "Show one idea with what is known of it; sdd show prints the file", oneArg("ID"),
		a.with(func(ctx context.Context, w *app.App, args []string) error {
			i := fault.Must(w.Learnings.Get(ctx, args[0]))
			return a.paint(i, func(p *painter) {
				p.line(bold, i.ID+"  "+i.File)
				p.fields([]field{
					{"color", i.Color}, {"status", i.Status}, {"scope", i.Scope}, {"parent", i.Parent}, {"agents", strings.Join(i.Agents, ", ")},
					{"impact", because(i.Impact, i.ImpactRule)}, {"category", because(i.Category, i.CategoryRule)},
					{"applied to", strings.Join(i.AppliedTo, ", ")}, {"superseded by", i.SupersededBy}, {"created", i.Created},
					{"archived", because(i.ArchivedAt, i.ArchivedReason)}, {"resurrected", because(i.ResurrectedAt, i.ResurrectedBy)},
					{"outdated", because(i.OutdatedReason, i.OutdatedCommit)}, {"validated", i.ValidatedAt}, {"aliases", strings.Join(i.Aliases, ", ")},
				}...)
				if i.Verdict != nil {
					p.line(yellow, "now            "+verdictLine(i.Verdict))
				}
				p.text(i.Content)
			})
		}))
}

// because is a value with its reason, "" without a value.
func because(value, reason string) string {
	if value == "" || reason == "" {
		return value
	}
	return value + " (" + reason + ")"
}

func newIdeaSet(a *session) *cobra.Command {
	var ifMatch string
	cmd := command("set ID KEY=VALUE…",
		"Change keys of an idea: status color parent scope impact category validated content", someArgs("ID"),
		a.with(func(ctx context.Context, w *app.App, args []string) error {
			keys := map[string]string{}
			for _, arg := range args[1:] {
				k, v, ok := strings.Cut(arg, "=")
				if !ok {
					return fault.New(fault.Invalid, "%q is no KEY=VALUE", arg).For("KEY=VALUE").
						With("such as status=active; status= removes where that is allowed")
				}
				keys[k] = v
			}
			out, err := w.Learnings.Set(ctx, args[0], keys, ifMatch)
			return a.printReviewed(len(out.Items), out, out.Text, err)
		}))
	cmd.Flags().StringVar(&ifMatch, "if-match", "", "etag of the file this was decided on")
	return cmd
}

func newIdeaLog(a *session) *cobra.Command {
	return command("log", "The Discovery Log: global learnings, the oldest first", noArgs,
		a.with(func(ctx context.Context, w *app.App, _ []string) error {
			ideas := fault.Must(w.Learnings.Log(ctx))
			return a.printIdeas(ideas, "", len(ideas), "no idea found")
		}))
}

func newIdeaCheck(a *session) *cobra.Command {
	var write bool
	cmd := command("check", "List learnings that commits, newer learnings or finished work speak against (exit code 5)", noArgs,
		a.with(func(ctx context.Context, w *app.App, _ []string) error {
			ideas := fault.Must(w.Learnings.Check(ctx, write))
			return exitIf(len(ideas) > 0 && !write, errFindings, a.printIdeas(ideas, "", len(ideas), "nothing speaks against a learning"))
		}))
	cmd.Flags().BoolVar(&write, "write", false, "put it into the files")
	return cmd
}

type eventPage struct {
	Events     []learning.Event `json:"events"`
	NextCursor string           `json:"next_cursor"`
}

func newIdeaEvents(a *session) *cobra.Command {
	var cursor string
	var limit int
	cmd := command("events", "List what happened to ideas, the oldest first", noArgs,
		a.with(func(ctx context.Context, w *app.App, _ []string) error {
			events, next, err := w.Learnings.Events(ctx, cursor, limit)
			fault.Check(err)
			return a.paint(eventPage{events, next}, func(p *painter) {
				for _, e := range events {
					line := fmt.Sprintf("%s  %s  %s ", e.Time.Format("2006-01-02 15:04:05"), e.Event, e.Idea)
					for _, k := range slices.Sorted(maps.Keys(e.Detail)) {
						line += " " + k + "=" + e.Detail[k]
					}
					p.line(plainText, line)
				}
			})
		}))
	cmd.Flags().StringVar(&cursor, "cursor", "", "only what came since")
	cmd.Flags().IntVar(&limit, "limit", 0, "events a page, 1 to 500 (default 50)")
	return cmd
}

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
			case len(args) == 2 && args[0] == "add":
				return a.learn(ctx, w.Learnings, o, args[1])
			case len(args) > 0 && len(args) < 3 && slices.Contains([]string{"add", "list", "show", "capture"}, args[0]):
				return fault.New(fault.Invalid, "there is no command %q", "learn "+args[0]).
					With("sdd idea list and sdd idea show print what is kept; sdd learn - <FILE reads a transcript")
			case !o.inject:
				fault.Check(oneText(nil, args))
				if len(args) == 0 && !isTerminal(a.in) {
					args = []string{"-"}
				}
				return a.learn(ctx, w.Learnings, o, strings.Join(args, " "))
			case len(args) > 0:
				return usage("--inject prints learnings, it keeps none: %q", args[0])
			}
			out := fault.Must(w.Learnings.Inject(ctx, o.in.Agent, o.query, o.maxTokens))
			return a.print(out, func() string {
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
	a.codeRefFlag(cmd, &o.in.CodeRef)
	f.BoolVar(&o.inject, "inject", false, "print the learnings for --agent instead")
	f.StringVar(&o.query, "query", "", "with --inject: what the work is about, for the ranking")
	f.IntVar(&o.maxTokens, "max-tokens", 0, "with --inject: budget in o200k tokens, 50 to 100000 (default 2000)")
	return cmd
}

func (a *session) learn(ctx context.Context, l *learning.Learnings, o learnOptions, text string) error {
	if o.query != "" || o.maxTokens != 0 {
		return usage("--query and --max-tokens go with --inject")
	}
	o.in.Tool = "sdd learn"
	switch {
	case text == "-":
		// Signals in JSON lines are read with their authors as they are.
		words := transcript.Prose(a.stdin, []transcript.Format{transcript.SpecStory, transcript.MarkdownChat}, transcript.Agent)
		defer words.Close()
		out, err := l.LearnFrom(ctx, words, o.in)
		return exitIf(len(out.Results) == 0, exitNotFound, a.answer(out, err))
	case strings.TrimSpace(text) == "":
		return fault.New(fault.Invalid, "text is required").For("text").With("give the learning, or - to read signals from standard input")
	}
	o.in.Content = text
	return a.answer(l.Learn(ctx, o.in))
}
