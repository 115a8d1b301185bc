package page

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/html/charset"
)

// decode returns the page as UTF-8. The encoding is that of its byte order mark, of its content type or
// of its meta element, in this order, else UTF-8. Invalid bytes become U+FFFD.
func decode(data []byte, contentType string) (string, error) {
	// Pages that are said to be of ASCII, for which the web reads windows-1252, are often of UTF-8.
	enc, name, certain := charset.DetermineEncoding(data, contentType)
	if certain && name != "utf-8" && !(name == "windows-1252" && utf8.Valid(data)) {
		if out, err := enc.NewDecoder().Bytes(data); err == nil {
			data = out
		}
	}
	if len(data) > 2*MaxBytes {
		return "", ErrTooLarge
	}
	if start := data[:min(len(data), 1024)]; bytes.IndexByte(start, 0) >= 0 && !bytes.Contains(start, []byte("<")) {
		return "", ErrNotHTML // binary data
	}
	return strings.TrimPrefix(strings.ToValidUTF8(string(data), "\uFFFD"), "\ufeff"), nil
}
