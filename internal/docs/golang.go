package docs

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"sdd/internal/docs/gopkg"
	"sdd/internal/docs/inventory"
	"sdd/internal/docs/page"
	"sdd/internal/docs/prose"
	"sdd/internal/fault"
)

// goEntry reads an object from the source of a Go package.
func goEntry(pkg *gopkg.Package, o inventory.Object) (entry, *failure) {
	i, ok := pkg.Item(o.Name)
	if !ok {
		return entry{}, failed(AnchorNotFound, "the package does not export %q", o.Name)
	}
	to := fileURL(i.File)
	to.Fragment = fmt.Sprintf("L%d", i.Line)
	return entry{Entry: page.Entry{Signature: i.Signature, Description: i.Description, Members: i.Members}, url: to.String()}, nil
}

// openGo opens a Go package on this machine; nil without an error if there is none.
func (r *Reader) openGo(f gopkg.Found) (*openSource, error) {
	stamp, err := gopkg.Stamp(f.Dir)
	if errors.Is(err, gopkg.ErrNoPackage) {
		return nil, nil
	} else if err != nil {
		return nil, sourceFault(f.ImportPath, fault.Unavailable, "cannot be read: %v", reason(err))
	}
	pkg, ok := r.packages.get(f.Dir, stamp)
	if !ok {
		pkg, err = gopkg.Read(f.Dir, f.ImportPath, f.Version)
		if errors.Is(err, gopkg.ErrNoPackage) {
			return nil, nil
		} else if err != nil {
			return nil, sourceFault(f.ImportPath, fault.Broken, "cannot be read: %v", reason(err))
		}
		r.packages.put(f.Dir, stamp, pkg, 1)
	}
	read := func(o inventory.Object) (entry, *failure) { return goEntry(pkg, o) }
	return &openSource{
		inv: pkg.Inventory, entry: read, close: func() {},
		provenance: Provenance{Kind: "go", Base: folderURL(f.Dir)},
		passages: func(context.Context) (*prose.Index, error) {
			return passagesOfObjects(pkg.Inventory, read), nil
		},
	}, nil
}

// openGoModule opens a module as its list of packages, for a module without a package at its root.
func (r *Reader) openGoModule(m gopkg.Found) *openSource {
	var objects []inventory.Object
	for _, path := range m.Packages() {
		objects = append(objects, inventory.Object{Name: path, Domain: "go", Role: "package", Priority: 1, URI: path})
	}
	return &openSource{
		inv: inventory.Of(m.ImportPath, m.Version, objects), close: func() {},
		provenance: Provenance{Kind: "go", Base: folderURL(m.Dir)},
		entry: func(o inventory.Object) (entry, *failure) {
			rest := strings.TrimPrefix(strings.TrimPrefix(o.Name, m.ImportPath), "/")
			s, err := r.openGo(gopkg.Found{Dir: filepath.Join(m.Dir, filepath.FromSlash(rest)), ImportPath: o.Name, Version: m.Version})
			if s == nil || err != nil {
				return entry{}, failed(FetchFailed, "the package cannot be read")
			}
			return s.entry(o)
		},
	}
}
