package cli

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"sdd/internal/app"
	"sdd/internal/setup"
)

// setupOptions are the flags of sdd setup.
type setupOptions struct {
	setup.Request
	user, project bool
}

func newSetup(a *session) *cobra.Command {
	var o setupOptions
	cmd := &cobra.Command{
		Use:       "setup [CLIENT...]",
		Short:     "Add sdd to MCP clients and editors, or take it out again",
		ValidArgs: append(setup.ClientNames(), "kiro"),
		RunE: a.with(func(ctx context.Context, w *app.App, args []string) error {
			o.Clients = args
			return a.setUp(ctx, w, o)
		}),
	}
	f := cmd.Flags()
	f.BoolVar(&o.user, "user", false, "your own file of each client (the default; with --remove: only that)")
	f.BoolVar(&o.project, "project", false, "the project's file of each client")
	f.BoolVar(&o.DryRun, "dry-run", false, "show what would change, and write nothing")
	f.BoolVar(&o.Remove, "remove", false, "take out what sdd setup put in: of the clients that are named, else of all")
	f.BoolVar(&o.Instructions, "instructions", false, "the block in AGENTS.md or CLAUDE.md; without a client nothing else")
	f.BoolVar(&o.Hooks, "hooks", false, "the hooks of agents, which call sdd hook: of the clients that are named, else of all; nothing else")
	f.BoolVar(&o.Commands, "commands", false, "the prompts as commands of each client; without a client, or with --remove, nothing else")
	f.StringSliceVar(&o.Editors, "editor", nil,
		"start sdd lsp from an editor: "+strings.Join(setup.EditorNames(), ", ")+"; without a client nothing else")
	return cmd
}

func (a *session) setUp(ctx context.Context, w *app.App, o setupOptions) error {
	switch {
	case o.user && o.project:
		return usage("one of --user and --project is allowed")
	case o.user:
		o.Scope = setup.UserScope
	case o.project:
		o.Scope = setup.ProjectScope
	}
	here, err := setup.Here()
	if err != nil {
		return err
	}
	o.Root = w.Store.Dir()
	o.Version, _ = Version()
	done, err := here.Apply(o.Request)
	return exitIf(done.Failed(), exitFailed, a.answerPainted(done, err, func(p *painter) {
		changesText(p, done)
		switch {
		case len(done.Changes) == 0:
			p.line(plainText, "nothing of sdd is set up here")
		case done.DryRun:
			p.line(dim, "nothing was written: this is what sdd setup would do")
		}
	}))
}

// changesText prints the differences in a dry run, then the action for each file.
func changesText(p *painter, done setup.Changes) {
	for _, c := range done.Changes {
		if !done.DryRun || c.Diff == "" {
			continue
		}
		for line := range strings.Lines(c.Diff) {
			color := plainText
			switch {
			case strings.HasPrefix(line, "---"), strings.HasPrefix(line, "+++"):
				color = bold
			case strings.HasPrefix(line, "@@"):
				color = cyan
			case strings.HasPrefix(line, "-"):
				color = red
			case strings.HasPrefix(line, "+"):
				color = green
			}
			p.line(color, strings.TrimSuffix(line, "\n"))
		}
		p.line(plainText, "")
	}
	for _, line := range done.Lines() {
		p.line(plainText, line)
	}
}
