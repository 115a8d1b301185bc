package discovery

import (
	"path"
	"strings"
)

func (s *survey) readCargo(file string) error {
	t, err := s.toml(file)
	if t == nil {
		return err
	}
	dir := path.Dir(file)
	if w := t.sub("workspace"); w != nil {
		patterns := w.list("members")
		for _, not := range w.list("exclude") {
			patterns = append(patterns, "!"+not)
		}
		if len(patterns) > 0 {
			s.work = append(s.work, workspace{tool: "Cargo", source: file, patterns: patterns})
		}
	}
	p := t.sub("package")
	m := s.moduleAt(dir, "rust", "Rust", file)
	m.name, m.about, m.licence = p.text("name"), p.text("description"), p.text("license")
	if v := p.text("rust-version"); v != "" {
		m.runtime = "Rust " + v
	} else if v := p.text("edition"); v != "" {
		m.runtime = "Rust edition " + v
	}
	m.cargo(t.sub("dependencies"), false)
	m.cargo(t.sub("workspace", "dependencies"), false)
	m.cargo(t.sub("dev-dependencies"), true)
	all := ""
	if p == nil && t.sub("workspace") != nil {
		all = " --workspace"
	}
	m.command("build", "cargo", "cargo build"+all, file, 0.9)
	m.command("test", "cargo", "cargo test"+all, file, 0.9)
	if f := s.first(path.Join(dir, "clippy.toml"), path.Join(dir, ".clippy.toml")); f != "" {
		m.command("lint", "cargo", "cargo clippy", f, 0.85)
	}
	if f := s.first(path.Join(dir, "rustfmt.toml"), path.Join(dir, ".rustfmt.toml")); f != "" {
		m.command("format", "cargo", "cargo fmt", f, 0.85)
	}
	for _, bin := range t.tables("bin") {
		if to := bin.text("path"); to != "" {
			m.enter(path.Join(dir, to), "the program "+bin.text("name"), file)
		}
	}
	if main := path.Join(dir, "src/main.rs"); s.has(main) && p != nil {
		m.enter(main, "the program "+m.name, main)
		m.command("run", "cargo", "cargo run", main, 0.85)
	}
	for _, f := range s.in(path.Join(dir, "src/bin")) {
		if name, ok := strings.CutSuffix(path.Base(f), ".rs"); ok {
			m.enter(f, "the program "+name, f)
		}
	}
	if lib := path.Join(dir, "src/lib.rs"); s.has(lib) && p != nil {
		m.enter(lib, "the library "+m.name, lib)
	}
	return nil
}

// cargo takes a table of dependencies, whose values are versions or tables with one.
func (m *module) cargo(deps table, dev bool) {
	for _, name := range deps.keys() {
		if deps.sub(name).text("path") == "" {
			version := deps.text(name)
			if version == "" {
				version = deps.sub(name).text("version")
			}
			m.needs(name, plainVersion(version), dev)
		}
	}
}

// rustDoc returns the first sentence of a file's `//!` documentation.
func rustDoc(src []byte) string {
	var doc []string
	for line := range strings.Lines(string(src)) {
		line = strings.TrimSpace(line)
		text, ok := strings.CutPrefix(line, "//!")
		switch text = strings.TrimSpace(text); {
		case ok && text == "" && len(doc) > 0:
			return sentence(strings.Join(doc, " "), 200)
		case ok && !strings.HasPrefix(text, "#") && text != "":
			doc = append(doc, text)
		case !ok && line != "" && !strings.HasPrefix(line, "//") && !strings.HasPrefix(line, "#!["):
			return sentence(strings.Join(doc, " "), 200)
		}
	}
	return sentence(strings.Join(doc, " "), 200)
}
