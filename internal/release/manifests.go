package release

import (
	"bytes"
	"embed"
	"slices"
	"strings"
	"text/template"
)

//go:embed templates
var templates embed.FS

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

const registrySchema = "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json"

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

// manifests writes what installers, registries and container builders read: the MCP registry, Homebrew, Scoop, a container. Those
// whose platforms are not all there are left out and noted.
func (r *release) manifests() error {
	if err := r.registry(); err != nil {
		return err
	}
	sums := map[string]string{}
	for _, b := range r.built {
		sum, err := r.sum(b.Archive)
		if err != nil {
			return err
		}
		sums[b.OS+"_"+b.Arch] = sum
	}
	has := func(platforms ...string) bool {
		return !slices.ContainsFunc(platforms, func(p string) bool { return sums[p] == "" })
	}
	for _, m := range []struct {
		name  string
		make  func() ([]byte, error)
		needs []string
	}{
		{"sdd.rb", func() ([]byte, error) { return r.fill("sdd.rb.tmpl", sums) }, []string{"darwin_amd64", "darwin_arm64", "linux_amd64", "linux_arm64"}},
		{"sdd.json", func() ([]byte, error) { return r.scoop(sums) }, []string{"windows_amd64", "windows_arm64"}},
		{"Containerfile", func() ([]byte, error) { return r.fill("Containerfile.tmpl", sums) }, []string{"linux_amd64", "linux_arm64"}},
	} {
		if !has(m.needs...) {
			r.lacks = append(r.lacks, m.name+" was not made: it needs "+strings.Join(m.needs, ", ")+".")
			continue
		}
		data, err := m.make()
		if err != nil {
			return err
		}
		if err := r.put(m.name, data); err != nil {
			return err
		}
	}
	return nil
}

func (r *release) registry() error {
	entry := registryEntry{
		Schema: registrySchema, Name: "io.github." + r.owner() + "/sdd", Title: "sdd", Description: Description, Version: r.number(),
	}
	if r.URL != "" {
		entry.Repository = map[string]string{"url": r.URL, "source": "github"}
	}
	for _, b := range r.built {
		sum, err := r.sum(b.Bundle)
		if err != nil {
			return err
		}
		entry.Packages = append(entry.Packages, registryPackage{"mcpb", r.download(b.Bundle), r.number(), sum, map[string]string{"type": "stdio"}})
	}
	data, err := encode(entry)
	if err != nil {
		return err
	}
	return r.put("server.json", data)
}

func (r *release) scoop(sums map[string]string) ([]byte, error) {
	m := scoopManifest{Version: r.number(), Description: Description, Homepage: r.address(), Licence: "Unknown", Architecture: map[string]scoopArchive{}, Bin: "sdd.exe"}
	if ids := r.licences(); len(ids) > 0 {
		m.Licence = strings.Join(ids, ",")
	}
	for _, b := range r.built {
		if b.OS == "windows" {
			name := map[string]string{"amd64": "64bit", "arm64": "arm64"}[b.Arch]
			m.Architecture[name] = scoopArchive{r.download(b.Archive), sums[b.OS+"_"+b.Arch], strings.TrimSuffix(b.Archive, ".zip")}
		}
	}
	return encode(m)
}

// licences are the SPDX identifiers of the repository's own licence, as far as it is known.
func (r *release) licences() (ids []string) {
	for _, f := range r.extras {
		if isLicence(f.name) {
			ids = append(ids, licencesIn(string(f.data))...)
		}
	}
	return ids
}

// fill fills a template.
func (r *release) fill(name string, sums map[string]string) ([]byte, error) {
	t, err := template.New(name).Option("missingkey=error").ParseFS(templates, "templates/"+name)
	if err != nil {
		return nil, err
	}
	archives := map[string]string{}
	for _, b := range r.built {
		archives[b.OS+"_"+b.Arch] = r.download(b.Archive)
	}
	var out bytes.Buffer
	err = t.Execute(&out, map[string]any{
		"Address": r.address(), "Version": r.number(), "Commit": r.Commit, "Description": Description, "Created": r.When.Format("2006-01-02T15:04:05Z"),
		"Licences": r.licences(), "URL": archives, "Sum": sums, "Registry": "io.github." + r.owner() + "/sdd",
	})
	return out.Bytes(), err
}
