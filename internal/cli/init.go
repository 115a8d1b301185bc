package cli

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"sdd/internal/app"
	"sdd/internal/codesearch"
	"sdd/internal/config"
	"sdd/internal/fault"
	"sdd/internal/git"
	"sdd/internal/setup"
	"sdd/internal/store"
)

func newInit(a *session) *cobra.Command {
	var remove, code, unignore bool
	cmd := command("init", "Make the .sdd store and let git merge and show records with sdd", noArgs,
		a.with(func(ctx context.Context, w *app.App, _ []string) error {
			if remove {
				return a.removeDrivers(ctx, w.Store)
			}
			return a.init(ctx, w.Store, code, unignore)
		}))
	cmd.Flags().BoolVar(&code, "code", false, "put the semantic code search that was found into config.yaml")
	cmd.Flags().BoolVar(&unignore, "unignore", false, "where git ignores .sdd, add to .gitignore the line that makes git take the records")
	cmd.Flags().BoolVar(&remove, "remove-drivers", false,
		"take what init set out of this clone's git configuration and attributes, and do nothing else")
	return cmd
}

// initResult is the answer of sdd init.
type initResult struct {
	Root    string        `json:"root"`
	Project string        `json:"project"`
	Created []string      `json:"created"`
	Git     setup.Drivers `json:"git"` // what was changed in this clone
	Code    codeFound     `json:"code"`
	Added   []string      `json:"added"` // lines to .gitignore
}

// codeFound is the way of searching code.
type codeFound struct {
	codesearch.Detection
	Written bool `json:"written"` // into config.yaml, just now
}

func (a *session) init(ctx context.Context, st *store.Store, code, unignore bool) error {
	made, err := st.Ensure()
	if err != nil {
		return err
	}
	out := initResult{Root: st.Dir(), Project: st.Project(), Created: made, Git: setup.Drivers{Settings: []git.Setting{}}, Added: []string{}}
	if out.Created == nil {
		out.Created = []string{}
	}
	repo, err := git.Open(st.Dir())
	if err == nil { // else there is no work tree, and nothing to set
		if out.Git, err = setup.SetDrivers(ctx, repo); err != nil { // the store can still be used
			a.note("git will merge records as text", err)
		}
	}
	if err := a.unignore(ctx, &out, unignore); err != nil {
		return err
	}
	if out.Code, err = a.detectCode(ctx, code); err != nil {
		return err
	}
	return a.print(out, func() string { return out.text(repo) + out.Code.text() })
}

// unignore makes git take the records when asked, else notes on standard error when git ignores them.
func (a *session) unignore(ctx context.Context, out *initResult, asked bool) error {
	if asked {
		added, err := setup.Unignore(ctx, a.store)
		out.Added = append(out.Added, added...)
		return err
	}
	switch i, err := a.store.Ignored(ctx); {
	case i != nil:
		a.note(store.Folder+" is not shared", fault.New(fault.Conflict, "%s", i.Text()).With(i.Fix()))
	case err != nil && !fault.Is(err, fault.Unavailable): // without git there is nothing to note
		a.note("git does not tell what it ignores", err)
	}
	return nil
}

// detectCode finds the way of searching code, and with write puts it into config.yaml.
func (a *session) detectCode(ctx context.Context, write bool) (codeFound, error) {
	cfg, err := a.store.Config()
	if err != nil {
		fmt.Fprintln(a.err, "note: code is searched by grep: "+a.safe(fault.Of(err).Error()))
		return codeFound{Detection: codesearch.Detection{Mode: codesearch.ModeGrep}}, nil
	}
	f := codeFound{Detection: codesearch.Detect(ctx, a.store.Dir(), cfg)}
	if write {
		f.Written, err = f.Adopt(a.store.Dir())
	}
	return f, err
}

func (f codeFound) text() string {
	out := f.Text()
	switch section := f.Section(); {
	case f.Written:
		out += "it is in " + store.Folder + "/" + config.Name + " now\n"
	case section != "":
		out += "it is asked once " + store.Folder + "/" + config.Name + " holds this, which sdd init --code puts there:\n" + section
	}
	return out
}

func (i initResult) text(repo *git.Repo) string {
	out := "the store is there: " + i.Root + "/" + store.Folder + " (project " + i.Project + ")\n"
	if len(i.Created) > 0 {
		out = "made " + strings.Join(i.Created, ", ") + " in " + i.Root + " (project " + i.Project + ")\n"
	}
	if len(i.Added) > 0 {
		out += "git takes the records now; added to .gitignore: " + strings.Join(i.Added, " ") + "\n"
	}
	if i.Git.Changed() {
		out += "git merges and shows records with sdd in this clone; set:\n" + driversText(i.Git, repo)
	}
	return out
}

func (a *session) removeDrivers(ctx context.Context, st *store.Store) error {
	repo, err := git.Open(st.Dir())
	if err != nil {
		return err
	}
	done, err := setup.RemoveDrivers(ctx, repo)
	return a.answerWith(done, err, func() string {
		if !done.Changed() {
			return "nothing of sdd is set in this clone\n"
		}
		return "git merges and shows records as text in this clone; taken out:\n" + driversText(done, repo)
	})
}

func driversText(d setup.Drivers, repo *git.Repo) string {
	var b strings.Builder
	for _, s := range d.Settings {
		fmt.Fprintf(&b, "  git config %s\n", s.Key)
	}
	if d.Attributes != "" {
		fmt.Fprintf(&b, "  a block in %s\n", attributesName(repo, d.Attributes))
	}
	return b.String()
}

// attributesName is the file of a clone's own attributes, relative to its top if inside.
func attributesName(repo *git.Repo, path string) string {
	if rel, err := filepath.Rel(repo.Top, path); err == nil && filepath.IsLocal(rel) {
		path = filepath.ToSlash(rel)
	}
	return path
}
