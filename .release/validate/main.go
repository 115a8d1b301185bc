// Command validate checks JSON files against a JSON Schema; the first of the schemas is theirs, the others are those it names:
//
//	go run ./.release/validate URL=SCHEMA... -- FILE...
package main

import (
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

func main() {
	if err := validate(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "validate:", err)
		os.Exit(1)
	}
}

func validate(args []string) error {
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	between := slices.Index(args, "--")
	if between < 1 {
		return fmt.Errorf("usage: validate URL=SCHEMA [URL=SCHEMA] -- FILE [FILE]")
	}
	for _, arg := range args[:between] {
		url, file, _ := strings.Cut(arg, "=")
		doc, err := read(file)
		if err != nil {
			return err
		}
		if err := c.AddResource(url, doc); err != nil {
			return err
		}
	}
	url, _, _ := strings.Cut(args[0], "=")
	schema, err := c.Compile(url)
	if err != nil {
		return err
	}
	for _, file := range args[between+1:] {
		doc, err := read(file)
		if err != nil {
			return err
		}
		if err := schema.Validate(doc); err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
	}
	return nil
}

func read(file string) (any, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return jsonschema.UnmarshalJSON(f)
}
