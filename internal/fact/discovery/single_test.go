package discovery

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestReadManifest(t *testing.T) {
	for _, tt := range []struct {
		base, text string
		want       Manifest
	}{
		{"go.mod", "module example.com/x\n\ngo 1.22\n\nrequire (\n\texample.com/a v1.2.3\n\texample.com/b v0.1.0 // indirect\n)\n",
			Manifest{Kind: "go", Name: "example.com/x", Runtime: "Go 1.22", Packages: []Package{{"example.com/a", "v1.2.3", false}}}},
		{"package.json", `{"name": "x", "license": "MIT", "engines": {"node": ">=20"}, "dependencies": {"zod": "^3.1.0"}, "devDependencies": {"vitest": "^1.0.0"}}`,
			Manifest{Kind: "node", Name: "x", Runtime: "Node.js >=20", Licence: "MIT", Packages: []Package{{"vitest", "^1.0.0", true}, {"zod", "^3.1.0", false}}}},
		{"requirements.txt", "Django==5.0\n# x\n-r other.txt\n", Manifest{Kind: "python", Packages: []Package{{"django", "==5.0", false}}}},
		{"api.csproj", `<Project Sdk="Microsoft.NET.Sdk"><PropertyGroup><TargetFramework>net8.0</TargetFramework></PropertyGroup></Project>`,
			Manifest{Kind: "dotnet", Name: "api", Runtime: "the framework net8.0"}},
		{"Cargo.toml", "[package]\nname = \"x\"\n[dependencies]\nserde = { version = \"1.0\" }\n", Manifest{Kind: "rust", Name: "x", Packages: []Package{{"serde", "1.0", false}}}},
		{"pom.xml", "<project><artifactId>x</artifactId></project>", Manifest{Kind: "jvm", Name: "x"}},
		{"Gemfile", "gem \"rails\", \"~> 7.1\"\n", Manifest{Kind: "ruby", Packages: []Package{{"rails", "~>7.1", false}}}},
	} {
		m, ok, err := ReadManifest(tt.base, []byte(tt.text))
		if !ok || err != nil {
			t.Errorf("%s: %v, %v", tt.base, ok, err)
		}
		if d := cmp.Diff(tt.want, m); d != "" {
			t.Errorf("%s:\n%s", tt.base, d)
		}
	}
	if _, ok, err := ReadManifest("package.json", []byte("{")); !ok || err == nil {
		t.Error("a broken manifest was read")
	}
	if _, ok, _ := ReadManifest("a.txt", nil); ok {
		t.Error("a.txt is a manifest")
	}
}

func TestReadSingleFiles(t *testing.T) {
	if tool, tasks := ReadTasks("Makefile", []byte("test:\n\tgo test ./...\n")); tool != "make" || len(tasks) != 1 || tasks[0] != (Task{"test", "go test ./...", 1}) {
		t.Errorf("%s %+v", tool, tasks)
	}
	text := []byte("# 3. Use X\n\n## Status\n\nAccepted\n")
	if a, ok := ReadADR("docs/adr/0003-x.md", text); !ok || a.Title != "Use X" || a.Status != "accepted" {
		t.Errorf("%+v %v", a, ok)
	}
	if _, ok := ReadADR("docs/guide/0003-x.md", text); ok {
		t.Error("a guide is a decision record")
	}
	if tree, err := ReadTree("a.yaml", []byte("a:\n  b: 1\n")); err != nil || tree["a"].(map[string]any)["b"] == nil {
		t.Errorf("%v %v", tree, err)
	}
	for file, want := range map[string]string{"internal/auth/x.go": "auth", "src/main/java/com/acme/orders/controller/X.java": "orders", "app/controllers/x.rb": "", "x.go": "", "packages/web/src/billing/x.ts": "billing"} {
		if got := Place(file); got != want {
			t.Errorf("Place(%s) is %q, want %q", file, got, want)
		}
	}
	if called, use := Role("go", "github.com/gin-gonic/gin"); called != "Gin" || use != "web framework" {
		t.Error(called, use)
	}
}
