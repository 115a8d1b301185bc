package release

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// schemas are the official schemas of the release's files. They come in Go modules, whose bytes the module proxy
// verifies.
var schemas = []struct {
	pattern, module string
	url             string            // of the schema that files of the pattern must match
	files           map[string]string // in the module, by URL
}{
	{"server.json", "github.com/modelcontextprotocol/registry@v1.8.7", registrySchema, map[string]string{
		registrySchema: "internal/validators/schemas/2025-12-11.json",
	}},
	{"*.cdx.json", "github.com/CycloneDX/cyclonedx-go@v0.12.0", "http://cyclonedx.org/schema/bom-1.6.schema.json", map[string]string{
		"http://cyclonedx.org/schema/bom-1.6.schema.json":  "schema/bom-1.6.schema.json",
		"http://cyclonedx.org/schema/spdx.schema.json":     "schema/spdx.schema.json",
		"http://cyclonedx.org/schema/jsf-0.82.schema.json": "schema/jsf-0.82.schemax.json",
	}},
}

// bundlePackage is the npm package that checks the manifests of bundles.
const bundlePackage = "@anthropic-ai/mcpb@2.1.2"

// Validate checks server.json, the bills of materials and the manifests of the bundles in dir against their official schemas.
// For a schema that it cannot get it writes a line that begins with "not had here: ", and goes on.
func Validate(ctx context.Context, dir string, log io.Writer) error {
	for _, s := range schemas {
		out, err := goTool(ctx, os.TempDir(), nil, "mod", "download", "-json", s.module)
		var m struct{ Dir string }
		if err != nil || json.Unmarshal(out, &m) != nil {
			fmt.Fprintf(log, "not had here: %s: %v\n", s.module, err)
			continue
		}
		c := jsonschema.NewCompiler()
		c.AssertFormat()
		for url, file := range s.files {
			schema, err := readJSON(filepath.Join(m.Dir, filepath.FromSlash(file)))
			if err != nil {
				return err
			}
			if err := c.AddResource(url, schema); err != nil {
				return err
			}
		}
		schema, err := c.Compile(s.url)
		if err != nil {
			return err
		}
		err = each(dir, s.pattern, log, func(file string) error {
			v, err := readJSON(file)
			if err != nil {
				return err
			}
			return schema.Validate(v)
		})
		if err != nil {
			return err
		}
	}
	return validateBundles(ctx, dir, log)
}

// each checks the files that match a pattern, at least one.
func each(dir, pattern string, log io.Writer, check func(file string) error) error {
	files, err := filepath.Glob(filepath.Join(dir, pattern))
	if err != nil || len(files) == 0 {
		return fmt.Errorf("there is no %s in %s", pattern, dir)
	}
	for _, file := range files {
		if err := check(file); err != nil {
			return fmt.Errorf("%s: %w", filepath.Base(file), err)
		}
	}
	fmt.Fprintf(log, "valid: %s (%d)\n", pattern, len(files))
	return nil
}

func readJSON(file string) (any, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	return jsonschema.UnmarshalJSON(bytes.NewReader(data))
}

func validateBundles(ctx context.Context, from string, log io.Writer) error {
	dir, err := os.MkdirTemp("", "release-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	command := func(args ...string) ([]byte, error) {
		cmd := exec.CommandContext(ctx, "npx", append([]string{"--yes", "--package", bundlePackage, "mcpb"}, args...)...)
		cmd.Dir = dir
		return cmd.CombinedOutput()
	}
	if out, err := command("--version"); err != nil {
		fmt.Fprintf(log, "not had here: %s: %v %s\n", bundlePackage, err, bytes.TrimSpace(out))
		return nil
	}
	return each(from, "*.mcpb", log, func(file string) error {
		z, err := zip.OpenReader(file)
		if err != nil {
			return err
		}
		defer z.Close()
		manifest, err := fs.ReadFile(z, "manifest.json")
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(dir, "manifest.json"), manifest, 0o644); err != nil {
			return err
		}
		if out, err := command("validate", "manifest.json"); err != nil {
			return fmt.Errorf("%w\n%s", err, out)
		}
		return nil
	})
}
