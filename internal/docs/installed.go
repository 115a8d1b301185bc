package docs

import (
	"bufio"
	"cmp"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"sdd/internal/docs/gopkg"
	"sdd/internal/pattern"
)

// Installed is a documentation that a user can look up by a name.
type Installed struct {
	Name     string `json:"name"` // the unique name of the source
	Kind     string `json:"kind"` // sphinx, mkdocs, pydoctor, rustdoc, go or web
	Project  string `json:"project"`
	Version  string `json:"version"`
	Objects  int    `json:"objects"`  // 0 for go and web, which the list does not read
	Location string `json:"location"` // folder or web address
}

// List finds the documentation on this machine: the sources in config.yaml, those in the project and its virtual
// environments, those that the system and the Rust toolchains have installed, and the Go modules that go.mod requires, in
// this order. Of several with one name, the first keeps it; the others become name@version.
func (r *Reader) List() []Installed {
	out := slices.Clone(r.installed())
	for i := range out {
		o := &out[i]
		if o.Kind == "go" || o.Kind == "web" {
			continue
		}
		s, err := r.openTree(string(filepath.Separator), o.Location, inventoryName)
		if s == nil || err != nil {
			continue
		}
		o.Objects, o.Kind = len(s.inv.Objects), s.provenance.Kind
		o.Project, o.Version = cmp.Or(s.inv.Project, o.Project), cmp.Or(s.inv.Version, o.Version)
		s.close()
	}
	for _, m := range gopkg.Modules(r.settings.Dir) {
		name := m.ImportPath
		if _, taken := find(out, name); !taken {
			out = append(out, Installed{Name: name, Kind: "go", Project: name, Version: m.Version, Location: m.Dir})
		}
	}
	return out
}

// find returns the documentation of that name, ignoring case, else that of the project of that name.
func find(all []Installed, name string) (Installed, bool) {
	at := slices.IndexFunc(all, func(i Installed) bool { return strings.EqualFold(i.Name, name) })
	if key := projectKey(name); at < 0 && key != "" {
		at = slices.IndexFunc(all, func(i Installed) bool { return projectKey(i.Project) == key })
	}
	if at < 0 {
		return Installed{}, false
	}
	return all[at], true
}

// projectKey normalises a project's name for comparison: PyPI ignores case, and treats dots, dashes and underscores as equal.
func projectKey(name string) string {
	return strings.Join(strings.FieldsFunc(strings.ToLower(name), func(c rune) bool { return strings.ContainsRune("-_. ", c) }), "-")
}

// Limits of the search for built documentation in the project.
const (
	projectDepth = 6
	maxFolders   = 20_000
)

// installed lists the trees; it reads only the beginning of each inventory.
func (r *Reader) installed() []Installed {
	var out []Installed
	seen := map[string]bool{}
	add := func(name, dir string) {
		real, err := filepath.EvalSymlinks(dir)
		if err != nil || seen[real] {
			return
		}
		i := Installed{Name: name, Location: real}
		if i.Kind = kindOfFolder(real); i.Kind == "" {
			return
		}
		seen[real] = true
		i.Project, i.Version = headOf(real, i.Kind)
		out = append(out, i)
	}
	for name, at := range r.settings.Sources {
		if web().MatchString(at) {
			out = append(out, Installed{Name: name, Kind: "web", Location: at})
			continue
		}
		add(name, absolute(r.settings.Dir, at))
	}
	slices.SortFunc(out, func(a, b Installed) int { return cmp.Compare(a.Name, b.Name) })
	if r.settings.Dir != "" {
		for _, dir := range builtIn(r.settings.Dir, projectDepth) {
			rel, err := filepath.Rel(r.settings.Dir, dir)
			if err == nil && !strings.HasPrefix(dir, systemDocs+"/") {
				add(filepath.ToSlash(rel), dir)
			}
		}
	}
	shared := []string{systemDocs}
	if env := os.Getenv("VIRTUAL_ENV"); filepath.IsAbs(env) {
		shared = []string{filepath.Join(env, "share", "doc"), systemDocs}
	}
	for _, top := range shared {
		entries, _ := os.ReadDir(top)
		for _, e := range entries {
			for _, rel := range systemFolders {
				add(systemName(e.Name(), rel), filepath.Join(top, e.Name(), filepath.FromSlash(rel)))
			}
		}
	}
	if home, err := os.UserHomeDir(); err == nil {
		toolchains, _ := filepath.Glob(filepath.Join(home, ".rustup", "toolchains", "*", "share", "doc", "rust", "html"))
		for _, dir := range toolchains {
			add("rust", dir)
		}
	}
	return distinct(out)
}

// distinct gives every documentation a unique name: the first of a name keeps it.
func distinct(all []Installed) []Installed {
	names := map[string]bool{}
	out := all[:0]
	for _, o := range all {
		for _, name := range []string{o.Name, o.Name + "@" + o.Version} {
			if key := strings.ToLower(name); !names[key] && !strings.HasSuffix(name, "@") {
				names[key] = true
				o.Name = name
				out = append(out, o)
				break
			}
		}
	}
	return out
}

