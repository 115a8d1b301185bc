package frontmatter

import (
	"errors"
	"iter"
	"math"
	"slices"
	"strconv"
	"strings"
)

type kind uint8

const (
	kindScalar kind = iota
	kindList
	kindTable
	kindAlias
)

type style uint8

const (
	stylePlain style = iota
	styleSingle
	styleDouble
	styleLiteral
	styleFolded
	styleBlock
	styleFlow
)

// node is a YAML value. Empty values (`key:`) are plain scalars without text.
type node struct {
	kind   kind
	style  style
	line   int    // of the file; in a simple block only keys have it
	tag    string // "!!str"; "" when none is written
	anchor string
	text   string // a scalar's value, an alias's name
	items  []node // of a list; of a table key, value, key, value …
	target *node  // of an alias
}

// isEmpty reports whether nothing is written for n.
func (n *node) isEmpty() bool {
	return n.kind == kindScalar && n.style == stylePlain && n.text == "" && n.anchor == "" && n.tag == ""
}

// pairs yields a table's own keys with their values; other nodes have none.
func (n *node) pairs() iter.Seq2[*node, *node] {
	return func(yield func(key, value *node) bool) {
		for i := 0; n.kind == kindTable && i+1 < len(n.items); i += 2 {
			if !yield(&n.items[i], &n.items[i+1]) {
				return
			}
		}
	}
}

// all lists n and every node inside it.
func (n *node) all() []*node {
	all := []*node{n}
	for i := range n.items {
		all = append(all, n.items[i].all()...)
	}
	return all
}

func (n *node) deref() *node {
	if n.kind == kindAlias {
		return n.target
	}
	return n
}

// typ is a scalar's type in the core schema of YAML 1.2. What YAML 1.1 reads otherwise (`yes`, `010`, `1_000`, dates) stays a string.
type typ uint8

const (
	typeString typ = iota
	typeNull
	typeBool
	typeInt
	typeFloat
)

func (n *node) typ() typ {
	plain := resolve(n.text)
	switch {
	case n.kind != kindScalar:
		return typeString
	case n.tag == "":
		if n.style == stylePlain {
			return plain
		}
	case n.tag == "!!null":
		return typeNull
	case n.tag == "!!bool" && plain == typeBool, n.tag == "!!int" && plain == typeInt:
		return plain
	case n.tag == "!!float" && (plain == typeInt || plain == typeFloat):
		return typeFloat
	}
	return typeString
}

func resolve(s string) typ {
	switch s {
	case "", "~", "null", "Null", "NULL":
		return typeNull
	case "true", "True", "TRUE", "false", "False", "FALSE":
		return typeBool
	case ".nan", ".NaN", ".NAN":
		return typeFloat
	}
	if strings.IndexByte("0123456789-+.", s[0]) >= 0 {
		return resolveNumber(s)
	}
	return typeString
}

func resolveNumber(s string) typ {
	const digits = "0123456789"
	isOf := func(s, set string) bool { return s != "" && strings.Trim(s, set) == "" }
	hex, isHex := strings.CutPrefix(s, "0x")
	octal, isOctal := strings.CutPrefix(s, "0o")
	if isHex && isOf(hex, digits+"abcdefABCDEF") || isOctal && isOf(octal, "01234567") {
		return typeInt
	}
	unsigned := s
	if s[0] == '+' || s[0] == '-' {
		unsigned = s[1:]
	}
	switch {
	case unsigned == ".inf", unsigned == ".Inf", unsigned == ".INF":
		return typeFloat
	case len(unsigned) > 1 && unsigned[0] == '0' && isOf(unsigned[1:2], digits): // octal in YAML 1.1
		return typeString
	case isOf(unsigned, digits):
		return typeInt
	case !isOf(s, digits+"+-.eE"):
		return typeString
	}
	if _, err := strconv.ParseFloat(s, 64); err == nil || errors.Is(err, strconv.ErrRange) {
		return typeFloat
	}
	return typeString
}

// read is a scalar as a string: a plain one as the file has it (1.10 stays 1.10), a quoted one unescaped, "" for null.
func (n *node) read() (string, bool) {
	n = n.deref()
	if n.kind != kindScalar {
		return "", false
	}
	if n.typ() == typeNull {
		return "", true
	}
	return n.text, true
}

// value returns n ready for JSON: string, int64, float64, bool, nil, []any or map[string]any. Numbers that these cannot hold stay text.
func (n *node) value() any {
	n = n.deref()
	switch n.kind {
	case kindList:
		out := make([]any, len(n.items))
		for i := range n.items {
			out[i] = n.items[i].value()
		}
		return out
	case kindTable:
		out := make(map[string]any, len(n.items)/2)
		for name, v := range n.entries() {
			if _, ok := out[name]; !ok {
				out[name] = v.value()
			}
		}
		return out
	}
	switch n.typ() {
	case typeNull:
		return nil
	case typeBool:
		return n.text[0] == 't' || n.text[0] == 'T'
	case typeInt:
		if i, err := strconv.ParseInt(n.text, 0, 64); err == nil {
			return i
		}
	case typeFloat:
		if f, err := strconv.ParseFloat(n.text, 64); err == nil && !math.IsInf(f, 0) && !math.IsNaN(f) {
			return f
		}
	}
	return n.text
}

// entries yields a table's own keys by name, then those of the tables that its `<<` keys refer to: of a name, the first one counts.
func (n *node) entries() iter.Seq2[string, *node] {
	return func(yield func(name string, value *node) bool) { n.visitEntries(yield) }
}

func (n *node) visitEntries(yield func(string, *node) bool) bool {
	for key, value := range n.pairs() {
		if !key.isMerge() && !yield(key.deref().text, value) {
			return false
		}
	}
	for key, value := range n.pairs() {
		if !key.isMerge() {
			continue
		}
		from := value.deref()
		if !from.visitEntries(yield) {
			return false
		}
		for i := range from.items {
			if from.kind == kindList && !from.items[i].deref().visitEntries(yield) {
				return false
			}
		}
	}
	return true
}

func (n *node) isMerge() bool {
	return n.kind == kindScalar && n.style == stylePlain && n.text == "<<" && (n.tag == "" || n.tag == "!!merge")
}

// equal reports whether two values mean the same, however they are written. Aliases are the same if what they name is.
func (n *node) equal(m *node) bool {
	n, m = n.deref(), m.deref()
	if n.kind != m.kind || len(n.items) != len(m.items) {
		return false
	}
	if n.kind == kindScalar && (n.text != m.text || n.typ() != m.typ()) {
		return n.typ() == typeNull && m.typ() == typeNull
	}
	return slices.EqualFunc(n.items, m.items, func(a, b node) bool { return a.equal(&b) })
}
