package catalog

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"sdd/internal/fault"
	"sdd/internal/mcp/transport"
)

// An agent gets a sentence for each wrong argument, with what to send instead. So this file checks the arguments itself.

var noArguments = json.RawMessage(`{"type":"object","properties":{},"additionalProperties":false}`)

const (
	maxList     = 10_000 // items of an array whose schema sets no limit
	maxProblems = 3      // problems that one refusal describes
	maxShown    = 40     // characters of a value in a message
)

// inputSchema is a JSON Schema with the keywords that arguments may use.
type inputSchema struct {
	Version     string `json:"$schema"`
	Type        string
	Description string
	Default     any
	Enum        []string
	Pattern     string
	Minimum     json.Number
	Maximum     json.Number
	MinLength   int
	MaxLength   int // 0 for no limit
	MinItems    int
	MaxItems    int // 0 for no limit
	Items       *inputSchema
	Properties  map[string]*inputSchema
	Required    []string
	Open        *bool `json:"additionalProperties"`

	pattern *regexp.Regexp
}

// readSchema reads the schema of a tool's arguments. It refuses a schema that has other keywords, which check would ignore.
func readSchema(raw json.RawMessage) (*inputSchema, error) {
	s := &inputSchema{}
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	dec.DisallowUnknownFields()
	if err := dec.Decode(s); err != nil {
		return nil, err
	}
	if s.Type != "object" || s.Open == nil || *s.Open {
		return nil, errors.New("arguments are an object with additionalProperties false")
	}
	return s, s.complete()
}

// complete sets the limits that a schema leaves out.
func (s *inputSchema) complete() (err error) {
	for _, r := range s.Required {
		if s.Properties[r] == nil {
			return fmt.Errorf("%q is required but not described", r)
		}
	}
	for _, p := range s.Properties {
		err = errors.Join(err, p.complete())
	}
	if s.Pattern != "" {
		s.pattern, err = regexp.Compile(s.Pattern)
	}
	if usual, ok := s.Default.(json.Number); ok && s.Minimum == "" && usual != "0" && !strings.HasPrefix(usual.String(), "-") {
		s.Minimum = "1" // a number whose default is more than 0 is a count, and the handler reads 0 as "not given"
	}
	if s.MaxItems = cmp.Or(s.MaxItems, maxList); s.Items == nil {
		return err
	}
	s.Items.Description = cmp.Or(s.Items.Description, s.Description)
	return errors.Join(err, s.Items.complete())
}

// names returns the properties of s: the required ones first, then the others alphabetically.
func (s *inputSchema) names() []string {
	all := slices.Clone(s.Required)
	for _, n := range slices.Sorted(maps.Keys(s.Properties)) {
		if !slices.Contains(s.Required, n) {
			all = append(all, n)
		}
	}
	return all
}

// check returns raw without null and "" in an enum, and 5.0 as 5. Unchanged it is not encoded again: that costs seven times its size.
func (s *inputSchema) check(raw json.RawMessage) (json.RawMessage, error) {
	var sent any
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	if err := dec.Decode(&sent); err != nil && len(raw) > 0 {
		return nil, fault.New(fault.Invalid, "the arguments cannot be read: %s", err).With("send them as a JSON object")
	}
	args, isObject := sent.(map[string]any)
	if !isObject && sent != nil {
		return nil, fault.New(fault.Invalid, "the arguments are %s, not an object", show(sent)).
			With("send an object with " + strings.Join(s.names(), ", "))
	}
	if args == nil {
		args = map[string]any{}
	}
	var c checker
	if c.object("", s, args); len(c.problems) > 0 {
		return nil, c.fault()
	}
	if isObject && !c.changed && c.members == transport.CountJSON(raw, ':') {
		return raw, nil
	}
	return transport.Encode(args)
}

type checker struct {
	problems []problem
	changed  bool // a value was dropped or replaced
	members  int  // of all objects, each name counted once
}

type problem struct{ path, text, hint string }

func (c *checker) report(path, hint, format string, args ...any) {
	c.problems = append(c.problems, problem{path, fmt.Sprintf(format, args...), hint})
}

// object checks the object at path, and replaces its values by those that the handler decodes.
func (c *checker) object(path string, s *inputSchema, v map[string]any) {
	c.members += len(v)
	what, known := "argument", s.names()
	if path != "" {
		what, path = "field", path+"."
	}
	hint := "omit all " + what + "s"
	if len(known) > 0 {
		hint = what + "s: " + strings.Join(known, ", ")
	}
	for _, name := range slices.Sorted(maps.Keys(v)) {
		if s.Open != nil && !*s.Open && s.Properties[name] == nil {
			c.report(path+name, hint, "there is no %s %q%s", what, path+fault.Cut(name, 64), fault.DidYouMean(name, known))
		}
	}
	for _, name := range known {
		p, at, value, required := s.Properties[name], path+name, v[name], slices.Contains(s.Required, name)
		missing := value == nil ||
			value == "" && (p.Enum != nil && !slices.Contains(p.Enum, "") || p.MinLength > 0 && required)
		switch {
		case !missing:
			v[name] = c.value(at, p, value)
		case required:
			c.report(at, strings.TrimSuffix("give "+at+": "+p.Description, ": "), "%s is required", at)
		default:
			_, sent := v[name]
			c.changed = c.changed || sent
			delete(v, name)
		}
	}
}

