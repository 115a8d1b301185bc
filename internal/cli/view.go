package cli

import (
	"context"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/spf13/cobra"

	"sdd/internal/app"
	"sdd/internal/setup"
)

// setView makes the view the action of sdd without a command.
func (a *session) setView(root *cobra.Command) {
	var lists bool
	root.Flags().BoolVar(&lists, "plain", false, "print lists, also on a terminal, such as for a screen reader")
	var version bool
	root.Flags().BoolVar(&version, "version", false, "print the version")
	root.RunE = func(cmd *cobra.Command, _ []string) error {
		if version {
			return a.printVersion()
		}
		return a.runView(cmd.Context(), lists)
	}
}

func (a *session) runView(ctx context.Context, lists bool) error {
	w, err := a.uses()
	if err != nil {
		return err
	}
	in, out, ok := a.screen()
	if ok && !lists && !a.json && a.store.Exists() {
		page := viewPage{a: a, w: w}
		defer page.close()
		return a.faces.View(ctx, w, in, out, func(file string) error {
			return a.runEditor(filepath.Join(a.store.Dir(), filepath.FromSlash(file)))
		}, func(path string) (string, bool, error) { return page.show(ctx, path) })
	}
	o, err := w.Overview(ctx)
	if err != nil {
		return err
	}
	elsewhere, err := w.Elsewhere(ctx)
	if err != nil { // the overview is complete without other branches
		a.note("other branches could not be compared", err)
	}
	o.Conflicts = append(o.Conflicts, elsewhere...)
	return a.print(o, o.Text)
}

// screen returns the terminal; ok is true when input and output are one that can move its cursor.
func (a *session) screen() (in, out *os.File, ok bool) {
	in, _ = a.in.(*os.File)
	out, _ = a.out.(*os.File)
	return in, out, isTerminal(a.in) && isTerminal(a.out) && os.Getenv("TERM") != "dumb" && os.Getenv("TERM") != ""
}

// viewPage is the page that the view serves as soon as the user asks for it.
type viewPage struct {
	a       *session
	w       *app.App
	mu      sync.Mutex
	address string // with the token
	stop    context.CancelFunc
	done    chan error
}

// show shows a path of the page in a browser. It returns the address, and whether there is a browser.
func (p *viewPage) show(ctx context.Context, path string) (address string, shown bool, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	at := "&at=" + url.QueryEscape(path)
	if p.address != "" {
		base, _, _ := strings.Cut(p.address, "/?") // the browser has the cookie of the first time
		return p.address + at, openBrowser(base + (&url.URL{Path: path}).EscapedPath()), nil
	}
	ctx, p.stop = context.WithCancel(ctx)
	p.done = make(chan error, 1)
	ready := make(chan string, 1)
	go func() {
		p.done <- p.a.faces.ServePage(ctx, p.w, "127.0.0.1:0", setup.VersionText(Version()), func(address, once string) error {
			p.address = address
			ready <- once
			return nil
		})
	}()
	select {
	case once := <-ready:
		return p.address + at, openBrowser(once + at), nil
	case err := <-p.done:
		p.done <- err
		return "", false, err
	}
}

// close ends the page.
func (p *viewPage) close() {
	if p.stop != nil {
		p.stop()
		<-p.done
	}
}
