package jsonc

import (
	"bytes"
	"fmt"
	"slices"

	"github.com/tailscale/hujson"
)

// list returns the list at a path; a is nil when nothing is there.
func list(src []byte, path []string) (d *document, a *hujson.Array, err error) {
	d, err = parse(src, path...)
	if err != nil || !d.has(path) {
		return d, nil, err
	}
	v := &d.object.Members[d.member].Value
	a, ok := v.Value.(*hujson.Array)
	if !ok {
		return nil, nil, d.failAt(v.StartOffset, "\""+path[len(path)-1]+"\" is not a list")
	}
	return d, a, nil
}

// Prepend returns the text with one more value at the start of the list at a path, which it creates when it is missing.
func Prepend(src []byte, value any, path ...string) ([]byte, error) {
	d, a, err := list(src, path)
	if err != nil {
		return nil, err
	}
	if a == nil {
		return Set(src, []any{value}, path...)
	}
	st := d.style()
	indent, _ := d.indentOf(d.object.Members[d.member].Name.StartOffset)
	own := indent + st.unit
	if len(a.Elements) > 0 {
		if first, alone := d.indentOf(a.Elements[0].StartOffset); alone {
			own = first
		} else {
			st.flat = true
		}
	}
	added := hujson.Value{Value: hujson.Literal(st.render(value, own))}
	switch {
	case st.flat && len(a.Elements) > 0:
		a.Elements[0].BeforeExtra = slices.Concat([]byte(" "), a.Elements[0].BeforeExtra)
	case !st.flat:
		added.BeforeExtra = []byte(st.newline + own)
		if len(a.Elements) == 0 && !bytes.Contains(a.AfterExtra, []byte("\n")) {
			a.AfterExtra = slices.Concat([]byte(st.newline+indent), a.AfterExtra)
		}
	}
	a.Elements = slices.Insert(a.Elements, 0, added)
	return d.pack()
}

// Drop returns the text without the element of that index of the list at a path. The other elements and the comments stay.
func Drop(src []byte, index int, path ...string) ([]byte, error) {
	d, a, err := list(src, path)
	if err != nil {
		return nil, err
	}
	if a == nil || index >= len(a.Elements) {
		return nil, fmt.Errorf("the list has no element %d", index)
	}
	o := &hujson.Object{AfterExtra: a.AfterExtra} // of members without names, for cut
	for _, e := range a.Elements {
		o.Members = append(o.Members, hujson.ObjectMember{Name: hujson.Value{BeforeExtra: e.BeforeExtra}, Value: e})
	}
	(&document{object: o, member: index}).cut()
	a.Elements, a.AfterExtra = nil, o.AfterExtra
	for _, m := range o.Members {
		m.Value.BeforeExtra = m.Name.BeforeExtra
		a.Elements = append(a.Elements, m.Value)
	}
	return d.pack()
}