// value checks the value at path, and returns it as the handler decodes it.
func (c *checker) value(path string, s *inputSchema, v any) any {
	say := func(hint, format string, args ...any) {
		if hint == "" && s.Description != "" {
			of := path
			if strings.HasSuffix(of, "]") {
				of = of[:strings.LastIndexByte(of, '[')] // an item has the description of its list
			}
			hint = of + ": " + s.Description
		}
		c.report(path, hint, "%s "+format, append([]any{path}, args...)...)
	}
	n, isNumber := v.(json.Number)
	f, err := n.Float64()
	switch {
	case isNumber && err != nil:
		say("", "is out of range: %s", show(n))
		return v
	case isNumber && s.Type == "integer" && !whole(n):
		say("send a whole number", "must be an integer, not %s", show(n))
		return v
	case s.Type != "" && !isOf(s.Type, v):
		say(s.typeHint(path, v), "must be %s, not %s", typeWords[s.Type], show(v))
		return v
	}
	switch v := v.(type) {
	case map[string]any:
		c.object(path, s, v)
	case []any:
		switch n := len(v); {
		case n < s.MinItems:
			say("", "has %d items, at least %d are needed", n, s.MinItems)
		case n > s.MaxItems:
			say("", "has %d items, at most %d are allowed", n, s.MaxItems)
		case s.Items != nil:
			for i := range v {
				v[i] = c.value(fmt.Sprintf("%s[%d]", path, i), s.Items, v[i])
			}
		}
	case string:
		switch n := utf8.RuneCountInString(v); {
		case s.Enum != nil && !slices.Contains(s.Enum, v):
			hint := ""
			if near := fault.Nearest(v, s.Enum); len(near) > 0 {
				hint = fmt.Sprintf("send %q: %q", path, near[0])
			}
			say(hint, "must be one of %s, not %s", strings.Join(s.Enum, ", "), show(v))
		case n < s.MinLength && n == 0:
			say("omit it or give a text", "must not be empty")
		case n < s.MinLength:
			say("", "has %d characters, at least %d are needed", n, s.MinLength)
		case s.MaxLength > 0 && n > s.MaxLength:
			say("shorten it", "has %d characters, at most %d are allowed", n, s.MaxLength)
		case s.pattern != nil && !s.pattern.MatchString(v):
			say("", "must match %s, which %s does not", s.Pattern, show(v))
		}
	case json.Number:
		least, noLeast := s.Minimum.Float64()
		most, noMost := s.Maximum.Float64()
		if noLeast == nil && f < least || noMost == nil && f > most {
			hint := ""
			if s.Default != nil {
				hint = fmt.Sprintf("omit it to use the default, %v", s.Default)
			}
			say(hint, "must be %s, not %s", s.limits(), show(v))
		}
		if _, err := v.Int64(); err != nil && s.Type == "integer" {
			c.changed = true
			return json.Number(strconv.FormatInt(int64(f), 10))
		}
	}
	return v
}

// whole reports whether a number, as 5 or 5.0, is an integer of 64 bits.
func whole(n json.Number) bool {
	_, err := n.Int64()
	f, _ := n.Float64()
	return err == nil || f == math.Trunc(f) && math.Abs(f) < 1<<63
}

func isOf(name string, v any) (ok bool) {
	switch name {
	case "object":
		_, ok = v.(map[string]any)
	case "array":
		_, ok = v.([]any)
	case "string":
		_, ok = v.(string)
	case "boolean":
		_, ok = v.(bool)
	default:
		_, ok = v.(json.Number)
	}
	return ok
}

func (c *checker) fault() error {
	var texts, hints []string
	for _, p := range c.problems[:min(len(c.problems), maxProblems)] {
		texts = append(texts, p.text)
		if p.hint != "" && !slices.Contains(hints, p.hint) {
			hints = append(hints, p.hint)
		}
	}
	if more := len(c.problems) - maxProblems; more > 0 {
		texts = append(texts, fmt.Sprintf("and %d more", more))
	}
	arg, _, _ := strings.Cut(c.problems[0].path, "[")
	arg, _, _ = strings.Cut(arg, ".")
	return fault.New(fault.Invalid, "%s", strings.Join(texts, "; ")).For(arg).With(strings.Join(hints, "; "))
}

var typeWords = map[string]string{
	"object": "an object", "array": "an array", "string": "a string", "integer": "an integer", "number": "a number",
	"boolean": "true or false",
}

// typeHint returns how to send v as the type that s requires, "" when v gives no clue.
func (s *inputSchema) typeHint(name string, v any) string {
	text, isText := v.(string)
	_, isList := v.([]any)
	switch {
	case isList && s.Type == "string" && s.Enum == nil:
		return fmt.Sprintf(`send one text: %q: "…"`, name)
	case s.Type == "array" && s.Items != nil && s.Items.Type == "string":
		return fmt.Sprintf(`send a list, also for one value: %q: ["…"]`, name)
	case isText && len(text) < maxShown && (s.Type == "integer" || s.Type == "number"):
		if _, err := strconv.ParseFloat(text, 64); err == nil {
			return fmt.Sprintf("send it without quotes: %q: %s", name, text)
		}
	}
	return ""
}

func (s *inputSchema) limits() string {
	switch {
	case s.Maximum == "":
		return "at least " + s.Minimum.String()
	case s.Minimum == "":
		return "at most " + s.Maximum.String()
	}
	return s.Minimum.String() + " to " + s.Maximum.String()
}

func show(v any) string {
	switch v := v.(type) {
	case string:
		return strconv.Quote(fault.Cut(v, maxShown))
	case []any:
		return "an array"
	case map[string]any:
		return "an object"
	case nil:
		return "null"
	}
	return fault.Cut(fmt.Sprint(v), maxShown)
}
