package rag

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"sdd/internal/fault"
)

// Names that servers give to the same argument.
var (
	queryNames = []string{"query", "q", "question", "search", "search_query", "text", "prompt", "task", "search_term", "pattern"}
	rootNames  = []string{"path", "project_path", "projectPath", "repo_path", "repository_path", "root", "root_path", "directory",
		"workspace", "workspace_path", "project", "codebase_path", "cwd"}
	limitNames = []string{"limit", "top_k", "topK", "k", "max_results", "maxResults", "n_results", "max_nodes", "maxNodes",
		"num_results", "count"}
	fileNames = []string{"files", "paths", "file_paths", "filePaths", "changed_files", "changedFiles", "filenames"}
	wordNames = []string{"semantic_query", "keywords"}
)

const maxKeywords = 12

// arguments fills a tool's arguments by its own schema. Fixed ones win. A required argument without a value is a fault that names it.
func arguments(t Tool, r Request) (map[string]any, error) {
	props, _ := t.Schema["properties"].(map[string]any)
	required := Texts(t.Schema["required"])
	args := map[string]any{}
	has := func(name string) (prop map[string]any, ok bool) {
		p, ok := props[name]
		prop, _ = p.(map[string]any)
		return prop, ok
	}

	if r.Query != "" {
		if name := cmp.Or(r.QueryArg, queryName(props, required)); name != "" {
			prop, _ := has(name)
			args[name] = r.Query
			if typeOf(prop) == "array" {
				args[name] = keywords(r.Query)
			}
		}
		for _, n := range wordNames {
			if prop, ok := has(n); ok && typeOf(prop) == "array" {
				args[n] = keywords(r.Query)
			}
		}
	}
	for _, n := range rootNames {
		if prop, ok := has(n); ok && slices.Contains(required, n) && args[n] == nil && typeOf(prop) != "array" {
			args[n] = r.Root
		}
	}
	for _, n := range limitNames {
		if prop, _ := has(n); r.Limit > 0 && (typeOf(prop) == "integer" || typeOf(prop) == "number") {
			args[n] = r.Limit
			if most, ok := prop["maximum"].(float64); ok && most >= 1 {
				args[n] = min(r.Limit, int(most))
			}
		}
	}
	if len(r.Files) > 0 {
		for _, n := range fileNames {
			if prop, ok := has(n); ok && typeOf(prop) == "array" {
				args[n] = r.Files
				break
			}
		}
	}
	for _, n := range required {
		if _, done := args[n]; done {
			continue
		}
		prop, _ := has(n)
		if def, ok := prop["default"]; ok {
			args[n] = def
		} else if one, ok := prop["enum"].([]any); ok && len(one) == 1 {
			args[n] = one[0]
		}
	}
	for n, v := range r.Fixed {
		if _, ok := props[n]; ok || r.Query != "" { // a reindexer shares only the arguments that it has
			args[n] = v
		}
	}
	for _, n := range required {
		if _, done := args[n]; !done {
			return nil, fault.New(fault.Invalid, "the tool %s requires %s, which has no value", clean(t.Name, 60), shortQuote(n)).
				For("search_strategy.rag.args").With(fmt.Sprintf("set search_strategy.rag.args.%s", clean(n, 60)))
		}
	}
	return args, nil
}

// queryName guesses the argument for the query: the only required text that is no path, else the first known name.
func queryName(props map[string]any, required []string) string {
	var only []string
	for _, n := range required {
		prop, _ := props[n].(map[string]any)
		if typeOf(prop) == "string" && !slices.Contains(rootNames, n) && prop["enum"] == nil &&
			!strings.HasSuffix(n, "_path") && !strings.HasSuffix(n, "_name") {
			only = append(only, n)
		}
	}
	if len(only) == 1 {
		return only[0]
	}
	for _, among := range [][]string{only, nil} {
		for _, n := range queryNames {
			if _, ok := props[n]; ok && (among == nil || slices.Contains(among, n)) {
				return n
			}
		}
	}
	return ""
}

// typeOf returns the type of a property; of several the first that is not null.
func typeOf(prop map[string]any) string {
	switch t := prop["type"].(type) {
	case string:
		return t
	case []any:
		for _, one := range t {
			if s, _ := one.(string); s != "" && s != "null" {
				return s
			}
		}
	}
	for _, key := range []string{"anyOf", "oneOf"} {
		list, _ := prop[key].([]any)
		for _, one := range list {
			if m, ok := one.(map[string]any); ok {
				if s := typeOf(m); s != "" && s != "null" {
					return s
				}
			}
		}
	}
	return ""
}

// keywords splits a query for tools that take words.
func keywords(query string) []string {
	out := []string{}
	for _, w := range strings.FieldsFunc(query, func(r rune) bool { return strings.ContainsRune(" \t\r\n,;:?!()[]{}\"'`", r) }) {
		if len(w) > 2 && !slices.Contains(out, w) && len(out) < maxKeywords {
			out = append(out, w)
		}
	}
	if len(out) == 0 {
		out = append(out, query)
	}
	return out
}
