package discovery

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"io"
	"path"
	"regexp"
	"strings"

	"github.com/BurntSushi/toml"

	"sdd/internal/pattern"
)

// addVersions adds the project's version, and those of languages and runtimes that the manifests at the top ask for.
func (s *survey) addVersions() {
	own := false
	for _, m := range s.modulesIn(".") {
		if m.version != "" && !own {
			own = true
			s.project("version", 0.95, m.manifest, "The project's current version is %s, as %s has it.", code(m.version), path.Base(m.manifest))
		}
		if m.versions == "" {
			continue
		}
		t, _ := toolOf(path.Base(m.manifest))
		language, _, _ := strings.Cut(strings.ToLower(t.label), ".") // node of Node.js
		format := "Supported %s versions: %s, as %s requires."
		switch m.kind {
		case "go":
			format = "The oldest supported %s version is %s, as %s requires."
		case "rust":
			format = "The oldest supported %s version (MSRV) is %s, as %s requires."
		}
		s.project("versions:"+language, 0.95, m.manifest, format, t.label, code(m.versions), path.Base(m.manifest))
	}
}

// ownVersion finds the version of the project in manifests with a format of their own.
var ownVersion = map[string]func() *regexp.Regexp{
	"setup.py":     pattern.Late(`(?m)^[^#\n]*\bversion\s*=\s*["']([^"'\n]+)["']`),
	"mix.exs":      pattern.Late(`(?m)^[^#\n]*(?:\bversion:|@version)\s*"([^"\n]+)"`),
	"pubspec.yaml": pattern.Late(`(?m)^version:[ \t]*["']?([^"'\s#]+)`),
}

// written finds the versions of the manifests that are programs or have a format of their own.
var written = map[string]func() *regexp.Regexp{
	"go.mod":   pattern.Late(`(?m)^go[ \t]+(\d[\w.]*)`),
	"setup.py": pattern.Late(`(?m)^[^#\n]*\bpython_requires\s*=\s*["']([^"'\n]+)["']`),
	"Gemfile":  pattern.Late(`(?m)^ruby[ \t]+["']([^"'\n]+)["']`),
	"mix.exs":  pattern.Late(`(?m)^[^#\n]*\belixir:\s*"([^"\n]+)"`),
}

// versionRange matches what a manifest may say about versions.
var versionRange = pattern.Late(`^[\w.*^~<>=!|, +-]{0,30}\d[\w.*^~<>=!|, +-]{0,30}$`)

// versionsIn returns the version of the project that a manifest names and the versions of its language or runtime that
// it asks for, "" for what it does not name.
func versionsIn(file string, text []byte) (own, language string) {
	found, version := any(nil), any(nil)
	switch base := path.Base(file); base {
	case "package.json", "composer.json":
		var p struct{ Engines, Require, Version any }
		_ = json.Unmarshal(text, &p) // its reader tells the fault
		version = p.Version
		of, name := p.Engines, "node"
		if base == "composer.json" {
			of, name = p.Require, "php"
		}
		keys, _ := of.(map[string]any)
		found = keys[name]
	case "pyproject.toml", "Cargo.toml":
		version, found = ofPackage(text, "version"), ofPackage(text, "requires-python", "rust-version")
	case "pom.xml":
		var p struct {
			Version string `xml:"version"`
		}
		d := xml.NewDecoder(bytes.NewReader(text))
		d.CharsetReader = func(_ string, r io.Reader) (io.Reader, error) { return r, nil } // a version is in ASCII
		_ = d.Decode(&p)
		version = strings.TrimSpace(p.Version)
	default:
		in := func(table map[string]func() *regexp.Regexp) any {
			if find := table[base]; find != nil {
				if m := find().FindSubmatch(text); m != nil {
					return string(m[1])
				}
			}
			return nil
		}
		found, version = in(written), in(ownVersion)
	}
	of := func(found any) string {
		if s, _ := found.(string); versionRange().MatchString(s) {
			return s
		}
		return ""
	}
	if own = of(version); strings.HasPrefix(own, "0.0.0") { // a placeholder
		own = ""
	}
	return own, of(found)
}

// ofPackage returns what a pyproject.toml or Cargo.toml has under one of the keys of its package, else of its workspace.
func ofPackage(text []byte, keys ...string) (found string) {
	var p struct {
		Project, Package map[string]any
		Workspace        struct{ Package map[string]any }
		Tool             struct{ Poetry map[string]any }
	}
	_ = toml.Unmarshal(text, &p)
	for _, table := range []map[string]any{p.Workspace.Package, p.Package, p.Tool.Poetry, p.Project} {
		for _, key := range keys {
			if s, ok := table[key].(string); ok {
				found = s
			}
		}
	}
	return found
}
