// Package inventory reads the objects.inv of Sphinx, MkDocs and pydoctor: the list of a
// documentation's objects and their addresses.
package inventory

import (
	"cmp"
	"hash/maphash"
	"slices"
	"strings"
	"unicode/utf8"
)

// Object is one entry of an inventory. Name, Domain, Role and the strings of URI and Display are
// valid UTF-8 without line breaks.
type Object struct {
	Name, Domain, Role string
	Priority           int
	URI                string // relative to the inventory's folder, never abbreviated; "" is the folder's page
	Display            string // "" when it is the name
}

// Kind is a domain and a role within it, such as py and method.
type Kind struct{ Domain, Role string }

// Inventory is a parsed objects.inv. It is immutable; several goroutines may read it.
type Inventory struct {
	Project, Version string
	Format           int // 1 or 2
	Skipped          int // lines that are no entries

	objects []Object // their addresses may end with $, which stands for the name
}

// Len returns the number of objects.
func (v *Inventory) Len() int { return len(v.objects) }

// Name returns the name of object i.
func (v *Inventory) Name(i int) string { return v.objects[i].Name }

// Kind returns the domain and role of object i.
func (v *Inventory) Kind(i int) Kind { return Kind{v.objects[i].Domain, v.objects[i].Role} }

// Priority returns the priority of object i.
func (v *Inventory) Priority(i int) int { return v.objects[i].Priority }

// Display returns the display name of object i, "" if it is its name.
func (v *Inventory) Display(i int) string { return v.objects[i].Display }

// Object returns object i, in the order of the file.
func (v *Inventory) Object(i int) Object {
	o := v.objects[i]
	if stem, ok := strings.CutSuffix(o.URI, "$"); ok {
		o.URI = stem + o.Name
	}
	return o
}

// Count is the number of objects of a kind.
type Count struct {
	Kind
	Objects int
}

// Counts returns the number of objects of each kind, the most frequent first.
func (v *Inventory) Counts() []Count {
	counts := map[Kind]int{}
	for i := range v.objects {
		counts[v.Kind(i)]++
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
	if !valid || len(o.Name)+len(o.URI)+len(o.Display) > MaxLine || len(b.v.objects) >= MaxLines {
		b.v.Skipped++
		return
	}
	var h maphash.Hash
	h.SetSeed(b.seed)
	stem, named := strings.CutSuffix(o.URI, "$")
	for _, s := range []string{o.Domain, "\n", o.Role, "\n", o.Name, "\n", stem} {
		h.WriteString(s)
	}
	if named {
		h.WriteString(o.Name)
	}
	if sum := h.Sum64(); !b.seen[sum] {
		b.seen[sum] = true
		b.v.objects = append(b.v.objects, o)
	}
}
