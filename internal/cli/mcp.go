package cli

import (
	"context"

	"github.com/spf13/cobra"

	"sdd/internal/mcpserver"
)

func newMCP(a *app) *cobra.Command {
	var o mcpserver.Options
	cmd := &cobra.Command{
		Use:   "mcp",
		Short: "Serve agents over the Model Context Protocol on standard input and output",
		Args:  noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.runMCP(cmd.Context(), o)
		},
	}
	f := cmd.Flags()
	f.StringSliceVar(&o.Toolsets, "toolsets", nil, "tools to list: default, all, compat, or explore, learn, code, docs (default: default)")
	f.BoolVar(&o.AllowNet, "allow-net", false, "let agents look things up at any public address, not only at the hosts under docs in config.yaml")
	f.BoolVar(&o.ReadOnly, "read-only", false, "list and answer reading tools only")
	return cmd
}

func (a *app) runMCP(ctx context.Context, o mcpserver.Options) error {
	st, ix, err := a.open()
	if err != nil {
		return err
	}
	o.Version, _ = Version()
	o.OnLearning = startHook(st.Dir())
	return mcpserver.ServeStdio(ctx, st, ix, o, a.in, a.out, a.err)
}
