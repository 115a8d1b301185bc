// Package schema holds the JSON Schemas of front matter, config.yaml, and the tools' arguments and results; input is checked with them.
package schema

import (
	"bytes"
	"embed"
	"encoding/json"
	"fmt"
	"io/fs"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
)

// Dialect is the JSON Schema dialect of every schema.
const Dialect = "https://json-schema.org/draft/2020-12/schema"

// FS holds the schema files as they lie in this folder.
//
//go:embed *.json tools/*.json
var FS embed.FS

// Load returns the bytes of one schema by its path in this folder without `.json`, such as
// "exploration", "tools/sdd_explore.input" or "tools/error". An unknown name panics: names are fixed.
func Load(name string) []byte {
	data, err := FS.ReadFile(name + ".json")
	if err != nil {
		panic(fmt.Sprintf("schema: no %q", name))
	}
	return data
}

// Names lists all schemas, sorted.
func Names() []string {
	var names []string
	for _, pattern := range []string{"*.json", "tools/*.json"} {
		found, _ := fs.Glob(FS, pattern) // the error is one of the pattern
		for _, file := range found {
			names = append(names, strings.TrimSuffix(file, ".json"))
		}
	}
	slices.Sort(names)
	return names
}

// Input returns the schema of a tool's arguments as the server lists it: compact, without the dialect.
func Input(tool string) json.RawMessage {
	var b bytes.Buffer
	if err := json.Compact(&b, Load("tools/"+tool+".input")); err != nil {
		panic(fmt.Sprintf("schema: %s: %v", tool, err))
	}
	return bytes.Replace(b.Bytes(), []byte(`"$schema":"`+Dialect+`",`), nil, 1)
}

// Listed returns the schema of a tool's result as the server lists it: an open object with its required fields, nothing more. The full one,
// which every result keeps too, is Load("tools/<tool>.output"). Clients pay for what is listed on every turn.
func Listed(tool string) json.RawMessage {
	var full struct{ Required []string }
	if err := json.Unmarshal(Load("tools/"+tool+".output"), &full); err != nil {
		panic(fmt.Sprintf("schema: %s: %v", tool, err))
	}
	names, err := json.Marshal(full.Required)
	if err != nil {
		panic(err)
	}
	return fmt.Appendf(nil, `{"type":"object","required":%s}`, names)
}

var compiled sync.Map // name to func() *jsonschema.Schema

// Leaves returns the errors under e that have no further cause.
func Leaves(e *jsonschema.ValidationError) []*jsonschema.ValidationError {
	if len(e.Causes) == 0 {
		return []*jsonschema.ValidationError{e}
	}
	var all []*jsonschema.ValidationError
	for _, c := range e.Causes {
		all = append(all, Leaves(c)...)
	}
	return all
}

// Problem describes why the value called name does not satisfy its schema; "" for kinds of errors that need the caller's words.
func Problem(name string, e jsonschema.ErrorKind) string {
	switch e := e.(type) {
	case *kind.Enum:
		var values []string
		for _, v := range e.Want {
			values = append(values, fmt.Sprint(v))
		}
		return fmt.Sprintf("%s is %q, allowed are %s", name, fmt.Sprint(e.Got), strings.Join(values, ", "))
	case *kind.Type:
		return fmt.Sprintf("%s is of type %s, it should be %s", name, e.Got, strings.Join(e.Want, " or "))
	case *kind.Minimum:
		return fmt.Sprintf("%s is %s, at least %s is allowed", name, decimal(e.Got), decimal(e.Want))
	case *kind.Maximum:
		return fmt.Sprintf("%s is %s, at most %s is allowed", name, decimal(e.Got), decimal(e.Want))
	case *kind.ExclusiveMinimum:
		return fmt.Sprintf("%s is %s, more than %s is allowed", name, decimal(e.Got), decimal(e.Want))
	case *kind.MinLength:
		return name + " is empty"
	}
	return ""
}

func decimal(r *big.Rat) string {
	f, _ := r.Float64()
	return strconv.FormatFloat(f, 'f', -1, 64)
}

// Compile returns the schema of that name ready to validate with. It is compiled on its first use only; several goroutines may call it.
func Compile(name string) *jsonschema.Schema {
	once, ok := compiled.Load(name)
	if !ok {
		once, _ = compiled.LoadOrStore(name, sync.OnceValue(func() *jsonschema.Schema { return compile(name) }))
	}
	return once.(func() *jsonschema.Schema)()
}

func compile(name string) *jsonschema.Schema {
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(Load(name)))
	if err != nil {
		panic(fmt.Sprintf("schema: %s: %v", name, err))
	}
	url := "sdd:///" + name + ".json"
	c := jsonschema.NewCompiler()
	if err := c.AddResource(url, doc); err != nil {
		panic(fmt.Sprintf("schema: %s: %v", name, err))
	}
	return c.MustCompile(url)
}