// kindOfFolder returns the kind of documentation in a folder, "" for none.
func kindOfFolder(dir string) string {
	regular := func(name string) bool {
		st, err := os.Stat(filepath.Join(dir, filepath.FromSlash(name)))
		return err == nil && st.Mode().IsRegular()
	}
	switch {
	case regular(inventoryName):
		return "sphinx"
	case regular(searchIndexName):
		return "mkdocs"
	case len(cratesIn(dir)) > 0:
		return "rustdoc"
	}
	return ""
}

// cratesIn returns the crates that rustdoc has documented in a folder, whose path may have the marks of a glob.
func cratesIn(dir string) (crates []string) {
	entries, _ := os.ReadDir(dir)
	if !slices.ContainsFunc(entries, func(e fs.DirEntry) bool {
		name := e.Name()
		return strings.HasPrefix(name, "crates") && strings.HasSuffix(name, ".js") || name == "static.files" ||
			strings.HasPrefix(name, "search-index")
	}) {
		return nil
	}
	for _, e := range entries {
		if _, err := os.Stat(filepath.Join(dir, e.Name(), "all.html")); err == nil {
			crates = append(crates, e.Name())
		}
	}
	return crates
}

var rustVersion = pattern.Late(`class="version">(?:Version )?([0-9][0-9A-Za-z.+-]*)`)

// headOf reads the project and version from the first bytes of a documentation's inventory.
func headOf(dir, kind string) (project, version string) {
	name := inventoryName
	if kind == "rustdoc" {
		crates := cratesIn(dir)
		if len(crates) == 0 {
			return "", ""
		}
		project, name = crates[0], crates[0]+"/index.html"
		if slices.Contains(crates, "std") {
			project, name = "Rust", "std/index.html"
		}
	}
	f, err := os.Open(filepath.Join(dir, filepath.FromSlash(name)))
	if err != nil {
		return project, ""
	}
	defer f.Close()
	if st, err := f.Stat(); err != nil || !st.Mode().IsRegular() {
		return project, ""
	}
	in := bufio.NewReaderSize(io.LimitReader(f, 32<<10), 4<<10)
	if kind == "rustdoc" {
		data, err := io.ReadAll(in)
		if m := rustVersion().FindSubmatch(data); err == nil && m != nil {
			version = string(m[1])
		}
		return project, version
	}
	for range 3 {
		line, err := in.ReadSlice('\n')
		if err != nil {
			break
		}
		text := strings.ToValidUTF8(strings.TrimSpace(string(line)), "\uFFFD")
		if v, ok := strings.CutPrefix(text, "# Project:"); ok {
			project = strings.TrimSpace(v)
		} else if v, ok := strings.CutPrefix(text, "# Version:"); ok {
			version = strings.TrimSpace(v)
		}
	}
	return project, version
}

// systemFolders are the folders of a distribution's package that contain pages.
var systemFolders = []string{"html", "html/api", ".", "html/latest", "html/en"}

// systemName shortens a distribution's package name: python-django-doc becomes django.
func systemName(pkg, rel string) string {
	name := strings.TrimSuffix(strings.TrimSuffix(pkg, "-doc"), "-data")
	for _, prefix := range []string{"python3-", "python-"} {
		name = strings.TrimPrefix(name, prefix)
	}
	if digits := strings.TrimPrefix(name, "python"); digits != name && strings.Trim(digits, "0123456789.") == "" {
		name = "python"
	}
	if rel = strings.TrimPrefix(strings.TrimPrefix(rel, "html"), "/"); rel == "" || rel == "." {
		return name
	}
	return name + "/" + rel
}

// builtIn returns the folders at or below top that contain documentation. It follows no links.
func builtIn(top string, depth int) []string {
	var out []string
	folders := 0
	_ = filepath.WalkDir(top, func(p string, e fs.DirEntry, err error) error {
		if err != nil {
			return fs.SkipDir
		}
		if !e.IsDir() {
			switch name := e.Name(); {
			case !e.Type().IsRegular():
			case name == inventoryName:
				out = append(out, filepath.Dir(p))
			case name == filepath.Base(searchIndexName) && filepath.Base(filepath.Dir(p)) == "search":
				if site := filepath.Dir(filepath.Dir(p)); !slices.Contains(out, site) {
					out = append(out, site)
				}
			}
			return nil
		}
		if folders++; folders > maxFolders {
			return fs.SkipAll
		}
		rel, err := filepath.Rel(top, p)
		if err != nil || strings.Count(rel, string(filepath.Separator)) >= depth {
			return fs.SkipDir
		}
		switch name := e.Name(); {
		case p == top:
		case name == ".venv", name == ".tox":
		case name == "target": // of cargo: everything else in it is built code
			if dir := filepath.Join(p, "doc"); len(cratesIn(dir)) > 0 {
				out = append(out, dir)
			}
			return fs.SkipDir
		case strings.HasPrefix(name, "."), name == "node_modules", strings.HasPrefix(name, "_") && name != "_build":
			return fs.SkipDir
		}
		return nil
	})
	return out
}
