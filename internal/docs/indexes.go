package docs

import (
	"cmp"
	"encoding/json"
	"html"
	"path"
	"slices"
	"strings"
	"sync"

	"sdd/internal/docs/inventory"
	"sdd/internal/fault"
)

// For documentation without an objects.inv, the reader uses the index that its generator makes for the search in the browser.

const (
	searchIndexName = "search/search_index.json" // MkDocs
	maxSearchIndex  = 64 << 20
	maxOwners       = 6 // types whose members are listed for a query
)

// openIndexed opens a tree of MkDocs or rustdoc without an inventory. It returns nil without an error for other trees.
func (r *Reader) openIndexed(t localTree) (*openSource, error) {
	pages := &htmlPages{r: r, tree: t}
	if inv, hash, err := r.searchIndex(t); inv != nil || err != nil {
		return &openSource{inv: inv, entry: pages.entry, provenance: Provenance{Kind: "mkdocs", Hash: hash}}, err
	}
	inv, err := r.crates(t, pages)
	if inv == nil || err != nil {
		return nil, err
	}
	s := &openSource{inv: inv, entry: pages.entry, provenance: Provenance{Kind: "rustdoc"}}
	s.expand = func(query string) { s.inv = withMembers(inv, pages, query) }
	return s, nil
}

// keep returns the result of make, or its earlier result if the file has not changed since.
func (r *Reader) keep(t tree, name, stamp string, make func() (*inventory.Inventory, string, error)) (*inventory.Inventory, string, error) {
	key := t.key() + "\x00" + name
	if k, ok := r.inventories.get(key, stamp); ok {
		return k.inv, k.hash, nil
	}
	inv, hash, err := make()
	if err != nil || inv == nil {
		return nil, "", err
	}
	r.inventories.put(key, stamp, keptInventory{inv, hash}, 1)
	return inv, hash, nil
}

// searchIndex lists the pages and sections of a MkDocs site; nil without an index.
func (r *Reader) searchIndex(t tree) (*inventory.Inventory, string, error) {
	stamp, err := t.stamp(searchIndexName)
	if err != nil {
		return nil, "", nil
	}
	return r.keep(t, searchIndexName, stamp, func() (*inventory.Inventory, string, error) {
		shown := t.shown(searchIndexName)
		f, err := t.read(searchIndexName, maxSearchIndex)
		if err != nil {
			return nil, "", sourceFault(shown, fault.Unavailable, "cannot be read: %v", reason(err))
		}
		var index struct {
			Docs []struct{ Location, Title string }
		}
		if err := json.Unmarshal(f.data, &index); err != nil {
			return nil, "", sourceFault(shown, fault.Broken, "is no search index: %v", err)
		}
		var objects []inventory.Object
		project := ""
		for _, d := range index.Docs {
			o := inventory.Object{Name: oneLine(html.UnescapeString(d.Title)), Domain: "mkdocs", Role: "page", URI: d.Location}
			if strings.Contains(d.Location, "#") {
				o.Role = "section"
			} else if d.Location == "" || d.Location == "." || d.Location == "index.html" {
				project = o.Name
			}
			if o.URI == "." {
				o.URI = ""
			}
			if o.Name != "" {
				objects = append(objects, o)
			}
		}
		return inventory.Of(project, "", objects), hashOf(f.data), nil
	})
}

// rustRoles are the kinds of rustdoc's items, by the prefix of their file name.
var rustRoles = sync.OnceValue(func() map[string]string {
	return map[string]string{
		"struct": "struct", "enum": "enum", "trait": "trait", "fn": "fn", "macro": "macro", "type": "type",
		"constant": "constant", "static": "static", "union": "union", "primitive": "primitive", "keyword": "keyword",
		"attr": "attr", "derive": "derive", "traitalias": "trait", "opaque": "type",
	}
})

