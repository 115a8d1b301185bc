// Package inventory reads the objects.inv of Sphinx, MkDocs and pydoctor: the list of a
// documentation's objects and their addresses.
package inventory

import (
	"cmp"
	"slices"
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

	kinds   []Kind
	entries []entry
}

// entry is an object as offsets into its line, which saves memory: a hostile inventory has a
// million of them.
type entry struct {
	line                       string
	nameEnd, uri, uriEnd, disp uint16 // disp is the line's length where the name is displayed
	kind                       uint32
	priority                   int32
}

// Len returns the number of objects.
func (v *Inventory) Len() int { return len(v.entries) }

// Name returns the name of object i.
func (v *Inventory) Name(i int) string { return v.entries[i].name() }

// Kind returns the domain and role of object i.
func (v *Inventory) Kind(i int) Kind { return v.kinds[v.entries[i].kind] }

// Priority returns the priority of object i.
func (v *Inventory) Priority(i int) int { return int(v.entries[i].priority) }

// Display returns the display name of object i, "" if it is its name.
func (v *Inventory) Display(i int) string { return v.entries[i].line[v.entries[i].disp:] }

// Object returns object i, in the order of the file.
func (v *Inventory) Object(i int) Object {
	e := &v.entries[i]
	k := v.kinds[e.kind]
	return Object{Name: e.name(), Domain: k.Domain, Role: k.Role, Priority: int(e.priority), URI: e.address(), Display: v.Display(i)}
}

// Count is the number of objects of a kind.
type Count struct {
	Kind
	Objects int
}

// Counts returns the number of objects of each kind, the most frequent first.
func (v *Inventory) Counts() []Count {
	out := make([]Count, len(v.kinds))
	for i, k := range v.kinds {
		out[i].Kind = k
	}
	for i := range v.entries {
		out[v.entries[i].kind].Objects++
	}
	slices.SortFunc(out, func(a, b Count) int {
		return cmp.Or(cmp.Compare(b.Objects, a.Objects), cmp.Compare(a.Domain, b.Domain), cmp.Compare(a.Role, b.Role))
	})
	return out
}

func (e *entry) name() string { return e.line[:e.nameEnd] }

// stem is the address as written, and whether the name completes it.
func (e *entry) stem() (uri string, named bool) {
	uri = e.line[e.uri:e.uriEnd]
	if n := len(uri) - 1; n >= 0 && uri[n] == '$' {
		return uri[:n], true
	}
	return uri, false
}

func (e *entry) address() string {
	uri, named := e.stem()
	if named {
		return uri + e.name()
	}
	return uri
}

// Of makes an inventory of the objects of other generators' indexes.
func Of(project, version string, objects []Object) *Inventory {
	b := builder{v: &Inventory{Project: project, Version: version}}
	for _, o := range objects {
		b.add(o)
	}
	return b.v
}
