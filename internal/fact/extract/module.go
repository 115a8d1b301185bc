package extract

import (
	"go/parser"
	"go/token"
	"path"
	"slices"
	"strings"

	"sdd/internal/fact/discovery"
	"sdd/internal/pattern"
)

// modules adds the modules that a commit makes or removes: folders with a manifest of their own, Go packages, and folders
// of other languages that come with more than one file.
func modules(c *Commit, all *changes) {
	type folder struct {
		files     []*File
		manifest  *File
		languages map[string]int
	}
	dirs := map[string]*folder{}
	var order []string
	gone := map[string]bool{}
	for i := range c.Files {
		f := &c.Files[i]
		dir := path.Dir(f.Path)
		lang := discovery.Language(f.Path)
		manifest := isManifestOfModule(f.Path)
		if !manifest && (!isCode(f.Path) || lang == "Shell" || isStep(f.Path) || isMigrationCode(f.Path) || toolOf(f.Path) != "") {
			continue
		}
		if f.Gone {
			gone[dir] = true
			continue
		}
		if !f.New {
			continue
		}
		d := dirs[dir]
		if d == nil {
			d = &folder{languages: map[string]int{}}
			dirs[dir] = d
			order = append(order, dir)
		}
		if manifest {
			d.manifest = f
		} else {
			d.files = append(d.files, f)
			d.languages[lang]++
		}
	}
	if c.Had == nil || c.Has == nil {
		return
	}
	var made []string
	for _, dir := range order {
		d := dirs[dir]
		if dir == "." || strings.HasPrefix(dir, ".") || c.Parents == 0 || c.Had(dir) || slices.ContainsFunc(made, func(m string) bool { return strings.HasPrefix(dir, m+"/") }) {
			continue // the first commit makes everything: discovery tells it
		}
		what, note := "", ""
		switch {
		case d.manifest != nil:
			what, note = manifestModule(d.manifest)
		case d.languages["Go"] > 0:
			what, note = goModule(d.files)
		case plainFolder(dir):
			continue
		case slices.ContainsFunc(d.files, func(f *File) bool { return base(f.Path) == "__init__.py" }):
			what, note = "Python package", pythonAbout(d.files)
		case d.languages["Rust"] > 0 && slices.ContainsFunc(d.files, func(f *File) bool { return base(f.Path) == "mod.rs" }):
			what = "Rust module"
		default:
			for _, lang := range []string{"TypeScript", "JavaScript", "Java", "Kotlin", "C#", "PHP", "Ruby", "Elixir", "Scala", "Swift", "Dart", "Rust", "Python"} {
				if d.languages[lang] > 1 && discovery.Place(dir+"/x") != "" {
					what = lang + " module"
					if lang == "Java" || lang == "Kotlin" || lang == "Scala" {
						what = lang + " package"
					}
					break
				}
			}
			note = exports(d.files)
		}
		if what == "" {
			continue
		}
		made = append(made, dir)
		first := d.manifest
		if first == nil {
			first = d.files[0]
		}
		it := item{signal: signalModule, key: "module:" + dir, name: word(plainPath(dir)), show: what, note: note, scope: dir, path: first.Path, line: 1}
		all.add(&change{key: it.key, after: &it, fresh: true})
	}
	var lost []string
	for i := range c.Files {
		dir := path.Dir(c.Files[i].Path)
		if !gone[dir] || dir == "." || c.Has(dir) || slices.ContainsFunc(lost, func(m string) bool { return strings.HasPrefix(dir+"/", m+"/") }) {
			continue
		}
		for up := path.Dir(dir); up != "." && !c.Has(up); up = path.Dir(up) { // the whole of it went
			dir = up
		}
		if plainFolder(dir) && discovery.Language(c.Files[i].Path) != "Go" || slices.Contains(lost, dir) {
			continue
		}
		lost = append(lost, dir)
		it := item{signal: signalModule, key: "module:" + dir, name: word(plainPath(dir)), show: "module", scope: dir, path: c.Files[i].Path}
		all.add(&change{key: it.key, before: &it, gone: true})
	}
	movedModules(all)
}

