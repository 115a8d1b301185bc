package manual

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
)

// schema is the part of a JSON Schema that the reference shows.
type schema struct {
	Ref         string             `json:"$ref"`
	Type        json.RawMessage    `json:"type"` // a name, or several
	Enum        []any              `json:"enum"`
	Examples    []any              `json:"examples"`
	Title       string             `json:"title"`
	Description string             `json:"description"`
	Default     any                `json:"default"`
	Minimum     *json.Number       `json:"minimum"`
	Maximum     *json.Number       `json:"maximum"`
	Required    []string           `json:"required"`
	Properties  properties         `json:"properties"`
	Items       *schema            `json:"items"`
	AnyOf       []schema           `json:"anyOf"`
	OneOf       []schema           `json:"oneOf"`
	More        *schema            `json:"additionalProperties"`
	Defs        map[string]*schema `json:"$defs"`

	never bool // the schema is false
}

func (s *schema) UnmarshalJSON(data []byte) error {
	if string(data) == "true" || string(data) == "false" {
		s.never = string(data) == "false"
		return nil
	}
	type plain schema
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber()
	return dec.Decode((*plain)(s))
}

// property is a key and what it may hold.
type property struct {
	name string
	schema
}

// properties keeps the order of the file.
type properties []property

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
		var s schema
		if err := dec.Decode(&s); err != nil {
			return err
		}
		*p = append(*p, property{fmt.Sprint(name), s})
	}
	return nil
}

// parse reads a schema; those of this repository are good.
func parse(data []byte) *schema {
	var s schema
	if err := json.Unmarshal(data, &s); err != nil {
		panic(fmt.Sprintf("manual: %v", err))
	}
	return &s
}

// row is a key of an object as a table shows it.
type row struct {
	name, kind, byDefault, about string
	required                     bool
}

// rows lists the keys under s, those of objects inside after the objects. prefix goes before their names.
func (s *schema) rows(root *schema, prefix string) (all []row) {
	for _, p := range s.Properties {
		child := p.resolve(root)
		if child.never {
			continue
		}
		r := row{name: prefix + p.name, kind: child.kind(root), about: child.Description}
		for _, name := range s.Required {
			r.required = r.required || name == p.name
		}
		if child.Default != nil {
			r.byDefault = value(child.Default)
		}
		all = append(all, r)
		inner, name := child, r.name+"."
		if child.Items != nil {
			inner, name = child.Items.resolve(root), r.name+"[]."
		}
		all = append(all, inner.rows(root, name)...)
	}
	return all
}

// resolve follows a reference into the schema's own definitions; keys beside the reference win.
func (s *schema) resolve(root *schema) *schema {
	to := root.Defs[strings.TrimPrefix(s.Ref, "#/$defs/")]
	if s.Ref == "" || to == nil {
		return s
	}
	out := *to
	if s.Description != "" {
		out.Description = s.Description
	}
	if s.Default != nil {
		out.Default = s.Default
	}
	return &out
}

// kind describes in words what s allows.
func (s *schema) kind(root *schema) string {
	if any := append(s.AnyOf, s.OneOf...); len(any) > 0 && s.Type == nil {
		var names []string
		for _, a := range any {
			names = append(names, a.resolve(root).kind(root))
		}
		return strings.Join(names, " or ")
	}
	if len(s.Enum) > 0 {
		var names []string
		for _, v := range s.Enum {
			names = append(names, "`"+value(v)+"`")
		}
		return strings.Join(names, ", ")
	}
	var name string
	if json.Unmarshal(s.Type, &name) != nil {
		var several []string
		_ = json.Unmarshal(s.Type, &several)
		name = strings.Join(several, " or ")
	}
	switch {
	case name == "array" && s.Items != nil:
		return "list of " + s.Items.resolve(root).kind(root)
	case name == "object" && s.Properties == nil && s.More != nil && s.More.Type != nil:
		return "keys with " + s.More.resolve(root).kind(root)
	case s.Minimum != nil && s.Maximum != nil:
		return fmt.Sprintf("%s, %s to %s", name, *s.Minimum, *s.Maximum)
	case s.Minimum != nil:
		return fmt.Sprintf("%s, from %s", name, *s.Minimum)
	case name == "":
		return "any"
	case len(s.Examples) > 0:
		return name + " such as `" + value(s.Examples[0]) + "`"
	}
	return name
}

// value is v as JSON, text without its quotes.
func value(v any) string {
	if s, ok := v.(string); ok {
		return s
	}
	b, _ := json.Marshal(v) // it came out of JSON
	return string(b)
}
