package internal

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// project is a small program in a repository that answers as sdd does where .ci/release asks it: what is tested here is the making.
var project = map[string]string{
	"go.mod":            "module example.com/made\n\ngo 1.26\n",
	"README.md":         "# Made\n",
	"LICENSE":           "Permission is hereby granted, free of charge, to any person\n",
	".gitignore":        "/out\n",
	"internal/cli/v.go": "package cli\n\nvar version, commit string\n\nfunc Told() (string, string) { return version, commit }\n",
	"cmd/sdd/main.go": `package main

import (
	"bufio"
	"fmt"
	"os"

	"example.com/made/internal/cli"
)

func main() {
	version, commit := cli.Told()
	if os.Args[1] == "version" {
		fmt.Printf("{\"version\":%q,\"commit\":%q}\n", version, commit)
		return
	}
	bufio.NewScanner(os.Stdin).Scan()
	fmt.Printf("{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"serverInfo\":{\"name\":\"sdd\",\"version\":%q}}}\n", version)
}
`,
	".release/main.go": `package main

import "os"

func main() {
	dir := os.Args[len(os.Args)-1]
	for _, folder := range []string{"/man/man1", "/completions", "/plugins/claude-code/sdd"} {
		if os.MkdirAll(dir+folder, 0o755) != nil || os.WriteFile(dir+folder+"/made", []byte("made\n"), 0o644) != nil {
			os.Exit(1)
		}
	}
	_ = os.WriteFile(dir+"/sdd.vsix", nil, 0o644)
}
`,
}

