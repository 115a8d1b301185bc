package fetch

import (
	"encoding/binary"
	"net/netip"
	"sync"
)

// reach is the kind of machines that an address leads to.
type reach int

const (
	never   reach = iota // the client never connects: metadata services, link-local, multicast, reserved
	private              // this machine, or a network that is not public
	public
)

// ranges are the special addresses of IANA's registries (RFC 6890 and its successors) that the methods of
// netip.Addr do not cover.
var ranges = sync.OnceValue(func() map[reach][]netip.Prefix {
	out := map[reach][]netip.Prefix{}
	for r, list := range map[reach][]string{
		private: {"100.64.0.0/10"}, // shared by the customers of a provider
		never: {
			"100.100.100.200/32", "fd00:ec2::254/128", "fd20:ce::254/128", "168.63.129.16/32", // metadata of clouds; that of most is link-local
			"0.0.0.0/8", "192.0.0.0/24", "192.0.2.0/24", "192.88.99.0/24", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24", "240.0.0.0/4",
			"2001::/23", "2001:db8::/32", "3fff::/20",
		},
	} {
		for _, s := range list {
			out[r] = append(out[r], netip.MustParsePrefix(s))
		}
	}
	return out
})

// reachOf returns the reach of an address. An IPv6 address that contains an IPv4 address has that one's reach, but is
// not public itself.
func reachOf(a netip.Addr) reach {
	if !a.IsValid() || a.Zone() != "" {
		return never
	}
	a = a.Unmap()
	for _, p := range ranges()[never] {
		if p.Contains(a) {
			return never
		}
	}
	switch {
	case a.IsLinkLocalUnicast(), a.IsMulticast(), a.IsUnspecified():
		return never
	case a.IsLoopback(), a.IsPrivate():
		return private
	}
	for _, p := range ranges()[private] {
		if p.Contains(a) {
			return private
		}
	}
	if a.Is4() {
		return public
	}
	b := a.As16()
	if first := binary.BigEndian.Uint16(b[:]); first == 0x2002 { // 6to4
		return reachOf(netip.AddrFrom4([4]byte(b[2:6])))
	} else if first>>13 == 1 { // 2000::/3, all assigned addresses
		return public
	}
	if wellKnown := netip.MustParsePrefix("64:ff9b::/96"); wellKnown.Contains(a) { // NAT64
		return reachOf(netip.AddrFrom4([4]byte(b[12:16])))
	}
	return never
}
