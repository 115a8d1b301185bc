package release

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"sdd/internal/fault"
)

// project is a small program in a git repository that answers as sdd does where a release asks it: what is tested here is the making.
var project = map[string]string{
	"go.mod":    "module example.com/made\n\ngo 1.26\n",
	"README.md": "# Made\n",
	"internal/cli/cli.go": `package cli

var version, commit string

func Told() (string, string) { return version, commit }
`,
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
}

// repository makes a repository of files with one commit, and returns the folder and the commit.
func repository(t *testing.T, files map[string]string) (dir, commit string) {
	t.Helper()
	dir = t.TempDir()
	for name, text := range files {
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	runGit(t, dir, "init", "-q")
	runGit(t, dir, "add", "-A")
	runGit(t, dir, "commit", "-q", "-m", "one")
	return dir, strings.TrimSpace(runGit(t, dir, "rev-parse", "HEAD"))
}

func runGit(t *testing.T, dir string, args ...string) string {
	t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_NOSYSTEM=1", "GIT_AUTHOR_NAME=Ann", "GIT_AUTHOR_EMAIL=ann@example.com",
		"GIT_COMMITTER_NAME=Ann", "GIT_COMMITTER_EMAIL=ann@example.com", "GIT_AUTHOR_DATE=2026-01-02T03:04:05+0200", "GIT_COMMITTER_DATE=2026-01-02T03:04:05+0200")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("git %q: %v\n%s", args, err, out)
	}
	return string(out)
}

// folder reads all files of a folder.
func folder(t *testing.T, dir string) map[string][]byte {
	t.Helper()
	all := map[string][]byte{}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if all[e.Name()], err = os.ReadFile(filepath.Join(dir, e.Name())); err != nil {
			t.Fatal(err)
		}
	}
	return all
}

// members reads an archive: what it holds by name, and the modes.
func members(t *testing.T, name string, data []byte) (files map[string]string, modes map[string]fs.FileMode) {
	t.Helper()
	files, modes = map[string]string{}, map[string]fs.FileMode{}
	if strings.HasSuffix(name, ".tar.gz") {
		z, err := gzip.NewReader(bytes.NewReader(data))
		if err != nil {
			t.Fatal(err)
		}
		for r := tar.NewReader(z); ; {
			h, err := r.Next()
			if errors.Is(err, io.EOF) {
				return files, modes
			}
			if err != nil {
				t.Fatal(err)
			}
			text, err := io.ReadAll(r)
			if err != nil {
				t.Fatal(err)
			}
			if h.Uname != "" || h.Uid != 0 {
				t.Errorf("%s belongs to %q %d", h.Name, h.Uname, h.Uid)
			}
			files[h.Name], modes[h.Name] = string(text), h.FileInfo().Mode()
		}
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
		text, err := io.ReadAll(in)
		if err != nil {
			t.Fatal(err)
		}
		files[f.Name], modes[f.Name] = string(text), f.Mode()
	}
	return files, modes
}

