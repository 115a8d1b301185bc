package release

// What is made, as its readers see it: an unknown key fails the tests.

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

// A bill of materials in the form of CycloneDX 1.6, as far as it is used here.
type (
	billOfMaterials struct {
		Schema       string           `json:"$schema"`
		Format       string           `json:"bomFormat"`
		Spec         string           `json:"specVersion"`
		Serial       string           `json:"serialNumber"`
		Version      int              `json:"version"`
		Metadata     billMetadata     `json:"metadata"`
		Components   []component      `json:"components"`
		Dependencies []billDependency `json:"dependencies"`
	}
	billMetadata struct {
		Timestamp string    `json:"timestamp"`
		Component component `json:"component"`
	}
	component struct {
		Type       string         `json:"type"`
		Ref        string         `json:"bom-ref"`
		Name       string         `json:"name"`
		Version    string         `json:"version"`
		Hashes     []billHash     `json:"hashes,omitempty"`
		Licences   []billLicence  `json:"licenses,omitempty"`
		PURL       string         `json:"purl"`
		Properties []billProperty `json:"properties,omitempty"`
	}
	billHash struct {
		Algorithm string `json:"alg"`
		Content   string `json:"content"`
	}
	billLicence struct {
		Licence struct {
			ID string `json:"id"`
		} `json:"license"`
	}
	billProperty struct {
		Name  string `json:"name"`
		Value string `json:"value"`
	}
	billDependency struct {
		Ref string   `json:"ref"`
		On  []string `json:"dependsOn"`
	}
)

// registryEntry is the server.json of the MCP registry.
type registryEntry struct {
	Schema      string            `json:"$schema"`
	Name        string            `json:"name"`
	Title       string            `json:"title"`
	Description string            `json:"description"`
	Repository  map[string]string `json:"repository,omitempty"`
	Version     string            `json:"version"`
	Packages    []registryPackage `json:"packages"`
}

type registryPackage struct {
	Type       string            `json:"registryType"`
	Identifier string            `json:"identifier"`
	Version    string            `json:"version"`
	Sum        string            `json:"fileSha256"`
	Transport  map[string]string `json:"transport"`
}

// scoopManifest is the manifest of Scoop.
type scoopManifest struct {
	Version      string                  `json:"version"`
	Description  string                  `json:"description"`
	Homepage     string                  `json:"homepage"`
	Licence      string                  `json:"license"`
	Architecture map[string]scoopArchive `json:"architecture"`
	Bin          string                  `json:"bin"`
}

type scoopArchive struct {
	URL    string `json:"url"`
	Hash   string `json:"hash"`
	Folder string `json:"extract_dir"`
}
