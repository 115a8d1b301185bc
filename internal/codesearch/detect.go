package codesearch

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"sdd/internal/allow"
	"sdd/internal/codesearch/rag"
	"sdd/internal/config"
	"sdd/internal/fault"
	"sdd/internal/store"
)

// Detection is how a project would be searched, and the source of the setting.
type Detection struct {
	Mode        string `json:"mode"`
	Source      string `json:"source"` // config.yaml or a client's file, or default
	Tool        string `json:"tool,omitempty"`
	ReindexTool string `json:"reindex_tool,omitempty"`
	Trusted     bool   `json:"trusted"` // whether the server may be used on this machine
	Configured  bool   `json:"configured"`
}

// Detect returns how the project is searched: as configured, else by a semantic server of a client's file, else by grep.
// An untrusted server is known by its command line and never started; a trusted one is asked for its tools.
func Detect(ctx context.Context, root string, c config.Config) Detection {
	trusts := allow.Open(store.Local(root))
	if st := Resolve(root, c); st.Source != sourceDefault {
		d := Detection{Mode: st.Mode, Source: st.Source, Tool: st.RAG.Tool, ReindexTool: st.RAG.ReindexTool, Configured: true}
		if server, ok := serverFor(root, st.RAG); ok {
			d.Trusted = !needsTrust(server) || trusts.Trusted(commandOf(server))
		}
		return d
	}
	for _, s := range clientServers(root) {
		trusted := !needsTrust(s.Server) || trusts.Trusted(s.Command())
		found, ok := rag.Known(s.Server)
		if !ok && trusted {
			found, ok = toolsOf(ctx, s.Server, root)
		}
		if !ok {
			continue
		}
		d := Detection{Mode: ModeHybrid, Source: s.File, Tool: s.Name + "." + found.Search, Trusted: trusted}
		if found.Reindex != "" {
			d.ReindexTool = s.Name + "." + found.Reindex
		}
		return d
	}
	return Detection{Mode: ModeGrep, Source: sourceDefault}
}

// toolsOf asks a server for its tools and picks the semantic one.
func toolsOf(ctx context.Context, s rag.Server, root string) (rag.Semantic, bool) {
	ctx, cancel := context.WithTimeout(ctx, defaultTimeout)
	defer cancel()
	c, err := rag.Connect(ctx, s, root)
	if err != nil {
		return rag.Semantic{}, false
	}
	defer c.Close()
	tools, _ := c.Tools(ctx) // none on an error
	return rag.Pick(tools)
}

// Text returns the mode and its source, in a line or two.
func (d Detection) Text() string {
	out := fmt.Sprintf("code search: %s (%s)", d.Mode, d.Source)
	if d.Tool != "" && d.Mode == ModeHybrid {
		out += ", tool " + d.Tool
	}
	out += "\n"
	if d.Mode == ModeHybrid && !d.Trusted {
		out += "its server is not used before sdd trust\n"
	}
	return out
}

// Section returns the part of config.yaml that keeps the detected setting, "" for none. The server's settings stay in the client's file.
func (d Detection) Section() string {
	if d.Configured || d.Mode != ModeHybrid {
		return ""
	}
	var b strings.Builder
	fmt.Fprintf(&b, "\n# Found in %s.\n%s:\n  mode: %s\n  rag:\n    mcp_tool: %q\n", d.Source, section, d.Mode, d.Tool)
	if d.ReindexTool != "" {
		fmt.Fprintf(&b, "    reindex_tool: %q\n", d.ReindexTool)
	}
	return b.String()
}

// Adopt appends Section to config.yaml in the store at root, and reports whether there was one. The fault is Broken if it had no effect.
func (d Detection) Adopt(root string) (written bool, err error) {
	section := d.Section()
	if section == "" {
		return false, nil
	}
	failed := func(err error) error {
		return fault.New(fault.Unwritable, "%s cannot be written: %v", sourceOwn, err).With("put this into it:\n" + section).From(err)
	}
	dir, err := os.OpenRoot(filepath.Join(root, store.Folder))
	if err != nil {
		return false, failed(err)
	}
	defer dir.Close()
	f, err := dir.OpenFile(config.Name, os.O_RDWR|os.O_APPEND|os.O_CREATE, 0o644)
	if err != nil {
		return false, failed(err)
	}
	defer f.Close()
	src, err := io.ReadAll(f)
	if err != nil {
		return false, failed(err)
	}
	if n := len(src); n > 0 && src[n-1] != '\n' {
		section = "\n" + section
	}
	if bytes.Contains(src, []byte("\r\n")) {
		section = strings.ReplaceAll(section, "\n", "\r\n")
	}
	if c, err := config.Parse(append(src, section...)); err != nil || Resolve(root, c).RAG.Tool != d.Tool {
		return false, fault.New(fault.Broken, "search_strategy cannot be put at the end of %s", sourceOwn).
			At(sourceOwn, 0).With("put this where it belongs:\n" + d.Section())
	}
	if _, err := f.WriteString(section); err != nil { // after all text, also text written since the read
		return false, failed(err)
	}
	return true, nil
}

// Servers returns the servers that config.yaml and the client files of the project name.
func Servers(root string, c config.Config) []Configured {
	var out []Configured
	if st := Resolve(root, c); !st.RAG.Server.Empty() {
		out = append(out, Configured{st.RAG.Server, st.Source})
	}
	return append(out, clientServers(root)...)
}
