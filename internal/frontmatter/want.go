package frontmatter

import (
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
	"strconv"
	"time"
	"unicode/utf8"

	"sdd/internal/fault"
)

// Date is a value of the form YYYY-MM-DD. It is written without quotes, as people write dates.
type Date string

// want converts a value to set into a node without spans. Strings get a quoted style, so that their type is a string whatever their text.
func want(key string, v any) (*node, error) {
	scalar := func(text string) (*node, error) { return &node{text: text}, nil }
	switch v := v.(type) {
	case nil:
		return scalar("null")
	case string:
		if !utf8.ValidString(v) {
			return nil, fault.New(fault.Invalid, "the value of %q is not valid UTF-8", key).For(key)
		}
		return &node{style: styleDouble, text: v}, nil
	case Date:
		if _, err := time.Parse(time.DateOnly, string(v)); err != nil {
			return nil, fault.New(fault.Invalid, "the value of %q is no date: %q", key, string(v)).For(key).With("write it as 2006-01-02")
		}
		return scalar(string(v))
	case bool, int, int64:
		return scalar(fmt.Sprint(v))
	case float64:
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return nil, fault.New(fault.Invalid, "the value of %q is not a finite number", key).For(key)
		}
		form := byte('f')
		if a := math.Abs(v); a != 0 && (a < 1e-6 || a >= 1e15) {
			form = 'e'
		}
		return scalar(strconv.FormatFloat(v, form, -1, 64))
	case []string:
		return wantList(key, v)
	case []any:
		return wantList(key, v)
	case map[string]any:
		n := &node{kind: kindTable}
		for _, name := range slices.Sorted(maps.Keys(v)) {
			k, err := want(key, name)
			if err != nil {
				return nil, err
			}
			item, err := want(key, v[name])
			if err != nil {
				return nil, err
			}
			n.items = append(n.items, *k, *item)
		}
		return n, nil
	}
	return nil, fault.New(fault.Internal, "a value of type %T cannot be stored under %q", v, key)
}

// holds reports whether have already reads as the wanted value.
func (have *node) holds(n *node) bool {
	have = have.deref()
	switch n.kind {
	case kindTable:
		return have.kind == kindTable && reflect.DeepEqual(have.value(), n.value())
	case kindList:
		if have.kind == kindScalar {
			return have.typ() == typeNull && len(n.items) == 0 ||
				have.typ() != typeNull && len(n.items) == 1 && have.holds(&n.items[0])
		}
		return have.kind == kindList && slices.EqualFunc(have.items, n.items,
			func(a, b node) bool { return a.holds(&b) })
	}
	text, ok := have.read()
	if !ok {
		return false
	}
	switch n.typ() {
	case typeNull:
		return have.typ() == typeNull
	case typeBool:
		a, ok := parseBool(text)
		return ok && a == (n.text == "true")
	case typeInt:
		a, ok := parseInt(text)
		return ok && strconv.FormatInt(a, 10) == n.text
	case typeFloat:
		a, err := strconv.ParseFloat(text, 64)
		b, _ := strconv.ParseFloat(n.text, 64)
		return err == nil && a == b && !math.IsNaN(a)
	}
	return text == n.text
}

func wantList[T any](key string, items []T) (*node, error) {
	n := &node{kind: kindList}
	for _, v := range items {
		item, err := want(key, v)
		if err != nil {
			return nil, err
		}
		n.items = append(n.items, *item)
	}
	return n, nil
}
