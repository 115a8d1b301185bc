package mcpserver

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"sdd/internal/fault"
)

// A schema is what the frame understands of a JSON Schema: enough for tool arguments, and
// every rule of it can be put in words. A keyword that it does not know is an error when it is
// read, never ignored.
type schema struct {
	Type       string             `json:"type"`
	Properties map[string]*schema `json:"properties"`
	Required   []string           `json:"required"`
	Additional *bool              `json:"additionalProperties"`
	Items      *schema            `json:"items"`
	Enum       []string           `json:"enum"`
	Minimum    *float64           `json:"minimum"`
	Maximum    *float64           `json:"maximum"`
	MinLength  *int               `json:"minLength"`
	MaxLength  *int               `json:"maxLength"`
	MinItems   *int               `json:"minItems"`
	MaxItems   *int               `json:"maxItems"`
	Pattern    string             `json:"pattern"`

	// Said to clients, not checked.
	Dialect     string `json:"$schema"`
	Title       string `json:"title"`
	Description string `json:"description"`
	Default     any    `json:"default"`
	Examples    []any  `json:"examples"`
	Format      string `json:"format"`
	Header      string `json:"x-mcp-header"`

	pattern *regexp.Regexp
}

// readSchema reads the schema of a tool's arguments.
func readSchema(raw json.RawMessage) (*schema, error) {
	s := &schema{}
	if len(raw) == 0 {
		raw = noArguments
	}
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.DisallowUnknownFields()
	if err := dec.Decode(s); err != nil {
		return nil, err
	}
	if s.Type != "object" {
		return nil, fmt.Errorf("arguments are an object, not of type %q", s.Type)
	}
	if s.open() {
		return nil, errors.New("arguments are closed: say additionalProperties false")
	}
	return s, s.compile()
}

// noArguments is the schema of a tool that takes none.
var noArguments = json.RawMessage(`{"type":"object","properties":{},"additionalProperties":false}`)

// open reports whether an object may have properties that are not described.
func (s *schema) open() bool { return s.Additional == nil || *s.Additional }

func (s *schema) compile() (err error) {
	if s.Pattern != "" {
		if s.pattern, err = regexp.Compile(s.Pattern); err != nil {
			return err
		}
	}
	for _, r := range s.Required {
		if s.Properties[r] == nil {
			return fmt.Errorf("%q is required but not described", r)
		}
	}
	for _, p := range s.Properties {
		if err := p.compile(); err != nil {
			return err
		}
	}
	if s.Items != nil {
		if s.Items.Description == "" {
			s.Items.Description = s.Description
		}
		return s.Items.compile()
	}
	return nil
}

// names returns the properties in the order in which a caller thinks of them: what is required
// first, then by letter.
func (s *schema) names() []string {
	names := slices.Clone(s.Required)
	var rest []string
	for n := range s.Properties {
		if !slices.Contains(names, n) {
			rest = append(rest, n)
		}
	}
	slices.Sort(rest)
	return append(names, rest...)
}

// check returns raw as the handler may decode it, or a fault that names every argument at fault,
// what is allowed there, and what to do. null counts as absent, and 5.0 as the integer 5; no
// other value is bent.
func (s *schema) check(raw json.RawMessage) (json.RawMessage, error) {
	if len(raw) == 0 || string(raw) == "null" {
		raw = json.RawMessage("{}")
	}
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	var v any
	if err := dec.Decode(&v); err != nil {
		return nil, fault.New(fault.Invalid, "the arguments cannot be read: %s", err).With("send them as a JSON object")
	}
	if _, ok := v.(map[string]any); !ok {
		return nil, fault.New(fault.Invalid, "the arguments are %s, not an object", show(v)).
			With("send an object with " + strings.Join(s.names(), ", "))
	}
	var c checker
	v = c.value("", s, v)
	if err := c.fault(); err != nil {
		return nil, err
	}
	if !c.changed {
		return raw, nil
	}
	return encode(v)
}

