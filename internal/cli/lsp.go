package cli

import (
	"cmp"

	"github.com/spf13/cobra"

	"sdd/internal/app"
)

func newLSP(a *session) *cobra.Command {
	return &cobra.Command{
		Use:   "lsp",
		Short: "Serve an editor over the Language Server Protocol, on standard input and output",
		Long: `Serve an editor over the Language Server Protocol 3.17, on standard input and output. In records it reports what sdd check
finds while the user types, completes names, places and headings, follows and renames links, and offers corrections. In code it
shows the records that concern a function or type. The text in the editor counts, saved or not. The server writes no file: every
correction is a change in the editor.`,
		Example: `  sdd lsp`,
		Args:    noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			open := func(dir string) (*app.App, error) {
				a.dir = cmp.Or(a.dir, dir)
				return a.uses()
			}
			version, _ := Version()
			return a.faces.ServeEditor(cmd.Context(), open, version, a.in, a.out, a.err)
		},
	}
}
