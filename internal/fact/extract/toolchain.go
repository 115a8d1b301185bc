package extract

import (
	"path"
	"strings"

	"sdd/internal/fact/discovery"
	"sdd/internal/pattern"
)

// toolchain is the version of a language or build tool that the project asks for.
func toolchain(name, need string, v *version, sure float64) item {
	return item{signal: signalToolchain, key: "toolchain:" + strings.ToLower(name), value: need2(name, need), name: name, show: word(need), line: v.find(need), sure: sure}
}

var twoNumbers = pattern.Late(`[0-9]+(\.[0-9]+)?`)

// need2 is what counts of a version: two numbers, of Node.js and Java the first one.
func need2(name, need string) string {
	digits := twoNumbers().FindString(need)
	if name == "Node.js" || name == "Java" {
		digits, _, _ = strings.Cut(digits, ".")
	}
	if digits == "" {
		return need
	}
	return digits
}

var versionFiles = map[string]string{".nvmrc": "Node.js", ".node-version": "Node.js", ".python-version": "Python", ".ruby-version": "Ruby", ".java-version": "Java",
	".go-version": "Go", "rust-toolchain": "Rust", "rust-toolchain.toml": "Rust", ".tool-versions": "-", "global.json": ".NET SDK", "gradle-wrapper.properties": "Gradle",
	"maven-wrapper.properties": "Maven", ".bazelversion": "Bazel", ".terraform-version": "Terraform", "mise.toml": "-"}

func isToolchainFile(file string) bool { return versionFiles[path.Base(file)] != "" }

var toolNames = map[string]string{"nodejs": "Node.js", "node": "Node.js", "golang": "Go", "go": "Go", "python": "Python", "ruby": "Ruby", "java": "Java", "rust": "Rust", "elixir": "Elixir",
	"erlang": "Erlang", "terraform": "Terraform", "php": "PHP", "dotnet": ".NET SDK", "dart": "Dart SDK", "kotlin": "Kotlin", "deno": "Deno", "bun": "Bun", "pnpm": "pnpm", "uv": "uv"}

var distribution = pattern.Late(`(?:gradle|apache-maven)-([0-9][0-9.]*[0-9])`)

func readToolchain(v *version) (out []item) {
	base := path.Base(v.path)
	text := strings.TrimSpace(string(v.text))
	name := versionFiles[base]
	switch {
	case base == ".tool-versions", base == "mise.toml":
		for l := range strings.Lines(text) {
			w := strings.FieldsFunc(l, func(r rune) bool { return strings.ContainsRune(" =\"\t\n", r) })
			if len(w) > 1 && toolNames[w[0]] != "" {
				out = append(out, toolchain(toolNames[w[0]], w[1], v, 0.9))
			}
		}
	case base == "rust-toolchain.toml" || base == "rust-toolchain" && strings.Contains(text, "["):
		t, _ := discovery.ReadTree("rust.toml", v.text)
		of, _ := t["toolchain"].(map[string]any)
		if channel, ok := of["channel"].(string); ok {
			out = append(out, toolchain(name, channel, v, 0.9))
		}
	case base == "global.json":
		t, _ := discovery.ReadTree(base, v.text)
		sdk, _ := t["sdk"].(map[string]any)
		if need, ok := sdk["version"].(string); ok {
			out = append(out, toolchain(name, need, v, 0.9))
		}
	case strings.HasSuffix(base, ".properties"):
		if m := distribution().FindStringSubmatch(text); m != nil {
			out = append(out, toolchain(name, m[1], v, 0.9))
		}
	default:
		need, _, _ := strings.Cut(text, "\n")
		if need = strings.TrimPrefix(strings.TrimPrefix(strings.TrimSpace(need), "ruby-"), "v"); need != "" && len(need) < 40 {
			out = append(out, toolchain(name, need, v, 0.9))
		}
	}
	return out
}

func isLicenceFile(file string) bool {
	base := strings.ToUpper(path.Base(file))
	return !strings.Contains(file, "/") && (strings.HasPrefix(base, "LICENSE") || strings.HasPrefix(base, "LICENCE") || strings.HasPrefix(base, "COPYING"))
}

