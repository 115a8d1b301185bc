package catalog

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/mark3labs/mcp-go/mcp"

	"sdd/internal/fault"
	"sdd/internal/tokens"
)

// The server sends a resource that exceeds the limit of an answer in parts. A part's address is the resource's URI with ?offset=
// and the offset of its first byte. Every part names the next one, in a second block and in its _meta. The parts joined in order
// are the resource.

const (
	offsetMark = "?offset="
	metaNext   = "sdd/next"  // the address of the next part
	metaTotal  = "sdd/total" // bytes of the whole resource

	// PartTokens is the limit of a part: with the block that names the next part it stays within MaxTokens.
	PartTokens = MaxTokens - 200
)

// cutOffset splits the address of a part. Without an offset given is false and base is uri.
func cutOffset(uri string) (base string, offset int, given bool) {
	base, digits, given := strings.Cut(uri, offsetMark)
	n, err := strconv.ParseUint(digits, 10, 31)
	if !given || err != nil {
		return uri, 0, false
	}
	return base, int(n), true
}

// parts returns the part of c at the address uri.
func (c Contents) parts(uri, mime string) ([]mcp.ResourceContents, error) {
	base, offset, given := cutOffset(uri)
	switch {
	case offset > len(c.Text) || offset < len(c.Text) && c.Text[offset]&0xC0 == 0x80:
		return nil, fault.New(
			fault.Invalid, "offset is %d, and the resource has %d bytes or other characters there", offset, len(c.Text),
		).For("offset").
			With("use the offsets that the parts before name; " + base + " is the beginning")
	case !given && c.Outline != nil && !tokens.Within(c.Text, MaxTokens):
		return []mcp.ResourceContents{
			mcp.TextResourceContents{URI: uri, MIMEType: "text/markdown", Text: c.Outline(base + offsetMark + "0")},
		}, nil
	case tokens.Within(c.Text[offset:], MaxTokens):
		return []mcp.ResourceContents{mcp.TextResourceContents{URI: uri, MIMEType: mime, Text: c.Text[offset:]}}, nil
	}
	part := tokens.Prefix(c.Text[offset:], PartTokens)
	next := fmt.Sprintf("%s%s%d", base, offsetMark, offset+len(part))
	return []mcp.ResourceContents{
		mcp.TextResourceContents{URI: uri, MIMEType: mime, Text: part, Meta: map[string]any{metaNext: next, metaTotal: len(c.Text)}},
		mcp.TextResourceContents{URI: next, MIMEType: "text/plain",
			Text: fmt.Sprintf("These were bytes %d to %d of %d. It goes on at %s\n", offset, offset+len(part), len(c.Text), next)},
	}, nil
}
