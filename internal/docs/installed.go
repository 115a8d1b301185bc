package docs

import (
	"cmp"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Installed is a documentation that lies on this machine.
type Installed struct {
	Name     string `json:"name"` // by which a source may be called
	Project  string `json:"project"`
	Version  string `json:"version"`
	Objects  int    `json:"objects"`
	Location string `json:"location"` // folder
}

// List finds the documentation that lies on this machine: what config.yaml names, what the project and its virtual
// environments hold, and what the system has installed, in this order. Names are unique; where two would have
// the same, the first one keeps it.
func (r *Reader) List() []Installed {
	out := slices.Clone(r.installed())
	for i := range out {
		root, err := os.OpenRoot(out[i].Location)
		if err != nil {
			continue
		}
		if inv, _, err := r.inventory(localTree{root, out[i].Location}, inventoryName); err == nil && inv != nil {
			out[i].Project, out[i].Version, out[i].Objects = inv.Project, inv.Version, inv.Len()
		}
		root.Close()
	}
	return out
}

// find returns the documentation of that name, whatever its case.
func find(all []Installed, name string) (Installed, bool) {
	for _, i := range all {
		if strings.EqualFold(i.Name, name) {
			return i, true
		}
	}
	return Installed{}, false
}

// How far the project is searched for what it has built.
const (
	projectDepth = 6
	maxFolders   = 20_000
)

// installed lists the trees without reading them.
func (r *Reader) installed() []Installed {
	var out []Installed
	seen := map[string]bool{}
	add := func(name, dir string) {
		real, err := filepath.EvalSymlinks(dir)
		if err != nil || seen[real] {
			return
		}
		seen[real] = true
		for _, i := range out {
			if i.Name == name {
				return
			}
		}
		out = append(out, Installed{Name: name, Location: real})
	}
	for name, at := range r.settings.Sources {
		dir := absolute(r.settings.Dir, at)
		if st, err := os.Stat(filepath.Join(dir, inventoryName)); err == nil && st.Mode().IsRegular() {
			add(name, dir)
		}
	}
	slices.SortFunc(out, func(a, b Installed) int { return cmp.Compare(a.Name, b.Name) })
	if r.settings.Dir != "" {
		for _, dir := range inventories(r.settings.Dir, projectDepth) {
			rel, err := filepath.Rel(r.settings.Dir, dir)
			if err == nil && !strings.HasPrefix(dir, systemDocs+"/") {
				add(filepath.ToSlash(rel), dir)
			}
		}
	}
	entries, _ := os.ReadDir(systemDocs)
	for _, e := range entries {
		for _, rel := range systemFolders {
			dir := filepath.Join(systemDocs, e.Name(), filepath.FromSlash(rel))
			if st, err := os.Stat(filepath.Join(dir, inventoryName)); err == nil && st.Mode().IsRegular() {
				add(systemName(e.Name(), rel), dir)
			}
		}
	}
	return out
}

// systemFolders are where distributions put pages within a package's folder.
var systemFolders = []string{"html", "html/api", ".", "html/latest", "html/en"}

// systemName shortens what a distribution calls a package of documentation: python-django-doc is django.
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

// inventories returns the folders at or below top that hold an inventory. Links are not followed.
func inventories(top string, depth int) []string {
	var out []string
	folders := 0
	_ = filepath.WalkDir(top, func(p string, e fs.DirEntry, err error) error {
		if err != nil {
			return fs.SkipDir
		}
		if !e.IsDir() {
			if e.Name() == inventoryName && e.Type().IsRegular() {
				out = append(out, filepath.Dir(p))
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
		case strings.HasPrefix(name, "."), name == "node_modules", strings.HasPrefix(name, "_") && name != "_build":
			return fs.SkipDir
		}
		return nil
	})
	return out
}
