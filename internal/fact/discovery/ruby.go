package discovery

import (
	"path"
	"strings"
)

func (s *survey) readGemfile(file string) error {
	src, ok := s.manifest(file)
	if !ok {
		return nil
	}
	m := s.moduleAt(path.Dir(file), "ruby", "Ruby", file)
	for _, c := range calls(rubySyntax.lex(src), isGemfileCall) {
		switch {
		case len(c.texts) == 0:
		case c.name == "gem":
			version := ""
			if len(c.texts) > 1 && strings.ContainsAny(c.texts[1], "0123456789") {
				version = plainVersion(strings.ReplaceAll(c.texts[1], " ", ""))
			}
			m.needs(c.texts[0], version, false)
		case c.name == "ruby":
			m.runtime = "Ruby " + c.texts[0]
		}
	}
	m.command("install", "bundler", "bundle install", file, 0.9)
	s.rubyTools(m)
	return nil
}

func isGemfileCall(name string) bool { return name == "gem" || name == "ruby" }

// isGemspecCall reports whether a name is that of an attribute: spec.name.
func isGemspecCall(name string) bool {
	of, attribute, ok := strings.Cut(name, ".")
	return ok && of != "" && attribute != ""
}

func (s *survey) readGemspec(file string) error {
	src, ok := s.manifest(file)
	if !ok {
		return nil
	}
	m := s.moduleAt(path.Dir(file), "ruby", "Ruby", file)
	m.name = strings.TrimSuffix(path.Base(file), ".gemspec")
	for _, c := range calls(rubySyntax.lex(src), isGemspecCall) {
		if len(c.texts) == 0 {
			continue
		}
		switch _, name, _ := strings.Cut(c.name, "."); name {
		case "name":
			m.name = c.texts[0]
		case "summary":
			m.about = c.texts[0]
		case "license":
			m.licence = c.texts[0]
		case "add_dependency", "add_runtime_dependency":
			m.needs(c.texts[0], "", false)
		case "add_development_dependency":
			m.needs(c.texts[0], "", true)
		}
	}
	m.command("build", "gem", "gem build "+path.Base(file), file, 0.85)
	s.rubyTools(m)
	return nil
}

// rubyTools adds the usual commands and files that start a program.
func (s *survey) rubyTools(m *module) {
	in := func(name string) string { return path.Join(m.dir, name) }
	switch {
	case m.depends("rspec", "rspec-rails") || s.has(in(".rspec")):
		m.command("test", "rspec", "bundle exec rspec", s.first(in(".rspec"), m.manifest), 0.9)
	case m.depends("rails") && s.hasFolder(in("test")):
		m.command("test", "rails", "bin/rails test", m.manifest, 0.85)
	case s.has(in("Rakefile")) && (s.hasFolder(in("test")) || m.depends("minitest")):
		m.command("test", "rake", "bundle exec rake test", in("Rakefile"), 0.75)
	}
	if f := s.first(in(".rubocop.yml")); f != "" || m.depends("rubocop", "rubocop-rails") {
		m.command("lint", "rubocop", "bundle exec rubocop", s.first(in(".rubocop.yml"), m.manifest), 0.85)
	}
	if m.depends("rails") {
		m.command("run", "rails", "bin/rails server", m.manifest, 0.85)
	}
	if s.has(in("config.ru")) {
		m.enter(in("config.ru"), "the Rack application", in("config.ru"))
	}
	for _, dir := range []string{"exe", "bin"} {
		for _, f := range s.in(in(dir)) {
			switch base := path.Base(f); base {
			case "rails", "rake", "bundle", "setup", "console", "dev", "update", "spring", "yarn":
			default:
				if path.Ext(base) == "" && len(m.entries) < 8 {
					m.enter(f, "the command "+base, f)
				}
			}
		}
	}
}
