package release

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"sdd/internal/mcp"
)

// The official schemas are not here; these tests hold what they demand of the parts that are used. The release command with
// -validate asks the schemas themselves.

func TestBundleManifest(t *testing.T) {
	r := real(t)
	for _, p := range Platforms {
		data, err := encode(r.manifest(p))
		if err != nil {
			t.Fatal(err)
		}
		var m bundleManifest
		decode(t, data, &m)
		want := map[string]string{"darwin": "darwin", "linux": "linux", "windows": "win32"}[p.OS]
		if !slices.Equal(m.Compatibility["platforms"], []string{want}) {
			t.Errorf("%s: platforms are %q", p, m.Compatibility["platforms"])
		}
		if m.ManifestVersion != "0.3" || m.Name == "" || m.Version != "1.2.3" || m.Description == "" || m.Author["name"] == "" || m.Server.Type != "binary" {
			t.Errorf("%s: a required key is missing: %s", p, data)
		}
		if m.Server.EntryPoint != "server/"+p.Exe() || m.Server.Config.Command != "${__dirname}/"+m.Server.EntryPoint {
			t.Errorf("%s: %s is started as %s", p, m.Server.EntryPoint, m.Server.Config.Command)
		}
		for _, use := range regexp.MustCompile(`\$\{user_config\.(\w+)\}`).FindAllStringSubmatch(string(data), -1) {
			if o, ok := m.UserConfig[use[1]]; !ok || o.Type != "directory" || !o.Required || o.Title == "" || o.Description == "" {
				t.Errorf("%s: %s is used and asked for as %+v", p, use[1], o)
			}
		}
		if len(m.Tools) != len(mcp.Offers().Tools) || m.Tools[0].Name == "" || m.Tools[0].Description == "" {
			t.Errorf("%s: tools are %v", p, m.Tools)
		}
	}
}

func TestDescriptionFitsRegistries(t *testing.T) {
	if n := utf8.RuneCountInString(Description); n == 0 || n > 100 {
		t.Errorf("it has %d characters", n)
	}
}

// TestManifests fills all manifests with made up archives of all platforms.
func TestManifests(t *testing.T) {
	r := real(t)
	r.stage, r.URL = t.TempDir(), "https://github.com/ann/made"
	r.extras = []file{{"LICENSE", []byte("Permission is hereby granted, free of charge, to any person obtaining a copy"), 0o644}}
	sums := map[string]string{}
	for _, p := range Platforms {
		b := product{Platform: p, Archive: "sdd_1.2.3_" + p.OS + "_" + p.Arch + ".tar.gz", Bundle: "sdd_1.2.3_" + p.OS + "_" + p.Arch + ".mcpb"}
		if p.OS == "windows" {
			b.Archive = strings.TrimSuffix(b.Archive, ".tar.gz") + ".zip"
		}
		for _, name := range []string{b.Archive, b.Bundle} {
			if err := r.put(name, []byte(name)); err != nil {
				t.Fatal(err)
			}
			sum := sha256.Sum256([]byte(name))
			sums[name] = hex.EncodeToString(sum[:])
		}
		r.built = append(r.built, b)
	}
	if err := r.manifests(); err != nil {
		t.Fatal(err)
	}
	read := func(name string) string {
		text, err := os.ReadFile(filepath.Join(r.stage, name))
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}

	var entry registryEntry
	decode(t, []byte(read("server.json")), &entry)
	if !regexp.MustCompile(`^[a-zA-Z0-9.-]+/[a-zA-Z0-9._-]+$`).MatchString(entry.Name) || len(entry.Packages) != len(Platforms) || entry.Schema != registrySchema {
		t.Errorf("server.json is %+v", entry)
	}
	for _, p := range entry.Packages {
		if name := filepath.Base(p.Identifier); p.Sum != sums[name] || p.Sum == "" || !strings.HasPrefix(p.Identifier, "https://github.com/ann/made/releases/download/v1.2.3/") || p.Transport["type"] != "stdio" {
			t.Errorf("%+v", p)
		}
	}

	formula := read("sdd.rb")
	pairs := regexp.MustCompile(`url "([^"]+)"\s+sha256 "([^"]+)"`).FindAllStringSubmatch(formula, -1)
	if len(pairs) != 4 || !strings.Contains(formula, `license "MIT"`) {
		t.Errorf("the formula is\n%s", formula)
	}
	for _, p := range pairs {
		if sums[filepath.Base(p[1])] != p[2] {
			t.Errorf("%s has another checksum", p[1])
		}
	}
	for _, block := range []struct{ system, processor, archive string }{
		{"on_macos", "on_arm", "darwin_arm64"}, {"on_macos", "on_intel", "darwin_amd64"}, {"on_linux", "on_arm", "linux_arm64"}, {"on_linux", "on_intel", "linux_amd64"},
	} {
		_, rest, _ := strings.Cut(formula, block.system+" do")
		_, rest, _ = strings.Cut(rest, block.processor+" do")
		if first, _, _ := strings.Cut(rest, "end"); !strings.Contains(first, block.archive) {
			t.Errorf("%s %s does not install %s", block.system, block.processor, block.archive)
		}
	}

	var scoop scoopManifest
	if err := json.Unmarshal([]byte(read("sdd.json")), &scoop); err != nil {
		t.Fatal(err)
	}
	for name, arch := range map[string]string{"64bit": "amd64", "arm64": "arm64"} {
		a := scoop.Architecture[name]
		if archive := "sdd_1.2.3_windows_" + arch + ".zip"; filepath.Base(a.URL) != archive || a.Hash != sums[archive] || a.Folder != strings.TrimSuffix(archive, ".zip") {
			t.Errorf("%s: %+v", name, a)
		}
	}
	if scoop.Version != "1.2.3" || scoop.Homepage == "" || scoop.Licence != "MIT" || len(scoop.Architecture) != 2 {
		t.Errorf("the Scoop manifest is %+v", scoop)
	}

	container := read("Containerfile")
	for _, want := range []string{"\nUSER 65532:65532\n", "\nADD sdd_1.2.3_linux_${TARGETARCH}.tar.gz ", `io.modelcontextprotocol.server.name="io.github.ann/sdd"`, "apk add --no-cache git"} {
		if !strings.Contains(container, want) {
			t.Errorf("the container file lacks %q", want)
		}
	}
}

func TestManifestsOfSomePlatforms(t *testing.T) {
	r := real(t)
	r.stage = t.TempDir()
	r.built = []product{{Platform: Platform{"linux", "amd64"}, Archive: "a.tar.gz", Bundle: "a.mcpb"}}
	for _, name := range []string{"a.tar.gz", "a.mcpb"} {
		if err := r.put(name, nil); err != nil {
			t.Fatal(err)
		}
	}
	if err := r.manifests(); err != nil {
		t.Fatal(err)
	}
	if made := folder(t, r.stage); len(made) != 3 || made["server.json"] == nil {
		t.Errorf("%d files", len(made))
	}
	if lacks := strings.Join(r.lacks, "\n"); strings.Count(lacks, "was not made") != 3 {
		t.Errorf("what is missing: %s", lacks)
	}
}
