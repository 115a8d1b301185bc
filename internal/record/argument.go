package record

import (
	"encoding/base64"
	"iter"
	"slices"
	"strings"

	"sdd/internal/fault"
)

// OneOf returns value, trimmed and in lower case, or the fault of arg (Invalid) when allowed lacks it.
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

// CursorKey returns the n parts of the sort key in a cursor, nil for the empty cursor. Faults: Invalid.
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

// Page returns a page of the items that keep selects from a sorted list: at most limit items behind after (nil for the
// first page), the cursor of the next page ("" for the last), and the number of items on all pages.
func Page[T any](
	list iter.Seq[*T], keep func(*T) bool, after *T, order func(a, b *T) int, limit int, cursor func(*T) string,
) (page []T, next string, total int) {
	page = []T{}
	for one := range list {
		if !keep(one) {
			continue
		}
		total++
		switch {
		case after != nil && order(one, after) <= 0:
		case len(page) < limit:
			page = append(page, *one)
		case next == "":
			next = cursor(&page[len(page)-1])
		}
	}
	return page, next, total
}

// Each yields the items of a list without copying them.
func Each[T any](list []T) iter.Seq[*T] {
	return func(yield func(*T) bool) {
		for i := range list {
			if !yield(&list[i]) {
				return
			}
		}
	}
}
