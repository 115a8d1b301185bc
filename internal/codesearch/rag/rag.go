// Package rag asks any semantic code search server over MCP: it finds the tool by its name, fills its arguments by its
// own schema and reads the places from its answer. An answer is not trusted: rag limits its size and time, and the
// caller checks it against the files.
package rag

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"sdd/internal/fault"
)

// Server is how to reach a server: by a command that speaks MCP on its standard streams, or by an address.
type Server struct {
	Name    string // as configuration files call it; may be ""
	Command string
	Args    []string
	Env     map[string]string
	URL     string

	Dir     string            // that a client's file names for it; Connect takes the folder as an argument
	Environ []string          // what Env is added to, nil for the variables of this process
	Stderr  io.Writer         // nil drops it
	Header  map[string]string // of each request to URL
}

// Empty reports whether the server has neither a command nor an address.
func (s Server) Empty() bool { return s.Command == "" && s.URL == "" }

// Tool is what a server offers.
type Tool struct {
	Name, Description string
	Schema            map[string]any // of its arguments, as JSON
}

// Request is a question to a server.
type Request struct {
	Tool     string         // tool, server.tool, server/tool or mcp__server__tool
	Query    string         // words
	Root     string         // absolute path of the project
	Limit    int            // results wanted
	Files    []string       // changed files, for a reindexer; relative to the root
	Fixed    map[string]any // arguments that win over guessed ones
	QueryArg string         // name of the argument that takes the query, "" is guessed
}

// Snippet is a place that a server names. Start and End are 0 where it names no lines.
type Snippet struct {
	Path       string
	Start, End int
	Symbol     string
	Text       string
}

// Answer is a server's answer.
type Answer struct {
	Snippets []Snippet
	Loose    []string // texts that name no place
}

// Ask calls the tool of the request once on an open connection.
func (c *Client) Ask(ctx context.Context, r Request) (Answer, error) {
	res, err := c.call(ctx, r)
	if err != nil {
		return Answer{}, err
	}
	return parseResult(res)
}

// Reindex calls the tool of the request and waits for its end.
func (c *Client) Reindex(ctx context.Context, r Request) error {
	res, err := c.call(ctx, r)
	if err != nil {
		return err
	}
	if res.IsError {
		return serverError(textOf(res))
	}
	return failure(textOf(res))
}

// ToolName splits a name into server and tool. The server is "" when the name has none.
func ToolName(name string) (server, tool string) {
	if rest, ok := strings.CutPrefix(name, "mcp__"); ok {
		if server, tool, ok := strings.Cut(rest, "__"); ok {
			return server, tool
		}
	}
	if i := strings.LastIndexAny(name, "./"); i > 0 && i < len(name)-1 {
		return name[:i], name[i+1:]
	}
	return "", name
}

// findTool returns the tool that a name means among those of a server.
func findTool(tools []Tool, name string) (Tool, error) {
	_, short := ToolName(name)
	for _, want := range []string{name, short} {
		for _, t := range tools {
			if t.Name == want {
				return t, nil
			}
		}
	}
	var known []string
	for _, t := range tools {
		known = append(known, clean(t.Name, 60))
	}
	slices.Sort(known)
	if len(known) > 20 {
		known = append(known[:20], "…")
	}
	return Tool{}, fault.New(fault.NotFound, "the server has no tool %q", short).For("search_strategy.rag.mcp_tool").
		With("its tools: " + strings.Join(known, ", "))
}

func unreachable(doing string, err error) error {
	if f := (*fault.Error)(nil); errors.As(err, &f) {
		return err
	}
	return fault.New(fault.Unavailable, "%s: %s", doing, shortQuote(err.Error())).
		With("start the server by hand to see what is wrong").From(err)
}

func serverError(text string) error {
	return fault.New(fault.Unavailable, "the server says: %s", shortQuote(text)).With("mend the index with the server's own tools")
}

const maxQuoted = 160 // characters of a server's words in a message of ours

// shortQuote is a server's text for a message: one line, not too long, in quotes.
func shortQuote(s string) string { return quote(s, maxQuoted) }

func quote(s string, limit int) string { return fmt.Sprintf("%q", clean(s, limit)) }

func clean(s string, limit int) string {
	return fault.Cut(strings.Join(strings.Fields(strings.ToValidUTF8(s, "\uFFFD")), " "), limit+1)
}

// Entry reads a server as clients' files have it: a command or an address, else an empty one. off: the user turned it off.
func Entry(name string, entry any) (s Server, off bool) {
	all, _ := entry.(map[string]any)
	s.Name = name
	switch c := all["command"].(type) {
	case string:
		s.Command = c
	case []any:
		if line := Texts(c); len(line) > 0 {
			s.Command, s.Args = line[0], line[1:]
		}
	}
	s.Args = append(s.Args, Texts(all["args"])...)
	for _, key := range []string{"env", "environment"} {
		env, _ := all[key].(map[string]any)
		for name, value := range env {
			if s.Env == nil {
				s.Env = map[string]string{}
			}
			s.Env[name] = fmt.Sprint(value)
		}
	}
	s.Dir, _ = all["cwd"].(string)
	for _, key := range []string{"httpUrl", "serverUrl", "url"} { // of Gemini CLI, Windsurf, all others
		if u, _ := all[key].(string); s.Empty() && (strings.HasPrefix(u, "http://") || strings.HasPrefix(u, "https://")) {
			s.URL = u
		}
	}
	disabled, _ := all["disabled"].(bool)
	enabled, set := all["enabled"].(bool)
	return s, disabled || set && !enabled
}

// Texts returns the elements of a parsed list as texts, nil for another value.
func Texts(v any) (out []string) {
	list, _ := v.([]any)
	for _, one := range list {
		out = append(out, fmt.Sprint(one))
	}
	return out
}
