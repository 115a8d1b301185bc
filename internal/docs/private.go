package docs

import (
	"net/url"
	"slices"
	"strings"

	"sdd/internal/allow"
	"sdd/internal/docs/fetch"
	"sdd/internal/store"
)

// A cloned project may name any host, and this machine reaches hosts that the project's author cannot. So the reader
// contacts a host with a private address only after the user has approved it on this machine.

// PrivateHosts are the hosts for which config.yaml permits private addresses, sorted.
func (s Settings) PrivateHosts() []string {
	if !s.AllowPrivate {
		return nil
	}
	var out []string
	for _, h := range s.Hosts {
		if !strings.HasPrefix(h, "*.") {
			out = append(out, strings.ToLower(strings.TrimSpace(h)))
		}
	}
	for _, location := range s.Sources {
		if u, err := url.Parse(location); err == nil && web().MatchString(location) {
			out = append(out, fetch.HostOf(u))
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// PrivateAccess is the permission that the user grants for a host with a private address.
func PrivateAccess(host string) allow.Command { return allow.Command{URL: "docs://" + host} }

// privateHost reports whether a host may have a private address.
func (s Settings) privateHost(host string) bool {
	return slices.Contains(s.PrivateHosts(), host) && allow.Open(store.Local(s.Dir)).Trusted(PrivateAccess(host))
}
