package codesearch

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

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
	section        = "search_strategy"
	sourceDefault  = "default"
	sourceOwn      = store.Folder + "/" + config.Name
	sourceOpenSpec = "openspec/config.yaml"

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

	// Records returns for each snippet the ids of the records that concern its lines. Such a snippet comes earlier. nil is none.
	Records func(ctx context.Context, snippets []Snippet) [][]string
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
		return parseStrategy(v, sourceOpenSpec)
	}
	st := parseStrategy(nil, sourceDefault)
	if err != nil {
		st.Risks = append(st.Risks, sourceOpenSpec+" cannot be read, grep is used: "+err.Error())
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
	return readSettings(r, sourceOpenSpec)
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

// CheckConfig returns the unusable settings of a section search_strategy as config has it: those that a search returns as
// risks. The schema finds more, such as unknown keys.
func CheckConfig(v any) []Misset {
	_, wrong := readStrategy(v)
	return wrong
}

// OpenSpecPath is the file, relative to the root, whose search_strategy applies if config.yaml has none.
const OpenSpecPath = sourceOpenSpec

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
