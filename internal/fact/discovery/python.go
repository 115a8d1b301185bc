package discovery

import (
	"bufio"
	"bytes"
	"cmp"
	"path"
	"slices"
	"strings"
)

func (s *survey) python(file string) *module {
	return s.moduleAt(path.Dir(file), "python", "Python", file)
}

// readPyproject reads PEP 621 metadata and what Poetry, uv, PDM, Hatch and the usual tools keep beside it.
func (s *survey) readPyproject(file string) error {
	t, err := s.toml(file)
	if t == nil {
		return err
	}
	m := s.python(file)
	m.manifest = file
	project, poetry := t.sub("project"), t.sub("tool", "poetry")
	m.name = cmp.Or(project.text("name"), poetry.text("name"), m.name)
	m.about = cmp.Or(project.text("description"), poetry.text("description"), m.about)
	m.licence = cmp.Or(project.text("license"), project.sub("license").text("text"), poetry.text("license"), m.licence)
	if v := cmp.Or(project.text("requires-python"), poetry.sub("dependencies").text("python")); v != "" {
		m.runtime = "Python " + v
	}
	for _, d := range project.list("dependencies") {
		m.requirement(d, false)
	}
	for _, group := range []table{project.sub("optional-dependencies"), t.sub("dependency-groups")} {
		for _, name := range group.keys() {
			for _, d := range group.list(name) {
				m.requirement(d, true)
			}
		}
	}
	m.poetry(poetry.sub("dependencies"), false)
	m.poetry(poetry.sub("dev-dependencies"), true)
	groups := poetry.sub("group")
	for _, name := range groups.keys() {
		m.poetry(groups.sub(name, "dependencies"), true)
	}
	for _, scripts := range []table{project.sub("scripts"), poetry.sub("scripts")} {
		for _, name := range scripts.keys() {
			m.enter(scripts.text(name), "the command "+name, file)
		}
	}
	tool := t.sub("tool")
	manager := s.pythonManager(m.dir, tool)
	switch manager {
	case "uv":
		m.command("install", manager, "uv sync", file, 0.9)
	case "poetry", "pdm", "hatch", "rye":
		m.command("install", manager, map[string]string{"poetry": "poetry install", "pdm": "pdm install", "hatch": "hatch env create", "rye": "rye sync"}[manager], file, 0.9)
	}
	if t.sub("build-system") != nil {
		line := "python -m build"
		if slices.Contains([]string{"uv", "poetry", "pdm", "hatch", "rye"}, manager) {
			line = manager + " build"
		}
		m.command("build", "python", line, file, 0.8)
	}
	if members := t.sub("tool", "uv", "workspace").list("members"); len(members) > 0 {
		s.work = append(s.work, workspace{tool: "uv", source: file, patterns: members})
	}
	s.pythonTools(m, tool, manager)
	s.enterPython(m)
	return nil
}

// pythonManager returns what installs the project's packages, "" when nothing says so.
func (s *survey) pythonManager(dir string, tool table) string {
	for _, c := range [][2]string{{"uv.lock", "uv"}, {"poetry.lock", "poetry"}, {"pdm.lock", "pdm"}, {"Pipfile.lock", "pipenv"}, {"Pipfile", "pipenv"}} {
		if s.has(path.Join(dir, c[0])) || s.has(c[0]) {
			return c[1]
		}
	}
	for _, name := range []string{"uv", "poetry", "pdm", "hatch", "rye"} {
		if tool.sub(name) != nil {
			return name
		}
	}
	return ""
}

