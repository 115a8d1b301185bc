package setup

import (
	"net"
	"strings"

	"sdd/internal/fault"
)

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
	if host == "" {
		host = "127.0.0.1"
	}
	return net.JoinHostPort(host, port), nil
}
