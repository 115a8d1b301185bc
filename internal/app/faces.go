package app

import (
	"context"
	"io"
	"os"

	"sdd/internal/index"
	"sdd/internal/store"
)

// Faces are what the command line starts. The program hands them in, so that no face imports another.
type Faces struct {
	// ServeStdio answers one agent over a pair of streams until the input ends or ctx does. log gets the defects.
	ServeStdio func(ctx context.Context, m Mount, o AgentOptions, in io.Reader, out, log io.Writer) error
	// ServeHTTP answers agents at o.Addr until ctx ends. It calls ready with the URLs when the port is there. log gets a line for
	// each request.
	ServeHTTP func(ctx context.Context, mounts []Mount, o AgentOptions, log io.Writer, ready func(urls []string) error) error
	// Tools returns the tools in the order in which they are listed, without those of other servers.
	Tools func() []ToolInfo
	// ServePage shows a store in browsers of this machine until ctx ends. It calls ready with the page's address, and with one that is
	// good for one use: other users of the machine see the command lines of programs.
	ServePage func(ctx context.Context, w *App, addr, version string, ready func(address, once string) error) error
	// View shows a store on a terminal until the user ends it. edit opens a file in the user's editor and waits.
	View func(ctx context.Context, w *App, in, out *os.File, edit func(file string) error) error
}

// Mount is a store that agents can use.
type Mount struct {
	Name       string // the last part of its path over HTTP; "" for a server with this store only
	Store      *store.Store
	Index      *index.Index
	OnLearning func() error // see learning.Hooked; nil runs no hook
}

// AgentOptions are what the person who serves agents chooses.
type AgentOptions struct {
	Version  string
	Toolsets []string // the tools to list; none means the default
	ReadOnly bool     // tools that write are not listed and answer an error
	AllowNet bool     // sdd_docs may ask any public host

	Addr  string   // over HTTP: host and port, port 0 for any; without a host it is loopback
	Token string   // that every HTTP request must bear; "" asks for none, which is allowed on loopback only
	Hosts []string // names by which HTTP requests may call the server, besides its addresses
}

// ToolInfo describes a tool for the reference.
type ToolInfo struct {
	Name, Title, Description, Toolset string
	Aliases                           []string
	Writes                            bool
}
