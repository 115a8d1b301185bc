package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"sdd/internal/git"
	"sdd/internal/setup"
)

func newUninstall(a *session) *cobra.Command {
	var dryRun, purge bool
	cmd := command("uninstall", "Take everything of sdd out again, but for the records", noArgs,
		func(cmd *cobra.Command, _ []string) error {
			st, _, err := a.open()
			if err != nil {
				return err
			}
			root, pending := st.Dir(), len(st.Pending()) > 0
			a.close() // the store must not be written from here on
			a.store = nil
			here, err := setup.Here()
			if err != nil {
				return err
			}
			done, err := here.Uninstall(cmd.Context(), root, dryRun, purge, pending)
			return exitIf(done.Failed(), exitFailed, a.answerPainted(done, err, func(p *painter) { uninstalledText(p, done) }))
		})
	cmd.Flags().BoolVar(&dryRun, "dry-run", false, "show what would go, and change nothing")
	cmd.Flags().BoolVar(&purge, "purge", false, "delete the records of this project too, .sdd as a whole")
	return cmd
}

func uninstalledText(p *painter, u setup.Uninstalled) {
	changesText(p, u.Changes)
	verb := "removed"
	if u.DryRun {
		verb = "would be removed"
	}
	row := func(kind, what string) { p.line(plainText, fmt.Sprintf("%-16s %-17s %s", verb, kind, what)) }
	for _, h := range u.Hooks {
		row("hook", h.File)
	}
	for _, s := range u.Drivers.Settings {
		row("git config", s.Key)
	}
	if u.Drivers.Attributes != "" {
		repo, err := git.Open(u.Root)
		name := u.Drivers.Attributes
		if err == nil {
			name = attributesName(repo, name)
		}
		row("attributes", name)
	}
	for _, path := range u.Removed {
		row("file", path)
	}
	for _, what := range u.Left {
		path, why, _ := strings.Cut(what, ": ")
		p.line(plainText, fmt.Sprintf("%-16s %-17s %s", "stays", "", path))
		p.line(plainText, strings.Repeat(" ", 35)+why)
	}
	if u.DryRun {
		p.line(dim, "nothing was changed: this is what sdd uninstall would do")
	}
}