// repository makes a repository of project with one commit and this repository's script, and returns the commit.
func repository(t *testing.T) (dir, commit string) {
	t.Helper()
	for _, program := range []string{"bash", "git", "jq", "zip", "unzip"} {
		if _, err := exec.LookPath(program); err != nil || runtime.GOOS != "linux" {
			t.Skip("a release is made on Linux, with bash, git, jq, zip and unzip")
		}
	}
	dir = t.TempDir()
	files := maps.Clone(project)
	for _, name := range []string{".ci/release", ".release/manifests.sh"} {
		text, err := os.ReadFile("../" + name)
		if err != nil {
			t.Fatal(err)
		}
		files[name] = string(text)
	}
	for name, text := range files {
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	runIn(t, dir, "git", "init", "-q")
	runIn(t, dir, "git", "add", "-A")
	runIn(t, dir, "git", "commit", "-q", "-m", "one")
	runIn(t, dir, "git", "remote", "add", "origin", "git@github.com:ann/made.git")
	return dir, strings.TrimSpace(runIn(t, dir, "git", "rev-parse", "HEAD"))
}

// command runs a program in dir with the identity and the clock of a commit.
func command(dir, name string, args ...string) (string, error) {
	cmd := exec.Command(name, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_NOSYSTEM=1", "GIT_AUTHOR_NAME=Ann", "GIT_AUTHOR_EMAIL=ann@example.com",
		"GIT_COMMITTER_NAME=Ann", "GIT_COMMITTER_EMAIL=ann@example.com", "GIT_AUTHOR_DATE=2026-01-02T03:04:05+0200", "GIT_COMMITTER_DATE=2026-01-02T03:04:05+0200")
	out, err := cmd.CombinedOutput()
	return string(out), err
}

func runIn(t *testing.T, dir, name string, args ...string) string {
	t.Helper()
	out, err := command(dir, name, args...)
	if err != nil {
		t.Fatalf("%s %q: %v\n%s", name, args, err, out)
	}
	return out
}

// members reads an archive: what it holds by name, and the modes.
func members(t *testing.T, name string) (files map[string]string, modes map[string]fs.FileMode) {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	files, modes = map[string]string{}, map[string]fs.FileMode{}
	keep := func(name string, mode fs.FileMode, r io.Reader) {
		text, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		files[name], modes[name] = string(text), mode
	}
	if strings.HasSuffix(name, ".tar.gz") {
		z, err := gzip.NewReader(bytes.NewReader(data))
		if err != nil {
			t.Fatal(err)
		}
		r := tar.NewReader(z)
		for h, err := r.Next(); err == nil; h, err = r.Next() {
			if h.Uname != "" || h.Uid != 0 || h.ModTime.Unix() != 1767315845 {
				t.Errorf("%s is of %q %d, %v", h.Name, h.Uname, h.Uid, h.ModTime)
			}
			keep(h.Name, h.FileInfo().Mode(), r)
		}
		return files, modes
	}
	z, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range z.File {
		in, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		keep(f.Name, f.Mode(), in)
	}
	return files, modes
}

func TestRelease(t *testing.T) {
	dir, commit := repository(t)
	runIn(t, dir, "git", "tag", "v1.2.3")
	one, two := filepath.Join(t.TempDir(), "deep", "a"), filepath.Join(t.TempDir(), "b")
	for _, out := range []string{one, two} {
		runIn(t, dir, ".ci/release", "--platforms", "host", "v1.2.3", out)
	}
	runIn(t, one, "diff", "-r", one, two)
	runIn(t, one, "sha256sum", "--check", "--strict", "SHA256SUMS")

	base := fmt.Sprintf("sdd_1.2.3_%s_%s", runtime.GOOS, runtime.GOARCH)
	files, modes := members(t, filepath.Join(one, base+".tar.gz"))
	for _, name := range []string{"sdd", "README.md", "LICENSE", "THIRD_PARTY_NOTICES.txt", "completions/made", "man/man1/made"} {
		want := fs.FileMode(0o644)
		if name == "sdd" {
			want = 0o755
		}
		if mode := modes[base+"/"+name] &^ 0o111; name != "README.md" && name != "LICENSE" && modes[base+"/"+name] != want || mode == 0 {
			t.Errorf("%s has the mode %v", name, modes[base+"/"+name])
		}
	}
	if text := files[base+"/THIRD_PARTY_NOTICES.txt"]; !strings.Contains(text, "\nstd ") || !strings.Contains(text, "The Go Authors") {
		t.Errorf("the notices are %s", text)
	}

	bundle, _ := members(t, filepath.Join(one, base+".mcpb"))
	var manifest struct {
		Version string
		Server  struct {
			Entry  string `json:"entry_point"`
			Config struct {
				Command string
				Args    []string
			} `json:"mcp_config"`
		}
		Compatibility struct{ Platforms []string }
	}
	decode(t, bundle["manifest.json"], &manifest)
	s := manifest.Server
	if manifest.Version != "1.2.3" || s.Entry != "server/sdd" || s.Config.Command != "${__dirname}/server/sdd" ||
		!slices.Equal(s.Config.Args, []string{"--dir", "${user_config.project}", "mcp"}) || bundle[s.Entry] != files[base+"/sdd"] {
		t.Errorf("the manifest is %s", bundle["manifest.json"])
	}

	var bill struct {
		Metadata struct {
			Timestamp string
			Component struct{ Hashes []struct{ Content string } }
		}
		Components []struct{ PURL string }
	}
	decode(t, read(t, one, base+".cdx.json"), &bill)
	if bill.Metadata.Timestamp != "2026-01-02T01:04:05Z" || len(bill.Components) != 1 || !strings.HasPrefix(bill.Components[0].PURL, "pkg:golang/std@1.") {
		t.Errorf("the bill of materials is %+v", bill)
	}
	var entry struct {
		Name     string
		Packages []struct{ Identifier, FileSha256 string }
	}
	decode(t, read(t, one, "server.json"), &entry)
	if p := entry.Packages[0]; entry.Name != "io.github.ann/sdd" || p.Identifier != "https://github.com/ann/made/releases/download/v1.2.3/"+base+".mcpb" ||
		!strings.Contains(read(t, one, "SHA256SUMS"), p.FileSha256+"  "+base+".mcpb") {
		t.Errorf("server.json is %+v", entry)
	}
	for _, want := range []string{commit, "answers initialize", "were not made", "Nothing is signed"} {
		if notes := read(t, one, "RELEASE_NOTES.md"); !strings.Contains(notes, want) || strings.Contains(notes, "OWNER") {
			t.Errorf("the notes do not say %q: %s", want, notes)
		}
	}
}

func TestReleaseRefuses(t *testing.T) {
	dir, _ := repository(t)
	runIn(t, dir, "git", "tag", "v0.9.0")
	runIn(t, dir, "git", "commit", "-q", "--allow-empty", "-m", "two")
	refused := func(said string, args ...string) {
		t.Helper()
		out, err := command(dir, ".ci/release", args...)
		if err == nil || !strings.Contains(out, said) {
			t.Errorf("%q: %v, %s", args, err, out)
		}
		if left, _ := filepath.Glob(filepath.Join(dir, "out", "*")); len(left) > 0 {
			t.Errorf("%q: %v was left", args, left)
		}
	}
	refused("is no version", "1.2.3", "out/x")
	refused("is no version", "v1.2.3 -X main.y=z", "out/x")
	refused("give a version and a folder", "v1.2.3")
	refused("exists", "v1.2.3", ".ci")
	refused("no platform", "--platforms", "plan9/amd64", "v1.2.3", "out/x")
	refused("the tag of another commit", "v0.9.0", "out/x")
	if err := os.WriteFile(filepath.Join(dir, "cmd", "sdd", "main.go"), []byte("package main\n\nfunc main() { undefined() }\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	refused("cmd/sdd/main.go", "v1.2.3", "out/x")
	refused("undefined", "--dirty", "--platforms", "host", "v1.2.3", "out/x")
}

// TestReleaseManifests fills the manifests with made up archives of all platforms.
func TestReleaseManifests(t *testing.T) {
	repository(t) // skips
	stage := t.TempDir()
	script := `set -euo pipefail; declare -A url sums
for p in darwin/amd64 darwin/arm64 linux/amd64 linux/arm64 windows/amd64 windows/arm64; do
	url[$p]=https://github.com/ann/made/releases/download/v1.2.3/sdd_1.2.3_${p/\//_}.zip sums[$p]=sum-of-$p
done
stage=$1 number=1.2.3 about='What it is for' address=https://github.com/ann/made licence=MIT commit=0123 date=2026-01-02T01:04:05Z owner=ann
. ../.release/manifests.sh`
	runIn(t, ".", "bash", "-c", script, "bash", stage)
	formula := read(t, stage, "sdd.rb")
	pairs := regexp.MustCompile(`url "[^"]+_([a-z]+)_([a-z0-9]+)\.zip"\s+sha256 "sum-of-([^"]+)"`).FindAllStringSubmatch(formula, -1)
	if len(pairs) != 4 || !strings.Contains(formula, "\n  license \"MIT\"\n") || !strings.Contains(formula, "#{bin}/sdd version") {
		t.Errorf("the formula is\n%s", formula)
	}
	for _, p := range pairs {
		if p[1]+"/"+p[2] != p[3] {
			t.Errorf("%s has another checksum", p[0])
		}
	}
	for _, block := range [][3]string{{"on_macos", "on_arm", "darwin_arm64"}, {"on_macos", "on_intel", "darwin_amd64"}, {"on_linux", "on_arm", "linux_arm64"}, {"on_linux", "on_intel", "linux_amd64"}} {
		_, rest, _ := strings.Cut(formula, block[0]+" do")
		_, rest, _ = strings.Cut(rest, block[1]+" do")
		if first, _, _ := strings.Cut(rest, "end"); !strings.Contains(first, block[2]) {
			t.Errorf("%s %s does not install %s", block[0], block[1], block[2])
		}
	}
	var scoop struct {
		License      string
		Architecture map[string]struct {
			Hash   string
			Folder string `json:"extract_dir"`
		}
	}
	decode(t, read(t, stage, "sdd.json"), &scoop)
	for name, arch := range map[string]string{"64bit": "amd64", "arm64": "arm64"} {
		if a := scoop.Architecture[name]; a.Hash != "sum-of-windows/"+arch || a.Folder != "sdd_1.2.3_windows_"+arch || scoop.License != "MIT" {
			t.Errorf("%s: %+v", name, a)
		}
	}
	for _, want := range []string{"\nUSER 65532:65532\n", "\nADD sdd_1.2.3_linux_${TARGETARCH}.tar.gz ", `io.modelcontextprotocol.server.name="io.github.ann/sdd"`, "apk add --no-cache git", " \\\n && ln -s"} {
		if text := read(t, stage, "Containerfile"); !strings.Contains(text, want) {
			t.Errorf("the container file lacks %q:\n%s", want, text)
		}
	}
}

func read(t *testing.T, dir, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func decode(t *testing.T, text string, v any) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), v); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
}
