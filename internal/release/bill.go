package release

import (
	"bytes"
	"crypto/sha256"
	"debug/buildinfo"
	"encoding/hex"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"
	"time"
)

// bill makes the bill of materials of a program in the form of CycloneDX 1.6, from the build information in the program
// itself.
func (r *release) bill(b *product, program []byte, licences map[string][]string) ([]byte, error) {
	info, err := buildinfo.Read(bytes.NewReader(program))
	if err != nil {
		return nil, fmt.Errorf("the program for %s does not say what it is made of: %w", b.Platform, err)
	}
	property := func(name, value string) object { return object{"name", name, "value", value} }
	properties := []object{property("sdd:commit", r.Commit), property("sdd:file", b.Archive+"/"+b.Exe())}
	for _, s := range info.Settings {
		properties = append(properties, property("sdd:go:"+s.Key, s.Value))
	}
	components := map[string]object{}
	add := func(path, version, sum string) {
		ref := packageURL(path, version)
		c := object{"type", "library", "bom-ref", ref, "name", path, "version", version}
		var named []object
		for _, id := range licences[path] {
			named = append(named, object{"license", object{"id", id}})
		}
		if named != nil {
			c = append(c, "licenses", named)
		}
		if c = append(c, "purl", ref); sum != "" {
			c = append(c, "properties", []object{property("sdd:go.sum", sum)})
		}
		components[ref] = c
	}
	add(standard, strings.TrimPrefix(info.GoVersion, "go"), "")
	for _, d := range info.Deps {
		if d.Replace != nil {
			d = d.Replace
		}
		add(d.Path, d.Version, d.Sum)
	}
	refs := slices.Sorted(maps.Keys(components))
	var sorted []object
	for _, ref := range refs {
		sorted = append(sorted, components[ref])
	}
	sum := sha256.Sum256(program)
	self := packageURL(r.Module, r.Called) + "?goarch=" + b.Arch + "&goos=" + b.OS
	return encode(object{
		"$schema", "http://cyclonedx.org/schema/bom-1.6.schema.json", "bomFormat", "CycloneDX", "specVersion", "1.6",
		"serialNumber", serial(sum), "version", 1,
		"metadata", object{"timestamp", r.When.Format(time.RFC3339), "component", object{
			"type", "application", "bom-ref", self, "name", "sdd", "version", r.Called,
			"hashes", []object{{"alg", "SHA-256", "content", hex.EncodeToString(sum[:])}}, "purl", self, "properties", properties,
		}},
		"components", sorted, "dependencies", []object{{"ref", self, "dependsOn", refs}},
	})
}

// packageURL is the package URL of a Go module. It keeps the case of letters, which Go distinguishes although the specification
// would fold it (purl-spec issue 308).
func packageURL(path, version string) string {
	parts := strings.Split(path, "/")
	for i := range parts {
		parts[i] = url.PathEscape(parts[i])
	}
	return "pkg:golang/" + strings.Join(parts, "/") + "@" + strings.ReplaceAll(url.PathEscape(version), "+", "%2B")
}

// serial makes a UUID of a hash, of the vendor-specific version 8 (RFC 9562).
func serial(u [32]byte) string {
	u[6], u[8] = u[6]&0x0f|0x80, u[8]&0x3f|0x80
	return fmt.Sprintf("urn:uuid:%x-%x-%x-%x-%x", u[:4], u[4:6], u[6:8], u[8:10], u[10:16])
}