// pythonTools adds the commands of test and lint tools that are configured or depended on.
func (s *survey) pythonTools(m *module, tool table, manager string) {
	prefix := ""
	if slices.Contains([]string{"uv", "poetry", "pdm", "pipenv", "hatch", "rye"}, manager) {
		prefix = manager + " run "
	}
	in := func(names ...string) string {
		for _, name := range names {
			if s.has(path.Join(m.dir, name)) {
				return path.Join(m.dir, name)
			}
		}
		return ""
	}
	switch {
	case in("manage.py") != "" && !m.depends("pytest", "pytest-django"):
		m.command("test", "python", prefix+"python manage.py test", in("manage.py"), 0.85)
	case tool.sub("pytest") != nil || m.depends("pytest", "pytest-django", "pytest-cov", "pytest-asyncio") || in("pytest.ini", "conftest.py", "tests/conftest.py") != "":
		m.command("test", "python", prefix+"pytest", cmp.Or(in("pytest.ini"), m.manifest), 0.9)
	}
	if f := in("tox.ini"); f != "" {
		m.command("test", "tox", "tox", f, 0.9)
	}
	if f := in("noxfile.py"); f != "" {
		m.command("test", "nox", "nox", f, 0.9)
	}
	if f := in("manage.py"); f != "" {
		m.command("run", "python", prefix+"python manage.py runserver", f, 0.85)
	}
	for _, lint := range [][3]string{{"ruff", "ruff check .", "lint"}, {"flake8", "flake8", "lint"}, {"pylint", "pylint .", "lint"}, {"mypy", "mypy .", "typecheck"}, {"pyright", "pyright", "typecheck"},
		{"black", "black .", "format"}} {
		if tool.sub(lint[0]) != nil || m.depends(lint[0]) {
			m.command(lint[2], lint[0], prefix+lint[1], m.manifest, 0.85)
		}
	}
}

// requirement takes a dependency in the form of PEP 508: name, extras, version, marker.
func (m *module) requirement(text string, dev bool) {
	text, _, _ = strings.Cut(text, ";")
	text, _, _ = strings.Cut(text, " #")
	end := strings.IndexFunc(text, func(r rune) bool { return !isPackageRune(r) })
	name, rest := text, ""
	if end >= 0 {
		name, rest = text[:end], strings.TrimSpace(text[end:])
	}
	if strings.HasPrefix(rest, "[") {
		_, rest, _ = strings.Cut(rest, "]")
	}
	rest = strings.Trim(strings.ReplaceAll(rest, " ", ""), "()")
	if len(rest) > 30 || rest != "" && !strings.ContainsRune("<>=!~", rune(rest[0])) {
		rest = ""
	}
	m.needs(strings.ToLower(name), rest, dev)
}

func isPackageRune(r rune) bool {
	return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("-_.", r)
}

// poetry takes a table of dependencies, whose values are versions or tables with one.
func (m *module) poetry(deps table, dev bool) {
	for _, name := range deps.keys() {
		if name != "python" {
			m.needs(strings.ToLower(name), plainVersion(cmp.Or(deps.text(name), deps.sub(name).text("version"))), dev)
		}
	}
}

func (s *survey) readRequirements(file string) error {
	dir := path.Dir(file)
	if dir != "." && s.folders[dir].code["Python"] == 0 {
		return nil
	}
	text, ok := s.manifest(file)
	if !ok {
		return nil
	}
	m := s.python(file)
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		if line != "" && isPackageRune(rune(line[0])) && line[0] != '-' && !strings.Contains(line, "://") {
			m.requirement(line, false)
		}
	}
	m.command("install", "pip", "pip install -r requirements.txt", file, 0.9)
	s.pythonTools(m, nil, s.pythonManager(dir, nil))
	s.enterPython(m)
	return nil
}

func (s *survey) readPipfile(file string) error {
	t, err := s.toml(file)
	if t == nil {
		return err
	}
	m := s.python(file)
	m.poetry(t.sub("packages"), false)
	m.poetry(t.sub("dev-packages"), true)
	m.command("install", "pipenv", "pipenv install --dev", file, 0.9)
	s.pythonTools(m, nil, "pipenv")
	s.enterPython(m)
	return nil
}

