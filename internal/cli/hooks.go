package cli

import (
	"cmp"
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"sdd/internal/setup"
)

func newHooks(a *session) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "hooks",
		Short: "Let git check staged records before a commit: install, uninstall, status",
		Long: `Put a marked block into git's hooks of this repository, or take it out again. pre-commit runs
sdd check --staged and refuses a commit when a staged record has an error: a conflict
marker, broken front matter, a secret. post-commit and post-merge make sdd read the new commits. If sdd is
missing or fails, git goes on.

The block goes to the top of an existing hook, whose other bytes and mode stay. core.hooksPath counts;
linked work trees share the hooks of their repository. Where a hook manager (husky, lefthook, pre-commit)
makes the hooks, where they lie outside of the repository, or a hook is no script of a shell, nothing
is written, and the lines to add are printed.`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return nil
			}
			return usage("there is no command \"hooks %s\", there are install, uninstall and status", args[0])
		},
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(
		a.newHooksCommand("install", "Put sdd's block into git's hooks; again it changes nothing", setup.InstallHooks),
		a.newHooksCommand("uninstall", "Take sdd's block out of git's hooks and give back what was there", setup.UninstallHooks),
		a.newHooksCommand("status", "Show whether each hook calls sdd, and what to do", setup.HooksStatus),
	)
	return cmd
}

// newHooksCommand is a command on the hooks that its flags name, on all without flags.
func (a *session) newHooksCommand(name, short string, do func(context.Context, string, []string) (setup.Hooks, error)) *cobra.Command {
	wanted := make([]bool, len(setup.HookNames))
	cmd := &cobra.Command{
		Use:     name + " [--pre-commit] [--post-commit] [--post-merge]",
		Short:   short,
		Example: fmt.Sprintf("  sdd hooks %s\n  sdd hooks %s --pre-commit", name, name),
		Args:    noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			var names []string
			for i, hook := range setup.HookNames {
				if wanted[i] {
					names = append(names, hook)
				}
			}
			if names == nil {
				names = setup.HookNames
			}
			return a.answer(do(cmd.Context(), cmp.Or(a.dir, "."), names))
		},
	}
	for i, hook := range setup.HookNames {
		cmd.Flags().BoolVar(&wanted[i], hook, false, "only "+hook+" and the others that are named")
	}
	return cmd
}