func readLicence(v *version) []item {
	name := discovery.LicenceOf(v.text)
	if name == "" {
		return nil
	}
	return []item{{signal: signalLicence, key: "licence:.", value: name, name: "licence", show: name, note: "file", line: 1, sure: 0.96}}
}

// tools are told by the file that configures them.
var tools = []struct{ pattern, name string }{
	{".golangci.y*ml", "golangci-lint"}, {".golangci.toml", "golangci-lint"}, {".eslintrc*", "ESLint"}, {"eslint.config.*", "ESLint"}, {".prettierrc*", "Prettier"}, {"prettier.config.*", "Prettier"},
	{"biome.json*", "Biome"}, {"ruff.toml", "Ruff"}, {".ruff.toml", "Ruff"}, {".flake8", "Flake8"}, {"mypy.ini", "mypy"}, {"pyrightconfig.json", "Pyright"}, {"tox.ini", "tox"}, {"noxfile.py", "Nox"},
	{".pre-commit-config.yaml", "pre-commit"}, {"lefthook.y*ml", "Lefthook"}, {"rustfmt.toml", "rustfmt"}, {"clippy.toml", "Clippy"}, {"deny.toml", "cargo-deny"}, {".rubocop.yml", "RuboCop"},
	{"phpstan.neon*", "PHPStan"}, {"psalm.xml*", "Psalm"}, {".php-cs-fixer*", "PHP CS Fixer"}, {"phpcs.xml*", "PHP_CodeSniffer"}, {"jest.config.*", "Jest"}, {"vitest.config.*", "Vitest"}, {"playwright.config.*", "Playwright"},
	{"cypress.config.*", "Cypress"}, {"webpack.config.*", "webpack"}, {"vite.config.*", "Vite"}, {"rollup.config.*", "Rollup"}, {"tsconfig.json", "TypeScript"}, {"turbo.json", "Turborepo"}, {"nx.json", "Nx"},
	{"pnpm-workspace.yaml", "The pnpm workspace"}, {"go.work", "The Go workspace"}, {"renovate.json*", "Renovate"}, {"dependabot.yml", "Dependabot"}, {"CODEOWNERS", "Code ownership"}, {"skaffold.yaml", "Skaffold"},
	{"fly.toml", "Deployment to Fly.io"}, {"vercel.json", "Deployment to Vercel"}, {"netlify.toml", "Deployment to Netlify"}, {"serverless.yml", "The Serverless Framework"}, {"Procfile", "The process list"},
	{"render.yaml", "Deployment to Render"}, {"wrangler.toml", "Deployment to Cloudflare Workers"}, {"devcontainer.json", "A development container"}, {".goreleaser.y*ml", "GoReleaser"}, {"sonar-project.properties", "SonarQube"},
	{"codecov.yml", "Codecov"}, {"buf.yaml", "Buf"}, {"sqlc.yaml", "sqlc"}, {"Tiltfile", "Tilt"}, {"Chart.yaml", "A Helm chart"}, {"Pulumi.yaml", "Pulumi"}, {"alembic.ini", "Alembic"},
	{"checkstyle.xml", "Checkstyle"}, {"detekt.yml", "detekt"}, {"stylecop.json", "StyleCop"}, {".credo.exs", "Credo"}, {"commitlint.config.*", "commitlint"}, {".releaserc*", "semantic-release"}, {"release-please-config.json", "release-please"},
	{"tailwind.config.*", "Tailwind CSS"}, {"babel.config.*", "Babel"}, {".babelrc", "Babel"}, {"karma.conf.*", "Karma"}, {".tslint.json", "TSLint"}, {"tslint.json", "TSLint"}, {"openapitools.json", "OpenAPI Generator"}, {"codegen.ts", "GraphQL Code Generator"},
}

// toolOf returns the tool that a file configures, "" for none.
func toolOf(file string) string {
	base := path.Base(file)
	for _, t := range tools {
		if ok, _ := path.Match(t.pattern, base); ok {
			return t.name
		}
	}
	return ""
}

func readTool(v *version) []item {
	name := toolOf(v.path)
	return []item{{signal: signalTool, key: "tool:" + strings.ToLower(name), name: name, line: 1}}
}
