package setup

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"sdd/internal/allow"
	"sdd/internal/pattern"
	"sdd/internal/store"
)

// An entry may have an address instead of a command: a server that the user started with sdd mcp --http. Doctor calls it as the client
// would, with the headers of the entry.

var (
	// errUntrusted means that the entry of a project is not called.
	errUntrusted = errors.New("it was not asked: " +
		"the project's file names an address that is not on this machine, or variables of yours to send there")
	// errUnknown means that a header of an entry is not complete.
	errUnknown = errors.New("it was not asked: what it sends along holds something that only the client knows")
)

// ask calls a server as its client would. It calls the address of a project's entry only on this machine and with no secret but the token
// of such servers, or when the user trusts it: a cloned repository must not choose who learns of this machine, and what.
func (e configured) ask(ctx context.Context, s Surroundings, root string) (probed, error) {
	to := remote{url: e.expand(s, root, e.server.remote.url), header: map[string]string{}}
	trusted := func() bool { return allow.Open(store.Local(root)).Trusted(allow.Of("", nil, nil, e.server.remote.url)) }
	if e.scope == ProjectScope && !e.quiet(to) && !trusted() {
		return probed{}, errUntrusted
	}
	for name, value := range e.server.remote.header {
		to.header[name] = e.expand(s, root, value)
		if missing := variable().FindString(to.header[name]); missing != "" {
			return probed{}, fmt.Errorf("%w: %s", errUnknown, missing)
		}
	}
	return probeHTTP(ctx, to)
}

// TokenVariable is the variable with the token of such a server.
const TokenVariable = "SDD_MCP_TOKEN"

// quiet reports whether nothing leaves this machine and no other secret is sent.
func (e configured) quiet(to remote) bool {
	parts := append(slices.Collect(maps.Values(e.server.remote.header)), e.server.remote.url)
	for _, part := range parts {
		for _, whole := range variable().FindAllString(part, -1) {
			name, _, _ := strings.Cut(strings.TrimPrefix(strings.Trim(whole, "${}"), "env:"), ":-")
			if name != TokenVariable && !strings.HasPrefix(name, "input:") {
				return false
			}
		}
	}
	return to.loopback()
}

var bare = pattern.Late(`\$([A-Za-z_][A-Za-z0-9_]*)`)

// brace adds the braces to variables, which Gemini CLI takes without them too.
func (r *remote) brace() {
	r.url = bare().ReplaceAllString(r.url, "$${$1}")
	for name, value := range r.header {
		r.header[name] = bare().ReplaceAllString(value, "$${$1}")
	}
}

// line is the command, or the address without secrets.
func (s server) line() string {
	if s.command == "" {
		return shownURL(s.remote.url)
	}
	return strings.Join(s.start(), " ")
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

// reportAddress adds the reason why a client gets nothing from an address.
func (c *Checkup) reportAddress(e configured, file string, err error) {
	who := e.client.name
	code, fix := "client_address", remoteFix(err)
	switch {
	case errors.Is(err, errUnknown):
		c.ok("%s: %q at %s %v (%s, %s)", who, e.name, e.server.line(), err, e.scope, file)
		return
	case errors.Is(err, errUntrusted):
		code, fix = "client_not_asked", "look at it, and run sdd trust "+e.name+" if it is to be asked"
	}
	c.find(code, file, e.line, fmt.Sprintf("%s gets no tools from %q at %s: %v", who, e.name, e.server.line(), err), fix)
}

// remoteFix is what the user can do about a server that did not answer as one.
func remoteFix(err error) string {
	refused := errRefused{}
	if !errors.As(err, &refused) {
		return "start it there (sdd mcp --http), or correct the address"
	}
	switch refused.status {
	case http.StatusUnauthorized:
		return "send the token that the server was started with, as the header \"Authorization: Bearer TOKEN\""
	case http.StatusForbidden:
		return "call it by an address, or start it with --allow-host and the name"
	case http.StatusNotFound:
		return "correct the path: it is /mcp, or /mcp/NAME for each --store NAME=FOLDER"
	}
	return "look at what the server writes to its standard error"
}

// otherServer finds a server of another version than this program's.
func (c *Checkup) otherServer(p probed, who, file string, line int, version string) {
	if plain, _, _ := strings.Cut(version, " "); p.Name == driverName && p.Version != plain {
		text := fmt.Sprintf("%s: the server that runs there is version %s; this is %s", who, cutText(p.Version), version)
		c.find("client_version", file, line, text, "start it again with this program, or use the one that it was started with")
	}
}

// Served is a server that the user asks doctor to check.
type Served struct {
	URL   string
	Token string // "" sends none
}

// server checks a server, and whether it refuses calls that it should refuse.
func (c *Checkup) server(ctx context.Context, to Served, version string) {
	at := shownURL(to.URL)
	plain := remote{url: to.URL, header: map[string]string{}}
	with := remote{url: to.URL, header: map[string]string{}}
	if to.Token != "" {
		with.header["Authorization"] = "Bearer " + to.Token
	}
	p, err := probeHTTP(ctx, with)
	seen := Client{Client: "http", Command: at, Protocol: p.Protocol, Tools: p.Tools, Millis: p.Time.Milliseconds()}
	if err != nil {
		seen.Problem = err.Error()
		c.Clients = append(c.Clients, seen)
		fix := remoteFix(err)
		if refused := (errRefused{}); errors.As(err, &refused) && refused.status == http.StatusUnauthorized {
			fix = "give the token with --token-file or in " + TokenVariable
		}
		c.find("server", "", 0, at+": "+err.Error(), fix)
		return
	}
	c.Clients = append(c.Clients, seen)
	c.ok("server: %s %s, %d tools over MCP %s in %d ms at %s", cutText(p.Name), cutText(p.Version), p.Tools, p.Protocol, seen.Millis, at)
	c.otherServer(p, at, "", 0, version)
	const withToken = "start it with --token-file or " + TokenVariable
	switch {
	case to.Token != "":
		c.refuses(ctx, plain, "who has no token", "server_open", at+" answers without a token, too", withToken)
	case !plain.loopback():
		c.find("server_open", "", 0, at+" answers without a token, and not only on this machine", withToken)
	}
	with.header["Origin"] = "https://other.example"
	c.refuses(ctx, with, "web pages of other sites", "server_origin", at+" answers web pages of other sites",
		"use sdd mcp --http, or let the proxy before it refuse them")
}

// refuses checks that a server refuses a call.
func (c *Checkup) refuses(ctx context.Context, to remote, whom, code, text, fix string) {
	if _, err := probeHTTP(ctx, to); err == nil {
		c.find(code, "", 0, text, fix)
		return
	}
	c.ok("server: refuses %s", whom)
}
