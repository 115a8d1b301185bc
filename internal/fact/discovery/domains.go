package discovery

import (
	"cmp"
	"path"
	"slices"
	"strings"
	"unicode"

	"sdd/internal/pattern"
)

// A domain is a part of what the project is about: a module of a monorepo, a package, a folder of the sources. The
// folders that only give order (src, internal, packages) are gone through, those that every project has (utils,
// tests) are none, and where folders are layers (controllers, models) the names of their files are asked.

// domain is a part of the project by its name.
type domain struct {
	name  string
	paths []string
	files int
	layer bool // known by the names of files in layers
	doc   string
	from  string // the source of doc
}

var (
	// containers are gone through.
	containers = pattern.Words(`src source sources lib libs internal pkg app apps application packages modules module services service features feature domains domain
		contexts bounded-contexts plugins crates projects subprojects server client backend frontend web webapp main http java kotlin scala groovy python com org net io
		php ruby go csharp cpp include workspaces addons extensions`)

	// layers hold one file for each thing.
	layers = pattern.Words(`controllers controller handlers handler routes route routers services service models model entities entity repositories repository resources resolvers
		resolver schemas serializers endpoints usecases use_cases`)

	// telling are the layers whose files name domains even if no other layer does.
	telling = pattern.Words(`controllers controller models entities`)

	// generic are the folders that every project may have.
	generic = pattern.Words(`util utils utility utilities common helpers helper shared misc lib libs core base types type typings interfaces interface constants consts config configs
		configuration settings test tests spec specs __tests__ e2e testing testutil testutils test-utils mock mocks integration unit docs doc documentation website scripts script tools tool
		hack build ci assets static public styles css images img fonts icons locales locale i18n l10n translations vendor generated gen proto protos migrations migration seeds
		bin examples cmd ui components component hooks layouts layout views templates partials pages screens middleware middlewares errors error exceptions exception logger logging log version
		concerns mailers channels jobs initializers console listeners observers dto dtos enums filters pipes guards decorators providers factories adapters support benchmarks bench benches
		resources data db database style theme deploy deployment infra infrastructure terraform k8s helm charts docker properties dist init setup notebooks impl model`)
)

// sides are containers that can be a part of the project themselves.
var sides = pattern.Words(`server client backend frontend web webapp plugins service addons extensions`)

// namespaces are the folders that only begin the name of a package.
var namespaces = pattern.Words(`com org net io java kotlin scala groovy python`)

const maxDomains = 24

func isTestFolder(dir string) bool {
	return within(dir+"/", setTests())
}

var setTests = pattern.Words(`test tests spec specs __tests__ e2e testing it integration-tests src/test`)

// findDomains fills in the domains.
func (s *survey) findDomains() {
	f := &finder{survey: s, byName: map[string]*domain{}, stems: map[string][]string{}}
	nested := 0
	for _, m := range s.modules {
		if m.dir != "." {
			nested++
		}
	}
	f.modular = nested > 3
	project, _ := s.projectName()
	f.project = plainWord(project[strings.LastIndexByte(project, '/')+1:])
	f.collect(".", 0)
	for stem, dirs := range f.stems {
		slices.Sort(dirs)
		dirs = slices.Compact(dirs)
		if len(dirs) > 1 || telling()[strings.ToLower(path.Base(dirs[0]))] {
			if d := f.take(stem, "", len(dirs)); d != nil && len(d.paths) == 0 {
				d.layer, d.paths = true, dirs
			}
		}
	}
	for _, d := range f.byName {
		s.domains = append(s.domains, *d)
	}
	slices.SortFunc(s.domains, func(a, b domain) int { return cmp.Or(b.files-a.files, strings.Compare(a.name, b.name)) })
	s.domains = s.domains[:min(len(s.domains), maxDomains)]
	slices.SortFunc(s.domains, func(a, b domain) int { return strings.Compare(a.name, b.name) })
	for i := range s.domains {
		d := &s.domains[i]
		slices.Sort(d.paths)
		if !d.layer {
			for _, dir := range d.paths {
				if d.doc, d.from = s.documented(dir); d.doc != "" {
					break
				}
			}
		}
		s.report.Domains = append(s.report.Domains, d.name)
	}
}

type finder struct {
	*survey
	modular bool // the modules are the domains
	project string
	byName  map[string]*domain
	stems   map[string][]string // names in layers and the folders that have them
}