// checker collects what is wrong with the arguments of one call.
type checker struct {
	changed   bool   // what the handler gets is not what came
	arg       string // the first argument at fault
	wrong     []string
	hints     []string
	forgotten int // problems beyond what is told
}

const maxProblems = 3

// problem notes what is wrong at path. Without a hint the description of s says what is wanted.
func (c *checker) problem(path string, s *schema, hint, format string, args ...any) {
	if hint == "" && s.Description != "" {
		name := path
		if strings.HasSuffix(name, "]") { // an item is described by its list
			name = name[:strings.LastIndexByte(name, '[')]
		}
		hint = name + ": " + s.Description
	}
	if c.arg == "" {
		c.arg, _, _ = strings.Cut(path, "[")
		c.arg, _, _ = strings.Cut(c.arg, ".")
	}
	if len(c.wrong) == maxProblems {
		c.forgotten++
		return
	}
	c.wrong = append(c.wrong, fmt.Sprintf(format, args...))
	if hint != "" && !slices.Contains(c.hints, hint) {
		c.hints = append(c.hints, hint)
	}
}

func (c *checker) fault() error {
	if len(c.wrong) == 0 {
		return nil
	}
	msg := strings.Join(c.wrong, "; ")
	if c.forgotten > 0 {
		msg += fmt.Sprintf("; and %d more", c.forgotten)
	}
	return fault.New(fault.Invalid, "%s", msg).For(c.arg).With(strings.Join(c.hints, "; "))
}

// value checks v, which stands at path, and returns it as the handler gets it.
func (c *checker) value(path string, s *schema, v any) any {
	switch s.Type {
	case "object":
		if m, ok := v.(map[string]any); ok {
			return c.object(path, s, m)
		}
		c.problem(path, s, "", "%s must be an object, not %s", path, show(v))
	case "array":
		if list, ok := v.([]any); ok {
			return c.array(path, s, list)
		}
		hint := ""
		if s.Items != nil && s.Items.Type == "string" {
			hint = fmt.Sprintf(`send a list, also for one value: %q: ["…"]`, path)
		}
		c.problem(path, s, hint, "%s must be an array, not %s", path, show(v))
	case "string":
		if text, ok := v.(string); ok {
			c.text(path, s, text)
		} else {
			c.problem(path, s, "", "%s must be a string, not %s", path, show(v))
		}
	case "integer", "number":
		if n, ok := v.(json.Number); ok {
			return c.number(path, s, n)
		}
		hint := ""
		if text, ok := v.(string); ok {
			if _, err := strconv.ParseFloat(text, 64); err == nil {
				hint = fmt.Sprintf("send it without quotes: %q: %s", path, text)
			}
		}
		c.problem(path, s, hint, "%s must be %s, not %s", path, article(s.Type), show(v))
	case "boolean":
		if _, ok := v.(bool); !ok {
			c.problem(path, s, "", "%s must be true or false, not %s", path, show(v))
		}
	}
	return v
}

func (c *checker) object(path string, s *schema, m map[string]any) any {
	names := s.names()
	kind, prefix := "argument", ""
	if path != "" {
		kind, prefix = "field", path+"."
	}
	var unknown []string
	for key := range m {
		if s.Properties[key] == nil && !s.open() {
			unknown = append(unknown, key)
		}
	}
	slices.Sort(unknown)
	for _, key := range unknown {
		hint := kind + "s: " + strings.Join(names, ", ")
		if len(names) == 0 {
			hint = "leave all " + kind + "s away"
		}
		c.problem(prefix+key, s, hint, "there is no %s %q%s", kind, prefix+cut(key, 64), didYouMean(key, names))
	}
	for _, name := range names {
		p := s.Properties[name]
		v := m[name]
		required := slices.Contains(s.Required, name)
		if text, ok := v.(string); required && (v == nil || ok && text == "" && p.MinLength != nil && *p.MinLength > 0) {
			hint := "give " + prefix + name
			if p.Description != "" {
				hint += ": " + p.Description
			}
			c.problem(prefix+name, p, hint, "%s is required", prefix+name)
			continue
		}
		if v == nil {
			if _, ok := m[name]; ok {
				delete(m, name)
				c.changed = true
			}
			continue
		}
		m[name] = c.value(prefix+name, p, v)
	}
	return m
}

