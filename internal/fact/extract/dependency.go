package extract

import (
	"path"
	"slices"
	"strconv"
	"strings"

	"sdd/internal/fact/discovery"
	"sdd/internal/pattern"
)

// manifestBase returns the name under which the readers of manifests know a file, "" if they do not, and whether it is for
// development only.
func manifestBase(file string) (base string, dev bool) {
	base = path.Base(file)
	switch ext := path.Ext(base); {
	case ext == ".txt" && (strings.HasPrefix(base, "requirements") || path.Base(path.Dir(file)) == "requirements"):
		stem := strings.TrimSuffix(base, ext)
		for _, word := range []string{"dev", "test", "lint", "doc", "ci"} {
			dev = dev || strings.Contains(stem, word)
		}
		return "requirements.txt", dev
	case slices.Contains([]string{"go.mod", "package.json", "pyproject.toml", "setup.cfg", "Pipfile", "Cargo.toml", "pom.xml", "build.gradle", "build.gradle.kts",
		"Gemfile", "composer.json"}, base), ext == ".csproj", ext == ".fsproj", ext == ".vbproj", ext == ".gemspec":
		return base, false
	case base == "Directory.Packages.props", base == "libs.versions.toml", base == "pubspec.yaml", base == "mix.exs":
		return base, false
	}
	return "", false
}

func isDependencyFile(file string) bool {
	base, _ := manifestBase(file)
	return base != ""
}

// readDependencies reads the packages that a manifest asks for, its runtime, licence and scripts.
func readDependencies(v *version) (out []item) {
	base, dev := manifestBase(v.path)
	switch base {
	case "Directory.Packages.props":
		return packages("dotnet", centralVersions(v), v)
	case "libs.versions.toml":
		return packages("jvm", catalogue(v), v)
	case "pubspec.yaml":
		return pubspec(v)
	case "mix.exs":
		return packages("elixir", mixPackages(v), v)
	}
	m, _, err := discovery.ReadManifest(base, v.text)
	if err != nil {
		v.broken = true
		return nil
	}
	for i := range m.Packages {
		m.Packages[i].Dev = m.Packages[i].Dev || dev || m.Kind != "node" && testPackage(m.Packages[i].Name)
	}
	out = packages(m.Kind, m.Packages, v)
	if name, need := cutLast(m.Runtime); name != "" {
		name = strings.Replace(name, "the framework", ".NET target framework", 1)
		out = append(out, toolchain(name, need, v, 0.9))
	}
	if m.Licence != "" {
		out = append(out, item{signal: signalLicence, key: "licence:" + path.Dir(v.path), value: m.Licence, name: "licence", show: word(m.Licence), line: v.find(m.Licence)})
	}
	if base == "package.json" {
		out = append(out, scripts(v)...)
	}
	return out
}

func cutLast(text string) (head, last string) {
	i := strings.LastIndexByte(text, ' ')
	if i < 0 {
		return "", ""
	}
	return text[:i], text[i+1:]
}

// lineIndex finds the first line that each of many words stands on in one pass.
type lineIndex map[string]int

func (v *version) words() lineIndex {
	at := lineIndex{}
	n := 0
	for l := range strings.Lines(string(v.text)) {
		n++
		for _, w := range strings.FieldsFunc(l, func(r rune) bool { return strings.ContainsRune(" \t\r\n\"'`,()<>{}[]=:;", r) }) {
			if at[w] == 0 {
				at[w] = n
			}
		}
	}
	return at
}

// testPackage reports whether a package serves tests and checks only, where manifests do not tell.
func testPackage(name string) bool {
	name = strings.ToLower(name)
	for _, w := range []string{"testify", "go-cmp", "gomock", "ginkgo", "gomega", "pytest", "junit", "mockito", "assertj", "xunit", "nunit", "mstest", "moq", "fluentassertions", "rspec",
		"rubocop", "phpunit", "testcontainers", "coverlet", "microsoft.net.test.sdk", "ruff", "mypy", "black", "flake8", "faker", "factory_bot", "credo"} {
		if strings.Contains(name, w) {
			return true
		}
	}
	return false
}

// packages makes items of what a manifest asks for.
func packages(kind string, all []discovery.Package, v *version) (out []item) {
	at := v.words()
	for _, p := range all {
		name := word(p.Name)
		lower := strings.ToLower(name)
		if strings.HasPrefix(lower, "@types/") || strings.HasPrefix(lower, "types-") || name == "" {
			continue // they come and go with what they describe
		}
		bare := goMajor().ReplaceAllString(name, "")
		if kind != "go" {
			bare = lower
		}
		it := item{signal: signalDependency, key: "dep:" + kind + ":" + bare, name: name, show: word(strings.TrimSpace(p.Version)), value: majorOf(p.Version), note: role(kind, name), line: at[p.Name]}
		if i := strings.LastIndexByte(name, ':'); kind == "jvm" && i > 0 && it.line == 0 {
			it.line = at[name[i+1:]]
		}
		if m := goMajor().FindString(name); kind == "go" && m != "" && it.value == "" {
			it.value = strings.Trim(m, "/.v")
		}
		if p.Dev {
			it.scope = "dev"
		}
		out = append(out, it)
	}
	return out
}

var goMajor = pattern.Late(`[/.]v[0-9]+$`)

var versionDigits = pattern.Late(`[0-9]+(\.[0-9]+)?`)

