package cli

import (
	"bytes"
	"context"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"sdd/internal/app"
	"sdd/internal/fault"
	"sdd/internal/index"
	"sdd/internal/pattern"
	"sdd/internal/setup"
	"sdd/internal/store"
)

// mcpOptions are the flags of sdd mcp.
type mcpOptions struct {
	app.AgentOptions
	tokenFile string
	stores    []string // name=dir
}

func newMCP(a *session) *cobra.Command {
	var o mcpOptions
	cmd := command("mcp", "Serve agents over the Model Context Protocol, on standard input and output or over HTTP", noArgs,
		func(cmd *cobra.Command, _ []string) error {
			if cmd.Flags().Changed("http") {
				return a.runHTTP(cmd.Context(), o)
			}
			for _, name := range []string{"token-file", "allow-host", "store"} {
				if cmd.Flags().Changed(name) {
					return fault.New(fault.Invalid, "--%s goes with --http", name).For(name).With("add --http " + setup.DefaultHTTPAddr)
				}
			}
			return a.runMCP(cmd.Context(), o.AgentOptions)
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

func (a *session) runMCP(ctx context.Context, o app.AgentOptions) error {
	st, ix, err := a.open()
	if err != nil {
		return err
	}
	o.Version, _ = Version()
	return a.faces.ServeStdio(ctx, app.Mount{Store: st, Index: ix, Fetch: startFetch(st.Dir())}, o, a.in, a.out, a.err)
}

// mcpStarted is the output of --json when the server is ready.
type mcpStarted struct {
	URLs []string `json:"urls"`
}

func (a *session) runHTTP(ctx context.Context, o mcpOptions) error {
	var err error
	if o.Token, err = readToken(o.tokenFile); err != nil {
		return err
	}
	o.Version, _ = Version()
	var mounts []app.Mount
	if len(o.stores) == 0 {
		st, ix, err := a.open()
		if err != nil {
			return err
		}
		mounts = append(mounts, app.Mount{Store: st, Index: ix, Fetch: startFetch(st.Dir())})
	}
	named := map[string]bool{}
	for _, given := range o.stores {
		name, dir, _ := strings.Cut(given, "=")
		if !storeName().MatchString(name) || dir == "" || named[name] {
			return fault.New(fault.Invalid, "--store %q is not a name of its own with a folder", given).For("store").
				With("give name=folder; names are of a-z, 0-9 and -, at most 64")
		}
		named[name] = true
		st, err := store.Open(store.Options{Dir: dir, Tool: "sdd"})
		if err != nil {
			return err
		}
		defer st.Close()
		ix := index.Open(st)
		defer ix.Close()
		mounts = append(mounts, app.Mount{Name: name, Store: st, Index: ix, Fetch: startFetch(st.Dir())})
	}
	return a.faces.ServeHTTP(ctx, mounts, o.AgentOptions, a.err, func(urls []string) error {
		return a.print(mcpStarted{urls}, func() string { return strings.Join(urls, "\n") + "\n" })
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
	token, problem := string(bytes.TrimSpace(data)), ""
	switch {
	case token == "":
		problem = "no token in it"
	case len(data) > maxTokenFile:
		problem = "more in it than a token"
	default:
		return token, nil
	}
	return "", fault.New(fault.Invalid, "the token file has %s", problem).
		For("token-file").With("give a file that holds nothing but the token, like the output of: openssl rand -hex 32")
}
