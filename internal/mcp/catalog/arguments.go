package catalog

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"

	"sdd/internal/fault"
	"sdd/internal/mcp/transport"
	"sdd/schema"
)

// mcp-go decides whether arguments fit their schema. This file compiles the schema and turns each violation into a message with
// the correct form to send.

// noArguments is the schema of a tool that takes none.
var noArguments = json.RawMessage(`{"type":"object","properties":{},"additionalProperties":false}`)

const (
	maxList     = 10_000 // items of an array whose schema sets no limit
	maxProblems = 3      // problems that one refusal describes
	maxShown    = 40     // characters of a value in a message
)

// inputSchema is the compiled schema of a tool's arguments.
type inputSchema struct{ *jsonschema.Schema }

// readSchema compiles the schema of a tool's arguments. It refuses a schema that problem could not explain to the
// agent.
func readSchema(raw json.RawMessage) (*inputSchema, error) {
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
	if err != nil {
		return nil, err
	}
	const url = "sdd:///arguments.json"
	c := jsonschema.NewCompiler()
	if err := c.AddResource(url, doc); err != nil {
		return nil, err
	}
	s, err := c.Compile(url)
	if err != nil {
		return nil, err
	}
	if !is(s, "object") || s.AdditionalProperties != false {
		return nil, errors.New("arguments are an object with additionalProperties false")
	}
	return &inputSchema{s}, complete(s)
}

// complete sets the limits that a schema leaves out.
func complete(s *jsonschema.Schema) error {
	if s.Ref != nil || s.OneOf != nil || s.AnyOf != nil || s.AllOf != nil || s.Not != nil {
		return errors.New("arguments are described without references and combined schemas, which clients do not read")
	}
	for _, r := range s.Required {
		if s.Properties[r] == nil {
			return fmt.Errorf("%q is required but not described", r)
		}
	}
	for _, p := range s.Properties {
		if err := complete(p); err != nil {
			return err
		}
	}
	if s.Default != nil && s.Minimum == nil && (is(s, "integer") || is(s, "number")) {
		// A number whose default is more than 0 is a count, and the handler reads 0 as "not given".
		if usual, ok := new(big.Rat).SetString(fmt.Sprint(*s.Default)); ok && usual.Sign() > 0 {
			s.Minimum = big.NewRat(1, 1)
		}
	}
	if is(s, "array") && s.MaxItems == nil {
		most := maxList
		s.MaxItems = &most
	}
	if s.Items2020 == nil {
		return nil
	}
	if s.Items2020.Description == "" {
		s.Items2020.Description = s.Description
	}
	return complete(s.Items2020)
}

// is reports whether s describes values of that type only.
func is(s *jsonschema.Schema, name string) bool {
	return s.Types != nil && slices.Equal(s.Types.ToStrings(), []string{name})
}

// names returns the properties of s: the required ones first, then the others alphabetically.
func names(s *jsonschema.Schema) []string {
	all := slices.Clone(s.Required)
	for n := range s.Properties {
		if !slices.Contains(s.Required, n) {
			all = append(all, n)
		}
	}
	slices.Sort(all[len(s.Required):])
	return all
}

// check returns raw in the form that the handler decodes. Its fault names every wrong argument, the allowed values and the
// remedy. It drops null, drops "" in an enum, and reads 5.0 as the integer 5.
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
			With("send an object with " + strings.Join(names(s.Schema), ", "))
	}
	if args == nil {
		args = map[string]any{}
	}
	c := checker{root: s.Schema, args: args}
	c.tidy(nil, s.Schema, args)
	var invalid *jsonschema.ValidationError
	if errors.As(s.Validate(args), &invalid) {
		for _, leaf := range schema.Leaves(invalid) {
			c.report(leaf)
		}
	}
	if len(c.problems) > 0 {
		return nil, c.fault()
	}
	if !c.changed && bytes.Count(raw, []byte("{")) == 1 {
		return raw, nil
	}
	return transport.Encode(args) // of two objects with one name only the last: the handler's decoder would merge them
}

// checker contains the arguments of one call and the problems found in them.
type checker struct {
	root     *jsonschema.Schema
	args     map[string]any
	changed  bool // args differ from the sent arguments
	problems []problem
}

type problem struct{ path, key, text, hint string }

// tidy returns v, the value at path, with the corrections that check documents.
func (c *checker) tidy(path []string, s *jsonschema.Schema, v any) any {
	switch v := v.(type) {
	case map[string]any:
		for _, name := range names(s) {
			p := s.Properties[name]
			value, given := v[name]
			word := value == "" && (p.Enum != nil && !slices.Contains(p.Enum.Values, any("")) ||
				p.MinLength != nil && *p.MinLength > 0 && slices.Contains(s.Required, name))
			if given && (value == nil || word) {
				delete(v, name)
				c.changed = true
			} else if given {
				v[name] = c.tidy(append(path, name), p, value)
			}
		}
	case []any:
		for i := range v {
			if s.Items2020 != nil {
				v[i] = c.tidy(append(path, strconv.Itoa(i)), s.Items2020, v[i])
			}
		}
	case json.Number:
		return c.number(path, s, v)
	}
	return v
}

func (c *checker) number(path []string, s *jsonschema.Schema, n json.Number) any {
	name, _, _, _ := c.place(path)
	f, err := n.Float64()
	if err != nil {
		c.problem(path, "", "%s is out of range: %s", name, show(n))
		return json.Number("0") // the library would compute the number in full
	}
	if is(s, "integer") {
		if _, err := strconv.ParseInt(n.String(), 10, 64); err != nil {
			if f != math.Trunc(f) || math.Abs(f) >= 1<<63 {
				c.problem(path, "send a whole number", "%s must be an integer, not %s", name, show(n))
				return json.Number("0")
			}
			n, c.changed = json.Number(strconv.FormatInt(int64(f), 10)), true
		}
	}
	return n
}