// collect looks for domains below dir and reports how many it found.
func (f *finder) collect(dir string, depth int) (found int) {
	var children []*folder
	for _, name := range f.folders[dir].dirs {
		child := f.folders[path.Join(dir, name)]
		if n, supporting := child.code.total(); n > 0 && !supporting && !strings.HasPrefix(name, ".") && !strings.HasPrefix(name, "_") && !aside()[name] && !setTests()[name] {
			children = append(children, child)
		}
	}
	for _, child := range children {
		name := strings.ToLower(path.Base(child.path))
		module := slices.ContainsFunc(f.modules, func(m *module) bool { return m.dir == child.path })
		inner := len(child.dirs) > 0
		switch {
		case depth > 8:
		case f.modular && module:
			if f.take(name, child.path, sum(child.code)) != nil {
				found++
			}
		case layers()[name] && !f.hasCodeFolders(child):
			f.layered(child)
		case sides()[name] && !module && len(child.files) > 0 && f.ownCode(child):
			if f.take(name, child.path, sum(child.code)) != nil {
				found++
			}
		case containers()[name] && inner, module && inner:
			n := f.collect(child.path, depth+1)
			if found += n; n == 0 && module && (!containers()[name] || sides()[name]) && f.take(name, child.path, sum(child.code)) != nil {
				found++
			}
		case containers()[name] || generic()[name]:
		case len(children) == 1 && f.hasCodeFolders(child) || f.isProject(name): // the package that everything is in
			found += f.collect(child.path, depth+1)
		case len(children) == 1 && namespaces()[path.Base(dir)]: // the one package of a module is no part of it
		default:
			if f.take(name, child.path, sum(child.code)) != nil {
				found++
			}
		}
	}
	return found
}

func sum(c counts) (n int) {
	for _, k := range c {
		n += k
	}
	return n
}

// isProject reports whether a folder is named like the project itself.
func (f *finder) isProject(name string) bool {
	return f.project == plainWord(name)
}

// plainWord is a name in lower case without its marks.
func plainWord(name string) string {
	return strings.NewReplacer("-", "", "_", "", ".", "").Replace(strings.ToLower(name))
}

func (f *finder) hasCodeFolders(dir *folder) bool {
	return slices.ContainsFunc(dir.dirs, func(name string) bool {
		return len(f.folders[path.Join(dir.path, name)].code) > 0 && !setTests()[name] && !aside()[name] && !strings.HasPrefix(name, "_")
	})
}

// ownCode reports whether there is code right in a folder.
func (f *finder) ownCode(dir *folder) bool {
	return slices.ContainsFunc(dir.files, func(base string) bool { return languageOf(base, false) != "" })
}

// take adds a place to the domain of that name, nil if the name is none.
func (f *finder) take(name, dir string, files int) *domain {
	name = strings.ReplaceAll(strings.ToLower(oneLine(name)), " ", "-")
	if len(name) < 2 || generic()[name] || layers()[name] || strings.Trim(name, "0123456789.-_") == "" {
		return nil
	}
	d := f.byName[name]
	if d == nil {
		d = &domain{name: name}
		f.byName[name] = d
	}
	if dir != "" {
		d.paths = append(d.paths, dir)
	}
	d.files += files
	return d
}

// layered notes the names of the files in a layer, without the layer's own name: user_controller.rb and
// UserController.java are of user.
func (f *finder) layered(dir *folder) {
	for _, base := range dir.files {
		if languageOf(base, false) == "" {
			continue
		}
		words := slices.DeleteFunc(splitName(strings.TrimSuffix(base, path.Ext(base))), func(w string) bool {
			return layerWords()[w] || layers()[w]
		})
		stem := strings.Join(words, "-")
		if stem == "" || layerStems()[words[0]] || generic()[stem] || slices.Contains(words, "test") || slices.Contains(words, "spec") {
			continue
		}
		if strings.HasSuffix(stem, "ies") {
			stem = strings.TrimSuffix(stem, "ies") + "y"
		} else if strings.HasSuffix(stem, "s") && !strings.HasSuffix(stem, "ss") && !strings.HasSuffix(stem, "us") {
			stem = strings.TrimSuffix(stem, "s")
		}
		f.stems[stem] = append(f.stems[stem], dir.path)
	}
}

var (
	layerWords = pattern.Words(`repo dao impl api view views`)
	layerStems = pattern.Words(`index main init application app base abstract home health mod doc package module __init__ routes`)
)

// splitName cuts a name at its marks and humps, in lower case.
func splitName(name string) (words []string) {
	start := 0
	runes := []rune(name)
	flush := func(end int) {
		if w := strings.ToLower(strings.Trim(string(runes[start:end]), "._- ")); w != "" {
			words = append(words, w)
		}
		start = end
	}
	for i, r := range runes {
		if strings.ContainsRune("._- ", r) || i > 0 && unicode.IsUpper(r) && unicode.IsLower(runes[i-1]) {
			flush(i)
		}
	}
	flush(len(runes))
	return words
}

// domainOf returns the domain that dir lies in, "" for none.
func (s *survey) domainOf(dir string) string {
	for _, d := range s.domains {
		if !d.layer && slices.ContainsFunc(d.paths, func(p string) bool { return dir == p || strings.HasPrefix(dir, p+"/") }) {
			return d.name
		}
	}
	return ""
}

