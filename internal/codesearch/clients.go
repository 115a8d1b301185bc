package codesearch

import (
	"encoding/json"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/BurntSushi/toml"
	"github.com/tailscale/hujson"

	"sdd/internal/allow"
	"sdd/internal/codesearch/rag"
)

// Configured is a server that a file of the project names.
type Configured struct {
	rag.Server
	File string // relative to the root
}

// Command returns the server's command, which the user may trust.
func (c Configured) Command() allow.Command { return commandOf(c.Server) }

func commandOf(s rag.Server) allow.Command { return allow.Of(s.Command, s.Args, s.Env, s.URL) }

// clientFiles are the project's own files of MCP clients and the key of their servers, in the order of the search.
var clientFiles = []struct{ file, key string }{
	{".mcp.json", "mcpServers"}, {".cursor/mcp.json", "mcpServers"}, {".vscode/mcp.json", "servers"},
	{"opencode.json", "mcp"}, {"opencode.jsonc", "mcp"}, {".gemini/settings.json", "mcpServers"}, {".codex/config.toml", "mcp_servers"},
}

// clientServers returns the servers that the client files of the project name, in a fixed order. Files that
// cannot be read name none.
func clientServers(root string) []Configured {
	r, err := os.OpenRoot(root)
	if err != nil {
		return nil
	}
	defer r.Close()
	var out []Configured
	for _, c := range clientFiles {
		src, err := readSettings(r, c.file)
		if err != nil || src == nil {
			continue
		}
		all := map[string]any{}
		if strings.HasSuffix(c.file, ".toml") {
			err = toml.Unmarshal(src, &all)
		} else {
			if src, err = hujson.Standardize(src); err == nil { // editors allow comments and trailing commas
				err = json.Unmarshal(src, &all)
			}
		}
		servers, _ := all[c.key].(map[string]any)
		if err != nil {
			continue
		}
		for _, name := range slices.Sorted(maps.Keys(servers)) {
			s, off := rag.Entry(name, servers[name])
			for variable, value := range s.Env {
				s.Env[variable] = expand(value)
			}
			if !off && !s.Empty() {
				out = append(out, Configured{s, c.file})
			}
		}
	}
	return out
}

// expand replaces ${NAME} and ${env:NAME} by values of the environment, as the clients do.
func expand(s string) string {
	if !strings.Contains(s, "${") {
		return s
	}
	return os.Expand(strings.ReplaceAll(s, "${env:", "${"), os.Getenv)
}

// serverFor returns the server that has the strategy's tool: the configured server, else the server of the client files
// that the tool's name contains, else the only one of these known to have that tool.
func serverFor(root string, r RAG) (rag.Server, bool) {
	if !r.Server.Empty() {
		return r.Server, true
	}
	named, tool := rag.ToolName(r.Tool)
	var fit []rag.Server
	for _, c := range clientServers(root) {
		if named != "" && strings.EqualFold(c.Name, named) {
			return c.Server, true
		}
		if known, ok := rag.Known(c.Server); named == "" && ok && known.Search == tool {
			fit = append(fit, c.Server)
		}
	}
	if len(fit) == 1 {
		return fit[0], true
	}
	return rag.Server{}, false
}

// needsTrust reports whether the user must trust the server before it is used: it starts a command, or the query
// leaves this machine.
func needsTrust(s rag.Server) bool { return s.Command != "" || !allow.Local(s.URL) }
