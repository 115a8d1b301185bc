package rag

import (
	"path"
	"slices"
	"strings"

	"sdd/internal/pattern"
)

// Semantic is the tool of a server that searches code by meaning, and the one that renews its index, if any.
type Semantic struct{ Search, Reindex string }

// known are servers that search by meaning, by a word of their command line.
var known = []struct {
	mark string // a command, package or image
	Semantic
}{
	{"claude-context-mcp", Semantic{"search_code", "index_codebase"}},
	{"grepai", Semantic{"grepai_search", ""}},
	{"codebase-memory-mcp", Semantic{"search_graph", "index_repository"}},
	{"mcp-ragex", Semantic{"search_code", ""}},
	{"ragex", Semantic{"search_code", ""}},
	{"ragex-mcp", Semantic{"search_code", ""}},
	{"sourcerer-mcp", Semantic{"semantic_search", "index_workspace"}},
	{"sourcerer", Semantic{"semantic_search", "index_workspace"}},
	{"semble", Semantic{"search", ""}},
	{"codegraph", Semantic{"codegraph_explore", ""}},
	{"code-context-engine", Semantic{"context_search", "reindex"}},
	{"gptme-rag", Semantic{"rag_query", "rag_index_refresh"}},
}

// Known returns the tools of a server that is known by its command line. Nothing is started.
func Known(s Server) (Semantic, bool) {
	words := append([]string{s.Command}, s.Args...)
	for _, w := range words {
		name := strings.TrimSuffix(path.Base(strings.ReplaceAll(strings.ToLower(w), `\`, "/")), ".exe")
		name, _, _ = strings.Cut(name, "@")     // version of a package
		name, _, _ = strings.Cut(name, "[")     // extras of a package
		name, _, _ = strings.Cut(name, "==")    // version of a package
		name = strings.TrimSuffix(name, ".git") // address of a repository
		for _, k := range known {
			if name == k.mark {
				return k.Semantic, true
			}
		}
	}
	return Semantic{}, false
}

var (
	meaning  = pattern.Late(`(?i)semantic|vector|embedding|natural[- ]language|by meaning|conceptual`)
	aboutFor = pattern.Late(`(?i)\bcode|codebase|repositor|source file|functions?\b|workspace`)
	literal  = pattern.Late(`(?i)regex|regular expression|\bgrep|ripgrep|\bglob\b|\bpattern`)
	memories = pattern.Late(`(?i)\bmemor(y|ies)\b|\bconversation`)
	searches = pattern.Late(`(?i)search|query|find|retriev|context|explore|ask`)
	renews   = pattern.Late(`(?i)^(\w+_)?(re_?index|index_(codebase|workspace|repository|project|code|files)|` +
		`refresh_index|index_refresh|update_index)$`)
)

// Pick chooses the tool that searches code by meaning: its own description counts most, its siblings' less.
func Pick(tools []Tool) (Semantic, bool) {
	siblings := ""
	for _, t := range tools {
		siblings += t.Name + " " + t.Description + "\n"
	}
	best, most := "", 0
	for _, t := range tools {
		own := t.Name + " " + t.Description
		if !searches().MatchString(t.Name) || memories().MatchString(own) || renews().MatchString(t.Name) || !takesQuery(t) {
			continue
		}
		score := 0
		switch {
		case meaning().MatchString(own):
			score = 4
		case literal().MatchString(own):
			continue
		case meaning().MatchString(siblings):
			score = 1
		default:
			continue
		}
		switch {
		case aboutFor().MatchString(own):
			score += 2
		case aboutFor().MatchString(siblings):
			score++
		default:
			continue
		}
		if score > most {
			best, most = t.Name, score
		}
	}
	if best == "" {
		return Semantic{}, false
	}
	s := Semantic{Search: best}
	for _, t := range tools {
		if renews().MatchString(t.Name) {
			s.Reindex = t.Name
			break
		}
	}
	return s, true
}

// takesQuery reports whether a tool has an argument for words; a tool without a schema may.
func takesQuery(t Tool) bool {
	props, ok := t.Schema["properties"].(map[string]any)
	if !ok {
		return true
	}
	name := queryName(props, Texts(t.Schema["required"]))
	return name != "" && name != "pattern" || slices.ContainsFunc(wordNames, func(n string) bool { _, ok := props[n]; return ok })
}
