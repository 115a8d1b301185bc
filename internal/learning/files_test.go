package learning

import (
	"slices"
	"testing"
)

func TestFilesIn(t *testing.T) {
	for content, want := range map[string][]string{
		"All API routes in src/routes/.":                                 {"src/routes"},
		"`internal/learning/classify` knows it":                          {"internal/learning/classify"},
		"(see docs/api.md), \"docs/b.md\" and 'docs/c.md'!":              {"docs/api.md", "docs/b.md", "docs/c.md"},
		"the [guide](docs/guide.md#start) says so":                       {"docs/guide.md"},
		"./src/a.ts and ./scripts/run":                                   {"scripts/run", "src/a.ts"},
		`src\routes\index.ts on Windows`:                                 {"src/routes/index.ts"},
		"main.go:12, x/main.go:12:5, a/b.go#L3-L9, c/d.go:3-7: here":     {"a/b.go", "c/d.go", "main.go", "x/main.go"},
		"`src/a.ts:12` twice, src/a.ts":                                  {"src/a.ts"},
		"run `go test ./internal/git -run X`":                            {"internal/git"},
		"limits are in `docs/Prüfung der Werte.md`":                      {"Werte.md", "docs/Prüfung", "docs/Prüfung der Werte.md"},
		"дом/файл.go":                                                    {"дом/файл.go"},
		"The Makefile, go.mod, package.json and .env.example":            {".env.example", "Makefile", "go.mod", "package.json"},
		"https://example.com/a/b.go and http://x.org/c.ts":               nil,
		"src/**/*.ts, *.go, `src/*.ts`, ./..., v1, 1.2.3, 3/4":           nil,
		"/etc/passwd, C:\\Users\\x\\a.go, ../other/a.go, ~/x, `/health`": nil,
		"a file. Nothing else, e.g. this":                                {"file"},
		"":                                                               nil,
	} {
		if got := filesIn(content); !slices.Equal(got, want) {
			t.Errorf("%q: %q, want %q", content, got, want)
		}
	}
}
