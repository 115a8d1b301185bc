package transfer

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
)

// An export restores the order of keys and lines that an import found. A record keeps the names of the keys and the number of the line; it
// keeps neither when the order is an export's own.

// keysOf returns the keys of a JSON object in their order, each once; nil when it is not an object.
func keysOf(object []byte) []string {
	d := json.NewDecoder(bytes.NewReader(object))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return nil
	}
	var names []string
	for d.More() {
		t, err := d.Token()
		name, ok := t.(string)
		var value json.RawMessage
		if err != nil || !ok || d.Decode(&value) != nil {
			return nil
		}
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// ownOrder returns names, or nil when they are in the order of an export: the known keys, then the others sorted, then last.
func ownOrder(names []string, keys []key, last string) []string {
	rank := func(name string) int {
		at := slices.IndexFunc(keys, func(k key) bool { return k.name == name })
		switch {
		case name == last:
			return len(keys) + 1
		case at < 0:
			return len(keys)
		}
		return at
	}
	if slices.IsSortedFunc(names, func(a, b string) int {
		if r := rank(a) - rank(b); r != 0 || rank(a) != len(keys) {
			return r
		}
		return strings.Compare(a, b)
	}) {
		return nil
	}
	return names
}

// member is a key with its value.
type member struct {
	name  string
	value json.RawMessage
}

// object writes members: first those in order, then the others.
func object(members []member, order []string) []byte {
	at := func(m member) int {
		if i := slices.Index(order, m.name); i >= 0 {
			return i
		}
		return len(order)
	}
	if order != nil {
		slices.SortStableFunc(members, func(a, b member) int { return at(a) - at(b) })
	}
	var b []byte
	for _, m := range members {
		b = append(append(append(append(b, ','), text(m.name)...), ':'), m.value...)
	}
	return slices.Concat([]byte("{"), bytes.TrimPrefix(b, []byte(",")), []byte("}"))
}
