package cli

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"sdd/internal/app"
	"sdd/internal/fault"
	"sdd/internal/git"
	"sdd/internal/hub"
	"sdd/internal/record"
	"sdd/internal/repos"
	"sdd/internal/store"
)

func newHub(a *session) *cobra.Command {
	return commandGroup("hub", "Keep the records of an organisation's repositories in PostgreSQL",
		newHubInit(a), newHubPush(a), newHubStatus(a), newHubGrant(a))
}

// withHub is the action of a command on the hub that its argument at dsn names, else config.yaml.
func (a *session) withHub(at int, do func(ctx context.Context, h *hub.Hub, args []string) error) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error {
		dsn := ""
		if len(args) > at {
			dsn = args[at]
		} else {
			st, _ := a.open()
			dsn = fault.Must(hub.Trusted(fault.Must(st.Config()), store.Local(st.Dir()))).DSN
		}
		h := fault.Must(hub.Open(cmd.Context(), dsn))
		defer h.Close()
		return do(cmd.Context(), h, args)
	}
}

func newHubInit(a *session) *cobra.Command {
	return command("init [DSN]", "Make the hub's tables in a database, or migrate them to this version", mayHave("DSN"),
		a.withHub(0, func(ctx context.Context, h *hub.Hub, _ []string) error {
			made := fault.Must(h.Init(ctx))
			return a.print(made, func() string {
				text := fmt.Sprintf("migrated the hub from schema %d to %d\n", made.Before, made.Schema)
				switch made.Before {
				case made.Schema:
					text = fmt.Sprintf("the hub has schema %d already\n", made.Schema)
				case 0:
					text = fmt.Sprintf("made the hub, schema %d\n", made.Schema)
				}
				if !made.Vectors {
					text += "without vectors of embeddings: " + made.Why + "\n"
				}
				return text
			})
		}))
}

func newHubPush(a *session) *cobra.Command {
	var name, rev string
	var force bool
	cmd := command("push [DSN]", "Bring the records of a commit into the hub, for CI on the default branch", mayHave("DSN"),
		a.withHub(0, func(ctx context.Context, h *hub.Hub, _ []string) error {
			st, _ := a.open()
			p, done := pushed(ctx, st, name, rev)
			defer done()
			if force {
				p.Older = nil
			}
			why := fault.Must(h.Embed(ctx, st, &p))
			out := fault.Must(h.Push(ctx, p))
			a.noteLine(why)
			return a.print(out, func() string {
				if out.Action == "unchanged" {
					return fmt.Sprintf("%s: the hub has commit %.12s already\n", out.Repository, out.Commit)
				}
				text := fmt.Sprintf("%s: pushed commit %.12s, %d changed, %d removed, %d in all", out.Repository, out.Commit, out.Changed,
					out.Removed, out.Records)
				if out.Vectors > 0 {
					text += fmt.Sprintf(", %d vectors", out.Vectors)
				}
				if out.Replaced != "" {
					text += ", instead of those of the model " + out.Replaced
				}
				return text + "\n"
			})
		}))
	cmd.Flags().StringVar(&name, "name", "", "the repository's name in the hub (default: the project's name)")
	cmd.Flags().StringVar(&rev, "rev", "", "the commit (default: that of the default branch)")
	cmd.Flags().BoolVar(&force, "force", false, "push a commit that is older than the hub's, too")
	return cmd
}

// pushed reads what a commit has of the store's records.
func pushed(ctx context.Context, st *store.Store, name, rev string) (p hub.Push, done func()) {
	repo := fault.Must(git.Open(st.Dir()))
	commit := fault.Must(repo.Resolve(ctx, cmp.Or(rev, git.DefaultCommit(st.Dir()), "HEAD")))
	files := fault.Must(store.InCommit(ctx, repo, st.Dir(), commit))
	conf := fault.Must(st.Config())
	p = hub.Push{Repository: cmp.Or(name, st.Project()), Commit: commit, Defaults: record.Defaults{Project: st.Project(),
		Limits: record.Limits{Title: conf.Limits.Title, Section: conf.Limits.Section, File: conf.Limits.File}}}
	p.Older = func(there string) bool {
		base, err := repo.MergeBase(ctx, commit, there) // a commit that this clone does not have is no reason to refuse
		return err == nil && base == commit
	}
	objects := repo.Objects(ctx)
	for _, f := range files {
		p.Files = append(p.Files, hub.File{Path: f.Path, Blob: f.ID, Read: func() ([]byte, error) { return objects.Read(f.ID) }})
	}
	return p, objects.Close
}

