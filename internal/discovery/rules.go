package discovery

import (
	"path"
	"slices"
	"strings"

	"sdd/internal/markdown"
)

// ruleFiles are the files with a project's rules, by audience.
var ruleFiles = []struct{ whom, files string }{
	{"agents", "AGENTS.md CLAUDE.md GEMINI.md .github/copilot-instructions.md .cursorrules .windsurfrules .clinerules .rules"},
	{"agents and contributors", "CONVENTIONS.md"},
	{"contributors", "CONTRIBUTING.md CONTRIBUTING.rst .github/CONTRIBUTING.md docs/CONTRIBUTING.md CONTRIBUTING STYLE.md STYLEGUIDE.md"},
	{"developers", "DEVELOPMENT.md HACKING.md"},
}

// ruleFolders are folders of such files.
var ruleFolders = []string{".cursor/rules", ".github/instructions", ".windsurf/rules", ".clinerules", ".claude/rules",
	".junie", ".kiro/steering", ".roo/rules"}

// RuleFiles returns the files with rules for agents that clients read in a project, and the folders of such files.
func RuleFiles() (files, folders []string) {
	return strings.Fields(ruleFiles[0].files), slices.Clone(ruleFolders)
}

const maxNestedRules = 10

// addRules adds the files with the project's own rules, and their chapters.
func (s *survey) addRules() {
	for _, r := range ruleFiles {
		for name := range strings.FieldsSeq(r.files) {
			file := s.first(name)
			if file == "" && !strings.Contains(name, "/") {
				file = s.topFile(name)
			}
			text := s.headOf(file)
			if strings.TrimSpace(string(text)) == "" {
				continue
			}
			about := ""
			if chapters := headings(text); len(chapters) > 0 {
				about = " (about " + listing(chapters, 8) + ")"
			}
			s.project("rules:"+file, 1, file, "The project's rules for %s are in %s: follow them%s.", r.whom, file, about)
		}
	}
	for _, dir := range ruleFolders {
		if f := s.folders[dir]; f != nil && len(f.files) > 0 {
			s.project("rules:"+dir, 1, dir, "More of the project's rules for agents are in %s: %s.", dir, listing(f.files, 10))
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
