package record

import (
	"encoding/base64"
	"slices"
	"strings"

	"sdd/internal/fault"
)

// OneOf returns value in lower case without space around it, or the fault of arg (Invalid) when it is not one of allowed.
func OneOf(arg, value string, allowed []string) (string, error) {
	if v := strings.ToLower(strings.TrimSpace(value)); slices.Contains(allowed, v) {
		return v, nil
	}
	return "", fault.New(fault.Invalid, "%s %q is unknown", arg, Brief(value)).For(arg).With("allowed: " + strings.Join(allowed, ", "))
}

// Cursor names the last item of a page by the parts of its sort key.
func Cursor(key ...string) string {
	return base64.RawURLEncoding.EncodeToString([]byte(strings.Join(key, "\x00")))
}

// CursorKey returns the n parts of the sort key that a cursor names, nil for the empty cursor. Faults: Invalid.
func CursorKey(cursor string, n int) ([]string, error) {
	if cursor == "" {
		return nil, nil
	}
	raw, err := base64.RawURLEncoding.DecodeString(cursor)
	if key := strings.Split(string(raw), "\x00"); err == nil && len(key) == n {
		return key, nil
	}
	return nil, fault.New(fault.Invalid, "cursor %q is none that was given", Brief(cursor)).For("cursor").
		With("omit it to start with the first page")
}