// crates lists the items of the crates that rustdoc has documented in a folder; nil if there are none.
func (r *Reader) crates(t localTree, pages *htmlPages) (*inventory.Inventory, error) {
	stamp := ""
	var crates []string
	for _, name := range cratesIn(t.dir) {
		if s, err := t.stamp(name + "/all.html"); err == nil {
			crates = append(crates, name)
			stamp += name + " " + s + "\n"
		}
	}
	if len(crates) == 0 {
		return nil, nil
	}
	inv, _, err := r.keep(t, "all.html", stamp, func() (*inventory.Inventory, string, error) {
		var objects []inventory.Object
		for _, crate := range crates {
			k, _, fail := pages.page(crate + "/all.html")
			if fail != nil {
				continue
			}
			objects = append(objects, inventory.Object{Name: crate, Domain: "rust", Role: "mod", Priority: 1, URI: crate + "/index.html"})
			modules := map[string]bool{".": true}
			for _, l := range k.page.Links("main-content") {
				file := path.Clean(l.Href)
				kind, _, _ := strings.Cut(path.Base(file), ".")
				role, ok := rustRoles()[kind]
				if !ok || strings.Contains(l.Href, "#") || strings.HasPrefix(file, "..") || strings.ContainsAny(file, ":?") ||
					strings.HasPrefix(file, "/") {
					continue
				}
				objects = append(objects, inventory.Object{Name: crate + "::" + l.Text, Domain: "rust", Role: role, Priority: 1,
					URI: crate + "/" + file})
				for dir := path.Dir(file); !modules[dir]; dir = path.Dir(dir) {
					modules[dir] = true
					objects = append(objects, inventory.Object{
						Name: crate + "::" + strings.ReplaceAll(dir, "/", "::"), Domain: "rust", Role: "mod", Priority: 1,
						URI: crate + "/" + dir + "/index.html",
					})
				}
			}
		}
		project, version := headOf(t.dir, "rustdoc")
		return inventory.Of(cmp.Or(project, crates[0]), version, objects), "", nil
	})
	return inv, err
}

// rustMembers are the kinds of members on a type's page, by the prefix of the anchor.
var rustMembers = sync.OnceValue(func() map[string]string {
	return map[string]string{
		"method": "method", "tymethod": "method", "variant": "variant", "structfield": "field", "associatedtype": "type",
		"associatedconstant": "constant",
	}
})

// withMembers adds the members of the types that the query names, which rustdoc lists only in the pages: Vec::push adds Vec's.
func withMembers(inv *inventory.Inventory, pages *htmlPages, query string) *inventory.Inventory {
	words := strings.FieldsFunc(query, func(c rune) bool { return strings.ContainsRune(":.() `#", c) })
	if len(words) < 2 {
		return inv
	}
	var owners []inventory.Object
	all := slices.Clone(inv.Objects)
	for _, o := range inv.Objects {
		last := o.Name[strings.LastIndexByte(o.Name, ':')+1:]
		owner := slices.Contains([]string{"struct", "enum", "trait", "union", "primitive"}, o.Role)
		if owner && strings.EqualFold(last, words[len(words)-2]) {
			owners = append(owners, o)
		}
	}
	slices.SortStableFunc(owners, func(a, b inventory.Object) int {
		return cmp.Or(cmp.Compare(len(a.Name), len(b.Name)), cmp.Compare(b.Name, a.Name))
	})
	for _, o := range owners[:min(len(owners), maxOwners)] {
		k, _, fail := pages.page(o.URI)
		if fail != nil {
			continue
		}
		for _, id := range k.page.Anchors() {
			kind, name, _ := strings.Cut(id, ".")
			if role, ok := rustMembers()[kind]; ok && name != "" {
				all = append(all, inventory.Object{Name: o.Name + "::" + name, Domain: "rust", Role: role, Priority: 1, URI: o.URI + "#" + id})
			}
		}
	}
	return inventory.Of(inv.Project, inv.Version, all)
}
