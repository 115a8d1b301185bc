package docs

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"sdd/internal/docs/gopkg"
	"sdd/internal/docs/inventory"
	"sdd/internal/docs/match"
	"sdd/internal/docs/prose"
	"sdd/internal/fault"
)

const (
	inventoryName = "objects.inv"
	systemDocs    = "/usr/share/doc"
	upwards       = 4 // levels above the named folder to search for an inventory
)

// below are the folders of a source that may contain documentation, as sites and builds use them.
var below = []string{".", "en/latest", "en/stable", "latest", "stable", "docs", "html", "build/html", "_build/html", "docs/_build/html",
	"docs/build/html", "site"}

func (r *Reader) open(ctx context.Context, source string) (*openSource, error) {
	source = strings.TrimSpace(source)
	if location, ok := r.settings.Sources[source]; ok && location != source {
		return r.openLocation(ctx, location, true)
	}
	return r.openLocation(ctx, source, false)
}

// openLocation opens an address or a path. configured means that config.yaml names it, which permits it.
func (r *Reader) openLocation(ctx context.Context, location string, configured bool) (*openSource, error) {
	if p, ok, err := filePath(location); err != nil {
		return nil, err
	} else if ok {
		return r.openPath(p, configured)
	}
	if web().MatchString(location) {
		return r.openWeb(ctx, location, configured)
	}
	if scheme, _, ok := strings.Cut(location, "://"); ok {
		return nil, fault.New(fault.Invalid, "addresses of %.20q are not read", scheme).For("source").
			With("write http://, https:// or file:///, or name a folder")
	}
	if !named(location) {
		return r.openPath(location, configured)
	}
	// A word: first a path, then installed documentation, then a Go package.
	s, notThere := r.openPath(location, configured)
	if notThere == nil || fault.Is(notThere, fault.Broken) {
		return s, notThere
	}
	installed := r.installed()
	if i, ok := find(installed, location); ok {
		if i.Kind == "web" {
			return r.openWeb(ctx, i.Location, true)
		}
		return r.openPath(i.Location, true)
	}
	if f, ok := gopkg.Find(location, r.settings.Dir); ok {
		if s, err := r.openGo(f); s != nil || err != nil {
			return s, err
		}
	}
	for _, m := range gopkg.Modules(r.settings.Dir) {
		if m.ImportPath == location {
			return r.openGoModule(m), nil
		}
	}
	paths := r.goPaths()
	if s, err := r.openShort(ctx, location, paths); s != nil || err != nil {
		return s, err
	}
	if fault.Is(notThere, fault.Outside) {
		return nil, notThere
	}
	if _, err := os.Stat(absolute(r.settings.Dir, location)); err == nil {
		return nil, notThere // its message lists the tried places
	}
	return nil, unknown(location, installed, paths)
}

// openShort opens the only import path that ends with a name: http is net/http. It returns nil for none, and Ambiguous for several.
func (r *Reader) openShort(ctx context.Context, name string, all []string) (*openSource, error) {
	paths := slices.DeleteFunc(slices.Clone(all), func(p string) bool { return gopkg.Short(p) != name })
	switch len(paths) {
	case 0:
		return nil, nil
	case 1:
		return r.openLocation(ctx, paths[0], false)
	}
	return nil, fault.New(fault.Ambiguous, "%q is the short name of %s", name, strings.Join(paths, ", ")).For("source").
		With("name one of them")
}

// goPaths are the import paths of the modules that go.mod requires and of the standard library's packages.
func (r *Reader) goPaths() (paths []string) {
	for _, m := range gopkg.Modules(r.settings.Dir) {
		if m.ImportPath != gopkg.Standard {
			paths = append(paths, m.ImportPath)
			continue
		}
		paths = append(paths, m.Packages()...)
	}
	return paths
}

// named reports whether a location can be a name, not only a path.
func named(location string) bool {
	return !filepath.IsAbs(location) && !strings.HasPrefix(location, ".") && !strings.HasPrefix(location, "~")
}

// unknown is the fault for an unknown name; it lists similar ones of installed documentation and of Go packages.
func unknown(name string, installed []Installed, paths []string) error {
	hint := "name a folder, a page, an objects.inv, a Go package that go.mod requires and `go mod download` has fetched, " +
		"or what sdd docs --list shows"
	var objects []inventory.Object
	for _, i := range installed {
		objects = append(objects, inventory.Object{Name: i.Name})
	}
	for _, p := range paths {
		objects = append(objects, inventory.Object{Name: gopkg.Short(p)})
	}
	var near []string
	v := inventory.Of("", "", objects)
	for _, h := range match.Fuzzy(v, name, 60, func(int) bool { return true }) {
		if name := v.Objects[h.Index].Name; len(near) < 5 && !slices.Contains(near, name) {
			near = append(near, name)
		}
	}
	if len(near) > 0 {
		hint = "nearest: " + strings.Join(near, ", ") + "; or " + hint
	}
	return fault.New(fault.NotFound, "there is no documentation called %q, and no such path", shorten(name)).For("source").With(hint)
}

