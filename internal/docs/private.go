package docs

import (
	"net/url"
	"slices"
	"strings"

	"sdd/internal/allow"
	"sdd/internal/docs/fetch"
	"sdd/internal/store"
)

// A project that is cloned may name any host, and this machine reaches hosts that its author does not. So what has a private
// address is asked only after a person has said so on this machine.

// PrivateHosts are the hosts that config.yaml names and lets have private addresses, sorted.
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

// PrivateAccess is what is trusted where a host may have a private address.
func PrivateAccess(host string) allow.Command { return allow.Command{URL: "docs://" + host} }

// privateHost reports whether a host may have a private address.
func (s Settings) privateHost(host string) bool {
	return slices.Contains(s.PrivateHosts(), host) && allow.Open(store.Local(s.Dir)).Trusted(PrivateAccess(host))
}
