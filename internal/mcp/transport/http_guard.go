package transport

import (
	"crypto/sha256"
	"crypto/subtle"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"

	"sdd/internal/fault"
	"sdd/internal/setup"
)

// Any page in a browser can send requests to this machine. So Host must be a name of this server (an attacker can re-bind a
// domain to this machine, but not these names), and Origin, if present, must be this server's own site. A server that other
// machines can reach also requires the token.

type guard struct {
	token *[sha256.Size]byte // nil requires none
	names []string           // names of the server in requests
	own   []string           // those of --allow-host
	any   bool               // accepts any address as a name too: an attacker cannot re-bind one
}

func newGuard(addr net.Addr, o HTTPOptions) (guard, error) {
	g := guard{names: []string{"localhost", "127.0.0.1", "::1"}}
	if o.Token != "" {
		if !setup.UsableToken(o.Token) {
			return guard{}, fault.New(fault.Invalid, "the token is shorter than %d characters, or holds others than visible ASCII", setup.MinToken).
				With("make one with: openssl rand -hex 32")
		}
		sum := sha256.Sum256([]byte(o.Token))
		g.token = &sum
	}
	if ip, err := netip.ParseAddrPort(addr.String()); err == nil && ip.Addr().Unmap().IsLoopback() {
		g.names = append(g.names, ip.Addr().Unmap().String())
	} else {
		if g.token == nil {
			return guard{}, fault.New(fault.Invalid, "%s can be reached by other machines, and there is no token", addr).For("http").
				With("give --token-file or SDD_MCP_TOKEN, or listen on 127.0.0.1")
		}
		g.any = true
	}
	for _, name := range o.Hosts {
		if u, err := url.Parse("http://" + name); err != nil || u.Hostname() == "" || u.Host != name {
			return guard{}, fault.New(fault.Invalid, "%q is no host name", fault.Cut(name, 64)).For("allow-host").
				With("give names without scheme and path, like mcp.example.org")
		}
		name, _ := splitHost(name)
		g.own = append(g.own, name)
	}
	g.names = append(g.names, g.own...)
	return g, nil
}

type refusal struct {
	status    int
	why       string
	challenge string // the header to send with 401
}

// check returns nil for an acceptable request. It reads only the header.
func (g *guard) check(r *http.Request) *refusal {
	name, port := splitHost(r.Host)
	if !g.known(name) {
		return &refusal{status: http.StatusForbidden, why: "this server does not answer to the name in Host; --allow-host adds one"}
	}
	if !g.ownOrigin(r.Header.Values("Origin"), r.Host, port) {
		return &refusal{status: http.StatusForbidden, why: "requests from other sites are not answered"}
	}
	if g.token == nil {
		return nil
	}
	given := r.Header.Values("Authorization")
	if len(given) == 0 {
		return &refusal{http.StatusUnauthorized, "a bearer token is required", `Bearer realm="sdd"`}
	}
	scheme, token, _ := strings.Cut(given[0], " ")
	sum := sha256.Sum256([]byte(strings.TrimSpace(token)))
	if len(given) > 1 || !strings.EqualFold(scheme, "Bearer") || subtle.ConstantTimeCompare(sum[:], g.token[:]) != 1 {
		return &refusal{http.StatusUnauthorized, "the bearer token is not the one of this server", `Bearer realm="sdd", error="invalid_token"`}
	}
	return nil
}

func (g *guard) known(name string) bool {
	if slices.Contains(g.names, name) {
		return true
	}
	_, err := netip.ParseAddr(name)
	return g.any && err == nil
}

// ownOrigin reports whether the request has no Origin or this server as its Origin.
func (g *guard) ownOrigin(origins []string, host, port string) bool {
	if len(origins) == 0 {
		return true
	}
	u, err := url.Parse(origins[0])
	if err != nil || len(origins) > 1 || u.Scheme != "http" && u.Scheme != "https" || u.User != nil {
		return false
	}
	if strings.EqualFold(u.Host, host) {
		return true
	}
	name, at := splitHost(u.Host)
	return slices.Contains(g.own, name) || at == port && !g.any && g.known(name)
}

// splitHost splits a Host. The name is in lower case and without brackets.
func splitHost(host string) (name, port string) {
	name, port, err := net.SplitHostPort(host)
	if err != nil {
		name, port = host, ""
	}
	return strings.ToLower(strings.Trim(name, "[]")), port
}