// filePath returns the path of a file:// URL.
func filePath(location string) (string, bool, error) {
	if len(location) < 5 || !strings.EqualFold(location[:5], "file:") {
		return "", false, nil
	}
	u, err := url.Parse(location)
	if err != nil || u.Host != "" && u.Host != "localhost" || u.Path == "" {
		return "", false, fault.New(fault.Invalid, "%q is no address of a file on this machine", shorten(location)).For("source").
			With("write file:///path")
	}
	p := u.Path
	if runtime.GOOS == "windows" {
		p = strings.TrimPrefix(p, "/")
	}
	return filepath.FromSlash(p), true, nil
}

func (r *Reader) openPath(location string, configured bool) (*openSource, error) {
	from := r.settings.Dir
	if r.settings.WorkDir != "" && !configured {
		from = r.settings.WorkDir
	}
	p := absolute(from, location)
	real, err := filepath.EvalSymlinks(p)
	root := r.root(p, real, configured)
	if root == "" && err == nil {
		root = r.listed(real)
	}
	if root == "" {
		return nil, fault.New(fault.Outside, "%q lies outside the folders that may be read", shorten(location)).For("source").
			With("add its folder to docs.roots, or the documentation to docs.sources, in .sdd/config.yaml; allowed are the project, " + systemDocs +
				" and what sdd docs --list shows")
	}
	if err != nil {
		return nil, fault.New(fault.NotFound, "there is no %q", shorten(location)).For("source").
			With("name a folder, a page, an objects.inv, or what sdd docs --list shows")
	}
	st, err := os.Stat(real)
	if err != nil {
		return nil, fault.New(fault.Unavailable, "%q cannot be read: %v", shorten(location), reason(err)).For("source").
			With("check that you may read it")
	}
	var tried []string
	switch {
	case st.IsDir():
		for _, sub := range below {
			dir := filepath.Join(real, filepath.FromSlash(sub))
			if s, err := r.openTree(root, dir, inventoryName); s != nil || err != nil {
				return s, err
			}
			tried = append(tried, sub)
		}
		if s, err := r.openGo(gopkg.Found{Dir: real, ImportPath: filepath.Base(real)}); s != nil || err != nil {
			return s, err
		}
		if s, err := r.openAbove(root, filepath.Dir(real)); s != nil || err != nil {
			return s, err
		}
	case !st.Mode().IsRegular():
		return nil, fault.New(fault.Invalid, "%q is neither a file nor a folder", shorten(location)).For("source").
			With("name a folder, a page or an objects.inv")
	case isPage(real):
		if s, err := r.openAbove(root, filepath.Dir(real)); s != nil || err != nil {
			return s, err
		}
		tried = append(tried, "the folder of the page", fmt.Sprintf("%d folders above it", upwards))
	default:
		return r.openTree(root, filepath.Dir(real), filepath.Base(real))
	}
	return nil, fault.New(fault.NotFound, "there is no documentation in %q: looked for %s, %s and rustdoc's all.html in %s", shorten(location),
		inventoryName, searchIndexName, strings.Join(tried, ", ")).
		For("source").With("build the documentation (sphinx-build, mkdocs build), name the folder that holds its objects.inv, or choose " +
		"from sdd docs --list")
}

func isPage(p string) bool {
	ext := strings.ToLower(filepath.Ext(p))
	return ext == ".html" || ext == ".htm" || ext == ".xhtml"
}

// absolute returns the absolute path of a location that is relative to a folder.
func absolute(from, location string) string {
	p := filepath.FromSlash(location)
	if rest, ok := strings.CutPrefix(p, "~"); ok && (rest == "" || os.IsPathSeparator(rest[0])) {
		if home, err := os.UserHomeDir(); err == nil {
			p = filepath.Join(home, rest)
		}
	}
	if !filepath.IsAbs(p) {
		p = filepath.Join(from, p)
	}
	return filepath.Clean(p)
}

// root returns the permitted folder that contains real, "" for none. A refusal does not reveal whether a path outside exists.
func (r *Reader) root(named, real string, configured bool) string {
	if r.settings.AnyPath || configured {
		return filepath.VolumeName(named) + string(filepath.Separator)
	}
	p := real
	if p == "" { // the path does not exist: the message depends on its name only
		p = named
	}
	for _, dir := range append([]string{r.settings.Dir, systemDocs}, r.settings.Roots...) {
		if dir == "" {
			continue
		}
		dir = absolute(r.settings.Dir, dir)
		if resolved, err := filepath.EvalSymlinks(dir); err == nil {
			dir = resolved
		}
		if holds(dir, p) {
			return dir
		}
	}
	return ""
}

