// Package release makes the published files of a version from the files of one commit: programs for six platforms, archives, MCP
// bundles, the extension for VS Code, the entry for the MCP registry, bills of materials, package manager manifests, a container file,
// checksums, and notes about what was tested and what was not.
//
// The same commit, version and Go release give the same bytes on every machine: the machine's paths, clock and environment do not
// affect them. All times are that of the commit.
package release

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"

	"sdd/internal/fault"
	"sdd/internal/setup"
)

// Options select what to release.
type Options struct {
	Dir       string     // of the repository
	Version   string     // such as v1.2.3
	Out       string     // the new folder; it must not exist, or be empty
	Owner     string     // of the repository on GitHub; "" asks the git remote
	Repo      string     // its name there; "" asks the git remote
	Platforms []Platform // nil is [Platforms]
	Dirty     bool       // include uncommitted changes; the version shows it
	Log       io.Writer  // progress; may be nil
}

// Platform is a system and a processor, as Go names them.
type Platform struct{ OS, Arch string }

// Platforms are the platforms of a release.
var Platforms = []Platform{{"darwin", "amd64"}, {"darwin", "arm64"}, {"linux", "amd64"}, {"linux", "arm64"}, {"windows", "amd64"},
	{"windows", "arm64"}}

// Host is the platform of this process.
func Host() Platform { return Platform{runtime.GOOS, runtime.GOARCH} }

func (p Platform) String() string { return p.OS + "/" + p.Arch }

// Exe is the name of the program's file.
func (p Platform) Exe() string {
	if p.OS == "windows" {
		return "sdd.exe"
	}
	return "sdd"
}

// ParsePlatforms reads a list such as "linux/amd64,host"; "" and "all" mean nil.
func ParsePlatforms(list string) (all []Platform, err error) {
	if list == "" || list == "all" {
		return nil, nil
	}
	for name := range strings.SplitSeq(list, ",") {
		p := Host()
		if name != "host" {
			os, arch, _ := strings.Cut(name, "/")
			p = Platform{os, arch}
		}
		if !slices.Contains(Platforms, p) {
			return nil, fault.New(fault.Invalid, "there is no platform %q", name).For("platforms").
				With(fmt.Sprintf("allowed: host, all, or some of %v", Platforms))
		}
		if !slices.Contains(all, p) {
			all = append(all, p)
		}
	}
	return all, nil
}

var versions = regexp.MustCompile(`^v(0|[1-9][0-9]*)\.(0|[1-9][0-9]*)\.(0|[1-9][0-9]*)(-[0-9A-Za-z]+([.-][0-9A-Za-z]+)*)?$`)

// release is a release in progress.
type release struct {
	Options
	source
	stage  string            // the folder of the files until the release is complete
	built  []product         // one for each platform
	sums   map[string]string // SHA-256 of the files, in hex, by name
	extras []file            // go into every archive
	tried  []string          // what was tested
	lacks  []string          // what is missing
}

// product is the result for one platform.
type product struct {
	Platform
	program         string // path of the built program
	Archive, Bundle string // names of files in the folder of the release
}

// Make makes a release. The folder appears only when it is complete; after an error there is none.
func Make(ctx context.Context, o Options) error {
	if !versions.MatchString(o.Version) {
		return fault.New(fault.Invalid, "%q is no version", o.Version).For("version").With("such as v1.2.3 or v1.2.3-rc.1")
	}
	if o.Platforms == nil {
		o.Platforms = Platforms
	}
	if o.Log == nil {
		o.Log = io.Discard
	}
	out, err := filepath.Abs(o.Out)
	if err != nil || o.Out == "" {
		return fault.New(fault.Invalid, "the folder for the release is not named").For("out")
	}
	if entries, err := os.ReadDir(out); err == nil && len(entries) > 0 {
		return fault.New(fault.Conflict, "%s is not empty", out).For("out").
			With("name a new folder: what a release holds is only what this makes")
	}
	src, err := look(ctx, o)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(out), 0o755); err != nil {
		return err
	}
	stage, err := os.MkdirTemp(filepath.Dir(out), ".release-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(stage)
	if err := os.Chmod(stage, 0o755); err != nil {
		return err
	}
	r := &release{Options: o, source: src, stage: stage}
	if err := r.make(ctx); err != nil {
		return err
	}
	if err := os.Remove(out); err != nil && !os.IsNotExist(err) {
		return err
	}
	return os.Rename(stage, out)
}

