package codesearch

import (
	"context"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"sdd/internal/codesearch/rag"
	"sdd/internal/config"
	"sdd/internal/frontmatter"
	"sdd/internal/store"
)

// Modes of search_strategy.
const (
	ModeGrep   = "grep"
	ModeHybrid = "hybrid"
)

const (
	section        = "search_strategy"
	sourceDefault  = "default"
	sourceOwn      = store.Folder + "/" + config.Name
	sourceOpenSpec = "openspec/config.yaml"

	defaultMin     = 2
	defaultTimeout = 5 * time.Second
	maxTimeout     = 5 * time.Minute
	maxOpenSpec    = 1 << 20 // bytes
)

// Strategy says how to search.
type Strategy struct {
	Mode        string // grep or hybrid
	Source      string // the file that says so, or default
	MinSnippets int    // valid snippets from which grep is not asked
	Timeout     time.Duration
	RAG         RAG
	Risks       []string // what is wrong with the configuration, or stands in the way

	Reindexing int // changed files for which the index is being renewed

	// Ask puts the query to the semantic tool. nil: there is none that can be asked.
	Ask func(ctx context.Context, query string, limit int) (rag.Answer, error)
}

// RAG is the semantic tool.
type RAG struct {
	Tool        string
	ReindexTool string
	QueryArg    string
	Server      rag.Server
	Args        map[string]any
}

// Resolve returns the strategy of the project at root: what config.yaml says, else what openspec/config.yaml
// says, else grep. What is wrong there gives grep and a risk.
func Resolve(root string, c config.Config) Strategy {
	if v, ok := c.Sections[section]; ok {
		return parseStrategy(v, sourceOwn)
	}
	v, err := openSpec(root)
	if err != nil {
		st := parseStrategy(nil, sourceDefault)
		st.Risks = append(st.Risks, sourceOpenSpec+" cannot be read, grep is used: "+err.Error())
		return st
	}
	if v != nil {
		return parseStrategy(v, sourceOpenSpec)
	}
	return parseStrategy(nil, sourceDefault)
}

// openSpec returns the section of openspec/config.yaml, nil when there is none.
func openSpec(root string) (any, error) {
	r, err := os.OpenRoot(root)
	if err != nil {
		return nil, nil
	}
	defer r.Close()
	f, err := r.Open(filepath.FromSlash(sourceOpenSpec))
	if err != nil {
		return nil, nil
	}
	defer f.Close()
	src, err := io.ReadAll(io.LimitReader(f, maxOpenSpec))
	if err != nil {
		return nil, err
	}
	doc, err := frontmatter.ParseYAML(src)
	if err != nil {
		return nil, err
	}
	return doc.Value(section), nil
}

// parseStrategy reads the section. Only what is wrong is told; the schema says more in sdd check.
func parseStrategy(v any, source string) Strategy {
	st := Strategy{Mode: ModeGrep, Source: source, MinSnippets: defaultMin, Timeout: defaultTimeout}
	wrong := func(format string, args ...any) {
		st.Risks = append(st.Risks, source+": "+fmt.Sprintf(format, args...))
	}
	m, ok := v.(map[string]any)
	if !ok {
		if v != nil {
			wrong("%s is no list of keys and values, grep is used", section)
		}
		return st
	}
	if n, ok := m["min_snippets"].(int64); ok && n >= 1 {
		st.MinSnippets = int(min(n, maxGiven))
	} else if m["min_snippets"] != nil {
		wrong("min_snippets is no number from 1, %d is used", defaultMin)
	}
	if t, ok := m["timeout"]; ok {
		d, err := time.ParseDuration(fmt.Sprint(t))
		if err != nil || d <= 0 || d > maxTimeout {
			wrong("timeout %q is no time such as 5s up to %s, %s is used", fmt.Sprint(t), maxTimeout, defaultTimeout)
		} else {
			st.Timeout = d
		}
	}
	if m["embeddings"] != nil || m["embedding"] != nil {
		wrong("search_strategy has no embeddings of its own; a semantic server is named in rag")
	}
	r, _ := m["rag"].(map[string]any)
	st.RAG = parseRAG(r)
	switch mode := m["mode"]; mode {
	case nil, ModeGrep:
	case "rag":
		wrong("mode rag without grep is not offered, grep is used; set mode: hybrid")
	case ModeHybrid:
		_, several := r["mcp_tool"].([]any)
		switch {
		case several:
			wrong("rag.mcp_tool names several tools, one is allowed, grep is used")
		case st.RAG.Tool == "":
			wrong("mode hybrid needs rag.mcp_tool, grep is used")
		default:
			st.Mode = ModeHybrid
		}
	default:
		wrong("mode %q is neither grep nor hybrid, grep is used", fmt.Sprint(mode))
	}
	return st
}

func parseRAG(m map[string]any) RAG {
	text := func(m map[string]any, key string) string { s, _ := m[key].(string); return strings.TrimSpace(s) }
	r := RAG{Tool: text(m, "mcp_tool"), ReindexTool: text(m, "reindex_tool"), QueryArg: text(m, "query_arg")}
	r.Args, _ = m["args"].(map[string]any)
	s, _ := m["server"].(map[string]any)
	r.Server = rag.Server{Command: text(s, "command"), URL: text(s, "url")}
	list, _ := s["args"].([]any)
	for _, a := range list {
		r.Server.Args = append(r.Server.Args, fmt.Sprint(a))
	}
	env, _ := s["env"].(map[string]any)
	for _, k := range slices.Sorted(maps.Keys(env)) {
		if r.Server.Env == nil {
			r.Server.Env = map[string]string{}
		}
		r.Server.Env[k] = fmt.Sprint(env[k])
	}
	return r
}
