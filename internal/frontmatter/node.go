package frontmatter

import (
	"math"
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

// node is a YAML value and where it stands. Empty values (`key:`) are plain scalars without
// text whose span is empty and follows the indicator.
type node struct {
	kind    kind
	style   style
	tag     string // "!!str"; "" when none is written
	anchor  string
	text    string // a scalar's value, an alias's name
	span    Span   // with anchor and tag
	content int    // where the value begins after anchor and tag
	items   []node // of a list; of a table key, value, key, value …
	target  *node  // of an alias
}

func (n *node) deref() *node {
	if n.kind == kindAlias {
		return n.target
	}
	return n
}

// typ is what a scalar's text stands for, in the core schema of YAML 1.2. Text that YAML
// 1.1 reads otherwise (`yes`, `010`, `1_000`, dates) is a string: it stays what was written.
type typ uint8

const (
	typeString typ = iota
	typeNull
	typeBool
	typeInt
	typeFloat
)

func (n *node) typ() typ {
	if n.kind != kindScalar {
		return typeString
	}
	plain := resolve(n.text)
	switch n.tag {
	case "":
		if n.style != stylePlain {
			return typeString
		}
		return plain
	case "!!null":
		return typeNull
	case "!!bool":
		if plain == typeBool {
			return typeBool
		}
	case "!!int":
		if plain == typeInt {
			return typeInt
		}
	case "!!float":
		if plain == typeInt || plain == typeFloat {
			return typeFloat
		}
	}
	return typeString
}

func resolve(s string) typ {
	if s == "" {
		return typeNull
	}
	switch c := s[0]; {
	case c == '~' || c == 'n' || c == 'N':
		if s == "~" || s == "null" || s == "Null" || s == "NULL" {
			return typeNull
		}
	case c == 't' || c == 'T' || c == 'f' || c == 'F':
		switch s {
		case "true", "True", "TRUE", "false", "False", "FALSE":
			return typeBool
		}
	case '0' <= c && c <= '9' || c == '-' || c == '+' || c == '.':
		return resolveNumber(s)
	}
	return typeString
}

func resolveNumber(s string) typ {
	switch strings.TrimLeft(s[:1], "+-") + s[1:] {
	case ".inf", ".Inf", ".INF":
		return typeFloat
	}
	switch s {
	case ".nan", ".NaN", ".NAN":
		return typeFloat
	}
	if len(s) > 2 && (s[:2] == "0x" || s[:2] == "0o") {
		digits := "01234567"
		if s[1] == 'x' {
			digits = "0123456789abcdefABCDEF"
		}
		if strings.Trim(s[2:], digits) == "" {
			return typeInt
		}
		return typeString
	}
	rest := strings.TrimLeft(s[:1], "+-") + s[1:]
	whole := digitsOf(rest)
	if whole == len(rest) && whole > 0 {
		if whole > 1 && rest[0] == '0' {
			return typeString
		}
		return typeInt
	}
	if whole > 1 && rest[0] == '0' {
		return typeString
	}
	i, fraction := whole, 0
	if i < len(rest) && rest[i] == '.' {
		i++
		fraction = digitsOf(rest[i:])
		i += fraction
	}
	if whole+fraction == 0 {
		return typeString
	}
	if i < len(rest) && (rest[i] == 'e' || rest[i] == 'E') {
		i++
		if i < len(rest) && (rest[i] == '+' || rest[i] == '-') {
			i++
		}
		exponent := digitsOf(rest[i:])
		if exponent == 0 {
			return typeString
		}
		i += exponent
	}
	if i != len(rest) {
		return typeString
	}
	return typeFloat
}

func digitsOf(s string) int {
	n := 0
	for n < len(s) && '0' <= s[n] && s[n] <= '9' {
		n++
	}
	return n
}

// read is the text that a scalar gives as a string: as it stands in the file for a plain
// one (1.10 stays 1.10), unescaped for a quoted one, "" for null.
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

// value returns n ready for JSON: string, int64, float64, bool, nil, []any or
// map[string]any. Numbers that these cannot hold stay text.
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
		n.each(func(name string, v *node) {
			if _, ok := out[name]; !ok {
				out[name] = v.value()
			}
		})
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

// each visits a table's own pairs and then, for its `<<` keys, those of the tables they
// name: the first visit of a name is the one that counts.
func (n *node) each(visit func(name string, v *node)) {
	for i := 0; i+1 < len(n.items); i += 2 {
		if !n.items[i].isMerge() {
			visit(n.items[i].deref().text, &n.items[i+1])
		}
	}
	for i := 0; i+1 < len(n.items); i += 2 {
		if !n.items[i].isMerge() {
			continue
		}
		switch from := n.items[i+1].deref(); from.kind {
		case kindTable:
			from.each(visit)
		case kindList:
			for j := range from.items {
				if t := from.items[j].deref(); t.kind == kindTable {
					t.each(visit)
				}
			}
		}
	}
}

func (n *node) isMerge() bool {
	return n.kind == kindScalar && n.style == stylePlain && n.text == "<<" && (n.tag == "" || n.tag == "!!merge")
}

// equal reports whether two values mean the same, however they are written. Aliases are
// the same if what they name is.
func (n *node) equal(m *node) bool {
	n, m = n.deref(), m.deref()
	if n.kind != m.kind || len(n.items) != len(m.items) {
		return false
	}
	if n.kind == kindScalar && (n.text != m.text || n.typ() != m.typ()) {
		return n.typ() == typeNull && m.typ() == typeNull
	}
	for i := range n.items {
		if !n.items[i].equal(&m.items[i]) {
			return false
		}
	}
	return true
}

// identical reports whether two values are written the same way, spans aside.
func (n *node) identical(m *node) bool {
	if n.kind != m.kind || n.style != m.style || n.tag != m.tag || n.anchor != m.anchor ||
		n.text != m.text || len(n.items) != len(m.items) {
		return false
	}
	for i := range n.items {
		if !n.items[i].identical(&m.items[i]) {
			return false
		}
	}
	return true
}
