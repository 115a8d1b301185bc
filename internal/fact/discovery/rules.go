package discovery

import (
	"bytes"
	"path"
	"slices"
	"strings"

	"sdd/internal/markdown"
)

// ruleFiles are the files in which a project tells agents and people how to work on it, with whom they are for.
var ruleFiles = []struct{ file, whom string }{
	{"AGENTS.md", "agents"}, {"CLAUDE.md", "agents"}, {"GEMINI.md", "agents"}, {".github/copilot-instructions.md", "agents"},
	{".cursorrules", "agents"}, {".windsurfrules", "agents"}, {".clinerules", "agents"}, {".rules", "agents"}, {"CONVENTIONS.md", "agents and contributors"},
	{"CONTRIBUTING.md", "contributors"}, {"CONTRIBUTING.rst", "contributors"}, {".github/CONTRIBUTING.md", "contributors"}, {"docs/CONTRIBUTING.md", "contributors"},
	{"CONTRIBUTING", "contributors"}, {"STYLE.md", "contributors"}, {"STYLEGUIDE.md", "contributors"}, {"DEVELOPMENT.md", "developers"}, {"HACKING.md", "developers"},
}

// ruleFolders are folders of such files.
var ruleFolders = []string{".cursor/rules", ".github/instructions", ".windsurf/rules", ".clinerules", ".claude/rules", ".junie"}

const maxNestedRules = 10

// sayRules tells where the project's own rules are, and their chapters.
func (s *survey) sayRules() {
	for _, r := range ruleFiles {
		file := s.first(r.file)
		if file == "" && !strings.Contains(r.file, "/") {
			file = s.topFile(r.file)
		}
		if file == "" {
			continue
		}
		text, ok := s.head(file)
		if !ok {
			continue
		}
		said := ""
		if chapters := headings(text); len(chapters) > 0 {
			said = " (about " + listing(chapters, 8) + ")"
		} else if strings.TrimSpace(string(text)) == "" {
			continue
		}
		s.project("rules:"+file, 1, file, "The project's rules for %s are in %s: follow them%s.", r.whom, file, said)
	}
	for _, dir := range ruleFolders {
		var names []string
		for _, f := range s.in(dir) {
			names = append(names, path.Base(f))
		}
		if len(names) > 0 {
			s.project("rules:"+dir, 1, dir, "More of the project's rules for agents are in %s: %s.", dir, listing(names, 10))
		}
	}
	var nested []string
	for _, file := range s.files {
		if base := path.Base(file); (base == "AGENTS.md" || base == "CLAUDE.md") && strings.Contains(file, "/") && !within(file, aside()) {
			nested = append(nested, file)
		}
	}
	if len(nested) > 0 {
		s.project("rules:nested", 1, nested[0], "Parts of the project have rules for agents of their own: %s.", listing(nested, maxNestedRules))
	}
	if file := s.first("CODEOWNERS", ".github/CODEOWNERS", "docs/CODEOWNERS", ".gitlab/CODEOWNERS"); file != "" {
		s.project("owners", 1, file, "Who reviews which files is in %s.", file)
	}
	if file := s.first("SECURITY.md", ".github/SECURITY.md"); file != "" {
		s.project("security", 1, file, "How to report a security problem is in %s.", file)
	}
}