// readSetupCfg reads the sections of setuptools in the format of configparser.
func (s *survey) readSetupCfg(file string) error {
	text, ok := s.manifest(file)
	if !ok {
		return nil
	}
	ini := parseINI(text)
	meta := ini["metadata"]
	if meta == nil && ini["options"] == nil {
		return nil // of other tools only
	}
	m := s.python(file)
	m.name, m.about, m.licence = cmp.Or(m.name, meta["name"]), cmp.Or(m.about, meta["description"]), cmp.Or(m.licence, meta["license"])
	for line := range strings.Lines(ini["options"]["install_requires"]) {
		m.requirement(strings.TrimSpace(line), false)
	}
	s.pythonTools(m, nil, s.pythonManager(m.dir, nil))
	s.enterPython(m)
	return nil
}

// parseINI returns the values of each section; a value goes on over indented lines.
func parseINI(text []byte) map[string]map[string]string {
	out := map[string]map[string]string{}
	section, key := "", ""
	lines := bufio.NewScanner(bytes.NewReader(text))
	lines.Buffer(nil, manifestLimit+1)
	for lines.Scan() {
		line := lines.Text()
		bare := strings.TrimSpace(line)
		switch {
		case bare == "" || bare[0] == '#' || bare[0] == ';':
		case bare[0] == '[' && bare[len(bare)-1] == ']':
			section, key = strings.TrimSpace(bare[1:len(bare)-1]), ""
			if out[section] == nil {
				out[section] = map[string]string{}
			}
		case (line[0] == ' ' || line[0] == '\t') && key != "" && out[section] != nil:
			out[section][key] += "\n" + bare
		default:
			i := strings.IndexAny(bare, "=:")
			if i < 0 || out[section] == nil {
				continue
			}
			key = strings.ToLower(strings.TrimSpace(bare[:i]))
			out[section][key] = strings.TrimSpace(bare[i+1:])
		}
	}
	return out
}

// readSetupPy notes that there is one: what it says is known only to Python.
func (s *survey) readSetupPy(file string) error {
	if _, ok := s.manifest(file); !ok {
		return nil
	}
	m := s.python(file)
	m.command("install", "pip", "pip install -e .", file, 0.8)
	s.pythonTools(m, nil, s.pythonManager(m.dir, nil))
	s.enterPython(m)
	return nil
}

// enterPython finds the usual files that start a program.
func (s *survey) enterPython(m *module) {
	known := map[string]string{"manage.py": "Django's commands", "wsgi.py": "the WSGI application", "asgi.py": "the ASGI application",
		"__main__.py": "what `python -m` runs", "main.py": "the main program", "app.py": "the application"}
	for _, f := range s.under(m.dir) {
		if within(f.path+"/", aside()) || len(m.entries) >= 8 || depth(f.path)-depth(m.dir) > 3 || isTestFolder(f.path) {
			continue
		}
		for _, base := range f.files {
			if what := known[base]; what != "" {
				m.enter(path.Join(f.path, base), what, path.Join(f.path, base))
			}
		}
	}
}

// pythonDoc returns the first sentence of a module's documentation string.
func pythonDoc(src []byte) string {
	text := string(src)
	for {
		text = strings.TrimLeft(text, " \t\r\n")
		if !strings.HasPrefix(text, "#") {
			break
		}
		_, rest, _ := strings.Cut(text, "\n")
		text = rest
	}
	for _, quote := range []string{`"""`, "'''", `r"""`, `"`, "'"} {
		if rest, ok := strings.CutPrefix(text, quote); ok {
			end := strings.TrimPrefix(quote, "r")
			if doc, _, ok := strings.Cut(rest, end); ok {
				paragraph, _, _ := strings.Cut(strings.TrimSpace(strings.ReplaceAll(doc, "\r\n", "\n")), "\n\n")
				return sentence(notLegal(paragraph), 200)
			}
		}
	}
	return ""
}
