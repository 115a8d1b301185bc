package cli

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"

	"github.com/spf13/cobra"

	"sdd/internal/app"
	"sdd/internal/fault"
	"sdd/internal/index"
	"sdd/internal/pattern"
	"sdd/internal/setup"
	"sdd/internal/store"
)

type mcpOptions struct {
	app.AgentOptions
	tokenFile string
	stores    []string // name=dir
}

func newMCP(a *session) *cobra.Command {
	var o mcpOptions
	cmd := command("mcp", "Serve agents over the Model Context Protocol, on standard input and output or over HTTP", noArgs,
		func(cmd *cobra.Command, _ []string) error {
			o.Version, _ = Version()
			if cmd.Flags().Changed("http") {
				return a.runHTTP(cmd.Context(), o)
			}
			for _, name := range []string{"token-file", "allow-host", "store"} {
				if cmd.Flags().Changed(name) {
					return fault.New(fault.Invalid, "--%s goes with --http", name).For(name).With("add --http " + setup.DefaultHTTPAddr)
				}
			}
			st, ix := a.open()
			return a.faces.ServeStdio(cmd.Context(), mount("", st, ix), o.AgentOptions, a.in, a.out, a.err)
		})
	f := cmd.Flags()
	f.StringSliceVar(&o.Toolsets, "toolsets", nil,
		"tools to list: default, all, compat, or explore, context, learn, decide, review, code, docs (default: default)")
	f.BoolVar(&o.AllowNet, "allow-net", false,
		"let agents look things up at any public address, not only at the hosts under docs in config.yaml")
	f.BoolVar(&o.Hub, "hub", false, "search and context ask the hub of config.yaml, and this repository where it does not answer")
	f.BoolVar(&o.ReadOnly, "read-only", false, "list and answer reading tools only")
	f.StringVar(&o.Addr, "http", "", "serve over HTTP on this address and port, like "+setup.DefaultHTTPAddr)
	f.StringArrayVar(&o.stores, "store", nil,
		"name=folder of a store to serve under /mcp/name; may be given more than once (default: the store of this folder, under /mcp)")
	f.StringVar(&o.tokenFile, "token-file", "", "file that holds the token that HTTP clients must send (default: "+setup.TokenVariable+")")
	f.StringSliceVar(&o.Hosts, "allow-host", nil, "host name by which HTTP clients may call the server, besides its addresses")
	return cmd
}

func mount(name string, st *store.Store, ix *index.Index) app.Mount {
	return app.Mount{Name: name, Store: st, Index: ix, Fetch: startFetch(st.Dir())}
}

func (a *session) runHTTP(ctx context.Context, o mcpOptions) error {
	o.Token = fault.Must(readToken(o.tokenFile))
	var mounts []app.Mount
	if len(o.stores) == 0 {
		st, ix := a.open()
		mounts = append(mounts, mount("", st, ix))
	}
	named := map[string]bool{}
	for _, given := range o.stores {
		name, dir, _ := strings.Cut(given, "=")
		if !storeName().MatchString(name) || dir == "" || named[name] {
			return fault.New(fault.Invalid, "--store %q is not a name of its own with a folder", given).For("store").
				With("give name=folder; names are of a-z, 0-9 and -, at most 64")
		}
		named[name] = true
		st := fault.Must(store.Open(store.Options{Dir: dir, Tool: "sdd"}))
		defer st.Close()
		ix := index.Open(st)
		defer ix.Close()
		mounts = append(mounts, mount(name, st, ix))
	}
	return a.faces.ServeHTTP(ctx, mounts, o.AgentOptions, a.err, func(urls []string) error {
		return a.print(map[string][]string{"urls": urls}, func() string { return strings.Join(urls, "\n") + "\n" })
	})
}

var storeName = pattern.Late(`^[a-z0-9][a-z0-9-]{0,63}$`)

const maxTokenFile = 4 << 10 // bytes

// readToken returns the token in the file; without a file, the one in the environment, which may be empty.
func readToken(file string) (string, error) {
	if file == "" {
		return os.Getenv(setup.TokenVariable), nil
	}
	data, err := os.ReadFile(file)
	if err != nil {
		return "", &fault.Error{Code: fault.Invalid, Arg: "token-file", Message: "the token cannot be read: " + err.Error(), Cause: err,
			Hint: "give a file that holds nothing but the token"}
	}
	token, problem := string(bytes.TrimSpace(data)), "more in it than a token"
	switch {
	case token == "":
		problem = "no token in it"
	case len(data) <= maxTokenFile:
		return token, nil
	}
	return "", fault.New(fault.Invalid, "the token file has %s", problem).
		For("token-file").With("give a file that holds nothing but the token, like the output of: openssl rand -hex 32")
}

func newLSP(a *session) *cobra.Command {
	return command("lsp", "Serve an editor over the Language Server Protocol, on standard input and output", noArgs,
		func(cmd *cobra.Command, _ []string) error {
			open := func(dir string) (w *app.App, err error) {
				defer fault.Caught(&err)
				a.dir = cmp.Or(a.dir, dir)
				w = a.uses()
				w.Tree.Patience = 0
				return w, nil
			}
			version, _ := Version()
			return a.faces.ServeEditor(cmd.Context(), open, version, a.in, a.out, a.err)
		})
}

func newUI(a *session) *cobra.Command {
	var addr string
	var noOpen bool
	cmd := command("ui", "Show the store in a browser: search, review, read, see what branches both change", noArgs,
		a.with(func(ctx context.Context, w *app.App, _ []string) error {
			w.Tree.Patience = 0
			return a.faces.ServePage(ctx, w, addr, setup.VersionText(Version()), func(address, once string) error {
				w.Learnings.Keep(ctx)
				if err := a.print(map[string]string{"address": address}, func() string { return address + "\n" }); err != nil { // with the token
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
	w := a.uses()
	in, out, ok := a.screen()
	if ok && !lists && !a.json && a.store.Exists() {
		page := viewPage{a: a, w: w}
		defer page.close()
		w.Tree.Patience = 0
		return a.faces.View(ctx, w, in, out, func(file string) error {
			return a.runEditor(filepath.Join(a.store.Dir(), filepath.FromSlash(file)))
		}, func(path string) (string, bool, error) { return page.show(ctx, path) })
	}
	o := fault.Must(w.Overview(ctx))
	elsewhere, err := w.Elsewhere(ctx)
	if err != nil { // the overview is complete without other branches
		a.note("other branches could not be compared", err)
	}
	o.Conflicts = append(o.Conflicts, elsewhere...)
	if text := setup.MissingDriver(ctx, a.store); o.Exists && text != "" {
		fmt.Fprintln(a.err, "note: "+text)
	}
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

func (p *viewPage) close() {
	if p.stop != nil {
		p.stop()
		<-p.done
	}
}
