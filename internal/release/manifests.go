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

const registrySchema = "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json"

// manifests writes the manifests of the MCP registry, Homebrew, Scoop and a container. It skips and notes a manifest for which
// platforms are missing.
func (r *release) manifests() error {
	if err := r.registry(); err != nil {
		return err
	}
	sums := map[string]string{} // of archives, by platform
	for _, b := range r.built {
		sums[b.OS+"_"+b.Arch] = r.sums[b.Archive]
	}
	has := func(platforms ...string) bool {
		return !slices.ContainsFunc(platforms, func(p string) bool { return sums[p] == "" })
	}
	for _, m := range []struct {
		name  string
		make  func() ([]byte, error)
		needs []string
	}{
		{"sdd.rb", func() ([]byte, error) { return r.fill("sdd.rb.tmpl", sums) },
			[]string{"darwin_amd64", "darwin_arm64", "linux_amd64", "linux_arm64"}},
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

// registry writes the server.json of the MCP registry.
func (r *release) registry() error {
	entry := object{"$schema", registrySchema, "name", "io.github." + r.owner() + "/sdd", "title", "sdd", "description", Description}
	if r.URL != "" {
		entry = append(entry, "repository", object{"source", "github", "url", r.URL})
	}
	var packages []object
	for _, b := range r.built {
		packages = append(packages, object{
			"registryType", "mcpb", "identifier", r.download(b.Bundle), "version", r.number(),
			"fileSha256", r.sums[b.Bundle], "transport", object{"type", "stdio"},
		})
	}
	data, err := encode(append(entry, "version", r.number(), "packages", packages))
	if err != nil {
		return err
	}
	return r.put("server.json", data)
}

// scoop is the manifest of Scoop.
func (r *release) scoop(sums map[string]string) ([]byte, error) {
	licence := strings.Join(r.licences(), ",")
	if licence == "" {
		licence = "Unknown"
	}
	var programs object
	for _, b := range r.built {
		if b.OS == "windows" {
			programs = append(programs, map[string]string{"amd64": "64bit", "arm64": "arm64"}[b.Arch], object{
				"url", r.download(b.Archive), "hash", sums[b.OS+"_"+b.Arch], "extract_dir", strings.TrimSuffix(b.Archive, ".zip"),
			})
		}
	}
	return encode(object{
		"version", r.number(), "description", Description, "homepage", r.address(), "license", licence, "architecture", programs,
		"bin", "sdd.exe",
	})
}

// licences are the SPDX identifiers of the repository's own licence, empty for an unknown one.
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
		"Address": r.address(), "Version": r.number(), "Commit": r.Commit, "Description": Description,
		"Created":  r.When.Format("2006-01-02T15:04:05Z"),
		"Licences": r.licences(), "URL": archives, "Sum": sums, "Registry": "io.github." + r.owner() + "/sdd",
	})
	return out.Bytes(), err
}
