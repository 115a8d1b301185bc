package release

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// tryHost tests the files for this machine: the program prints its version and commit, and the bundle, unpacked and
// started by its manifest, answers a client. The notes list the programs for other machines, which cannot run here.
func (r *release) tryHost(ctx context.Context) error {
	at := slices.IndexFunc(r.built, func(b product) bool { return b.Platform == Host() })
	if at < 0 {
		return nil
	}
	b := r.built[at]
	out, err := run(ctx, "", b.program, "version", "--json")
	if err != nil {
		return err
	}
	var told struct{ Version, Commit string }
	if err := json.Unmarshal(out, &told); err != nil || told.Version != r.Called || told.Commit != r.Commit {
		return fmt.Errorf("the program says that it is %s of %s, not %s of %s", told.Version, told.Commit, r.Called, r.Commit)
	}
	r.tried = append(r.tried, fmt.Sprintf("%s: the program tells its version and commit.", b.Platform))
	if err := r.tryBundle(ctx, b.Bundle); err != nil {
		return fmt.Errorf("%s: %w", b.Bundle, err)
	}
	r.tried = append(r.tried, fmt.Sprintf("%s: the server in %s, started as its manifest says, answers initialize with this version.",
		b.Platform, b.Bundle))
	return nil
}

// tryBundle uses a bundle as a client does.
func (r *release) tryBundle(ctx context.Context, name string) error {
	dir, err := os.MkdirTemp("", "release-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	project := filepath.Join(dir, "project")
	if err := os.Mkdir(project, 0o755); err != nil {
		return err
	}
	z, err := zip.OpenReader(filepath.Join(r.stage, name))
	if err != nil {
		return err
	}
	defer z.Close()
	if err := os.CopyFS(dir, z); err != nil {
		return err
	}
	text, err := os.ReadFile(filepath.Join(dir, "manifest.json"))
	if err != nil {
		return err
	}
	var m struct {
		Server struct {
			Config struct {
				Command string
				Args    []string
			} `json:"mcp_config"`
		}
	}
	if err := json.Unmarshal(text, &m); err != nil {
		return err
	}
	fill := strings.NewReplacer(bundleFolder, dir, bundleProject, project).Replace
	var args []string
	for _, a := range m.Server.Config.Args {
		args = append(args, fill(a))
	}
	const hello = `{"jsonrpc":"2.0","id":1,"method":"initialize",` +
		`"params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"release","version":"1"}}}` + "\n"
	out, err := run(ctx, hello, filepath.FromSlash(fill(m.Server.Config.Command)), args...)
	if err != nil {
		return err
	}
	line, _, _ := bytes.Cut(out, []byte("\n"))
	var answer struct {
		Result struct {
			ServerInfo struct{ Name, Version string }
		}
	}
	if err := json.Unmarshal(line, &answer); err != nil {
		return err
	}
	if s := answer.Result.ServerInfo; s.Name != "sdd" || s.Version != r.Called {
		return fmt.Errorf("the server says that it is %s %s", s.Name, s.Version)
	}
	return nil
}
