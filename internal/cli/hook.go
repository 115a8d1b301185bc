package cli

import (
	"context"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"sdd/internal/git"
	"sdd/internal/index"
	"sdd/internal/learning"
	"sdd/internal/spawn"
	"sdd/internal/store"
	"sdd/internal/workspace"
)

// afterGit lists what happens after a commit and after a merge, by the name of the hook: learnings that they mark check, and
// what they tell. Each part prints nothing and writes to no record; when one fails the others are tried, and the next call of
// sdd finds out for itself. The index needs none: it sees what a merge changed with the next call.
var afterGit = map[string][]func(ctx context.Context, st *store.Store, ix *index.Index) error{
	"post-commit": {noticeCommits, queueCandidates},
	"post-merge":  {noticeCommits, queueCandidates},
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

// noticeCommits has the learnings seen whose files the new commits touch: told as events, and marked in the views.
func noticeCommits(ctx context.Context, st *store.Store, ix *index.Index) error {
	l := learning.New(st, ix)
	defer l.Close()
	l.Hooked(startHook(st.Dir()))
	if err := l.Notice(ctx); err != nil {
		return err
	}
	return l.WriteViews(ctx)
}

// queueCandidates has what new commits tell wait in the inbox's queue.
func queueCandidates(ctx context.Context, st *store.Store, ix *index.Index) error {
	w := workspace.New(st, ix, workspace.Options{})
	defer w.Close()
	return w.Inbox.Follow(ctx)
}

// hookPatience is how long afterGit may take in all.
const hookPatience = time.Minute

func newHook(a *app) *cobra.Command {
	behind := false
	cmd := &cobra.Command{
		Use:    "hook NAME",
		Short:  "Take notice of new commits for git (sdd hooks install sets it up)",
		Hidden: true,
		Long: `git calls this after a commit (post-commit) and after a merge (post-merge). It starts a process that does the work and
returns at once, so that nobody waits who calls it in another way than the hooks of sdd do; it says nothing and does not fail.
on-learning tells the command that config.yaml names under hooks of what happened to learnings; sdd itself calls it.`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 0 && (afterGit[args[0]] != nil || args[0] == onLearning) {
				return nil // git may add arguments of its own
			}
			return usage("NAME is post-commit, post-merge or on-learning, given is %q", strings.Join(args, " "))
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case args[0] == onLearning:
				l, err := a.learnings()
				if err != nil {
					return err
				}
				l.Hooked(nil) // it is what would be started
				return l.RunHook(cmd.Context())
			case behind:
				a.followGit(cmd.Context(), args[0])
			default:
				a.runHook(args[0])
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&behind, "behind", false, "do the work, and wait for it")
	return cmd
}

// runHook starts the work and does not wait for it.
func (a *app) runHook(name string) {
	st, err := store.Open(store.Options{Dir: a.dir})
	if err != nil || !st.Exists() {
		return
	}
	if repo, err := git.Open(st.Dir()); err == nil {
		if op, _ := repo.Underway(); op == git.Rebasing || op == git.Applying {
			return // there may be hundreds, and the next call sees them all
		}
	}
	self, err := os.Executable()
	if err != nil {
		return
	}
	cmd := exec.Command(self, "hook", name, "--behind", "--dir", st.Dir())
	cmd.Dir = st.Dir()
	spawn.Alone(cmd)
	_ = cmd.Start() // the next call of sdd finds out for itself
}

// followGit does what afterGit lists, again as long as there are newer commits. Of many processes that commits in a row start, one does
// the work.
func (a *app) followGit(ctx context.Context, name string) {
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
			for _, part := range afterGit[name] {
				_ = part(ctx, st, ix)
			}
			if ctx.Err() != nil || head == git.CheckedOutCommit(ctx, st.Dir()) {
				return nil
			}
		}
	})
}