// headings returns the headings of level 2 of a Markdown text, or of level 1 if there are several of those.
func headings(text []byte) (names []string) {
	d, err := markdown.Parse(text, 0)
	if err != nil {
		return nil
	}
	for _, level := range []int{2, 1} {
		for _, h := range d.Headings {
			if name := brief(strings.Trim(h.Text, "#*`_ :"), 50); h.Level == level && name != "" && !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
		if len(names) > 0 && level == 2 || len(names) > 1 {
			return names
		}
	}
	return nil
}

// styleFiles are the files of tools that check or format code; a name that ends with * stands for all that begin so.
var styleFiles = []struct{ file, tool string }{
	{".golangci.yml", "golangci-lint"}, {".golangci.yaml", "golangci-lint"}, {".golangci.toml", "golangci-lint"}, {"staticcheck.conf", "staticcheck"},
	{".eslintrc*", "ESLint"}, {"eslint.config.*", "ESLint"}, {".prettierrc*", "Prettier"}, {"prettier.config.*", "Prettier"}, {"biome.json*", "Biome"}, {".oxlintrc.json", "Oxlint"},
	{".stylelintrc*", "Stylelint"}, {"ruff.toml", "Ruff"}, {".ruff.toml", "Ruff"}, {".flake8", "Flake8"}, {".pylintrc", "Pylint"}, {"mypy.ini", "mypy"}, {"pyrightconfig.json", "Pyright"},
	{"rustfmt.toml", "rustfmt"}, {".rustfmt.toml", "rustfmt"}, {"clippy.toml", "Clippy"}, {"deny.toml", "cargo-deny"}, {".clang-format", "clang-format"}, {".clang-tidy", "clang-tidy"},
	{".rubocop.yml", "RuboCop"}, {"phpstan.neon*", "PHPStan"}, {"phpcs.xml*", "PHP_CodeSniffer"}, {".php-cs-fixer*", "PHP CS Fixer"}, {"psalm.xml", "Psalm"},
	{"checkstyle.xml", "Checkstyle"}, {"detekt.yml", "detekt"}, {".scalafmt.conf", "scalafmt"}, {".swiftlint.yml", "SwiftLint"}, {".swiftformat", "SwiftFormat"},
	{".markdownlint*", "markdownlint"}, {".yamllint*", "yamllint"}, {".hadolint.yaml", "hadolint"}, {".shellcheckrc", "ShellCheck"}, {"buf.yaml", "buf"}, {".credo.exs", "Credo"}, {".formatter.exs", "mix format"},
}

var hookFiles = []struct{ file, tool string }{
	{".pre-commit-config.yaml", "pre-commit"}, {"lefthook.yml", "lefthook"}, {".lefthook.yml", "lefthook"}, {"lefthook.yaml", "lefthook"}, {".husky", "husky"}, {".overcommit.yml", "Overcommit"},
}

// sayStyle tells how editors, linters, formatters and hooks are set up.
func (s *survey) sayStyle() {
	if text, ok := s.head(".editorconfig"); ok && s.has(".editorconfig") {
		all := parseINI(text)["*"]
		var said []string
		switch size := all["indent_size"]; {
		case all["indent_style"] == "tab":
			said = append(said, "tabs")
		case all["indent_style"] == "space" && size != "":
			said = append(said, size+" spaces")
		}
		if v := all["end_of_line"]; v != "" {
			said = append(said, strings.ToUpper(v)+" line ends")
		}
		if v := all["max_line_length"]; v != "" && v != "off" {
			said = append(said, "lines of "+v+" characters at most")
		}
		if len(said) > 0 {
			s.project("editorconfig", 1, ".editorconfig", "The .editorconfig asks for %s in general.", listing(said, 5))
		} else {
			s.project("editorconfig", 1, ".editorconfig", "Indentation and line ends are set in .editorconfig.")
		}
	}
	var tools []string
	source := ""
	add := func(tool, file string) {
		if !slices.ContainsFunc(tools, func(t string) bool { return strings.HasPrefix(t, tool+" (") }) {
			tools = append(tools, tool+" ("+file+")")
			if source == "" {
				source = file
			}
		}
	}
	for _, known := range styleFiles {
		prefix, open := strings.CutSuffix(known.file, "*")
		for _, base := range s.folders["."].files {
			if base == known.file || open && strings.HasPrefix(base, prefix) {
				add(known.tool, base)
			}
		}
	}
	for _, m := range s.modules {
		for _, tool := range []string{"Ruff", "Black", "mypy"} {
			if m.kind == "python" && slices.ContainsFunc(m.commands, func(c command) bool { return c.tool == strings.ToLower(tool) }) {
				add(tool, m.manifest)
			}
		}
	}
	if len(tools) > 0 {
		s.project("style", 0.95, source, "The code is checked and formatted by %s.", listing(tools, 10))
	}
	for _, known := range hookFiles {
		if s.has(known.file) || s.hasFolder(known.file) {
			s.project("hooks:"+known.tool, 0.95, known.file, "Git hooks are run by %s (%s).", known.tool, known.file)
		}
	}
	if text, ok := s.head(".gitattributes"); ok && bytes.Contains(text, []byte("filter=lfs")) {
		s.project("lfs", 1, ".gitattributes", "Large files are kept with Git LFS.")
	}
}
