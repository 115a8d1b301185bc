package cli

import (
	"strings"

	"github.com/spf13/cobra"

	"sdd/internal/mcpserver"
)

// newMCPFixture serves the protocol's conformance suite, which checks the transport, see .ci/conformance. It has no store.
func newMCPFixture(a *app) *cobra.Command {
	var addr string
	cmd := &cobra.Command{
		Use:    "mcp-fixture",
		Short:  "Serve what the conformance suite of the Model Context Protocol asks for",
		Hidden: true,
		Args:   noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return mcpserver.ServeFixture(cmd.Context(), addr, a.err, func(urls []string) error {
				return a.print(mcpStarted{urls}, func() string { return strings.Join(urls, "\n") + "\n" })
			})
		},
	}
	cmd.Flags().StringVar(&addr, "http", "127.0.0.1:0", "address and port")
	return cmd
}
