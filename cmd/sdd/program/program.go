// Package program connects the user interfaces of sdd: the command line starts the others.
package program

import (
	"context"
	"os"

	"sdd/internal/app"
	"sdd/internal/cli"
	"sdd/internal/lsp"
	"sdd/internal/mcp"
	"sdd/internal/terminal"
	"sdd/internal/web"
)

// Main runs the command that os.Args names and returns the process's exit code.
func Main() int {
	return cli.Main(app.Faces{
		ServeStdio: mcp.ServeStdio, ServeHTTP: mcp.ServeHTTP, Tools: mcp.Tools, ServePage: web.Run, View: view,
		ServeEditor: lsp.Serve,
	})
}

func view(ctx context.Context, w *app.App, in, out *os.File, edit func(string) error, browse func(string) (string, bool, error)) error {
	return terminal.Run(ctx, w, terminal.Options{In: in, Out: out, Edit: edit, Browse: browse, Color: os.Getenv("NO_COLOR") == ""})
}