func newHubStatus(a *session) *cobra.Command {
	return command("status [DSN]", "List the repositories in the hub that this role may read", mayHave("DSN"),
		a.withHub(0, func(ctx context.Context, h *hub.Hub, _ []string) error {
			s := fault.Must(h.Status(ctx))
			return a.print(s, func() string {
				var b strings.Builder
				for _, r := range s.Repositories {
					fmt.Fprintf(&b, "%-40s %.12s  %s  %7d\n", r.Name, r.Commit, r.Pushed, r.Records)
				}
				fmt.Fprintf(&b, "%s of %s, schema %d\n", fault.Count(s.Records, "record", "records"),
					fault.Count(len(s.Repositories), "repository", "repositories"), s.Schema)
				return b.String()
			})
		}))
}

func newHubGrant(a *session) *cobra.Command {
	return command("grant ROLE REPOSITORY [DSN]",
		"Let a role of the database read a repository in the hub", arguments("ROLE and REPOSITORY", 2, 3),
		a.withHub(2, func(ctx context.Context, h *hub.Hub, args []string) error {
			fault.Check(h.Grant(ctx, args[0], args[1]))
			return a.print(map[string]string{"role": args[0], "repository": args[1]}, func() string {
				return fmt.Sprintf("%s may read %s\n", args[0], args[1])
			})
		}))
}

func hubFlag(cmd *cobra.Command, on *bool) {
	cmd.Flags().BoolVar(on, "hub", false, "ask the hub of config.yaml: all repositories that you may read, at their default branches")
}

// noteMissed reports that an answer is this repository's only.
func (a *session) noteMissed(why error) {
	if why != nil {
		a.note("only this repository answers", why)
	}
}

func newRepos(a *session) *cobra.Command {
	return commandGroup("repos", "Name your other repositories, whose records --with reads too",
		newReposAdd(a), newReposList(a), newReposSync(a), newReposRemove())
}

func newReposAdd(a *session) *cobra.Command {
	var name string
	var always bool
	cmd := command("add PATH|URL", "Name a repository of this machine, or one that git fetches", oneArg("PATH|URL"),
		func(cmd *cobra.Command, args []string) error {
			r := fault.Must(repos.New(args[0], name))
			r.Always = always
			fault.Check(repos.Free(r))
			fault.Check(r.Fetch(cmd.Context()))
			fault.Check(repos.Add(r))
			return a.printRepos(cmd.Context(), []repos.Repository{r})
		})
	cmd.Flags().StringVar(&name, "name", "", "name of the repository (default: the last part of PATH or URL)")
	cmd.Flags().BoolVar(&always, "always", false, "read its records with every question, also without --with")
	return cmd
}

func newReposList(a *session) *cobra.Command {
	return command("list", "List your repositories with the commits at which they are read", noArgs,
		a.with(func(ctx context.Context, w *app.App, _ []string) error {
			return a.printRepos(ctx, fault.Must(repos.Known(w.Store)))
		}))
}

func newReposSync(a *session) *cobra.Command {
	return command("sync [NAME...]", "Fetch the repositories that have a URL now", nil,
		a.with(func(ctx context.Context, w *app.App, args []string) error {
			if len(args) == 0 {
				args = []string{repos.All}
			}
			all := fault.Must(repos.Chosen(w.Store, args, false))
			failed := repos.FetchAll(ctx, all)
			for _, err := range failed {
				a.note("fetch", err)
			}
			return exitIf(len(failed) > 0, exitFailed, a.printRepos(ctx, all))
		}))
}

func newReposRemove() *cobra.Command {
	return command("remove NAME", "Forget a repository and delete its clone; the repository itself stays", oneArg("NAME"),
		func(_ *cobra.Command, args []string) error { return repos.Remove(args[0]) })
}

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

func startFetch(dir string) func(names []string) error {
	return func(names []string) error {
		return startBehind(dir, append([]string{"repos", "sync", "--dir", dir, "--"}, names...)...)
	}
}

func withRepos(cmd *cobra.Command, names *string) {
	cmd.Flags().StringVar(names, "with", "", "read these repositories of sdd repos list too, all for each of them")
}