func (r *release) make(ctx context.Context) error {
	programs, err := os.MkdirTemp("", "release-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(programs)
	notices, licences, err := r.notices(ctx)
	if err != nil {
		return err
	}
	r.extras = append(r.papers(), file{"THIRD_PARTY_NOTICES.txt", notices, 0o644})
	for _, p := range r.Platforms {
		b := product{Platform: p, program: filepath.Join(programs, p.OS+"_"+p.Arch, p.Exe())}
		r.say("%s", p)
		if err := r.build(ctx, b); err != nil {
			return err
		}
		if err := r.pack(&b, licences); err != nil {
			return err
		}
		r.built = append(r.built, b)
	}
	editor, err := setup.Extension(r.number(), "sdd", r.When)
	if err != nil {
		return err
	}
	if err := r.put("sdd-"+r.number()+".vsix", editor); err != nil {
		return err
	}
	for _, client := range setup.PluginClients {
		parts, err := setup.Plugin(client, r.number(), Description)
		if err != nil {
			return err
		}
		var files []file
		for _, p := range parts {
			files = append(files, file{"sdd/" + p.Path, []byte(p.Text), 0o644})
		}
		packed, err := zipped(files, r.When)
		if err == nil {
			err = r.put("sdd-"+r.number()+"-"+client+".zip", packed)
		}
		if err != nil {
			return err
		}
	}
	if err := r.tryHost(ctx); err != nil {
		return err
	}
	if err := r.manifests(); err != nil {
		return err
	}
	if err := r.putSums(); err != nil {
		return err
	}
	return r.put("RELEASE_NOTES.md", r.notes())
}

// pack makes archive, bundle and bill of materials of a program.
func (r *release) pack(b *product, licences map[string][]string) error {
	base := fmt.Sprintf("sdd_%s_%s_%s", r.number(), b.OS, b.Arch)
	program, err := os.ReadFile(b.program)
	if err != nil {
		return err
	}
	files, err := r.contents(b.Platform, program)
	if err != nil {
		return err
	}
	for i := range files {
		files[i].name = base + "/" + files[i].name
	}
	archive, form := tarball, ".tar.gz"
	if b.OS == "windows" {
		archive, form = zipped, ".zip"
	}
	b.Archive, b.Bundle = base+form, base+".mcpb"
	data, err := archive(files, r.When)
	if err != nil {
		return err
	}
	if err := r.put(b.Archive, data); err != nil {
		return err
	}
	bundle, err := r.bundle(b.Platform, program)
	if err != nil {
		return err
	}
	if err := r.put(b.Bundle, bundle); err != nil {
		return err
	}
	bill, err := r.bill(b, program, licences)
	if err != nil {
		return err
	}
	return r.put(base+".cdx.json", bill)
}

// number is the version without its v.
func (r *release) number() string { return strings.TrimPrefix(r.Called, "v") }

// put writes a file of the release.
func (r *release) put(name string, data []byte) error {
	if r.sums == nil {
		r.sums = map[string]string{}
	}
	sum := sha256.Sum256(data)
	r.sums[name] = hex.EncodeToString(sum[:])
	return os.WriteFile(filepath.Join(r.stage, name), data, 0o644)
}

func (r *release) say(format string, args ...any) { fmt.Fprintf(r.Log, format+"\n", args...) }

// putSums writes SHA256SUMS for all files, in the form that sha256sum -c reads.
func (r *release) putSums() error {
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(r.sums)) {
		fmt.Fprintf(&b, "%s  %s\n", r.sums[name], name)
	}
	return r.put("SHA256SUMS", []byte(b.String()))
}
