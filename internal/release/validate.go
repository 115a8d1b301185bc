package release

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// Where the official schemas are had from: modules of Go and a package of npm, each in one version, whose bytes the module proxy and
// the registry vouch for.
const (
	registryModule = "github.com/modelcontextprotocol/registry@v1.8.7"
	registryFile   = "internal/validators/schemas/2025-12-11.json"
	billModule     = "github.com/CycloneDX/cyclonedx-go@v0.12.0"
	billFolder     = "schema"
	bundlePackage  = "@anthropic-ai/mcpb@2.1.2"
)

// errNotHad is that a schema or program cannot be had here.
var errNotHad = errors.New("not had here")

// Validate checks server.json, the bills of materials and the manifests of the bundles in dir against their official schemas. What cannot
// be had here is told to log in a line that begins with "not had here: ", and is no error.
func Validate(ctx context.Context, dir string, log io.Writer) error {
	for _, v := range []struct {
		pattern string
		check   func(ctx context.Context, files []string) error
	}{
		{"server.json", validateEntry},
		{"*.cdx.json", validateBills},
		{"*.mcpb", validateBundles},
	} {
		files, err := filepath.Glob(filepath.Join(dir, v.pattern))
		if err != nil {
			return err
		}
		if len(files) == 0 {
			return fmt.Errorf("there is no %s in %s", v.pattern, dir)
		}
		switch err := v.check(ctx, files); {
		case errors.Is(err, errNotHad):
			fmt.Fprintf(log, "%v\n", err)
		case err != nil:
			return err
		default:
			fmt.Fprintf(log, "valid: %s (%d)\n", v.pattern, len(files))
		}
	}
	return nil
}

// module fetches a Go module and returns its folder.
func module(ctx context.Context, name string) (string, error) {
	out, err := goTool(ctx, os.TempDir(), nil, "mod", "download", "-json", name)
	if err != nil {
		return "", fmt.Errorf("%w: %s: %v", errNotHad, name, err)
	}
	var m struct{ Dir string }
	if err := json.Unmarshal(out, &m); err != nil {
		return "", err
	}
	return m.Dir, nil
}

func readJSON(file string) (any, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return jsonschema.UnmarshalJSON(f)
}

// against checks files against the schema at url.
func against(c *jsonschema.Compiler, url string, files []string) error {
	c.AssertFormat()
	s, err := c.Compile(url)
	if err != nil {
		return err
	}
	for _, file := range files {
		v, err := readJSON(file)
		if err != nil {
			return err
		}
		if err := s.Validate(v); err != nil {
			return fmt.Errorf("%s: %w", filepath.Base(file), err)
		}
	}
	return nil
}

func validateEntry(ctx context.Context, files []string) error {
	dir, err := module(ctx, registryModule)
	if err != nil {
		return err
	}
	s, err := readJSON(filepath.Join(dir, filepath.FromSlash(registryFile)))
	if err != nil {
		return err
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource(registrySchema, s); err != nil {
		return err
	}
	return against(c, registrySchema, files)
}

func validateBills(ctx context.Context, files []string) error {
	dir, err := module(ctx, billModule)
	if err != nil {
		return err
	}
	const at = "http://cyclonedx.org/schema/"
	c := jsonschema.NewCompiler()
	for name, as := range map[string]string{"bom-1.6.schema.json": "", "spdx.schema.json": "", "jsf-0.82.schemax.json": "jsf-0.82.schema.json"} {
		s, err := readJSON(filepath.Join(dir, billFolder, name))
		if err != nil {
			return err
		}
		if as == "" {
			as = name
		}
		if err := c.AddResource(at+as, s); err != nil {
			return err
		}
	}
	return against(c, at+"bom-1.6.schema.json", files)
}

func validateBundles(ctx context.Context, files []string) error {
	npx, err := exec.LookPath("npx")
	if err != nil {
		return fmt.Errorf("%w: npx: %v", errNotHad, err)
	}
	dir, err := os.MkdirTemp("", "release-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	command := func(args ...string) ([]byte, error) {
		cmd := exec.CommandContext(ctx, npx, append([]string{"--yes", "--package", bundlePackage, "mcpb"}, args...)...)
		cmd.Dir = dir
		return cmd.CombinedOutput()
	}
	if out, err := command("--version"); err != nil {
		return fmt.Errorf("%w: %s: %s", errNotHad, bundlePackage, bytes.TrimSpace(out))
	}
	for _, file := range files {
		manifest, err := member(file, "manifest.json")
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(dir, "manifest.json"), manifest, 0o644); err != nil {
			return err
		}
		if out, err := command("validate", "manifest.json"); err != nil {
			return fmt.Errorf("%s: %w\n%s", filepath.Base(file), err, out)
		}
	}
	return nil
}

// member returns a file of a zip archive.
func member(archive, name string) ([]byte, error) {
	z, err := zip.OpenReader(archive)
	if err != nil {
		return nil, err
	}
	defer z.Close()
	f, err := z.Open(path.Clean(name))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", filepath.Base(archive), err)
	}
	defer f.Close()
	return io.ReadAll(f)
}
