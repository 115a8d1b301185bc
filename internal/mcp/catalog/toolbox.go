package catalog

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"sdd/internal/fault"
	"sdd/internal/mcp/transport"
)

// The toolsets that are not the name of a group.
const (
	setDefault = "default"
	setAll     = "all"
	setCompat  = "compat" // adds the aliases and the tools of other servers
)

// tool is a Tool with its state in the server.
type tool struct {
	Tool
	listed  bool
	refusal error  // why the server refuses calls, nil if it does not
	load    func() // sets the schemas
	schema  func() (*inputSchema, error)
}

// toolbox contains the tools and decides which of them tools/list has. It does not change.
type toolbox struct {
	tools   []*tool
	aliases map[string]*tool
	listing func() []json.RawMessage // the tools of tools/list
}

func newToolbox(c Catalog, o Options) (*toolbox, error) {
	chosen, compat, err := choose(c, o.Toolsets)
	if err != nil {
		return nil, err
	}
	b := &toolbox{aliases: map[string]*tool{}}
	taken := map[string]bool{}
	for i, def := range slices.Concat(c.Tools, c.Compat) {
		for _, name := range append([]string{def.Name}, def.Aliases...) {
			if taken[name] {
				return nil, fault.New(fault.Internal, "two tools are called %q", name)
			}
			taken[name] = true
		}
		t := newTool(def, c.Schemas, chosen, o.ReadOnly)
		t.listed = t.listed && (compat || i < len(c.Tools))
		b.tools = append(b.tools, t)
		for _, a := range def.Aliases {
			b.aliases[a] = t
		}
	}
	b.listing = sync.OnceValue(func() []json.RawMessage { return b.render(compat) })
	return b, nil
}

func newTool(def Tool, schemas func(tool string) (input, output json.RawMessage), chosen map[string]bool, readOnly bool) *tool {
	t := &tool{Tool: def, listed: true}
	t.load = sync.OnceFunc(func() {
		if schemas != nil {
			t.Input, t.Output = schemas(t.Name)
		}
	})
	t.schema = sync.OnceValues(func() (*inputSchema, error) {
		t.load()
		return readSchema(t.input())
	})
	switch {
	case !chosen[def.Toolset]:
		t.listed = false
		t.refusal = fault.New(fault.Unavailable, "%s is switched off on this server", def.Name).
			With(fmt.Sprintf("it needs the toolset %s: sdd mcp --toolsets=default,%s", def.Toolset, def.Toolset))
	case def.Writes && readOnly:
		t.listed = false
		t.refusal = fault.New(fault.Unwritable, "%s changes the store, and this server is read-only", def.Name).
			With("use a tool that reads, or start the server without --read-only")
	}
	return t
}

// choose returns the toolsets of the given names, and whether tools/list has the aliases.
func choose(c Catalog, names []string) (chosen map[string]bool, compat bool, err error) {
	all := map[string]bool{}
	for _, t := range c.Tools {
		all[t.Toolset] = true
	}
	preset := all
	if c.DefaultToolsets != nil {
		preset = map[string]bool{}
		for _, name := range c.DefaultToolsets {
			preset[name] = true
		}
	}
	chosen = map[string]bool{}
	for _, name := range names {
		name = strings.ToLower(strings.TrimSpace(name))
		switch {
		case name == "":
		case name == setCompat:
			compat = true
		case name == setAll:
			maps.Copy(chosen, all)
		case name == setDefault:
			maps.Copy(chosen, preset)
		case all[name]:
			chosen[name] = true
		default:
			known := append([]string{setDefault, setAll, setCompat}, slices.Sorted(maps.Keys(all))...)
			return nil, false, fault.New(fault.Invalid, "there is no toolset %q%s", fault.Cut(name, 64), fault.DidYouMean(name, known)).
				For("toolsets").With("toolsets: " + strings.Join(known, ", "))
		}
	}
	if len(chosen) == 0 {
		chosen = preset
	}
	return chosen, compat, nil
}

