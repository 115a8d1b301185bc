package discovery

import (
	"cmp"
	"path"
	"slices"
	"strings"
)

// A domain is a part of the project's subject: a module of a monorepo, a package, a folder of the sources. Folders that
// only group others (src, internal, packages) are searched; folders of every project (utils, tests) and layers
// (controllers, models) are not domains.

type domain struct {
	name  string
	paths []string
	files int
	doc   string
	from  string // the source of doc
}

const maxDomains = 24

func (s *survey) findDomains() {
	modules := map[string]bool{}
	for _, m := range s.modules {
		if m.dir != "." {
			modules[m.dir] = true
		}
	}
	project, _ := s.projectName()
	f := &finder{survey: s, byName: map[string]*domain{}, modules: modules, project: plainWord(path.Base(project))}
	f.collect(".", 0)
	for _, d := range f.byName {
		slices.Sort(d.paths)
		s.domains = append(s.domains, *d)
	}
	slices.SortFunc(s.domains, func(a, b domain) int { return cmp.Or(b.files-a.files, strings.Compare(a.name, b.name)) })
	s.domains = s.domains[:min(len(s.domains), maxDomains)]
	slices.SortFunc(s.domains, func(a, b domain) int { return strings.Compare(a.name, b.name) })
	for i := range s.domains {
		d := &s.domains[i]
		for _, dir := range d.paths {
			if d.doc, d.from = s.documented(dir); d.doc != "" {
				break
			}
		}
		s.report.Domains = append(s.report.Domains, d.name)
	}
}

type finder struct {
	*survey
	modules map[string]bool // folders with a manifest of their own; more than three are the domains
	project string
	byName  map[string]*domain
}

// collect searches for domains below dir and returns their number.
func (f *finder) collect(dir string, depth int) (found int) {
	if depth > 8 {
		return 0
	}
	children := slices.DeleteFunc(f.codeFolders(f.folders[dir]), func(child *folder) bool {
		_, supporting := child.code.total()
		return supporting
	})
	for _, child := range children {
		name := strings.ToLower(path.Base(child.path))
		module, container, inner := f.modules[child.path], called(name, "containers"), len(child.dirs) > 0
		single, take := len(children) == 1, false
		switch {
		case module && len(f.modules) > 3:
			take = true
		case called(name, "sides") && !module && slices.ContainsFunc(child.files, isSource):
			take = true
		case inner && (container || module):
			n := f.collect(child.path, depth+1)
			found += n
			take = n == 0 && module && (!container || called(name, "sides"))
		case container, called(name, "generic"):
		case single && len(f.codeFolders(child)) > 0, f.project == plainWord(name): // the package that contains everything
			found += f.collect(child.path, depth+1)
		default: // the only package of a module is no part of it
			take = !single || !called(path.Base(dir), "namespaces")
		}
		if take && f.take(name, child.path, sum(child.code)) {
			found++
		}
	}
	return found
}

// codeFolders returns the direct subfolders of dir with the project's own code.
func (f *finder) codeFolders(dir *folder) (children []*folder) {
	for _, name := range dir.dirs {
		child := f.folders[path.Join(dir.path, name)]
		if len(child.code) > 0 && !strings.ContainsAny(name[:1], "._") && !called(name, "aside") && !called(name, "tests") {
			children = append(children, child)
		}
	}
	return children
}

func sum(c counts) (n int) {
	for _, k := range c {
		n += k
	}
	return n
}

func plainWord(name string) string {
	return strings.NewReplacer("-", "", "_", "", ".", "").Replace(strings.ToLower(name))
}

// take adds a folder to the domain of that name. It returns false for a name that every project may have.
func (f *finder) take(name, dir string, files int) bool {
	name = strings.ReplaceAll(strings.ToLower(OneLine(name)), " ", "-")
	if len(name) < 2 || called(name, "generic") || called(name, "layers") || strings.Trim(name, "0123456789.-_") == "" {
		return false
	}
	d := cmp.Or(f.byName[name], &domain{name: name})
	f.byName[name] = d
	d.paths = append(d.paths, dir)
	d.files += files
	return true
}

func (s *survey) domainOf(dir string) string {
	for _, d := range s.domains {
		if slices.ContainsFunc(d.paths, func(p string) bool { return dir == p || strings.HasPrefix(dir, p+"/") }) {
			return d.name
		}
	}
	return ""
}

// addDomains adds a fact for each domain with its places, its documentation and its parts.
func (s *survey) addDomains() {
	for _, d := range s.domains {
		var places, parts []string
		for _, dir := range d.paths {
			f := s.folders[dir]
			places = append(places, dir+" ("+f.code.main()+")")
			for _, name := range f.dirs {
				code := s.folders[path.Join(dir, name)].code
				ordinary := called(name, "tests") || called(name, "aside") || called(name, "containers") || called(name, "generic")
				if len(code) > 0 && !ordinary && !slices.Contains(parts, name) {
					parts = append(parts, name)
				}
			}
		}
		module := func(m *module) bool { return len(d.paths) == 1 && m.dir == d.paths[0] }
		if len(parts) < 2 && (d.doc == "" || slices.ContainsFunc(s.modules, module)) {
			continue // the folder has this name, or the fact of its module has the same words
		}
		text, sure, source := "The code of "+d.name+" is in "+listing(places, 4), 0.7, d.paths[0]
		if d.doc != "" {
			s.documentedIn[d.from] = true
			text += ": " + quoted(d.doc)
			sure, source = 0.9, d.from
		}
		if len(parts) == 1 {
			text += "; it has the part " + parts[0]
		} else if len(parts) > 1 {
			text += "; its parts are " + listing(parts, 8)
		}
		s.add(Found{Level: Domain, Domain: d.name, Key: "domain:" + d.name, Content: text + ".", Source: source, Confidence: sure})
	}
}