// majorOf returns the part of a version whose change breaks: the first number, of 0.x the second one too. "" of one that
// cannot be told.
func majorOf(v string) string {
	d := versionDigits().FindString(v)
	if d == "" {
		return ""
	}
	major, minor, _ := strings.Cut(d, ".")
	if major == "0" {
		return "0." + minor
	}
	return major
}

// newer reports whether a version part is greater than another one.
func newer(a, b string) bool {
	x, errX := strconv.ParseFloat(a, 64)
	y, errY := strconv.ParseFloat(b, 64)
	if errX != nil || errY != nil {
		return false
	}
	if strings.HasPrefix(a, "0.") && strings.HasPrefix(b, "0.") {
		x, _ = strconv.ParseFloat(a[2:], 64)
		y, _ = strconv.ParseFloat(b[2:], 64)
	}
	return x > y
}

var (
	packageVersion = pattern.Late(`(?s)<PackageVersion\b[^>]*>`)
	attribute      = pattern.Late(`(\w+)\s*=\s*"([^"]*)"`)
)

// centralVersions reads NuGet's central package management.
func centralVersions(v *version) (out []discovery.Package) {
	for _, m := range packageVersion().FindAllString(string(v.text), -1) {
		var p discovery.Package
		for _, a := range attribute().FindAllStringSubmatch(m, -1) {
			switch a[1] {
			case "Include":
				p.Name = a[2]
			case "Version":
				p.Version = a[2]
			}
		}
		p.Dev = testPackage(p.Name)
		out = append(out, p)
	}
	return out
}

// catalogue reads Gradle's version catalogue.
func catalogue(v *version) (out []discovery.Package) {
	t, err := discovery.ReadTree("libs.toml", v.text)
	if err != nil {
		v.broken = true
		return nil
	}
	versions, _ := t["versions"].(map[string]any)
	for _, group := range []string{"libraries", "plugins"} {
		entries, _ := t[group].(map[string]any)
		for _, key := range sortedKeys(entries) {
			var p discovery.Package
			switch e := entries[key].(type) {
			case string:
				parts := strings.Split(e, ":")
				if n := len(parts); n > 1 {
					p.Name, p.Version = strings.Join(parts[:max(1, n-1)], ":"), parts[n-1]
				}
			case map[string]any:
				p.Name, _ = e["module"].(string)
				if id, ok := e["id"].(string); ok {
					p.Name = id
				}
				if g, ok := e["group"].(string); ok {
					n, _ := e["name"].(string)
					p.Name = g + ":" + n
				}
				switch w := e["version"].(type) {
				case string:
					p.Version = w
				case map[string]any:
					ref, _ := w["ref"].(string)
					p.Version, _ = versions[ref].(string)
				}
			}
			p.Dev = testPackage(p.Name)
			if p.Name != "" {
				out = append(out, p)
			}
		}
	}
	return out
}

// pubspec reads a manifest of Dart.
func pubspec(v *version) (out []item) {
	t, err := discovery.ReadTree("pubspec.yaml", v.text)
	if err != nil {
		v.broken = true
		return nil
	}
	var all []discovery.Package
	for _, group := range []string{"dependencies", "dev_dependencies"} {
		deps, _ := t[group].(map[string]any)
		for _, name := range sortedKeys(deps) {
			version, ok := deps[name].(string)
			if m, isMap := deps[name].(map[string]any); isMap && m["sdk"] != nil {
				continue
			} else if !ok {
				version = ""
			}
			all = append(all, discovery.Package{Name: name, Version: version, Dev: group != "dependencies"})
		}
	}
	out = packages("dart", all, v)
	env, _ := t["environment"].(map[string]any)
	if sdk, ok := env["sdk"].(string); ok {
		out = append(out, toolchain("Dart SDK", sdk, v, 0.9))
	}
	return out
}

var hexPackage = pattern.Late(`\{\s*:(\w+)\s*,\s*"([^"]*)"([^}]*)\}`)

// mixPackages reads the dependencies of Mix.
func mixPackages(v *version) (out []discovery.Package) {
	v.mask()
	for _, m := range hexPackage().FindAllStringSubmatch(string(v.code), -1) {
		out = append(out, discovery.Package{Name: m[1], Version: m[2], Dev: strings.Contains(m[3], ":dev") || strings.Contains(m[3], ":test")})
	}
	return out
}

func sortedKeys(m map[string]any) []string {
	out := make([]string, 0, len(m))
	for k := range m {
		out = append(out, k)
	}
	slices.Sort(out)
	return out
}

// scripts reads the commands of a package.json.
func scripts(v *version) (out []item) {
	t, err := discovery.ReadTree("package.json", v.text)
	if err != nil {
		v.broken = true
		return nil
	}
	all, _ := t["scripts"].(map[string]any)
	for _, name := range sortedKeys(all) {
		does, _ := all[name].(string)
		if strings.HasPrefix(name, "pre") || strings.HasPrefix(name, "post") || does == "" {
			continue
		}
		out = append(out, taskItem("npm run "+name, does, name, v.path, v.find(`"`+name+`"`)))
	}
	return out
}

// submodules are repositories inside of this one.
func readSubmodules(v *version) (out []item) {
	name := ""
	n := 0
	for l := range strings.Lines(string(v.text)) {
		n++
		key, value, _ := strings.Cut(strings.TrimSpace(l), "=")
		if strings.TrimSpace(key) == "path" {
			name = word(strings.TrimSpace(value))
			out = append(out, item{signal: signalInfra, key: "submodule:" + name, name: name, note: "git submodule", line: n})
		}
	}
	return out
}
