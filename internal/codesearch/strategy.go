package codesearch

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/BurntSushi/toml"
	"github.com/tailscale/hujson"

	"sdd/internal/allow"
	"sdd/internal/codesearch/rag"
	"sdd/internal/codesearch/static"
	"sdd/internal/config"
	"sdd/internal/fault"
	"sdd/internal/frontmatter"
	"sdd/internal/store"
)

// Modes of search_strategy.
const (
	ModeGrep   = "grep"
	ModeHybrid = "hybrid"
)

const (
	section       = "search_strategy"
	sourceDefault = "default"
	sourceOwn     = store.Folder + "/" + config.Name

	defaultMin     = 2
	defaultTimeout = 5 * time.Second
	maxTimeout     = 5 * time.Minute
	maxSettings    = 1 << 20 // bytes of a file
)

// Strategy is how to search.
type Strategy struct {
	Mode        string        // grep or hybrid
	Source      string        // the file that sets it, or default
	MinSnippets int           // with so many valid snippets grep does not run
	Timeout     time.Duration // for the semantic tool, and again for the search of the files; 0 is no limit to that
	RAG         RAG
	Model       *static.Model // orders what grep finds also by meaning; nil without one
	Risks       []string      // problems of the configuration and of the semantic tool

	Reindexing int // changed files for which the index is being renewed

	// Ask asks the semantic tool. It is nil without a usable one.
	Ask func(ctx context.Context, query string, limit int) (rag.Answer, error)

	// Records returns for each snippet the records that concern its lines. Such a snippet comes earlier. nil is none.
	Records func(ctx context.Context, snippets []Snippet) [][]About
}

// RAG is the semantic tool.
type RAG struct {
	Tool        string
	ReindexTool string
	QueryArg    string
	Server      rag.Server
	Args        map[string]any
}

// Resolve returns the strategy of the project at root: that of config.yaml, else that of openspec/config.yaml, else
// grep. A wrong setting gives grep and a risk.
func Resolve(root string, c config.Config) Strategy {
	if v, ok := c.Sections[section]; ok {
		return parseStrategy(v, sourceOwn)
	}
	v, err := openSpec(root)
	if v != nil && err == nil {
		return parseStrategy(v, OpenSpecPath)
	}
	st := parseStrategy(nil, sourceDefault)
	if err != nil {
		st.Risks = append(st.Risks, OpenSpecPath+" cannot be read, grep is used: "+err.Error())
	}
	return st
}

// OpenSpec returns the text of openspec/config.yaml under root, nil if it cannot read the file.
func OpenSpec(root string) ([]byte, error) {
	r, err := os.OpenRoot(root)
	if err != nil {
		return nil, nil
	}
	defer r.Close()
	return readSettings(r, OpenSpecPath)
}

// readSettings returns the text of a file of settings in r, nil where there is no regular one. It waits for no pipe.
func readSettings(r *os.Root, name string) ([]byte, error) {
	local := filepath.FromSlash(name)
	st, err := r.Stat(local)
	if err != nil || !st.Mode().IsRegular() {
		return nil, nil
	}
	if st.Size() > maxSettings {
		return nil, fault.New(fault.Invalid, "it has %d bytes, at most %d are read", st.Size(), maxSettings)
	}
	return r.ReadFile(local)
}

// openSpec returns the section of openspec/config.yaml, nil when there is none.
func openSpec(root string) (any, error) {
	src, err := OpenSpec(root)
	if src == nil {
		return nil, err
	}
	doc, err := frontmatter.ParseYAML(src)
	if err != nil {
		return nil, err
	}
	return doc.Value(section), nil
}

// Misset is a setting of search_strategy that cannot be used, with a message that names the setting used instead.
type Misset struct {
	Key     string // below search_strategy, with dots; "" the section itself
	Message string
}

// CheckConfig returns the unusable settings of search_strategy, which a search returns as risks. The schema finds more.
func CheckConfig(v any) []Misset {
	_, wrong := readStrategy(v)
	return wrong
}

// OpenSpecPath is the file, relative to the root, whose search_strategy applies if config.yaml has none.
const OpenSpecPath = "openspec/config.yaml"

// parseStrategy reads the section of a file, and adds its problems as risks.
func parseStrategy(v any, source string) Strategy {
	st, wrong := readStrategy(v)
	st.Source = source
	for _, w := range wrong {
		st.Risks = append(st.Risks, source+": "+w.Message)
	}
	return st
}

