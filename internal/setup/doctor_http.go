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

// An entry may name an address instead of a command: a server that somebody started with sdd mcp --http. It is asked as its
// client would ask it, with the headers of the entry.

var (
	// errUntrusted says that an entry of a project is not asked.
	errUntrusted = errors.New("it was not asked: the project's file names an address that is not on this machine, or variables of yours to send there")
	// errUnknown says that a header of an entry is not complete.
	errUnknown = errors.New("it was not asked: what it sends along holds something that only the client knows")
)

// ask asks a server as its client would. What a file of the project names is asked where it is on this machine and is sent
// nothing but the token of such servers, or where somebody said so: a repository that is cloned is not to say who hears of this
// machine, and what.
func (e configured) ask(ctx context.Context, s Surroundings, root string) (probed, error) {
	to := remote{url: e.expand(s, root, e.server.remote.url), header: map[string]string{}}
	if e.scope == ProjectScope && !e.quiet(to) && !allow.Open(store.Local(root)).Trusted(allow.Of("", nil, nil, e.server.remote.url)) {
		return probed{}, errUntrusted
	}
	for name, value := range e.server.remote.header {
		to.header[name] = e.expand(s, root, value)
		if variable().MatchString(to.header[name]) {
			return probed{}, fmt.Errorf("%w: %s", errUnknown, variable().FindString(to.header[name]))
		}
	}
	return probeHTTP(ctx, to)
}

// TokenVariable is the variable that holds the token of such a server.
const TokenVariable = "SDD_MCP_TOKEN"

// quiet reports whether nothing leaves this machine and no secret of somebody else is sent.
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

// brace writes variables as the others do. Gemini CLI takes them without braces, too.
func (r *remote) brace() {
	r.url = bare().ReplaceAllString(r.url, "$${$1}")
	for name, value := range r.header {
		r.header[name] = bare().ReplaceAllString(value, "$${$1}")
	}
}

// line is the command, or the address without what may be secret in it.
func (s server) line() string {
	if s.command == "" {
		return shownURL(s.remote.url)
	}
	return strings.Join(s.start(), " ")
}

// shownURL is an address without a password and without what follows the path.
func shownURL(text string) string {
	u, err := url.Parse(text)
	if err != nil {
		return "an address that cannot be read"
	}
	u.RawQuery, u.Fragment = "", ""
	return u.Redacted()
}

// tellRemote adds why a client gets nothing from an address.
func (c *Checkup) tellRemote(e configured, file string, err error) {
	who := e.client.name
	code, fix := "client_address", remoteFix(err)
	switch {
	case errors.Is(err, errUnknown):
		c.Checked = append(c.Checked, fmt.Sprintf("%s: %q at %s %v (%s, %s)", who, e.name, e.server.line(), err, e.scope, file))
		return
	case errors.Is(err, errUntrusted):
		code, fix = "client_not_asked", "look at it, and run sdd trust "+e.name+" if it is to be asked"
	}
	c.find(code, file, e.line, fmt.Sprintf("%s gets no tools from %q at %s: %v", who, e.name, e.server.line(), err), fix)
}

// remoteFix says what to do about a server that did not answer as one.
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

// otherServer looks whether a server is of another version than this program.
func (c *Checkup) otherServer(p probed, who, file string, line int, version string) {
	if plain, _, _ := strings.Cut(version, " "); p.Name == driverName && p.Version != plain {
		c.find("client_version", file, line, fmt.Sprintf("%s: the server that runs there is version %s; this is %s", who, cutText(p.Version), version), "start it again with this program, or use the one that it was started with")
	}
}

// Served is a server that was named to doctor.
type Served struct {
	URL   string
	Token string // "" sends none
}

// server asks a server that a person named, and looks whether it lets in whom it should not.
func (c *Checkup) server(ctx context.Context, to Served, version string) {
	seen := Client{Client: "http", Command: shownURL(to.URL)}
	plain := remote{url: to.URL, header: map[string]string{}}
	with := remote{url: to.URL, header: map[string]string{}}
	if to.Token != "" {
		with.header["Authorization"] = "Bearer " + to.Token
	}
	p, err := probeHTTP(ctx, with)
	seen.Protocol, seen.Tools, seen.Millis = p.Protocol, p.Tools, p.Time.Milliseconds()
	if err != nil {
		seen.Problem = err.Error()
		c.Clients = append(c.Clients, seen)
		fix := remoteFix(err)
		if refused := (errRefused{}); errors.As(err, &refused) && refused.status == http.StatusUnauthorized {
			fix = "give the token with --token-file or in " + TokenVariable
		}
		c.find("server", "", 0, seen.Command+": "+err.Error(), fix)
		return
	}
	c.Clients = append(c.Clients, seen)
	c.Checked = append(c.Checked, fmt.Sprintf("server: %s %s, %d tools over MCP %s in %d ms at %s", cutText(p.Name), cutText(p.Version), p.Tools, p.Protocol, seen.Millis, seen.Command))
	c.otherServer(p, seen.Command, "", 0, version)
	if to.Token != "" {
		if _, err := probeHTTP(ctx, plain); err == nil {
			c.find("server_open", "", 0, seen.Command+" answers without a token, too", "start it with --token-file or "+TokenVariable)
		} else {
			c.Checked = append(c.Checked, "server: refuses who has no token")
		}
	} else if !plain.loopback() {
		c.find("server_open", "", 0, seen.Command+" answers without a token, and not only on this machine", "start it with --token-file or "+TokenVariable)
	}
	with.header["Origin"] = "https://other.example"
	if _, err := probeHTTP(ctx, with); err == nil {
		c.find("server_origin", "", 0, seen.Command+" answers web pages of other sites", "use sdd mcp --http, or let the proxy before it refuse them")
	} else {
		c.Checked = append(c.Checked, "server: refuses web pages of other sites")
	}
}
