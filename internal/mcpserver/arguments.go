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
// what is allowed there, and what to do. null counts as absent, as "" does where only some words are
// allowed, and 5.0 as the integer 5; no
// other value is bent. It decodes no more than it has to: arguments may be large.
func (s *schema) check(raw json.RawMessage) (json.RawMessage, error) {
	if len(raw) == 0 || string(raw) == "null" {
		raw = json.RawMessage("{}")
	}
	if err := valid(raw); err != nil {
		return nil, fault.New(fault.Invalid, "the arguments cannot be read: %s", err).With("send them as a JSON object")
	}
	raw = bytes.TrimSpace(raw)
	if raw[0] != '{' {
		return nil, fault.New(fault.Invalid, "the arguments are %s, not an object", show(raw)).
			With("send an object with " + strings.Join(s.names(), ", "))
	}
	var c checker
	raw, _ = c.object("", s, raw)
	if err := c.fault(); err != nil {
		return nil, err
	}
	return raw, nil
}

// checker collects what is wrong with the arguments of one call.
type checker struct {
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

// value checks v, which stands at path, and returns it as the handler gets it, and whether that is not what came.
func (c *checker) value(path string, s *schema, v json.RawMessage) (json.RawMessage, bool) {
	switch kind := kindOf(v); s.Type {
	case "object":
		if kind == "object" {
			return c.object(path, s, v)
		}
		c.problem(path, s, "", "%s must be an object, not %s", path, show(v))
	case "array":
		if kind == "array" {
			return c.array(path, s, v)
		}
		hint := ""
		if s.Items != nil && s.Items.Type == "string" {
			hint = fmt.Sprintf(`send a list, also for one value: %q: ["…"]`, path)
		}
		c.problem(path, s, hint, "%s must be an array, not %s", path, show(v))
	case "string":
		if kind == "string" {
			c.text(path, s, v)
		} else {
			c.problem(path, s, "", "%s must be a string, not %s", path, show(v))
		}
	case "integer", "number":
		if kind == "number" {
			return c.number(path, s, json.Number(v))
		}
		hint := ""
		if kind == "string" && len(v) < 40 {
			if _, err := strconv.ParseFloat(unquote(v), 64); err == nil {
				hint = fmt.Sprintf("send it without quotes: %q: %s", path, unquote(v))
			}
		}
		c.problem(path, s, hint, "%s must be %s, not %s", path, article(s.Type), show(v))
	case "boolean":
		if kind != "bool" {
			c.problem(path, s, "", "%s must be true or false, not %s", path, show(v))
		}
	}
	return v, false
}

func (c *checker) object(path string, s *schema, v json.RawMessage) (json.RawMessage, bool) {
	names := s.names()
	kind, prefix := "argument", ""
	if path != "" {
		kind, prefix = "field", path+"."
	}
	given := map[string]json.RawMessage{} // of those that are described
	var unknown []string                  // the first by letter
	strangers, changed := 0, false
	members(v, func(name string, value json.RawMessage) bool {
		if s.Properties[name] != nil {
			_, twice := given[name]
			given[name], changed = value, changed || twice
		} else if !s.open() {
			strangers++
			if at, twice := slices.BinarySearch(unknown, name); !twice {
				unknown = slices.Insert(unknown, at, name)
				unknown = unknown[:min(len(unknown), maxProblems+1)]
			}
		}
		return true
	})
	for _, key := range unknown {
		hint := kind + "s: " + strings.Join(names, ", ")
		if len(names) == 0 {
			hint = "leave all " + kind + "s away"
		}
		c.problem(prefix+key, s, hint, "there is no %s %q%s", kind, prefix+cut(key, 64), didYouMean(key, names))
	}
	c.forgotten += max(0, strangers-len(unknown))
	for _, name := range names {
		p := s.Properties[name]
		value, there := given[name]
		absent := !there || string(value) == "null" || string(value) == `""` && len(p.Enum) > 0 && !slices.Contains(p.Enum, "")
		required := slices.Contains(s.Required, name)
		if required && (absent || string(value) == `""` && p.MinLength != nil && *p.MinLength > 0) {
			hint := "give " + prefix + name
			if p.Description != "" {
				hint += ": " + p.Description
			}
			c.problem(prefix+name, p, hint, "%s is required", prefix+name)
			continue
		}
		if absent {
			changed = changed || there
			delete(given, name)
			continue
		}
		became, other := c.value(prefix+name, p, value)
		given[name], changed = became, changed || other
	}
	if !changed || len(c.wrong) > 0 {
		return v, false
	}
	return rebuilt(v, s, given), true
}

// rebuilt returns an object with what became of its described members; the others stay.
func rebuilt(v json.RawMessage, s *schema, given map[string]json.RawMessage) json.RawMessage {
	out := []byte{'{'}
	members(v, func(name string, value json.RawMessage) bool {
		if s.Properties[name] != nil {
			var left bool
			if value, left = given[name]; !left {
				return true
			}
			delete(given, name)
		}
		if len(out) > 1 {
			out = append(out, ',')
		}
		out = append(out, must(encode(name))...)
		out = append(append(out, ':'), value...)
		return true
	})
	return append(out, '}')
}

// maxList is how many items an array has at most where its schema says nothing.
const maxList = 10_000

func (c *checker) array(path string, s *schema, v json.RawMessage) (json.RawMessage, bool) {
	n, most := 0, maxList
	if s.MaxItems != nil {
		most = *s.MaxItems
	}
	elements(v, func(json.RawMessage) bool {
		n++
		return true
	})
	if s.MinItems != nil && n < *s.MinItems {
		c.problem(path, s, "", "%s has %d items, at least %d are needed", path, n, *s.MinItems)
	}
	if n > most {
		c.problem(path, s, "", "%s has %d items, at most %d are allowed", path, n, most)
	}
	if s.Items == nil || n > most {
		return v, false
	}
	bent := map[int]json.RawMessage{}
	at := 0
	elements(v, func(one json.RawMessage) bool {
		if became, changed := c.value(fmt.Sprintf("%s[%d]", path, at), s.Items, one); changed {
			bent[at] = became
		}
		at++
		return true
	})
	if len(bent) == 0 {
		return v, false
	}
	out := []byte{'['}
	at = 0
	elements(v, func(one json.RawMessage) bool {
		if at > 0 {
			out = append(out, ',')
		}
		if became, changed := bent[at]; changed {
			one = became
		}
		out = append(out, one...)
		at++
		return true
	})
	return append(out, ']'), true
}

func (c *checker) text(path string, s *schema, v json.RawMessage) {
	if s.Enum == nil && s.MinLength == nil && s.MaxLength == nil && s.pattern == nil {
		return
	}
	text := unquote(v)
	if s.Enum != nil && !slices.Contains(s.Enum, text) {
		hint := ""
		if near := nearest(text, s.Enum); len(near) > 0 {
			hint = fmt.Sprintf("send %q: %q", path, near[0])
		}
		c.problem(path, s, hint, "%s must be one of %s, not %s", path, strings.Join(s.Enum, ", "), show(v))
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
		c.problem(path, s, "", "%s must match %s, which %s does not", path, s.Pattern, show(v))
	}
}

func (c *checker) number(path string, s *schema, n json.Number) (json.RawMessage, bool) {
	given, changed := json.RawMessage(n), false
	f, err := n.Float64()
	if err != nil {
		c.problem(path, s, "", "%s is out of range: %s", path, show(given))
		return given, false
	}
	became := given
	if s.Type == "integer" {
		whole, err := strconv.ParseInt(n.String(), 10, 64)
		if err != nil {
			if f != math.Trunc(f) || math.Abs(f) >= 1<<63 {
				c.problem(path, s, "send a whole number", "%s must be an integer, not %s", path, show(given))
				return given, false
			}
			whole, changed = int64(f), true
		}
		became = json.RawMessage(strconv.FormatInt(whole, 10))
	}
	hint := ""
	if s.Default != nil {
		hint = fmt.Sprintf("leave it away for its default, %v", s.Default)
	}
	low, high := s.Minimum != nil && f < *s.Minimum, s.Maximum != nil && f > *s.Maximum
	switch {
	case (low || high) && s.Minimum != nil && s.Maximum != nil:
		c.problem(path, s, hint, "%s must be %s to %s, not %s", path, plain(*s.Minimum), plain(*s.Maximum), show(became))
	case low:
		c.problem(path, s, hint, "%s must be at least %s, not %s", path, plain(*s.Minimum), show(became))
	case high:
		c.problem(path, s, hint, "%s must be at most %s, not %s", path, plain(*s.Maximum), show(became))
	case f == 0 && s.Minimum == nil && s.counts():
		c.problem(path, s, hint, "%s must be at least 1, not 0", path)
	}
	return became, changed
}

// counts reports whether a number is a size or a number of things, which is told by its default: none of these is 0, and a
// handler could not tell it from one that is absent.
func (s *schema) counts() bool {
	n, ok := s.Default.(float64)
	return ok && n > 0
}

func plain(f float64) string { return strconv.FormatFloat(f, 'f', -1, 64) }

func article(kind string) string {
	if kind == "integer" {
		return "an integer"
	}
	return "a number"
}

// maxShown bounds the part of a value that stands in a message, in characters.
const maxShown = 40

// show names a value in a message without repeating it at length.
func show(v json.RawMessage) string {
	switch kindOf(v) {
	case "string":
		const most = maxShown * len(`\ud83d\ude00`) // the most that as many characters take
		if len(v) > most+2 {
			v = v[:most]
			if i := bytes.LastIndexByte(v, '\\'); i >= most-len(`\ud83d\ude00`) {
				for i > 0 && v[i-1] == '\\' {
					i--
				}
				v = v[:i]
			}
			v = append(bytes.Clone(v), '"')
		}
		return strconv.Quote(cut(unquote(v), maxShown))
	case "array":
		return "an array"
	case "object":
		return "an object"
	}
	return cut(string(v), maxShown)
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
