package record

import (
	"encoding/base64"
	"fmt"
	"iter"
	"reflect"
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

// Page returns a page of the items that keep selects from a list sorted by order: at most limit items behind the cursor ("" for the
// first page), the cursor of the next page ("" for the last), and the number of items on all pages. key returns pointers to the values
// by which order compares items; their texts are the cursor. Faults: Invalid for a cursor of another form.
func Page[T any](
	list iter.Seq[*T], keep func(*T) bool, order func(a, b *T) int, key func(*T) []any, limit int, cursor string,
) (page []T, next string, total int, err error) {
	after, err := behind(key, cursor)
	if err != nil {
		return nil, "", 0, err
	}
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
			var texts []string
			for _, value := range key(&page[len(page)-1]) {
				texts = append(texts, fmt.Sprint(reflect.ValueOf(value).Elem()))
			}
			next = base64.RawURLEncoding.EncodeToString([]byte(strings.Join(texts, "\x00")))
		}
	}
	return page, next, total, nil
}

// behind returns an item with the sort key in a cursor, nil for the empty cursor.
func behind[T any](key func(*T) []any, cursor string) (*T, error) {
	if cursor == "" {
		return nil, nil
	}
	last := new(T)
	values := key(last)
	raw, err := base64.RawURLEncoding.DecodeString(cursor)
	texts := strings.Split(string(raw), "\x00")
	if err != nil || len(texts) != len(values) {
		return nil, fault.New(fault.Invalid, "cursor %q is none that was given", Brief(cursor)).For("cursor").
			With("omit it to start with the first page")
	}
	for n, value := range values {
		if text, ok := value.(*string); ok {
			*text = texts[n]
		} else {
			_, _ = fmt.Sscan(texts[n], value) // of a cursor that the caller made up, zero
		}
	}
	return last, nil
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

// Union adds to a list those of more that it lacks.
func Union[T comparable](list []T, more ...T) []T {
	for _, one := range more {
		if !slices.Contains(list, one) {
			list = append(list, one)
		}
	}
	return list
}
