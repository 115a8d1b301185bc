package cli

import (
	"github.com/spf13/cobra"

	"sdd/internal/setup"
)

func newDoctor(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "doctor",
		Short: "Look for what is missing or broken and say how to mend it",
		Long: `Look at git, the store, its configuration, the watcher and every record, and start the server as each MCP client that has
an entry for it would: what it sees, or why it sees nothing. Clients of sdd mcp --http are not asked. The exit code is 5 when there is something to mend.`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			w, err := a.uses()
			if err != nil {
				return err
			}
			c, err := setup.Doctor(cmd.Context(), w.Store, w.Index, setup.VersionText(Version()))
			if err != nil {
				return err
			}
			s, err := w.Status(cmd.Context())
			if err != nil {
				return err
			}
			c.Checked = append(c.Checked, s.Lines()...)
			if err := a.print(c, c.Text); err != nil {
				return err
			}
			if len(c.Findings) > 0 {
				return errFindings
			}
			return nil
		},
	}
}
