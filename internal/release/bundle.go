package release

import (
	"bytes"
	"encoding/json"

	"sdd/internal/mcpserver"
)

// bundleManifest is the manifest.json of an MCP bundle (MCPB), manifest version 0.3.
type bundleManifest struct {
	ManifestVersion  string                  `json:"manifest_version"`
	Name             string                  `json:"name"`
	DisplayName      string                  `json:"display_name"`
	Version          string                  `json:"version"`
	Description      string                  `json:"description"`
	LongDescription  string                  `json:"long_description"`
	Author           map[string]string       `json:"author"`
	Repository       map[string]string       `json:"repository,omitempty"`
	Homepage         string                  `json:"homepage,omitempty"`
	Server           bundleServer            `json:"server"`
	Tools            []bundleTool            `json:"tools"`
	ToolsGenerated   bool                    `json:"tools_generated"`
	PromptsGenerated bool                    `json:"prompts_generated"`
	Keywords         []string                `json:"keywords"`
	Compatibility    map[string][]string     `json:"compatibility"`
	UserConfig       map[string]bundleOption `json:"user_config"`
}

type bundleServer struct {
	Type       string `json:"type"`
	EntryPoint string `json:"entry_point"`
	Config     struct {
		Command string            `json:"command"`
		Args    []string          `json:"args"`
		Env     map[string]string `json:"env"`
	} `json:"mcp_config"`
}

type bundleTool struct {
	Name        string `json:"name"`
	Description string `json:"description"`
}

type bundleOption struct {
	Type        string `json:"type"`
	Title       string `json:"title"`
	Description string `json:"description"`
	Required    bool   `json:"required"`
}

// Description says in at most 100 characters, which is what registries take, what the server is for.
const Description = "Keeps what a project finds out as Markdown in git, and hands it to agents inside a token budget"

const (
	bundleFolder  = "${__dirname}"
	bundleProject = "${user_config.project}"
)

// bundle makes the MCP bundle of a platform: a program that a client installs by itself, for the folder that its user chooses. The
// manifest has no word for a processor, so that a bundle says in its name which it is for.
func (r *release) bundle(p Platform, program []byte) ([]byte, error) {
	manifest, err := encode(r.manifest(p))
	if err != nil {
		return nil, err
	}
	files := append([]file{{"manifest.json", manifest, 0o644}, {"server/" + p.Exe(), program, 0o755}}, r.extras...)
	return zipped(files, r.When)
}

func (r *release) manifest(p Platform) bundleManifest {
	offers := mcpserver.Offers()
	m := bundleManifest{
		ManifestVersion: "0.3", Name: "sdd", DisplayName: "sdd", Version: r.number(), Description: Description, LongDescription: offers.Description,
		Author: map[string]string{"name": r.owner()}, PromptsGenerated: true, Keywords: []string{"context", "decisions", "git", "markdown", "memory"},
		Compatibility: map[string][]string{"platforms": {map[string]string{"windows": "win32"}[p.OS]}},
		UserConfig: map[string]bundleOption{"project": {
			Type: "directory", Title: "Project folder", Description: "The folder of the project, where .sdd lies or is made with the first thing that is kept", Required: true,
		}},
	}
	if p.OS != "windows" {
		m.Compatibility["platforms"] = []string{p.OS}
	}
	if r.URL != "" {
		m.Homepage, m.Repository = r.URL, map[string]string{"type": "git", "url": r.URL + ".git"}
	}
	m.Server.Type, m.Server.EntryPoint = "binary", "server/"+p.Exe()
	m.Server.Config.Command = bundleFolder + "/" + m.Server.EntryPoint
	m.Server.Config.Args, m.Server.Config.Env = []string{"--dir", bundleProject, "mcp"}, map[string]string{}
	for _, t := range offers.Tools {
		m.Tools = append(m.Tools, bundleTool{t.Name, t.Description})
	}
	return m
}

// encode writes JSON as people read it.
func encode(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	err := enc.Encode(v)
	return b.Bytes(), err
}