// plainFolder reports whether a folder's name says nothing of what is in it.
func plainFolder(dir string) bool { return discovery.Place("x/"+path.Base(dir)+"/x") == "x" }

func isManifestOfModule(file string) bool {
	b := base(file)
	return slices.Contains([]string{"go.mod", "package.json", "pyproject.toml", "Cargo.toml", "pom.xml", "build.gradle", "build.gradle.kts", "composer.json", "mix.exs", "pubspec.yaml"}, b) ||
		strings.HasSuffix(b, ".csproj") || strings.HasSuffix(b, ".gemspec")
}

var kindNames = map[string]string{"go": "Go module", "node": "npm package", "python": "Python package", "rust": "Rust crate", "jvm": "JVM module", "dotnet": ".NET project", "php": "PHP package", "ruby": "gem"}

func manifestModule(f *File) (what, note string) {
	m, ok, err := discovery.ReadManifest(base(f.Path), f.After)
	if !ok || err != nil {
		return "module", ""
	}
	what = kindNames[m.Kind]
	if m.Name != "" && m.Name != path.Base(path.Dir(f.Path)) {
		what += " called " + word(m.Name)
	}
	return what, ""
}

func goModule(files []*File) (what, note string) {
	name := ""
	for _, f := range files {
		p, err := parser.ParseFile(token.NewFileSet(), "", f.After, parser.PackageClauseOnly|parser.ParseComments)
		if err != nil || p == nil {
			continue
		}
		name = p.Name.Name
		if p.Doc != nil {
			note = firstSentence(packageClause().ReplaceAllString(p.Doc.Text(), ""))
		}
	}
	if name == "" {
		return "", ""
	}
	if name == "main" {
		what = "program"
	} else {
		what = "Go package"
	}
	if note == "" {
		note = exports(files)
	}
	return what, note
}

// packageClause is how documentation of Go begins.
var packageClause = pattern.Late(`^(?:Package|Command) \S+ (?:is |provides |implements )?`)

// firstSentence returns the first sentence of documentation.
func firstSentence(doc string) string {
	doc = oneLine(strings.SplitN(strings.TrimSpace(doc), "\n\n", 2)[0])
	if i := strings.Index(doc, ". "); i > 0 {
		doc = doc[:i]
	}
	return strings.TrimRight(brief(doc, 180), ". ")
}

var docString = pattern.Late(`^\s*(?:r|u)?("""|''')([\s\S]*?)("""|''')`)

func pythonAbout(files []*File) string {
	for _, f := range files {
		if base(f.Path) == "__init__.py" {
			if m := docString().FindSubmatch(f.After); m != nil {
				return firstSentence(string(m[2]))
			}
		}
	}
	return exports(files)
}

// exports names the public symbols of files, types first.
func exports(files []*File) string {
	var types, others []string
	for _, f := range files {
		v := newVersion(f.Path, f.After)
		all := readDeclarations(v)
		if v.lang == "Go" {
			all = readGo(v)
		}
		for _, it := range all {
			if isType(it.note) && !small().MatchString(it.name) {
				types = append(types, it.name)
			} else {
				others = append(others, it.name)
			}
		}
	}
	names := append(types, others...)
	if len(names) == 0 {
		return ""
	}
	return "it has " + listing(names, 5)
}

// movedModules tells a module that went and one with the same last name that came as one that moved.
func movedModules(all *changes) {
	var came, went []*change
	for _, c := range all.order {
		if c.now().signal != signalModule {
			continue
		}
		if c.before == nil {
			came = append(came, c)
		} else if c.after == nil {
			went = append(went, c)
		}
	}
	for _, w := range went {
		for _, c := range came {
			if path.Base(w.now().scope) == path.Base(c.now().scope) {
				c.after.note = "it was " + w.before.name + " before"
				w.after = w.before
				break
			}
		}
	}
}
