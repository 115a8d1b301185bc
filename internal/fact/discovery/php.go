package discovery

import (
	"path"
	"strings"
)

func (s *survey) readComposer(file string) error {
	t, err := s.json(file)
	if t == nil {
		return err
	}
	dir := path.Dir(file)
	m := s.moduleAt(dir, "php", "PHP", file)
	m.name, m.about = t.text("name"), t.text("description")
	m.licence = strings.Join(t.texts("license"), " or ")
	for _, group := range []string{"require", "require-dev"} {
		deps := t.sub(group)
		for _, name := range deps.keys() {
			switch {
			case name == "php":
				m.runtime = "PHP " + deps.text(name)
			case strings.Contains(name, "/"):
				m.needs(name, plainVersion(deps.text(name)), group == "require-dev")
			}
		}
	}
	m.command("install", "composer", "composer install", file, 0.9)
	scripts := t.sub("scripts")
	for _, choice := range scriptChoices {
		for _, name := range append(choice.names, map[string][]string{"lint": {"cs", "phpcs", "cs-check"}, "typecheck": {"phpstan", "stan", "analyse"}, "test": {"phpunit"}}[choice.kind]...) {
			if scripts[name] != nil {
				line := "composer run " + name
				if name == "test" {
					line = "composer test"
				}
				m.command(choice.kind, "composer", line, file, 1)
				break
			}
		}
	}
	if f := s.first(path.Join(dir, "phpunit.xml"), path.Join(dir, "phpunit.xml.dist")); f != "" || m.depends("phpunit/phpunit") {
		if f == "" {
			f = file
		}
		m.command("test", "phpunit", "vendor/bin/phpunit", f, 0.85)
	}
	if s.has(path.Join(dir, "artisan")) {
		m.command("run", "artisan", "php artisan serve", path.Join(dir, "artisan"), 0.85)
	}
	for _, e := range [][2]string{{"public/index.php", "what the web server runs"}, {"web/index.php", "what the web server runs"}, {"index.php", "what the web server runs"},
		{"artisan", "Laravel's commands"}, {"bin/console", "Symfony's commands"}} {
		if f := path.Join(dir, e[0]); s.has(f) {
			m.enter(f, e[1], f)
		}
	}
	for _, bin := range t.texts("bin") {
		m.enter(path.Join(dir, bin), "the command "+path.Base(bin), file)
	}
	return nil
}
