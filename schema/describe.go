package schema

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// Row is a key of an object in a schema, as help and the manual describe it.
type Row struct {
	Name     string // with the keys above it: a.b, and a[].b for the items of a list
	Kind     string // its values in words; Object when it has keys of its own, which are the following rows
	Default  string
	About    string
	Required bool
}

// Object is the Kind of a key that has keys of its own.
const Object = "object"

// Rows describes the keys of a schema in the order of its file. It panics if source is no schema.
func Rows(source []byte) []Row {
	var root node
	if err := json.Unmarshal(source, &root); err != nil {
		panic(fmt.Sprintf("schema: %v", err))
	}
	return root.rows(root.Defs, "")
}

// Property is what a schema says of a key whose values are texts.
type Property struct {
	Description    string
	Enum, Examples []string
}

// PropertyOf returns a key of the schema with that name, the zero value for an unknown key.
func PropertyOf(name, key string) (p Property) {
	var s struct{ Properties map[string]json.RawMessage }
	_ = json.Unmarshal(Load(name), &s)
	_ = json.Unmarshal(s.Properties[key], &p) // values of other types are left out
	return p
}

// node is the part of a schema that Rows describes.
type node struct {
	Ref              string           `json:"$ref"`
	Type             any              `json:"type"` // a name, or several
	Enum             []any            `json:"enum"`
	Examples         []string         `json:"examples"`
	Description      string           `json:"description"`
	Default          any              `json:"default"`
	Minimum          *json.Number     `json:"minimum"`
	Maximum          *json.Number     `json:"maximum"`
	Required         []string         `json:"required"`
	Properties       properties       `json:"properties"`
	Items            *node            `json:"items"`
	AnyOf            []node           `json:"anyOf"`
	OneOf            []node           `json:"oneOf"`
	AdditionalValues *node            `json:"additionalProperties"`
	Defs             map[string]*node `json:"$defs"`

	never bool // the schema is false
}

func (n *node) UnmarshalJSON(data []byte) error {
	if string(data) == "true" || string(data) == "false" {
		n.never = string(data) == "false"
		return nil
	}
	type plain node
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber()
	return dec.Decode((*plain)(n))
}

// properties are the keys of an object in the order of the file.
type properties []property

type property struct {
	name string
	node node
}

func (p *properties) UnmarshalJSON(data []byte) error {
	dec := json.NewDecoder(bytes.NewReader(data))
	if _, err := dec.Token(); err != nil {
		return err
	}
	for dec.More() {
		name, err := dec.Token()
		if err != nil {
			return err
		}
		one := property{name: fmt.Sprint(name)}
		if err := dec.Decode(&one.node); err != nil {
			return err
		}
		*p = append(*p, one)
	}
	return nil
}

// rows describes the keys of n, whose names begin with prefix, and of the objects in it.
func (n *node) rows(defs map[string]*node, prefix string) (all []Row) {
	for _, p := range n.Properties {
		child := p.node.resolve(defs)
		if child.never {
			continue
		}
		r := Row{Name: prefix + p.name, Kind: child.words(defs), About: child.Description, Required: slices.Contains(n.Required, p.name)}
		if child.Default != nil {
			r.Default = text(child.Default)
		}
		all = append(all, r)
		if child.Items != nil {
			all = append(all, child.Items.resolve(defs).rows(defs, r.Name+"[].")...)
		} else {
			all = append(all, child.rows(defs, r.Name+".")...)
		}
	}
	return all
}

// resolve follows a reference to a definition; the description and default beside the reference win.
func (n *node) resolve(defs map[string]*node) *node {
	to := defs[strings.TrimPrefix(n.Ref, "#/$defs/")]
	if to == nil {
		return n
	}
	out := *to
	if n.Description != "" {
		out.Description = n.Description
	}
	if n.Default != nil {
		out.Default = n.Default
	}
	return &out
}

// words describes the values that n allows.
func (n *node) words(defs map[string]*node) string {
	var parts []string
	switch {
	case n.Properties != nil:
		return Object
	case len(n.Enum) > 0:
		for _, v := range n.Enum {
			parts = append(parts, text(v))
		}
		return strings.Join(parts, ", ")
	case n.Type == nil:
		for _, one := range slices.Concat(n.AnyOf, n.OneOf) {
			parts = append(parts, one.resolve(defs).words(defs))
		}
		if parts == nil {
			return "any value"
		}
		return strings.Join(parts, ", or ")
	}
	types, several := n.Type.([]any)
	if !several {
		types = []any{n.Type}
	}
	for _, t := range types {
		parts = append(parts, n.typeInWords(fmt.Sprint(t), defs))
	}
	return strings.Join(parts, " or ")
}

// typeInWords describes the values that n allows of one type.
func (n *node) typeInWords(name string, defs map[string]*node) string {
	switch name {
	case "integer":
		return "a whole number" + n.limits()
	case "number":
		return "a number" + n.limits()
	case "boolean":
		return "true or false"
	case "array":
		if n.Items != nil {
			return "a list of: " + n.Items.resolve(defs).words(defs)
		}
		return "a list"
	case "object":
		if v := n.AdditionalValues; v != nil && v.resolve(defs).Type != nil {
			return "keys of your own, each with: " + v.resolve(defs).words(defs)
		}
		return "keys of your own"
	case "string":
		if len(n.Examples) > 0 {
			return "text like " + strings.Join(n.Examples, ", ")
		}
		return "text"
	}
	return name
}

func (n *node) limits() string {
	switch {
	case n.Minimum != nil && n.Maximum != nil:
		return fmt.Sprintf(" from %s to %s", *n.Minimum, *n.Maximum)
	case n.Minimum != nil:
		return fmt.Sprintf(" from %s on", *n.Minimum)
	}
	return ""
}

// text is a value as JSON, a string without its quotes.
func text(v any) string {
	if s, ok := v.(string); ok {
		return s
	}
	b, _ := json.Marshal(v) // it came out of JSON
	return string(b)
}