// Check compiles all schemas, for tests: an error is a defect of the catalog.
func Check(c Catalog) error {
	b, err := newToolbox(c, Options{})
	if err != nil {
		return err
	}
	for _, t := range b.tools {
		if _, err := t.schema(); err != nil {
			return fmt.Errorf("input schema of %s: %w", t.Name, err)
		}
		if t.Call == nil || t.Title == "" || t.Description == "" || t.Toolset == "" {
			return fmt.Errorf("%s lacks a title, description, toolset or call", t.Name)
		}
		if len(t.Output) > 0 && !json.Valid(t.Output) {
			return fmt.Errorf("output schema of %s is not JSON", t.Name)
		}
		if t.ReadOnly && (t.Destructive || t.Writes) {
			return fmt.Errorf("%s is read-only and yet destructive or writing", t.Name)
		}
	}
	return nil
}

func (b *toolbox) names() []string {
	var names []string
	for _, t := range b.tools {
		if t.listed {
			names = append(names, t.Name)
		}
	}
	return names
}

// listedTool is a tool in tools/list, with its keys in a readable order.
type listedTool struct {
	Name         string             `json:"name"`
	Title        string             `json:"title,omitempty"`
	Description  string             `json:"description,omitempty"`
	InputSchema  json.RawMessage    `json:"inputSchema"`
	OutputSchema json.RawMessage    `json:"outputSchema,omitempty"`
	Annotations  mcp.ToolAnnotation `json:"annotations"`
}

// render returns the tools of tools/list in the catalog's order, each followed by its aliases if asked.
func (b *toolbox) render(aliases bool) []json.RawMessage {
	var out []json.RawMessage
	for _, t := range b.tools {
		if !t.listed {
			continue
		}
		names := []string{t.Name}
		if aliases {
			names = append(names, t.Aliases...)
		}
		t.load()
		for _, name := range names {
			raw, err := transport.Encode(listedTool{name, t.Title, t.Description, t.input(), orFailure(t.Output), mcp.ToolAnnotation{
				ReadOnlyHint: &t.ReadOnly, DestructiveHint: &t.Destructive, IdempotentHint: &t.Idempotent, OpenWorldHint: &t.OpenWorld,
			}})
			if err != nil {
				panic(fmt.Sprintf("schema of %s: %v", t.Name, err))
			}
			out = append(out, raw)
		}
	}
	return out
}

func (t *tool) input() json.RawMessage {
	if t.Input == nil {
		return noArguments
	}
	return t.Input
}

// orFailure lets a Failure satisfy an output schema: the TypeScript SDK 1.x also checks failed calls, and would hide the error.
func orFailure(schema json.RawMessage) json.RawMessage {
	var s map[string]any
	if len(schema) == 0 || json.Unmarshal(schema, &s) != nil || s["required"] == nil {
		return schema
	}
	s["anyOf"] = []any{
		map[string]any{"required": s["required"]},
		map[string]any{"required": []string{"code", "message"}},
	}
	delete(s, "required")
	out, _ := transport.Encode(s) // it was JSON
	return out
}

// addTools registers every tool: a call of an unlisted one returns why it is refused. mcp-go gets no schemas, since it checks nothing.
func (s *service) addTools() {
	var all []server.ServerTool
	for _, t := range s.tools.tools {
		all = append(all, server.ServerTool{Tool: mcp.Tool{Name: t.Name, RawInputSchema: t.Input}, Handler: s.handler(t)})
	}
	s.MCP.AddTools(all...)
}

// rename replaces an alias by the tool's name before mcp-go dispatches the call.
func (s *service) rename(ctx context.Context, _ any, req *mcp.CallToolRequest) {
	if t := s.tools.aliases[req.Params.Name]; t != nil {
		transport.SessionOf(ctx).Alias = req.Params.Name
		req.Params.Name = t.Name
	}
}
