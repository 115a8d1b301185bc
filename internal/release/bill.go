package release

import (
	"bytes"
	"crypto/sha256"
	"debug/buildinfo"
	"encoding/hex"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"
)

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

// bill makes the bill of materials of a program, from what Go wrote into the program itself.
func (r *release) bill(b *product, program []byte, licences map[string][]string) ([]byte, error) {
	info, err := buildinfo.Read(bytes.NewReader(program))
	if err != nil {
		return nil, fmt.Errorf("the program for %s does not say what it is made of: %w", b.Platform, err)
	}
	sum := sha256.Sum256(program)
	self := component{
		Type: "application", Name: "sdd", Version: r.Called,
		Ref:    packageURL(r.Module, r.Called) + "?goarch=" + b.Arch + "&goos=" + b.OS,
		Hashes: []billHash{{"SHA-256", hex.EncodeToString(sum[:])}},
		Properties: []billProperty{
			{"sdd:commit", r.Commit},
			{"sdd:file", b.Archive + "/" + b.Exe()},
		},
	}
	for _, s := range info.Settings {
		self.Properties = append(self.Properties, billProperty{"sdd:go:" + s.Key, s.Value})
	}
	self.PURL = self.Ref
	out := billOfMaterials{
		Schema: "http://cyclonedx.org/schema/bom-1.6.schema.json", Format: "CycloneDX", Spec: "1.6", Version: 1,
		Serial:       serial(sum),
		Metadata:     billMetadata{r.When.Format(time.RFC3339), self},
		Dependencies: []billDependency{{Ref: self.Ref}},
	}
	add := func(path, version, sum string) {
		c := component{Type: "library", Name: path, Version: version, Ref: packageURL(path, version), PURL: packageURL(path, version)}
		for _, id := range licences[path] {
			l := billLicence{}
			l.Licence.ID = id
			c.Licences = append(c.Licences, l)
		}
		if sum != "" {
			c.Properties = []billProperty{{"sdd:go.sum", sum}}
		}
		out.Components = append(out.Components, c)
		out.Dependencies[0].On = append(out.Dependencies[0].On, c.Ref)
	}
	add(standard, strings.TrimPrefix(info.GoVersion, "go"), "")
	for _, d := range info.Deps {
		if d.Replace != nil {
			d = d.Replace
		}
		add(d.Path, d.Version, d.Sum)
	}
	slices.SortFunc(out.Components, func(a, b component) int { return strings.Compare(a.Ref, b.Ref) })
	slices.Sort(out.Dependencies[0].On)
	return encode(out)
}

// packageURL names a Go module as the package-url specification has it, but for the case of letters, which Go tells apart and the
// specification would fold (purl-spec issue 308).
func packageURL(path, version string) string {
	parts := strings.Split(path, "/")
	for i := range parts {
		parts[i] = url.PathEscape(parts[i])
	}
	return "pkg:golang/" + strings.Join(parts, "/") + "@" + strings.ReplaceAll(url.PathEscape(version), "+", "%2B")
}

// serial makes a UUID of the kind that is the maker's own (RFC 9562, version 8) of a hash.
func serial(sum [32]byte) string {
	u := sum[:16]
	u = bytes.Clone(u)
	u[6], u[8] = u[6]&0x0f|0x80, u[8]&0x3f|0x80
	return fmt.Sprintf("urn:uuid:%x-%x-%x-%x-%x", u[:4], u[4:6], u[6:8], u[8:10], u[10:])
}