func TestMake(t *testing.T) {
	if !slices.Contains(Platforms, Host()) {
		t.Skip("no release is made for this platform")
	}
	dir, commit := repository(t, project)
	runGit(t, dir, "tag", "v1.2.3")
	runGit(t, dir, "remote", "add", "origin", "git@github.com:ann/made.git")
	outs := []string{filepath.Join(t.TempDir(), "a"), filepath.Join(t.TempDir(), "deep", "b")}
	for _, out := range outs {
		if err := Make(context.Background(), Options{Dir: dir, Version: "v1.2.3", Out: out, Platforms: []Platform{Host()}}); err != nil {
			t.Fatal(err)
		}
	}
	made, again := folder(t, outs[0]), folder(t, outs[1])
	for name, data := range made {
		if !bytes.Equal(data, again[name]) {
			t.Errorf("%s is not the same when it is made again", name)
		}
	}
	base := "sdd_1.2.3_" + runtime.GOOS + "_" + runtime.GOARCH
	archive := base + ".tar.gz"
	if runtime.GOOS == "windows" {
		archive = base + ".zip"
	}
	for _, name := range []string{archive, base + ".mcpb", base + ".cdx.json", "sdd-1.2.3.vsix", "sdd-1.2.3-claude-code.zip",
		"sdd-1.2.3-gemini-cli.zip", "sdd-1.2.3-codex.zip", "sdd-1.2.3-cursor.zip", "server.json", "SHA256SUMS", "RELEASE_NOTES.md"} {
		if made[name] == nil {
			t.Errorf("%s is missing", name)
		}
	}
	if len(made) != 11 {
		t.Errorf("%d files were made", len(made))
	}

	files, modes := members(t, archive, made[archive])
	program := base + "/" + Host().Exe()
	for _, name := range []string{program, base + "/README.md", base + "/THIRD_PARTY_NOTICES.txt", base + "/completions/sdd.bash", base + "/completions/_sdd", base + "/completions/sdd.fish", base + "/completions/sdd.ps1"} {
		if files[name] == "" {
			t.Errorf("the archive lacks %s", name)
		}
	}
	if modes[program].Perm() != 0o755 || modes[base+"/README.md"].Perm() != 0o644 {
		t.Errorf("modes are %v and %v", modes[program], modes[base+"/README.md"])
	}
	if runtime.GOOS != "windows" && !strings.Contains(files[base+"/man/man1/sdd-show.1"], "sdd v1.2.3") {
		t.Error("the man page of sdd show does not tell the version")
	}
	if strings.Contains(files[program], dir) {
		t.Error("the program holds the path that it was built at")
	}
	if !strings.Contains(files[base+"/THIRD_PARTY_NOTICES.txt"], "The Go Authors") {
		t.Error("the notices lack Go's own")
	}

	for l := range strings.Lines(string(made["SHA256SUMS"])) {
		sum, name, _ := strings.Cut(strings.TrimSpace(l), "  ")
		if got := sha256.Sum256(made[name]); hex.EncodeToString(got[:]) != sum {
			t.Errorf("the checksum of %s is wrong", name)
		}
	}
	if n := strings.Count(string(made["SHA256SUMS"]), "\n"); n != 9 {
		t.Errorf("%d files have a checksum", n)
	}

	editor, _ := members(t, "sdd-1.2.3.vsix", made["sdd-1.2.3.vsix"])
	for name, want := range map[string]string{"[Content_Types].xml": ".vsixmanifest", "extension.vsixmanifest": `Id="sdd" Version="1.2.3"`,
		"extension/package.json": `"version": "1.2.3"`, "extension/extension.js": "deactivate", "extension/client.js": "Content-Length"} {
		if !strings.Contains(editor[name], want) {
			t.Errorf("the extension's %s lacks %s", name, want)
		}
	}
	if size := len(made["sdd-1.2.3.vsix"]); size > 20_000 {
		t.Errorf("the extension has %d bytes", size)
	}

	var entry registryEntry
	decode(t, made["server.json"], &entry)
	sum := sha256.Sum256(made[base+".mcpb"])
	want := registryPackage{"mcpb", "https://github.com/ann/made/releases/download/v1.2.3/" + base + ".mcpb", "1.2.3", hex.EncodeToString(sum[:]), map[string]string{"type": "stdio"}}
	if entry.Name != "io.github.ann/sdd" || entry.Version != "1.2.3" || len(entry.Packages) != 1 || entry.Packages[0].Identifier != want.Identifier || entry.Packages[0].Sum != want.Sum {
		t.Errorf("server.json is %+v", entry)
	}

	var b billOfMaterials
	decode(t, made[base+".cdx.json"], &b)
	sum = sha256.Sum256([]byte(files[program]))
	if b.Metadata.Component.Hashes[0].Content != hex.EncodeToString(sum[:]) || b.Metadata.Timestamp != "2026-01-02T01:04:05Z" {
		t.Errorf("the bill of materials is of %+v", b.Metadata)
	}

	notes := string(made["RELEASE_NOTES.md"])
	for _, want := range []string{commit, runtime.Version()[:4], "answers initialize", "no LICENSE file", "sdd.rb was not made", "Nothing is signed"} {
		if !strings.Contains(notes, want) {
			t.Errorf("the notes do not say %q", want)
		}
	}
	if strings.Contains(notes, placeholder) {
		t.Error("the notes miss an owner that is known")
	}
}

func decode(t *testing.T, data []byte, v any) {
	t.Helper()
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	if err := dec.Decode(v); err != nil {
		t.Fatal(err)
	}
}