func readStrategy(v any) (st Strategy, missets []Misset) {
	st = Strategy{Mode: ModeGrep, MinSnippets: defaultMin, Timeout: defaultTimeout}
	wrong := func(key, format string, args ...any) {
		missets = append(missets, Misset{key, fmt.Sprintf(format, args...)})
	}
	m, ok := v.(map[string]any)
	if !ok {
		if v != nil {
			wrong("", "%s is no list of keys and values, grep is used", section)
		}
		return st, missets
	}
	if n, ok := m["min_snippets"].(int64); ok && n >= 1 {
		st.MinSnippets = int(min(n, maxGiven))
	} else if m["min_snippets"] != nil {
		wrong("min_snippets", "min_snippets is no number from 1, %d is used", defaultMin)
	}
	if t, ok := m["timeout"]; ok {
		if d, err := parseTimeout(fmt.Sprint(t)); err != nil {
			wrong("timeout", "%v, %s is used", err, defaultTimeout)
		} else {
			st.Timeout = d
		}
	}
	for _, key := range []string{"embeddings", "embedding"} {
		if m[key] != nil {
			wrong(key, "%s has no %s of its own; a semantic server is named in rag", section, key)
		}
	}
	if dir := m["model"]; dir != nil {
		var err error
		if st.Model, err = openModel(dir); err != nil {
			wrong("model", "%v, the order is by words", err)
		}
	}
	r, _ := m["rag"].(map[string]any)
	st.RAG = parseRAG(r)
	switch mode := m["mode"]; mode {
	case nil, ModeGrep:
	case "rag":
		wrong("mode", "mode rag without grep is not offered, grep is used; set mode: hybrid")
	case ModeHybrid:
		_, several := r["mcp_tool"].([]any)
		switch {
		case several:
			wrong("rag.mcp_tool", "rag.mcp_tool names several tools, one is allowed, grep is used")
		case st.RAG.Tool == "":
			wrong("rag.mcp_tool", "mode hybrid needs rag.mcp_tool, grep is used")
		default:
			st.Mode = ModeHybrid
		}
	default:
		wrong("mode", "mode %q is neither grep nor hybrid, grep is used", fmt.Sprint(mode))
	}
	return st, missets
}

// openModel opens the Model2Vec folder that a setting names.
func openModel(setting any) (*static.Model, error) {
	dir, _ := setting.(string)
	if rest, ok := strings.CutPrefix(dir, "~/"); ok {
		if home, err := os.UserHomeDir(); err == nil {
			dir = filepath.Join(home, rest)
		}
	}
	if !filepath.IsAbs(dir) {
		return nil, fmt.Errorf("model %q is no absolute path of a folder", fmt.Sprint(setting))
	}
	return static.Open(dir)
}

// parseTimeout reads how long the semantic tool, and then the search of the files, may take.
func parseTimeout(s string) (time.Duration, error) {
	d, err := time.ParseDuration(s)
	if err != nil || d <= 0 || d > maxTimeout {
		return 0, fmt.Errorf("timeout %q is no time such as 5s up to %s", s, maxTimeout)
	}
	return d, nil
}

func parseRAG(m map[string]any) RAG {
	text := func(key string) string { s, _ := m[key].(string); return strings.TrimSpace(s) }
	r := RAG{Tool: text("mcp_tool"), ReindexTool: text("reindex_tool"), QueryArg: text("query_arg")}
	r.Args, _ = m["args"].(map[string]any)
	r.Server, _ = rag.Entry("", m["server"])
	return r
}

// ReadsCode reports whether a phase reads code, so that its instructions have PhaseText.
func ReadsCode(phase string) bool { return phase == "explore" || phase == "apply" || phase == "verify" }

// PhaseText is the instruction how to search code in a phase; "" for phases that read no code.
func PhaseText(phase string, st Strategy) string {
	if !ReadsCode(phase) {
		return ""
	}
	how := "It searches by grep"
	if st.Mode == ModeHybrid {
		how = fmt.Sprintf("It asks %s first and greps when too little of that holds", clean(st.RAG.Tool))
	}
	return fmt.Sprintf("To read code, call sdd_code with phase %q and what you want to know, before opening any file. "+
		"%s, and returns just the lines. Read on only at the ranges it names.", phase, how)
}

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

// clientServers returns the servers that the client files of the project name, in a fixed order. Files that cannot be read name none.
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
		} else if src, err = hujson.Standardize(src); err == nil { // editors allow comments and trailing commas
			err = json.Unmarshal(src, &all)
		}
		if err != nil {
			continue
		}
		servers, _ := all[c.key].(map[string]any)
		for _, name := range slices.Sorted(maps.Keys(servers)) {
			s, off := rag.Entry(name, servers[name])
			for variable, value := range s.Env {
				if strings.Contains(value, "${") { // ${NAME} and ${env:NAME}, as the clients expand them
					s.Env[variable] = os.Expand(strings.ReplaceAll(value, "${env:", "${"), os.Getenv)
				}
			}
			if !off && !s.Empty() {
				out = append(out, Configured{s, c.file})
			}
		}
	}
	return out
}

// serverFor returns the configured server, else the client's that the tool's name contains, else the only one known to have the tool.
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

// needsTrust reports whether the user must trust the server before it is used: it starts a command, or the query leaves this machine.
func needsTrust(s rag.Server) bool { return s.Command != "" || !allow.Local(s.URL) }
