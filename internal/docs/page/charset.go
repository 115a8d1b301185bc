package page

import (
	"bytes"
	"mime"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding/htmlindex"

	"sdd/internal/pattern"
)

var metaCharset = pattern.Late(`(?i)<meta[^>]+charset\s*=\s*["']?\s*([a-z0-9_:.-]+)`)

// decode returns the page as UTF-8. The encoding is that of its byte order mark, of its content type or
// of its meta element, in this order, else UTF-8. Invalid bytes become U+FFFD.
func decode(data []byte, contentType string) (string, error) {
	name := ""
	switch {
	case bytes.HasPrefix(data, []byte{0xEF, 0xBB, 0xBF}):
		data = data[3:]
	case bytes.HasPrefix(data, []byte{0xFE, 0xFF}):
		name = "utf-16be"
	case bytes.HasPrefix(data, []byte{0xFF, 0xFE}):
		name = "utf-16le"
	default:
		if _, params, err := mime.ParseMediaType(contentType); err == nil {
			name = params["charset"]
		}
		if m := metaCharset().FindSubmatch(data[:min(len(data), 4096)]); m != nil && name == "" {
			name = string(m[1])
		}
	}
	if name = strings.ToLower(name); name != "" && name != "utf-8" && name != "utf8" && !(name == "us-ascii" || name == "ascii") {
		if enc, err := htmlindex.Get(name); err == nil {
			if out, err := enc.NewDecoder().Bytes(data); err == nil {
				data = out
			}
		}
	}
	if len(data) > 2*MaxBytes {
		return "", ErrTooLarge
	}
	if bytes.IndexByte(data[:min(len(data), 1024)], 0) >= 0 && !bytes.Contains(data[:min(len(data), 1024)], []byte("<")) {
		return "", ErrNotHTML // binary data
	}
	if !utf8.Valid(data) {
		data = bytes.ToValidUTF8(data, []byte("\uFFFD"))
	}
	return strings.TrimPrefix(string(data), "\ufeff"), nil
}
