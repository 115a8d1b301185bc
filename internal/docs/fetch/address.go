package fetch

import (
	"encoding/binary"
	"net/netip"
	"strings"
)

// reach is the kind of machines that an address leads to.
type reach int

const (
	never   reach = iota // the client never connects: metadata services, link-local, multicast, reserved
	private              // this machine, or a network that is not public
	public
)

// The special addresses of IANA's registries (RFC 6890 and its successors) that the methods of netip.Addr do not cover.
const (
	shared   = "100.64.0.0/10"                                                          // by the customers of a provider
	metadata = "100.100.100.200/32 fd00:ec2::254/128 fd20:ce::254/128 168.63.129.16/32" // of clouds; that of most is link-local
	reserved = `0.0.0.0/8 192.0.0.0/24 192.0.2.0/24 192.88.99.0/24 198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 240.0.0.0/4
		2001::/23 2001:db8::/32 3fff::/20`
	translated = "64:ff9b::/96" // NAT64
)

// among reports whether an address is in one of the ranges.
func among(a netip.Addr, ranges string) bool {
	for r := range strings.FieldsSeq(ranges) {
		if netip.MustParsePrefix(r).Contains(a) {
			return true
		}
	}
	return false
}

// reachOf returns the reach of an address; an IPv6 address that contains an IPv4 one has that one's, but is not public itself.
func reachOf(a netip.Addr) reach {
	if !a.IsValid() || a.Zone() != "" {
		return never
	}
	a = a.Unmap()
	switch {
	case among(a, metadata), among(a, reserved), a.IsLinkLocalUnicast(), a.IsMulticast(), a.IsUnspecified():
		return never
	case a.IsLoopback(), a.IsPrivate(), among(a, shared):
		return private
	case a.Is4():
		return public
	}
	b := a.As16()
	if first := binary.BigEndian.Uint16(b[:]); first == 0x2002 { // 6to4
		return reachOf(netip.AddrFrom4([4]byte(b[2:6])))
	} else if first>>13 == 1 { // 2000::/3, all assigned addresses
		return public
	}
	if among(a, translated) {
		return reachOf(netip.AddrFrom4([4]byte(b[12:16])))
	}
	return never
}
