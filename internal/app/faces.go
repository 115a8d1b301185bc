package app

import (
	"context"
	"io"
	"os"

	"sdd/internal/index"
	"sdd/internal/store"
)

// Faces are the user interfaces. The main program passes them in, so that no interface imports another.
type Faces struct {
	// ServeStdio serves one agent over a pair of streams until the input or ctx ends. It writes defects to log.
	ServeStdio func(ctx context.Context, m Mount, o AgentOptions, in io.Reader, out, log io.Writer) error
	// ServeHTTP serves agents at o.Addr until ctx ends. It calls ready with the URLs once the port is open, and logs each request.
	ServeHTTP func(ctx context.Context, mounts []Mount, o AgentOptions, log io.Writer, ready func(urls []string) error) error
	// Tools returns the tools in the order of tools/list, without those of other servers.
	Tools func() []ToolInfo
	// ServePage shows a store in browsers until ctx ends. ready gets the page's address, and one for a single use: command lines can be seen.
	ServePage func(ctx context.Context, w *App, addr, version string, ready func(address, once string) error) error
	// View shows a store on a terminal until the user ends it. edit opens a file in the user's editor and waits; browse shows a path of the
	// page in a browser, and returns the address and whether there is a browser.
	View func(ctx context.Context, w *App, in, out *os.File, edit func(file string) error,
		browse func(path string) (string, bool, error)) error
	// ServeEditor serves one editor over streams until it sends exit, its process is gone, or the input or ctx ends. open opens the store
	// of the folder that the editor names, "" for none.
	ServeEditor func(ctx context.Context, open func(dir string) (*App, error), version string, in io.Reader, out, log io.Writer) error
}

// Mount is a store for agents.
type Mount struct {
	Name  string // the last part of its path over HTTP; "" for a server with this store only
	Store *store.Store
	Index *index.Index
	Fetch func(names []string) error // see App.FetchWith
}

// AgentOptions are the choices of the user who starts a server for agents.
type AgentOptions struct {
	Version  string
	Toolsets []string // the listed tools; empty means the default
	ReadOnly bool     // tools/list has no writing tools, and a call of one returns an error
	AllowNet bool     // sdd_docs may request pages of any public host
	Hub      bool     // search and context ask the hub of config.yaml

	Addr  string   // over HTTP: host and port; port 0 means any free one, no host means loopback
	Token string   // every HTTP request must send it; "" requires none, which only loopback allows
	Hosts []string // further names of the server in HTTP requests, besides its addresses
}

// ToolInfo describes a tool in the reference.
type ToolInfo struct {
	Name, Title, Description, Toolset string
	Aliases                           []string
	Writes                            bool
}