func TestMakeRefuses(t *testing.T) {
	dir, _ := repository(t, project)
	runGit(t, dir, "tag", "v0.9.0")
	runGit(t, dir, "commit", "-q", "--allow-empty", "-m", "two")
	full := t.TempDir()
	if err := os.WriteFile(filepath.Join(full, "mine"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name string
		o    Options
		code fault.Code
		said string
	}{
		{"no version", Options{Dir: dir, Out: "x"}, fault.Invalid, "is no version"},
		{"a version without v", Options{Dir: dir, Out: "x", Version: "1.2.3"}, fault.Invalid, "is no version"},
		{"a version that is an option", Options{Dir: dir, Out: "x", Version: "v1.2.3 -X main.y=z"}, fault.Invalid, "is no version"},
		{"no folder", Options{Dir: dir, Version: "v1.2.3"}, fault.Invalid, "not named"},
		{"a folder with something in it", Options{Dir: dir, Version: "v1.2.3", Out: full}, fault.Conflict, "not empty"},
		{"the tag of another commit", Options{Dir: dir, Version: "v0.9.0", Out: "x"}, fault.Conflict, "another commit"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.o.Out == "x" {
				c.o.Out = filepath.Join(t.TempDir(), "x")
			}
			err := Make(context.Background(), c.o)
			if !fault.Is(err, c.code) || !strings.Contains(err.Error(), c.said) {
				t.Errorf("got %v", err)
			}
			if _, err := os.Stat(c.o.Out); c.o.Out != "" && c.o.Out != full && err == nil {
				t.Error("a folder was made")
			}
		})
	}
	if err := os.WriteFile(filepath.Join(dir, "new.txt"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(t.TempDir(), "out")
	if err := Make(context.Background(), Options{Dir: dir, Version: "v1.2.3", Out: out}); !fault.Is(err, fault.Conflict) || !strings.Contains(err.Error(), "new.txt") {
		t.Errorf("changes: got %v", err)
	}
	s, err := look(context.Background(), Options{Dir: dir, Version: "v1.2.3", Dirty: true})
	if err != nil || s.Called != "v1.2.3+dirty" {
		t.Errorf("a dirty release is called %q, %v", s.Called, err)
	}
}

// TestBrokenBuildLeavesNothing: after an error there is no folder, and nothing lies beside it.
func TestBrokenBuildLeavesNothing(t *testing.T) {
	broken := map[string]string{}
	for name, text := range project {
		broken[name] = text
	}
	broken["cmd/sdd/main.go"] = "package main\n\nfunc main() { undefined() }\n"
	dir, _ := repository(t, broken)
	parent := t.TempDir()
	err := Make(context.Background(), Options{Dir: dir, Version: "v1.2.3", Out: filepath.Join(parent, "out"), Platforms: []Platform{{"linux", "amd64"}}})
	if err == nil || !strings.Contains(err.Error(), "undefined") {
		t.Errorf("got %v", err)
	}
	if entries, _ := os.ReadDir(parent); len(entries) > 0 {
		t.Errorf("%v was left", entries)
	}
}

func TestHosted(t *testing.T) {
	for remote, want := range map[string]string{
		"git@github.com:ann/made.git":             "ann/made",
		"https://github.com/ann/made":             "ann/made",
		"https://github.com/ann/made.git":         "ann/made",
		"https://token@github.com/ann/made.x.git": "ann/made.x",
		"ssh://git@github.com/ann/made.git":       "ann/made",
		"https://example.com/ann/made.git":        "/",
		"https://github.com.example.com/ann/made": "/",
		"/srv/made":                             "/",
		"https://github.com/ann/made/tree/main": "/",
		"":                                      "/",
	} {
		if owner, repo := hosted(remote); owner+"/"+repo != want {
			t.Errorf("%s: got %s/%s, want %s", remote, owner, repo, want)
		}
	}
}

func TestParsePlatforms(t *testing.T) {
	for list, want := range map[string]int{"": 0, "all": 0, "linux/amd64": 1, "linux/amd64,windows/arm64,linux/amd64": 2} {
		if got, err := ParsePlatforms(list); err != nil || len(got) != want {
			t.Errorf("%q: %v %v", list, got, err)
		}
	}
	for _, list := range []string{"linux", "plan9/amd64", "linux/amd64,", "linux/mips"} {
		if _, err := ParsePlatforms(list); !fault.Is(err, fault.Invalid) {
			t.Errorf("%q: %v", list, err)
		}
	}
}

func TestArchivesKeepNothingOfTheMachine(t *testing.T) {
	files := []file{{"a/program", []byte("x"), 0o755}, {"a/README.md", []byte("y"), 0o644}}
	for _, pack := range []func([]file, time.Time) ([]byte, error){tarball, zipped} {
		one, err := pack(files, time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC))
		if err != nil {
			t.Fatal(err)
		}
		two, _ := pack(files, time.Date(2026, 1, 2, 5, 4, 5, 0, time.FixedZone("", 7200)).UTC())
		if !bytes.Equal(one, two) {
			t.Error("the same files at the same moment give other bytes")
		}
	}
}
