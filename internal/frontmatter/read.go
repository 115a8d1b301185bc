package frontmatter

import (
	"cmp"
	"strconv"
	"strings"
)

// find returns the value of a top-level key, from a `<<` table if the block itself has none.
func (d *Doc) find(name string) *node {
	for key, value := range d.root.entries() {
		if key == name {
			return value
		}
	}
	return nil
}

// value is the value of a top-level key, an empty one if there is none.
func (d *Doc) value(key string) *node { return cmp.Or(d.find(key), &node{}) }

// Has reports whether the block has that key, even without a value.
func (d *Doc) Has(key string) bool { return d.find(key) != nil }

// String returns a scalar as text: a plain one as the file has it (1.10, 0x1F, yes), a quoted one unescaped, "" for anything else.
func (d *Doc) String(key string) string {
	s, _ := d.value(key).read()
	return s
}

// Int returns a whole number, also a quoted one; ok is false if there is none.
func (d *Doc) Int(key string) (v int, ok bool) {
	i, ok := parseInt(d.String(key))
	return int(i), ok && int64(int(i)) == i
}

func parseInt(s string) (int64, bool) {
	if i, err := strconv.ParseInt(s, 10, 64); err == nil {
		return i, true
	}
	if resolve(s) == typeInt {
		i, err := strconv.ParseInt(s, 0, 64)
		return i, err == nil
	}
	return 0, false
}

// Bool returns true or false, also from a quoted or an old YAML 1.1 spelling (yes, no, on, off); ok is false if the key holds neither.
func (d *Doc) Bool(key string) (v, ok bool) { return parseBool(d.String(key)) }

func parseBool(s string) (v, ok bool) {
	switch strings.ToLower(s) {
	case "true", "yes", "on":
		return true, true
	case "false", "no", "off":
		return false, true
	}
	return false, false
}

// Strings returns the scalars of a list as String would; a scalar counts as a list of one. Null, nested lists and maps are left out.
func (d *Doc) Strings(key string) []string {
	n := d.value(key).deref()
	items := n.items
	switch n.kind {
	case kindTable:
		return nil
	case kindScalar:
		items = []node{*n}
	}
	var out []string
	for i := range items {
		if item := items[i].deref(); item.kind == kindScalar && item.typ() != typeNull {
			out = append(out, item.text)
		}
	}
	return out
}

// Value returns what the key holds, ready for JSON: string, int64, float64, bool, nil, []any or map[string]any. Anchors and `<<` are
// resolved. Dates, infinities and numbers that would not survive (010, 18446744073709551616) are text, as the file has them.
func (d *Doc) Value(key string) any { return d.value(key).value() }

// Number returns a number that Value returned; ok is false for any other value.
func Number(v any) (n float64, ok bool) {
	switch v := v.(type) {
	case int64:
		return float64(v), true
	case float64:
		return v, true
	}
	return 0, false
}

// Map returns all keys with their values, as Value gives them.
func (d *Doc) Map() map[string]any {
	if d.root.kind != kindTable {
		return map[string]any{}
	}
	return d.root.value().(map[string]any)
}

// Under returns the keys of the map at the end of path (none is the block), in order and without spans; nil if there is no map.
func (d *Doc) Under(path ...string) []Key {
	n, _ := d.at(path)
	if n == nil || n.kind != kindTable {
		return nil
	}
	var keys []Key
	for key := range n.pairs() {
		keys = append(keys, Key{Name: key.deref().text, Line: key.line})
	}
	return keys
}

// Line returns the line of the key at the end of path, 0 if there is none.
func (d *Doc) Line(path ...string) int {
	if _, key := d.at(path); key != nil {
		return key.line
	}
	return 0
}

// at returns the value at the end of path and its key, nil if there is none.
func (d *Doc) at(path []string) (value, key *node) {
	value = &d.root
	for _, name := range path {
		table := value.deref()
		value, key = nil, nil
		for k, v := range table.pairs() {
			if k.deref().text == name {
				key, value = k, v
			}
		}
		if value == nil {
			return nil, nil
		}
	}
	return value.deref(), key
}