// sayDomains tells each domain with its places, its documentation and its parts.
func (s *survey) sayDomains() {
	for _, d := range s.domains {
		var places, parts []string
		for _, dir := range d.paths {
			f := s.folders[dir]
			if f == nil {
				continue
			}
			place := dir
			if l := f.code.main(); l != "" && !d.layer {
				place += " (" + l + ")"
			}
			places = append(places, place)
			for _, name := range f.dirs {
				if child := s.folders[path.Join(dir, name)]; len(child.code) > 0 && !setTests()[name] && !aside()[name] && !containers()[name] && !generic()[name] && !slices.Contains(parts, name) && !d.layer {
					parts = append(parts, name)
				}
			}
		}
		if d.doc == "" && !d.layer && len(parts) < 2 {
			continue // its folder is called so
		}
		text, sure, source := "The code of "+d.name+" is in "+listing(places, 4), 0.7, d.paths[0]
		if d.layer {
			text, sure = "The code of "+d.name+" is in files of that name in "+listing(places, 5), 0.6
		}
		if d.doc != "" {
			s.told[d.from] = true
			text += ": " + quoted(d.doc)
			sure, source = 0.9, d.from
		}
		if len(parts) > 0 {
			text += "; its parts are " + listing(parts, 8)
			if len(parts) == 1 {
				text = strings.Replace(text, "; its parts are ", "; it has the part ", 1)
			}
		}
		s.add(Found{Level: Domain, Domain: d.name, Key: "domain:" + d.name, Content: text + ".", Source: source, Confidence: sure})
	}
}

// maxFacts is how many facts are told before those of further modules are left out.
const maxFacts = 220

// sayParts tells the documentation of the folders in and beside the domains.
func (s *survey) sayParts() {
	folders := slices.Clone(s.sorted)
	slices.SortStableFunc(folders, func(a, b *folder) int { return depth(a.path) - depth(b.path) })
	for _, f := range folders {
		if len(f.code) == 0 || len(f.files) == 0 || within(f.path+"/", aside()) || isTestFolder(f.path) || len(s.report.Facts) > maxFacts || s.ctx.Err() != nil {
			continue
		}
		key := "module:" + f.path
		if f.path == "." {
			continue
		}
		doc, from := s.documented(f.path)
		if doc == "" || s.told[from] {
			continue
		}
		s.add(Found{Level: Module, Domain: s.domainOf(f.path), Module: f.path, Key: key, Source: from, Confidence: 0.9,
			Content: f.path + " (" + f.code.main() + ") says of itself: " + quoted(doc) + "."})
	}
}

// describe returns what a folder's own files say of it in a sentence.
func (s *survey) describe(dir string) string {
	doc, from := s.documented(dir)
	s.told[from] = true
	return doc
}

var readmeEnds = pattern.Words(`.md .markdown .rst .adoc .txt`)

// goDoc returns the documentation of the package in a folder. A program that lies beside another package, for the
// build, does not speak for it.
func (s *survey) goDoc(f *folder) (doc, file string) {
	program := ""
	for _, path := range goFiles(f) {
		switch name, said := s.goPackage(path); {
		case name == "main" && doc == "":
			program, doc, file = path, said, path
		case name != "" && name != "main" && said != "":
			return said, path
		case name != "" && name != "main" && program != "":
			program, doc, file = "", "", ""
		}
	}
	return doc, file
}

// documented returns the first sentence of a folder's documentation and the file that it stands in: of the package,
// else of a README.
func (s *survey) documented(dir string) (doc, file string) {
	f := s.folders[dir]
	if f == nil {
		return "", ""
	}
	if doc, file := s.goDoc(f); doc != "" {
		return doc, file
	}
	for _, c := range []struct {
		base string
		read func([]byte) string
	}{
		{"__init__.py", pythonDoc}, {"src/lib.rs", rustDoc}, {"mod.rs", rustDoc}, {"lib.rs", rustDoc},
	} {
		if file := path.Join(dir, c.base); s.has(file) {
			if text, ok := s.head(file); ok {
				if doc := c.read(text); doc != "" {
					return doc, file
				}
			}
		}
	}
	for _, m := range s.modules {
		if m.dir == dir && m.about != "" {
			return sentence(m.about, 200), m.manifest
		}
	}
	for _, base := range f.files {
		if isReadme(base) && readmeEnds()[strings.ToLower(path.Ext(base))] && dir != "." {
			file := path.Join(dir, base)
			if text, ok := s.head(file); ok {
				if r := readmeOf(file, text); r.purpose != "" {
					return sentence(r.purpose, 200), file
				}
			}
		}
	}
	return "", ""
}