func (c *checker) array(path string, s *schema, list []any) any {
	if s.MinItems != nil && len(list) < *s.MinItems {
		c.problem(path, s, "", "%s has %d items, at least %d are needed", path, len(list), *s.MinItems)
	}
	if s.MaxItems != nil && len(list) > *s.MaxItems {
		c.problem(path, s, "", "%s has %d items, at most %d are allowed", path, len(list), *s.MaxItems)
	}
	if s.Items != nil {
		for i, v := range list {
			list[i] = c.value(fmt.Sprintf("%s[%d]", path, i), s.Items, v)
		}
	}
	return list
}

func (c *checker) text(path string, s *schema, text string) {
	if s.Enum != nil && !slices.Contains(s.Enum, text) {
		hint := ""
		if near := nearest(text, s.Enum); len(near) > 0 {
			hint = fmt.Sprintf("send %q: %q", path, near[0])
		}
		c.problem(path, s, hint, "%s must be one of %s, not %s", path, strings.Join(s.Enum, ", "), show(text))
		return
	}
	n := utf8.RuneCountInString(text)
	if s.MinLength != nil && n < *s.MinLength {
		if n == 0 {
			c.problem(path, s, "leave it away or give a text", "%s must not be empty", path)
			return
		}
		c.problem(path, s, "", "%s has %d characters, at least %d are needed", path, n, *s.MinLength)
	}
	if s.MaxLength != nil && n > *s.MaxLength {
		c.problem(path, s, "shorten it", "%s has %d characters, at most %d are allowed", path, n, *s.MaxLength)
	}
	if s.pattern != nil && !s.pattern.MatchString(text) {
		c.problem(path, s, "", "%s must match %s, which %s does not", path, s.Pattern, show(text))
	}
}

func (c *checker) number(path string, s *schema, n json.Number) any {
	f, err := n.Float64()
	if err != nil {
		c.problem(path, s, "", "%s is out of range: %s", path, show(n))
		return n
	}
	if s.Type == "integer" {
		whole, err := strconv.ParseInt(n.String(), 10, 64)
		if err != nil {
			if f != math.Trunc(f) || math.Abs(f) >= 1<<63 {
				c.problem(path, s, "send a whole number", "%s must be an integer, not %s", path, show(n))
				return n
			}
			whole, c.changed = int64(f), true
		}
		n = json.Number(strconv.FormatInt(whole, 10))
	}
	hint := ""
	if s.Default != nil {
		hint = fmt.Sprintf("leave it away for its default, %v", s.Default)
	}
	low, high := s.Minimum != nil && f < *s.Minimum, s.Maximum != nil && f > *s.Maximum
	switch {
	case (low || high) && s.Minimum != nil && s.Maximum != nil:
		c.problem(path, s, hint, "%s must be %s to %s, not %s", path, plain(*s.Minimum), plain(*s.Maximum), show(n))
	case low:
		c.problem(path, s, hint, "%s must be at least %s, not %s", path, plain(*s.Minimum), show(n))
	case high:
		c.problem(path, s, hint, "%s must be at most %s, not %s", path, plain(*s.Maximum), show(n))
	}
	return n
}

func plain(f float64) string { return strconv.FormatFloat(f, 'f', -1, 64) }

func article(kind string) string {
	if kind == "integer" {
		return "an integer"
	}
	return "a number"
}

// show names a value in a message without repeating it at length.
func show(v any) string {
	switch v := v.(type) {
	case nil:
		return "null"
	case bool:
		return strconv.FormatBool(v)
	case json.Number:
		return cut(v.String(), 40)
	case string:
		return strconv.Quote(cut(v, 40))
	case []any:
		return "an array"
	}
	return "an object"
}

// encode writes v as it goes over the wire: no line breaks, no HTML escapes, which would cost
// a reader tokens.
func encode(v any) (json.RawMessage, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}
