package release

import (
	"bytes"
	"encoding/json"

	"sdd/internal/mcp"
)

// Description is the server's purpose in at most 100 characters, the limit of registries.
const Description = "Keeps what a project finds out as Markdown in git, and hands it to agents inside a token budget"

const (
	bundleFolder  = "${__dirname}"
	bundleProject = "${user_config.project}"
)

// bundle makes the MCP bundle of a platform: a program that a client installs for the folder that its user chooses. The manifest
// cannot name a processor, so a bundle's file name does.
func (r *release) bundle(p Platform, program []byte) ([]byte, error) {
	manifest, err := encode(r.manifest(p))
	if err != nil {
		return nil, err
	}
	files := append([]file{{"manifest.json", manifest, 0o644}, {"server/" + p.Exe(), program, 0o755}}, r.extras...)
	return zipped(files, r.When)
}

func (r *release) manifest(p Platform) object {
	offers := mcp.Offers()
	var tools []object
	for _, t := range offers.Tools {
		tools = append(tools, object{"name", t.Name, "description", t.Description})
	}
	system := p.OS
	if system == "windows" {
		system = "win32"
	}
	m := object{
		"manifest_version", "0.3", "name", "sdd", "display_name", "sdd", "version", r.number(), "description", Description,
		"long_description", offers.Description, "author", object{"name", r.owner()},
	}
	if r.URL != "" {
		m = append(m, "repository", object{"type", "git", "url", r.URL + ".git"}, "homepage", r.URL)
	}
	return append(m,
		"server", object{"type", "binary", "entry_point", "server/" + p.Exe(), "mcp_config", object{
			"command", bundleFolder + "/server/" + p.Exe(), "args", []string{"--dir", bundleProject, "mcp"}, "env", object{},
		}},
		"tools", tools, "tools_generated", false, "prompts_generated", true,
		"keywords", []string{"context", "decisions", "git", "markdown", "memory"},
		"compatibility", object{"platforms", []string{system}},
		"user_config", object{"project", object{
			"type", "directory", "title", "Project folder",
			"description", "The folder of the project, where .sdd lies or is made with the first thing that is kept", "required", true,
		}},
	)
}

// object is a JSON object whose keys keep their order: a name, its value, and so on.
type object []any

func (o object) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, v := range o {
		if i > 0 {
			b.WriteByte(",:"[i%2])
		}
		data, err := encode(v)
		if err != nil {
			return nil, err
		}
		b.Write(data)
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

// encode writes indented JSON.
func encode(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	err := enc.Encode(v)
	return b.Bytes(), err
}
