package classify

import (
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestFiles(t *testing.T) {
	for _, c := range []struct {
		content string
		want    []string
	}{
		// paths
		{"All API routes defined in `src/routes/`", []string{"src/routes"}},
		{"All API routes in src/routes/.", []string{"src/routes"}},
		{"See src/routes and internal/store.", []string{"internal/store", "src/routes"}},
		{"`internal/learning/classify` knows it", []string{"internal/learning/classify"}},
		{"dir/file.ext is none, dir/file.go is one", []string{"dir/file.go"}},
		{"(see docs/api.md), \"docs/b.md\" and 'docs/c.md'!", []string{"docs/api.md", "docs/b.md", "docs/c.md"}},
		{"the [guide](docs/guide.md#start) says so", []string{"docs/guide.md"}},
		{"./src/a.ts and ./b.ts, ./scripts/run", []string{"b.ts", "scripts/run", "src/a.ts"}},
		{`src\routes\index.ts on Windows`, []string{"src/routes/index.ts"}},
		{"main.go:12, main.go:12:5, a/b.go#L3-L9, c/d.go:3-7: here", []string{"a/b.go", "c/d.go", "main.go"}},
		{"`src/a.ts:12`", []string{"src/a.ts"}},
		{".github/workflows/ci.yml runs it", []string{".github/workflows/ci.yml"}},
		{"run `go test ./internal/git -run X`", []string{"internal/git"}},
		{"use `--config=etc/app.toml`", []string{"etc/app.toml"}},
		{"src/routes/+page.svelte", []string{"src/routes/+page.svelte"}},
		{"дом/файл.go", []string{"дом/файл.go"}},
		{"limits are in `docs/Prüfung der Werte.md`", []string{"docs/Prüfung der Werte.md"}},
		{"`docs/a b.md` `cat src/a.ts` `a/b.go c/d.go` `bin/x -o y.go`", []string{"a/b.go", "bin/x", "c/d.go", "docs/a b.md", "src/a.ts", "y.go"}},
		{"a/x.go a/x.go a/x.go", []string{"a/x.go"}},
		{"`db/migrate`, `app/(auth)/page.tsx`", []string{"db/migrate"}},

		// names without a folder
		{"The Makefile, go.mod, package.json and the Dockerfile", []string{"Dockerfile", "Makefile", "go.mod", "package.json"}},
		{"`vite.config.ts` and tsconfig.json", []string{"tsconfig.json", "vite.config.ts"}},
		{".gitignore, .env and .eslintrc.js", []string{".env", ".eslintrc.js", ".gitignore"}},
		{"index.js and README.md", []string{"README.md", "index.js"}},

		// no files
		{"", nil},
		{"https://example.com/a/b.go, http://x.org/c.ts and www.example.com/d.md", nil},
		{"example.com/path/e.go, github.com/owner/repo, golang.org/x/text", nil},
		{"src/**/*.ts, *.go, `src/*.ts`, src/{a,b}.ts, ./...", nil},
		{"v1.2/3, 1.2.3, 10.0.0.1/24, 3/4, 1/2", nil},
		{"and/or, I/O, TCP/IP, read/write, N/A, `I/O`, km/h, he/she", nil},
		{"Node.js, Vue.js and ASP.NET, e.g. or i.e.", nil},
		{"`application/json`, `text/html`, `origin/main`, `feature/x`", nil},
		{"GET /users/{id}, /api/users and `/health`", nil},
		{"/etc/passwd, C:\\Users\\x\\a.go, ../other/a.go, ~/x/a.go, $HOME/a.go", nil},
		{"@scope/name and `@scope/name/sub.js`", nil},
		{"`ctx.db`, `mutex.lock`, `res.json()`, console.log, process.env, cmp.Diff", nil},
		{"All test files should use .test.ts extension", nil},
		{"a file.", nil},
		{"\xff\xfe/a.go", nil},
		{"`docs/My notes.md`, `A/ .C`", []string{"A", "docs/My notes.md"}},
	} {
		if d := cmp.Diff(c.want, Files(c.content)); d != "" {
			t.Errorf("Files(%q) (-want +got)\n%s", c.content, d)
		}
	}
}

func checkFiles(t *testing.T, content string) {
	t.Helper()
	names := Files(content)
	if !slices.IsSorted(names) || len(slices.Compact(slices.Clone(names))) != len(names) {
		t.Errorf("Files(%q) = %q: not sorted, or twice", content, names)
	}
	for _, n := range names {
		if n != path.Clean(n) || path.IsAbs(n) || strings.HasPrefix(n, "..") || strings.ContainsAny(n, "\\\n`*:#") ||
			strings.Contains("/"+n+"/", " /") || strings.Contains("/"+n+"/", "/ ") || strings.Contains(n, "  ") {
			t.Errorf("Files(%q) has %q", content, n)
		}
	}
}
