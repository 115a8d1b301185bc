package cli

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"sdd/internal/app"
	"sdd/internal/repos"
)

func newRepos(a *session) *cobra.Command {
	return commandGroup("repos", "Name your other repositories, whose records --with reads too",
		newReposAdd(a), newReposList(a), newReposSync(a), newReposRemove(a))
}

func newReposAdd(a *session) *cobra.Command {
	var name string
	var always bool
	cmd := command("add PATH|URL", "Name a repository of this machine, or one that git fetches", oneArg("PATH|URL"),
		func(cmd *cobra.Command, args []string) error {
			r, err := repos.New(args[0], name)
			if err != nil {
				return err
			}
			r.Always = always
			if err := repos.Free(r); err != nil {
				return err
			}
			if err := r.Fetch(cmd.Context()); err != nil {
				return err
			}
			if err := repos.Add(r); err != nil {
				return err
			}
			return a.printRepos(cmd.Context(), []repos.Repository{r})
		})
	cmd.Flags().StringVar(&name, "name", "", "name of the repository (default: the last part of PATH or URL)")
	cmd.Flags().BoolVar(&always, "always", false, "read its records with every question, also without --with")
	return cmd
}

func newReposList(a *session) *cobra.Command {
	return command("list", "List your repositories with the commits at which they are read", noArgs,
		a.with(func(ctx context.Context, w *app.App, _ []string) error {
			all, err := repos.Known(w.Store)
			if err != nil {
				return err
			}
			return a.printRepos(ctx, all)
		}))
}

func newReposSync(a *session) *cobra.Command {
	return command("sync [NAME...]", "Fetch the repositories that have a URL now", nil,
		a.with(func(ctx context.Context, w *app.App, args []string) error {
			if len(args) == 0 {
				args = []string{repos.All}
			}
			all, err := repos.Chosen(w.Store, args)
			if err != nil {
				return err
			}
			failed := repos.FetchAll(ctx, all)
			for _, err := range failed {
				a.note("fetch", err)
			}
			return exitIf(len(failed) > 0, exitFailed, a.printRepos(ctx, all))
		}))
}

func newReposRemove(a *session) *cobra.Command {
	return command("remove NAME", "Forget a repository and delete its clone; the repository itself stays", oneArg("NAME"),
		func(_ *cobra.Command, args []string) error {
			return repos.Remove(args[0])
		})
}

// repoRow is a repository in the output.
type repoRow struct {
	repos.Repository
	Commit string `json:"commit"` // at which it is read, "" when it cannot be
}

func (a *session) printRepos(ctx context.Context, all []repos.Repository) error {
	rows := []repoRow{}
	for _, r := range all {
		rows = append(rows, repoRow{r, r.Commit(ctx)})
	}
	return a.print(rows, func() string {
		var b strings.Builder
		if len(rows) == 0 {
			fmt.Fprintln(a.err, "no repository is named: sdd repos add PATH|URL names one")
		}
		for _, r := range rows {
			commit := "not there"
			if r.Commit != "" {
				commit = fmt.Sprintf("%.10s", r.Commit)
			}
			fmt.Fprintf(&b, "%s  %s  %s", r.Name, commit, r.At())
			switch {
			case r.Shared:
				b.WriteString("  of this project")
			case r.Always:
				b.WriteString("  always")
			}
			b.WriteString("\n")
		}
		return b.String()
	})
}

// startFetch returns a function that fetches repositories in a background process.
func startFetch(dir string) func(names []string) error {
	return func(names []string) error {
		return startBehind(dir, append([]string{"repos", "sync", "--dir", dir, "--"}, names...)...)
	}
}

// withRepos adds the flag that names other repositories.
func withRepos(cmd *cobra.Command, names *string) {
	cmd.Flags().StringVar(names, "with", "", "read these repositories of sdd repos list too, all for each of them")
}
