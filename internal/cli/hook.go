package cli

import (
	"context"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"sdd/internal/store"
)

// afterGit lists what happens after a commit and after a merge, by the name of the hook. This is the place
// for what follows from commits, such as learnings that are outdated by them. Each part is quick, prints nothing and
// writes to no record; when one fails the others are tried. The index needs none: it sees what a merge
// changed with the next call.
var afterGit = map[string][]func(ctx context.Context, st *store.Store) error{
	"post-commit": {},
	"post-merge":  {},
}

// hookPatience is how long git waits for afterGit at most.
const hookPatience = 2 * time.Second

func newHook(a *app) *cobra.Command {
	return &cobra.Command{
		Use:    "hook NAME",
		Short:  "Take notice of new commits for git (sdd hooks install sets it up)",
		Hidden: true,
		Long:   "git calls this after a commit (post-commit) and after a merge (post-merge). It says nothing and does not fail.",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 0 && afterGit[args[0]] != nil {
				return nil // git may add arguments of its own
			}
			return usage("NAME is post-commit or post-merge, given is %q", strings.Join(args, " "))
		},
		RunE: func(cmd *cobra.Command, args []string) error {
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
