package cli

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"runtime"

	"github.com/spf13/cobra"

	"sdd/internal/app"
	"sdd/internal/setup"
)

func newUI(a *session) *cobra.Command {
	var addr string
	var noOpen bool
	cmd := &cobra.Command{
		Use:   "ui",
		Short: "Show the store in a browser: search, review, read, see what branches both change",
		Long: `Serve a page on this machine: search over every record, learnings, facts and candidates to review, explorations and
decisions with their history, what branches both change, problems, and what an agent would get. It follows
the files while it is open and works without JavaScript. The printed address holds a token that lets a browser in; who
does not know it, or is on another machine, is not let in. On a terminal a browser is opened. Ctrl-C ends it.`,
		Example: `  sdd ui
  sdd ui --addr 127.0.0.1:8080 --no-open`,
		Args: noArgs,
		RunE: a.with(func(ctx context.Context, w *app.App, _ []string) error {
			return a.faces.ServePage(ctx, w, addr, setup.VersionText(Version()), func(address, once string) error {
				w.Learnings.Keep(ctx)
				if err := a.print(uiStarted{address}, func() string { return address + "\n" }); err != nil {
					return err
				}
				if isTerminal(a.err) {
					fmt.Fprintln(a.err, "press Ctrl-C to end")
				}
				if !noOpen && isTerminal(a.out) {
					openBrowser(once)
				}
				return nil
			})
		}),
	}
	f := cmd.Flags()
	f.StringVar(&addr, "addr", "",
		"loopback address and port to serve on, port 0 for a free one (default: the project's own port if it is free)")
	f.BoolVar(&noOpen, "no-open", false, "print the address only, open no browser")
	return cmd
}

// uiStarted is the output of --json when the page is ready.
type uiStarted struct {
	Address string `json:"address"` // with the token
}

// openBrowser asks the desktop to show address. It returns false where there is no desktop.
func openBrowser(address string) bool {
	var cmd *exec.Cmd
	switch {
	case runtime.GOOS == "darwin":
		cmd = exec.Command("open", address)
	case runtime.GOOS == "windows":
		cmd = exec.Command("rundll32", "url.dll,FileProtocolHandler", address)
	case os.Getenv("DISPLAY") != "" || os.Getenv("WAYLAND_DISPLAY") != "":
		cmd = exec.Command("xdg-open", address)
	default:
		return false
	}
	if cmd.Start() != nil {
		return false
	}
	go cmd.Wait()
	return true
}
