package cli

import (
	"cmp"

	"github.com/spf13/cobra"

	"sdd/internal/app"
)

func newLSP(a *session) *cobra.Command {
	return command("lsp", "Serve an editor over the Language Server Protocol, on standard input and output", noArgs,
		func(cmd *cobra.Command, _ []string) error {
			open := func(dir string) (*app.App, error) {
				a.dir = cmp.Or(a.dir, dir)
				return a.uses()
			}
			version, _ := Version()
			return a.faces.ServeEditor(cmd.Context(), open, version, a.in, a.out, a.err)
		})
}
