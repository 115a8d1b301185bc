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
	cmd := command("ui", "Show the store in a browser: search, review, read, see what branches both change", noArgs,
		a.with(func(ctx context.Context, w *app.App, _ []string) error {
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
		}))
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
