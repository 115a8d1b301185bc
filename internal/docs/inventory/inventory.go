// Package inventory reads the objects.inv of Sphinx, MkDocs and pydoctor: the list of a documentation's objects and their addresses.
package inventory

import (
	"cmp"
	"hash/maphash"
	"slices"
	"strings"
	"unicode/utf8"
)

// Object is one entry of an inventory. Name, Domain, Role and the strings of URI and Display are valid UTF-8 without line breaks.
type Object struct {
	Name, Domain, Role string
	Priority           int
	URI                string // relative to the inventory's folder, never abbreviated; "" is the folder's page
	Display            string // "" when it is the name
}

// Kind returns the object's domain and role.
func (o Object) Kind() Kind { return Kind{o.Domain, o.Role} }

// Kind is a domain and a role within it, such as py and method.
type Kind struct{ Domain, Role string }

// Inventory is a parsed objects.inv. It is immutable; several goroutines may read it.
type Inventory struct {
	Project, Version string
	Format           int      // 1 or 2
	Skipped          int      // lines that are no entries
	Objects          []Object // in the order of the file
}

// Count is the number of objects of a kind.
type Count struct {
	Kind
	Objects int
}

// Counts returns the number of objects of each kind, the most frequent first.
func (v *Inventory) Counts() []Count {
	counts := map[Kind]int{}
	for _, o := range v.Objects {
		counts[o.Kind()]++
	}
	var out []Count
	for k, n := range counts {
		out = append(out, Count{k, n})
	}
	slices.SortFunc(out, func(a, b Count) int {
		return cmp.Or(cmp.Compare(b.Objects, a.Objects), cmp.Compare(a.Domain, b.Domain), cmp.Compare(a.Role, b.Role))
	})
	return out
}

// Of makes an inventory of the objects of other generators' indexes.
func Of(project, version string, objects []Object) *Inventory {
	b := newBuilder(&Inventory{Project: project, Version: version})
	for _, o := range objects {
		b.add(o)
	}
	return b.v
}

// builder adds objects to an inventory.
type builder struct {
	v    *Inventory
	seed maphash.Seed
	seen map[uint64]bool // hashes of kind, name and address
}

func newBuilder(v *Inventory) *builder { return &builder{v, maphash.MakeSeed(), map[uint64]bool{}} }

// add adds o unless an earlier object has the same kind, name and address. It counts one that is too long for a line as skipped.
func (b *builder) add(o Object) {
	if o.Display == o.Name {
		o.Display = ""
	}
	valid := utf8.ValidString(o.Name) && utf8.ValidString(o.URI) && utf8.ValidString(o.Display)
	if !valid || len(o.Name)+len(o.URI)+len(o.Display) > MaxLine || len(b.v.Objects) >= MaxLines {
		b.v.Skipped++
		return
	}
	if stem, ok := strings.CutSuffix(o.URI, "$"); ok { // it stands for the name
		o.URI = stem + o.Name
	}
	if sum := maphash.Comparable(b.seed, [...]string{o.Domain, o.Role, o.Name, o.URI}); !b.seen[sum] {
		b.seen[sum] = true
		b.v.Objects = append(b.v.Objects, o)
	}
}
