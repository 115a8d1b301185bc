package discovery

import (
	"encoding/json"
	"path"
	"regexp"
	"strings"

	"github.com/BurntSushi/toml"

	"sdd/internal/pattern"
)

// addVersions adds the versions of languages and runtimes that the manifests at the top ask for.
func (s *survey) addVersions() {
	for _, m := range s.modulesIn(".") {
		if m.versions == "" {
			continue
		}
		t, _ := toolOf(path.Base(m.manifest))
		language, _, _ := strings.Cut(strings.ToLower(t.label), ".") // node of Node.js
		newer := ""
		if m.kind == "go" || m.kind == "rust" {
			newer = " and newer"
		}
		s.project("versions:"+language, 0.95, m.manifest, "Supported %s versions: %s%s, as %s requires.", t.label, code(m.versions), newer,
			path.Base(m.manifest))
	}
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

// versionsIn returns the versions of its language or runtime that a manifest asks for, "" if it names none.
func versionsIn(file string, text []byte) string {
	found := any(nil)
	switch base := path.Base(file); base {
	case "package.json", "composer.json":
		var p struct{ Engines, Require any }
		_ = json.Unmarshal(text, &p) // its reader tells the fault
		of, name := p.Engines, "node"
		if base == "composer.json" {
			of, name = p.Require, "php"
		}
		keys, _ := of.(map[string]any)
		found = keys[name]
	case "pyproject.toml", "Cargo.toml":
		var p struct {
			Project, Package map[string]any
			Workspace        struct{ Package map[string]any }
		}
		_ = toml.Unmarshal(text, &p)
		for _, value := range []any{p.Project["requires-python"], p.Package["rust-version"], p.Workspace.Package["rust-version"]} {
			if s, ok := value.(string); ok {
				found = s
			}
		}
	default:
		if find := written[base]; find != nil {
			if m := find().FindSubmatch(text); m != nil {
				found = string(m[1])
			}
		}
	}
	s, _ := found.(string)
	if !versionRange().MatchString(s) {
		return ""
	}
	return s
}
