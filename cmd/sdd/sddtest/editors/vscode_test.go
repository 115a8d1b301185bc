package editors

import (
	"archive/zip"
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"sdd/internal/setup"
)

// extension unpacks the extension for VS Code beside a stub of VS Code's API, and returns its folder.
func extension(t *testing.T, program string) string {
	t.Helper()
	if _, err := exec.LookPath("node"); err != nil {
		t.Skip("node is not here")
	}
	data, err := setup.Extension("v1.2.3", program, time.Time{})
	if err != nil {
		t.Fatal(err)
	}
	z, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := os.CopyFS(dir, z); err != nil {
		t.Fatal(err)
	}
	folder := filepath.Join(dir, "extension")
	stub := filepath.Join(folder, "node_modules", "vscode")
	if err := os.MkdirAll(stub, 0o777); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(stub, "index.js"), read(t, "testdata/vscode.js"))
	return folder
}

func read(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// write writes a file and makes its folder.
func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

// node runs a script of testdata, which says done when everything held.
func node(t *testing.T, script string, args ...string) {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "node", append([]string{filepath.Join("testdata", script)}, args...)...).CombinedOutput()
	if err != nil || !bytes.HasSuffix(bytes.TrimSpace(out), []byte("done")) {
		t.Fatalf("%s: %v\n%s", script, err, out)
	}
}

// TestVSCodeExtension drives every provider of the extension against a server of the test, which also dies and sends garbage.
func TestVSCodeExtension(t *testing.T) {
	folder, project := extension(t, "sdd"), t.TempDir()
	write(t, filepath.Join(project, ".sdd", "config.yaml"), "")
	write(t, filepath.Join(project, "below", "main.go"), "package main\n")
	write(t, filepath.Join(project, "lsp"), read(t, "testdata/server.js"))
	node(t, "fake.js", folder, project)
}
