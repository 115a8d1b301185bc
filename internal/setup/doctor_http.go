package setup

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"

	"sdd/internal/allow"
	"sdd/internal/codesearch/rag"
	"sdd/internal/fault"
)

// TokenVariable is the variable with the token of such a server.
const TokenVariable = "SDD_MCP_TOKEN"

// shownServer is a server's command line, or its address without secrets.
func shownServer(s rag.Server) string {
	if s.Command == "" {
		return shownURL(s.URL)
	}
	return strings.Join(start(s), " ")
}

// shownURL is an address without password, query and fragment.
func shownURL(text string) string {
	u, err := url.Parse(text)
	if err != nil {
		return "an address that cannot be read"
	}
	u.RawQuery, u.Fragment = "", ""
	return u.Redacted()
}

// Served is a server that the user asks doctor to check.
type Served struct {
	URL   string
	Token string // "" sends none
}

// server checks a server, and whether it refuses calls that it should refuse.
func (c *Checkup) server(ctx context.Context, to Served, version string) {
	at := shownURL(to.URL)
	with := rag.Server{URL: to.URL, Header: map[string]string{}}
	if to.Token != "" {
		with.Header["Authorization"] = "Bearer " + to.Token
	}
	p, err := probe(ctx, with, "")
	seen := Client{Client: "http", Command: at, probed: p}
	if err != nil {
		seen.Problem = err.Error()
	}
	c.Clients = append(c.Clients, seen)
	if err != nil {
		c.find("server", "", 0, at+": "+err.Error(), serverFix(err))
		return
	}
	c.ok("server: %s %s, %d tools over MCP %s in %d ms at %s", p.Name, p.Version, p.Tools, p.Protocol, p.Millis, at)
	if plain, _, _ := strings.Cut(version, " "); p.Name == driverName && p.Version != plain {
		c.find("client_version", "", 0, fmt.Sprintf("%s: the server that runs there is version %s; this is %s", at, p.Version, version),
			"start it again with this program, or use the one that it was started with")
	}
	const withToken = "start it with --token-file or " + TokenVariable
	switch {
	case to.Token != "":
		c.refuses(ctx, rag.Server{URL: to.URL}, "who has no token", "server_open", at+" answers without a token, too", withToken)
	case !allow.Local(to.URL):
		c.find("server_open", "", 0, at+" answers without a token, and not only on this machine", withToken)
	}
	with.Header["Origin"] = "https://other.example"
	c.refuses(ctx, with, "web pages of other sites", "server_origin", at+" answers web pages of other sites",
		"use sdd mcp --http, or let the proxy before it refuse them")
}

func (c *Checkup) refuses(ctx context.Context, to rag.Server, whom, code, text, fix string) {
	if _, err := probe(ctx, to, ""); err == nil {
		c.find(code, "", 0, text, fix)
		return
	}
	c.ok("server: refuses %s", whom)
}

// serverFix is what the user can do about a server that did not answer as one.
func serverFix(err error) string {
	refused, ok := errors.AsType[rag.Status](err)
	if !ok {
		return "start it there (sdd mcp --http), or correct the address"
	}
	switch refused {
	case http.StatusUnauthorized:
		return "give the token with --token-file or in " + TokenVariable
	case http.StatusForbidden:
		return "call it by an address, or start it with --allow-host and the name"
	case http.StatusNotFound:
		return "correct the path: it is /mcp, or /mcp/NAME for each --store NAME=FOLDER"
	}
	return "look at what the server writes to its standard error"
}

const (
	// DefaultHTTPAddr is where sdd mcp serves agents over HTTP when no port is named.
	DefaultHTTPAddr = "127.0.0.1:3411"
	// HTTPPath is the path of the one store; several have it with a slash and their name.
	HTTPPath = "/mcp"
)

// HTTPAddr completes an address: without a host it is this machine's own.
func HTTPAddr(addr string) (string, error) {
	if addr == "" {
		return DefaultHTTPAddr, nil
	}
	if !strings.Contains(addr, ":") {
		addr = ":" + addr
	}
	host, port, err := net.SplitHostPort(addr)
	if err != nil || port == "" || strings.ContainsFunc(port, func(r rune) bool { return r < '0' || r > '9' }) {
		return "", fault.New(fault.Invalid, "%q is no address with a port", fault.Cut(addr, 64)).For("http").
			With("give one like " + DefaultHTTPAddr)
	}
	return net.JoinHostPort(cmp.Or(host, "127.0.0.1"), port), nil
}
