package cli

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"sdd/internal/repos"
)

func newRepos(a *session) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "repos",
		Short: "Name your other repositories, whose records --with reads too",
	}
	return commandGroup(cmd, newReposAdd(a), newReposList(a), newReposSync(a), newReposRemove(a))
}

func newReposAdd(a *session) *cobra.Command {
	var name string
	var always bool
	cmd := &cobra.Command{
		Use:   "add PATH|URL",
		Short: "Name a repository of this machine, or one that git fetches",
		Args:  oneArg("PATH|URL"),
		RunE: func(cmd *cobra.Command, args []string) error {
			r, err := repos.New(args[0], name)
			if err != nil {
				return err
			}
			r.Always = always
			if err := r.Fetch(cmd.Context()); err != nil {
				return err
			}
			if err := repos.Add(r); err != nil {
				return err
			}
			return a.printRepos(cmd.Context(), []repos.Repository{r})
		},
	}
	cmd.Flags().StringVar(&name, "name", "", "name of the repository (default: the last part of PATH or URL)")
	cmd.Flags().BoolVar(&always, "always", false, "read its records with every question, also without --with")
	return cmd
}

func newReposList(a *session) *cobra.Command {
	return &cobra.Command{
		Use:   "list",
		Short: "List your repositories with the commits at which they are read",
		Args:  noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			all, err := repos.List()
			if err != nil {
				return err
			}
			return a.printRepos(cmd.Context(), all)
		},
	}
}

func newReposSync(a *session) *cobra.Command {
	return &cobra.Command{
		Use:   "sync [NAME...]",
		Short: "Fetch the repositories that have a URL now",
		RunE: func(cmd *cobra.Command, args []string) error {
			all, err := repos.List()
			if err != nil {
				return err
			}
			if len(args) > 0 {
				all = nil
			}
			for _, name := range args {
				r, err := repos.One(name)
				if err != nil {
					return err
				}
				all = append(all, r)
			}
			failed := repos.FetchAll(cmd.Context(), all)
			for _, err := range failed {
				a.note("", err)
			}
			return exitIf(len(failed) > 0, exitFailed, a.printRepos(cmd.Context(), all))
		},
	}
}

func newReposRemove(a *session) *cobra.Command {
	return &cobra.Command{
		Use:   "remove NAME",
		Short: "Forget a repository and delete its clone; the repository itself stays",
		Args:  oneArg("NAME"),
		RunE: func(_ *cobra.Command, args []string) error {
			return repos.Remove(args[0])
		},
	}
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
		for _, r := range rows {
			commit := "not there"
			if r.Commit != "" {
				commit = fmt.Sprintf("%.10s", r.Commit)
			}
			fmt.Fprintf(&b, "%s  %s  %s", r.Name, commit, r.At())
			if r.Always {
				b.WriteString("  always")
			}
			b.WriteString("\n")
		}
		return b.String()
	})
}

// withRepos adds the flag that names other repositories.
func withRepos(cmd *cobra.Command, names *string) {
	cmd.Flags().StringVar(names, "with", "", "read these repositories of sdd repos list too, all for each of them")
}