// place returns the path of a value in readable form, its schema (nil for an unknown argument), the value, and a sort key:
// unknown arguments first, the others in the order of their schema.
func (c *checker) place(path []string) (name, key string, s *jsonschema.Schema, v any) {
	s, v = c.root, c.args
	for _, step := range path {
		switch in := v.(type) {
		case []any:
			i, _ := strconv.Atoi(step)
			name, key, s, v = name+"["+step+"]", fmt.Sprintf("%s%05d.", key, i), s.Items2020, in[i]
		case map[string]any:
			if name != "" {
				name += "."
			}
			key += fmt.Sprintf("%05d.", slices.Index(names(s), step)+1)
			if s.Properties[step] == nil {
				key += step
			}
			name, s, v = name+step, s.Properties[step], in[step]
		}
	}
	return name, key, s, v
}

// problem adds a problem at path, once for each path. Without a hint it uses the description in the
// schema.
func (c *checker) problem(path []string, hint, format string, args ...any) {
	name, key, s, _ := c.place(path)
	if slices.ContainsFunc(c.problems, func(p problem) bool { return p.path == name }) {
		return
	}
	if hint == "" && s != nil && s.Description != "" {
		of := name
		if strings.HasSuffix(of, "]") {
			of = of[:strings.LastIndexByte(of, '[')] // an item has the description of its list
		}
		hint = of + ": " + s.Description
	}
	c.problems = append(c.problems, problem{name, key, fmt.Sprintf(format, args...), hint})
}

// report turns one violation of the schema into a problem.
func (c *checker) report(e *jsonschema.ValidationError) {
	path := e.InstanceLocation
	name, _, s, v := c.place(path)
	say := func(hint, format string, args ...any) {
		c.problem(path, hint, "%s "+format, append([]any{name}, args...)...)
	}
	switch k := e.ErrorKind.(type) {
	case *kind.Required:
		for _, missing := range k.Missing {
			name, _, p, _ := c.place(append(path, missing))
			hint := "give " + name
			if p.Description != "" {
				hint += ": " + p.Description
			}
			c.problem(append(path, missing), hint, "%s is required", name)
		}
	case *kind.AdditionalProperties:
		what, known := "argument", names(s)
		if len(path) > 0 {
			what = "field"
		}
		hint := what + "s: " + strings.Join(known, ", ")
		if len(known) == 0 {
			hint = "omit all " + what + "s"
		}
		for _, unknown := range k.Properties {
			name, _, _, _ := c.place(append(path, fault.Cut(unknown, 64)))
			c.problem(append(path, unknown), hint, "there is no %s %q%s", what, name, fault.DidYouMean(unknown, known))
		}
	case *kind.Type:
		var words []string
		for _, w := range k.Want {
			words = append(words, typeWords[w])
		}
		say(typeHint(name, s, v), "must be %s, not %s", strings.Join(words, " or "), show(v))
	case *kind.Enum:
		var words []string
		for _, w := range k.Want {
			words = append(words, fmt.Sprint(w))
		}
		hint := ""
		if near := fault.Nearest(fmt.Sprint(k.Got), words); len(near) > 0 {
			hint = fmt.Sprintf("send %q: %q", name, near[0])
		}
		say(hint, "must be one of %s, not %s", strings.Join(words, ", "), show(k.Got))
	case *kind.Minimum, *kind.Maximum:
		say(orDefault(s), "must be %s, not %s", limits(s), show(v))
	case *kind.MinLength:
		if k.Got == 0 {
			say("omit it or give a text", "must not be empty")
			return
		}
		say("", "has %d characters, at least %d are needed", k.Got, k.Want)
	case *kind.MaxLength:
		say("shorten it", "has %d characters, at most %d are allowed", k.Got, k.Want)
	case *kind.Pattern:
		say("", "must match %s, which %s does not", k.Want, show(k.Got))
	case *kind.MinItems:
		say("", "has %d items, at least %d are needed", k.Got, k.Want)
	case *kind.MaxItems:
		say("", "has %d items, at most %d are allowed", k.Got, k.Want)
	default:
		say("", "does not fit its schema")
	}
}

// fault returns the first problems and their hints.
func (c *checker) fault() error {
	slices.SortStableFunc(c.problems, func(a, b problem) int { return strings.Compare(a.key, b.key) })
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
func typeHint(name string, s *jsonschema.Schema, v any) string {
	text, isText := v.(string)
	switch {
	case is(s, "array") && s.Items2020 != nil && is(s.Items2020, "string"):
		return fmt.Sprintf(`send a list, also for one value: %q: ["…"]`, name)
	case isText && len(text) < maxShown && (is(s, "integer") || is(s, "number")):
		if _, err := strconv.ParseFloat(text, 64); err == nil {
			return fmt.Sprintf("send it without quotes: %q: %s", name, text)
		}
	}
	return ""
}

// limits describes the allowed range of numbers.
func limits(s *jsonschema.Schema) string {
	switch {
	case s.Maximum == nil:
		return "at least " + s.Minimum.RatString()
	case s.Minimum == nil:
		return "at most " + s.Maximum.RatString()
	}
	return s.Minimum.RatString() + " to " + s.Maximum.RatString()
}

func orDefault(s *jsonschema.Schema) string {
	if s.Default == nil {
		return ""
	}
	return fmt.Sprintf("omit it to use the default, %v", *s.Default)
}

// show describes a value in a message and shortens a long one.
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
