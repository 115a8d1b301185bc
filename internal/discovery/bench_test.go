package discovery

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// grow makes a repository of n files that looks like a company's: services in Go, applications in TypeScript, jobs
// in Python, a library in Rust, documentation and decisions. The same n gives the same files.
func grow(t testing.TB, n int) string {
	t.Helper()
	root := filepath.Join(t.TempDir(), "a-folder-of-somebody")
	left := n
	put := func(text, format string, args ...any) {
		if left--; left >= 0 {
			name := filepath.Join(root, filepath.FromSlash(fmt.Sprintf(format, args...)))
			if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
				t.Fatal(err)
			}
		}
	}
	put("# Acme\n\nAcme runs the shops of a whole country, from the order to the invoice.\n", "README.md")
	put("packages:\n  - 'apps/*'\n", "pnpm-workspace.yaml")
	put("{\"name\": \"acme\", \"scripts\": {\"test\": \"vitest\"}}", "package.json")
	put("test:\n\tgo test ./...\n", "Makefile")
	put("name: CI\non: [push]\njobs:\n  test:\n    steps:\n      - run: make test\n", ".github/workflows/ci.yml")
	for i := range 20 {
		put(fmt.Sprintf("# %d. Decision\n\n## Status\n\nAccepted\n\n## Context\n\nSo it is.\n", i), "docs/adr/%04d-decision.md", i)
	}
	for i := 0; left > 0; i++ {
		service := fmt.Sprintf("services/area%03d", i)
		put(fmt.Sprintf("module example.com/area%03d\n\ngo 1.24\n\nrequire github.com/gin-gonic/gin v1.10.0\n", i), "%s/go.mod", service)
		put("package main\n\nfunc main() {}\n", "%s/cmd/serve/main.go", service)
		for p := range 8 {
			put(fmt.Sprintf("// Package part%d does the part %d of area %d.\npackage part%d\n", p, p, i, p), "%s/internal/part%d/doc.go", service, p)
			for f := range 6 {
				put(fmt.Sprintf("package part%d\n\nvar X%d = %d\n", p, f, f), "%s/internal/part%d/file%d.go", service, p, f)
			}
		}
		app := fmt.Sprintf("apps/app%03d", i)
		put(fmt.Sprintf("{\"name\": \"@acme/app%03d\", \"description\": \"Application %d\", \"dependencies\": {\"react\": \"^18.0.0\"}}", i, i), "%s/package.json", app)
		for f := range 24 {
			put("export const x = 1\n", "%s/src/feature%d/view%d.tsx", app, f%6, f)
		}
		job := fmt.Sprintf("jobs/job%03d", i)
		put(fmt.Sprintf("[project]\nname = \"job%03d\"\ndependencies = [\"pandas\"]\n", i), "%s/pyproject.toml", job)
		for f := range 12 {
			put("x = 1\n", "%s/job%03d/step%d.py", job, i, f)
		}
	}
	return root
}

func TestGrownRepository(t *testing.T) {
	root := grow(t, 1500)
	r := discover(t, root)
	lawful(t, root, r)
	if r.Files != 1500 || r.Truncated || len(r.ADRs) != 20 || len(r.Domains) == 0 || len(r.Domains) > maxDomains {
		t.Errorf("%d files, truncated %v, %d decisions, domains %q", r.Files, r.Truncated, len(r.ADRs), r.Domains)
	}
	if !slices.Equal(r.Domains, discover(t, root).Domains) {
		t.Error("a second look finds other domains")
	}
}

// BenchmarkDiscover is of a working copy whose files the system has in memory, as they are after a clone.
func BenchmarkDiscover(b *testing.B) {
	for _, n := range []int{1_000, 10_000, 100_000} {
		root := grow(b, n)
		for _, inGit := range []bool{false, true} {
			name := "walk"
			if inGit {
				name = "git"
				runGit(b, root, "init", "-q", "-b", "main")
				runGit(b, root, "add", "-A")
				runGit(b, root, "commit", "-q", "-m", "all")
			}
			b.Run(fmt.Sprintf("%s/files=%d", name, n), func(b *testing.B) {
				for b.Loop() {
					if _, err := Discover(b.Context(), root); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

func BenchmarkChanged(b *testing.B) {
	root := grow(b, 10_000)
	r, err := Discover(b.Context(), root)
	if err != nil {
		b.Fatal(err)
	}
	b.ReportMetric(float64(len(r.Manifests)), "manifests")
	for b.Loop() {
		Changed(root, r.Manifests)
	}
}