// holds reports whether p is dir or below it.
func holds(dir, p string) bool {
	rel, err := filepath.Rel(dir, p)
	return err == nil && filepath.IsLocal(rel)
}

// listed returns the folder of the documentation in List that contains real, "" for none.
func (r *Reader) listed(real string) string {
	for _, i := range r.installed() {
		if filepath.IsAbs(i.Location) && holds(i.Location, real) {
			return i.Location
		}
	}
	for _, m := range gopkg.Modules(r.settings.Dir) {
		if m.ImportPath != gopkg.Standard && holds(m.Dir, real) {
			return m.Dir
		}
	}
	return ""
}

// openAbove looks for an inventory in dir and above it, within root.
func (r *Reader) openAbove(root, dir string) (*openSource, error) {
	for range upwards + 1 {
		if !holds(root, dir) {
			break
		}
		if s, err := r.openTree(root, dir, inventoryName); s != nil || err != nil {
			return s, err
		}
		dir = filepath.Dir(dir)
	}
	return nil, nil
}

// openTree opens the documentation in dir by its inventory; nil without an error if it has none.
func (r *Reader) openTree(root, dir, name string) (*openSource, error) {
	top, err := os.OpenRoot(root)
	if err != nil {
		return nil, nil
	}
	defer top.Close()
	rel, err := filepath.Rel(root, dir)
	if err != nil {
		return nil, nil
	}
	folder, err := top.OpenRoot(rel)
	if err != nil {
		return nil, nil
	}
	t := localTree{root: folder, dir: dir}
	inv, hash, err := r.inventory(t, name)
	var s *openSource
	switch {
	case err != nil:
	case inv != nil:
		s = &openSource{
			inv: inv, provenance: Provenance{Kind: generator(inv, t), Hash: hash},
			entry: (&htmlPages{r: r, tree: t}).entry,
		}
	default:
		s, err = r.openIndexed(t)
	}
	if err != nil || s == nil {
		folder.Close()
		return nil, err
	}
	s.provenance.Base = folderURL(dir)
	s.close = func() { folder.Close() }
	s.paged = true
	s.passages = func(ctx context.Context) (*prose.Index, error) { return r.passagesOf(ctx, t) }
	return s, nil
}

// inventory returns the inventory of a tree, from the reader's memory if it is unchanged; nil if there is none.
func (r *Reader) inventory(t tree, name string) (*inventory.Inventory, string, error) {
	stamp, err := t.stamp(name)
	if errNotThere(err) {
		return nil, "", nil
	}
	shown := t.shown(name)
	if err != nil {
		return nil, "", sourceFault(shown, fault.Unavailable, "cannot be read: %v", reason(err))
	}
	return r.keep(t, name, stamp, func() (*inventory.Inventory, string, error) {
		f, err := t.read(name, inventory.MaxFile)
		switch {
		case errors.Is(err, errFolder):
			return nil, "", nil
		case errors.Is(err, errTooLarge):
			return nil, "", sourceFault(shown, fault.Broken, "is too large: at most %d MiB are read", inventory.MaxFile>>20)
		case err != nil:
			return nil, "", sourceFault(shown, fault.Unavailable, "cannot be read: %v", reason(err))
		}
		inv, err := inventory.Parse(f.data)
		if err != nil {
			f := fault.Of(err)
			f.Arg, f.Message = "source", shown+": "+f.Message
			return nil, "", f
		}
		return inv, hashOf(f.data), nil
	})
}

func sourceFault(shown string, code fault.Code, format string, args ...any) error {
	return fault.New(code, "%s %s", shown, fmt.Sprintf(format, args...)).For("source").
		With("build or install the documentation again, or choose from sdd docs --list")
}

// reason is an error without the path in it.
func reason(err error) error {
	if pe, ok := errors.AsType[*fs.PathError](err); ok {
		return pe.Err
	}
	return err
}

// generator returns the kind of a documentation.
func generator(inv *inventory.Inventory, t localTree) string {
	for _, mark := range []struct{ file, kind string }{{"apidocs.css", "pydoctor"}, {"search/search_index.json", "mkdocs"}} {
		if _, err := t.stat(mark.file); err == nil {
			return mark.kind
		}
	}
	return kindOf(inv)
}

// kindOf derives the kind from the inventory: mkdocstrings abbreviates roles.
func kindOf(inv *inventory.Inventory) string {
	if slices.ContainsFunc(inv.Counts(), func(c inventory.Count) bool { return c.Role == "attr" }) {
		return "mkdocs"
	}
	return "sphinx"
}
