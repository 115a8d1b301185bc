package cli

import (
	"context"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"sdd/internal/index"
	"sdd/internal/learning"
	"sdd/internal/spawn"
	"sdd/internal/store"
)

// afterGit lists what happens after a commit and after a merge, by the name of the hook. This is the place
// for what follows from commits. Each part is quick, prints nothing and
// writes to no record; when one fails the others are tried. The index needs none: it sees what a merge
// changed with the next call.
var afterGit = map[string][]func(ctx context.Context, st *store.Store) error{
	"post-commit": {noticeCommits},
	"post-merge":  {noticeCommits},
}

// onLearning is the hook of learnings.
const onLearning = "on-learning"

// startHook returns what starts this program again to run that hook, on its own, so that nobody waits for it.
func startHook(dir string) func() error {
	return func() error {
		self, err := os.Executable()
		if err != nil {
			return err
		}
		cmd := exec.Command(self, "hook", onLearning, "--dir", dir)
		spawn.Alone(cmd)
		if err := cmd.Start(); err != nil {
			return err
		}
		go func() { _ = cmd.Wait() }() // a server takes its leave of it; what failed is noted
		return nil
	}
}

// noticeCommits has the learnings seen that the new commits outdate: told as events, and marked in the views.
func noticeCommits(ctx context.Context, st *store.Store) error {
	ix := index.Open(st)
	defer ix.Close()
	l := learning.New(st, ix)
	defer l.Close()
	l.Hooked(startHook(st.Dir()))
	if err := l.Notice(ctx); err != nil {
		return err
	}
	return l.WriteViews(ctx)
}

// hookPatience is how long git waits for afterGit at most.
const hookPatience = 2 * time.Second

func newHook(a *app) *cobra.Command {
	return &cobra.Command{
		Use:    "hook NAME",
		Short:  "Take notice of new commits for git (sdd hooks install sets it up)",
		Hidden: true,
		Long: `git calls this after a commit (post-commit) and after a merge (post-merge). It says nothing and does not fail.
on-learning tells the command that config.yaml names under hooks of what happened to learnings; sdd itself calls it.`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 0 && (afterGit[args[0]] != nil || args[0] == onLearning) {
				return nil // git may add arguments of its own
			}
			return usage("NAME is post-commit, post-merge or on-learning, given is %q", strings.Join(args, " "))
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if args[0] == onLearning {
				l, err := a.learnings()
				if err != nil {
					return err
				}
				l.Hooked(nil) // it is what would be started
				return l.RunHook(cmd.Context())
			}
			a.runHook(cmd.Context(), args[0])
			return nil
		},
	}
}

// runHook does what afterGit lists. It opens a store of its own: what the shared one has to tell is not told to git.
func (a *app) runHook(ctx context.Context, name string) {
	parts := afterGit[name]
	if len(parts) == 0 {
		return
	}
	st, err := store.Open(store.Options{Dir: a.dir, Tool: "sdd"})
	if err != nil || !st.Exists() {
		return
	}
	defer st.Close()
	ctx, cancel := context.WithTimeout(ctx, hookPatience)
	defer cancel()
	for _, part := range parts {
		_ = part(ctx, st) // the next call of sdd finds out for itself
	}
}
