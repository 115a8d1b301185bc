package cli

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"sdd/internal/app"
	"sdd/internal/git"
	"sdd/internal/index"
	"sdd/internal/setup"
	"sdd/internal/store"
)

func newHooks(a *session) *cobra.Command {
	return commandGroup("hooks", "Let git check staged records before a commit: install, uninstall, status",
		a.newHooksCommand("install", "Put sdd's block into git's hooks; again it changes nothing", setup.InstallHooks),
		a.newHooksCommand("uninstall", "Take sdd's block out of git's hooks and give back what was there", setup.UninstallHooks),
		a.newHooksCommand("status", "Show whether each hook calls sdd, and what to do", setup.HooksStatus),
	)
}

// newHooksCommand is a command on the hooks that its flags name, on all without flags.
func (a *session) newHooksCommand(name, short string, do func(context.Context, string, []string) (setup.Hooks, error)) *cobra.Command {
	wanted := make([]bool, len(setup.HookNames))
	cmd := command(name+" [--pre-commit] [--post-commit] [--post-merge]", short, noArgs,
		func(cmd *cobra.Command, _ []string) error {
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
		})
	for i, hook := range setup.HookNames {
		cmd.Flags().BoolVar(&wanted[i], hook, false, "only "+hook+" and the others that are named")
	}
	return cmd
}

// gitHooks are the hooks of git after which there is work.
var gitHooks = []string{"post-commit", "post-merge"}

// afterGit does the work after a commit and after a merge: it finds the learnings whose files new commits touch and records them as
// events and in the views, and it finds candidates. It prints nothing and changes no record. When one part fails the other still runs,
// and the next call of sdd repeats the work. The index needs no part, since the next call sees the changes of a merge.
func afterGit(ctx context.Context, st *store.Store, ix *index.Index) {
	w := app.New(st, ix, app.Options{})
	defer w.Close()
	if w.Learnings.Notice(ctx) == nil {
		_ = w.Learnings.WriteViews(ctx)
	}
	_ = w.Inbox.Follow(ctx)
}

// hookPatience is the time limit for afterGit.
const hookPatience = time.Minute

func newHook(a *session) *cobra.Command {
	behind, refresh, transcript := false, false, ""
	cmd := &cobra.Command{
		Use:    "hook NAME",
		Short:  "Take notice of new commits for git, or of an event for the coding agent NAME, and never fail",
		Hidden: true,
		// Git may add arguments, and a later version of this program may have written the agent's configuration.
		Args:               cobra.ArbitraryArgs,
		FParseErrWhitelist: cobra.FParseErrWhitelist{UnknownFlags: true},
		RunE: func(cmd *cobra.Command, args []string) error {
			name := strings.Join(args[:min(len(args), 1)], "")
			switch {
			case slices.Contains(gitHooks, name) && behind:
				a.followGit(cmd.Context())
			case slices.Contains(gitHooks, name):
				a.runHook(name)
			case refresh || transcript != "":
				a.behindAgent(cmd.Context(), name, transcript)
			default:
				a.agentHook(cmd.Context(), name)
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&behind, "behind", false, "do the work, and wait for it")
	cmd.Flags().BoolVar(&refresh, "refresh", false, "bring the index up to date for the agent's next event")
	cmd.Flags().StringVar(&transcript, "capture", "", "transcript of the agent's session to find decisions and corrections in")
	return cmd
}

// runHook starts the work and does not wait for it.
func (a *session) runHook(name string) {
	st, err := store.Open(store.Options{Dir: a.dir})
	if err != nil || !st.Exists() {
		return
	}
	if repo, err := git.Open(st.Dir()); err == nil {
		if op, _ := repo.Underway(); op == git.Rebasing || op == git.Applying {
			return // a rebase makes many commits, and the next call sees them all
		}
	}
	_ = startBehind(st.Dir(), "hook", name, "--behind", "--dir", st.Dir()) // if it fails, the next call of sdd does the work
}

// followGit does the work of afterGit, and repeats it while there are newer commits. When several processes run, only one does the
// work.
func (a *session) followGit(ctx context.Context) {
	st, err := store.Open(store.Options{Dir: a.dir, Tool: "sdd"})
	if err != nil || !st.Exists() {
		return
	}
	defer st.Close()
	ctx, cancel := context.WithTimeout(ctx, hookPatience)
	defer cancel()
	_, _ = st.Alone(ctx, "hook", func(ctx context.Context) error {
		ix := index.Open(st)
		defer ix.Close()
		for {
			head := git.CheckedOutCommit(ctx, st.Dir())
			afterGit(ctx, st, ix)
			if ctx.Err() != nil || head == git.CheckedOutCommit(ctx, st.Dir()) {
				return nil
			}
		}
	})
}
