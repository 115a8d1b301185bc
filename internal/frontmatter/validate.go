package frontmatter

import (
	"sdd/internal/fault"
)

// maxExpanded limits the bytes of a block with its aliases replaced by their values.
const maxExpanded = 4 << 20

// validate refuses YAML that JSON cannot represent or that needs too much memory: keys that are
// lists, duplicate keys, and aliases that contain themselves or multiply.
func (d *Doc) validate(root *node) error {
	v := validator{doc: d, sizes: map[*node]expanded{}}
	aliases := false
	for n := range root.all() {
		aliases = aliases || n.kind == kindAlias
		if err := v.unique(n); err != nil {
			return err
		}
	}
	if !aliases {
		return nil
	}
	size, err := v.expand(root)
	if err == nil && (size.bytes > maxExpanded || size.depth > maxDepth) {
		err = v.broken(root, "the aliases in the front matter multiply beyond reason",
			"write the values out")
	}
	return err
}

type validator struct {
	doc   *Doc
	sizes map[*node]expanded // of anchored nodes; depth -1 while under way
}

type expanded struct{ bytes, depth int }

func (v *validator) broken(n *node, message, hint string) error {
	return fault.New(fault.Broken, "%s", message).
		With(hint+"; until then nothing is written to this file").At("", n.line)
}

func (v *validator) unique(table *node) error {
	seen := make(map[string]*node, len(table.items)/2)
	for key := range table.pairs() {
		if key.deref().kind != kindScalar {
			return v.broken(key, "a list or map stands as a key in the front matter", "use plain text as the key")
		}
		name := key.deref().text
		if first := seen[name]; first != nil {
			return fault.New(fault.Broken, "the key %q stands twice, on lines %d and %d", name,
				first.line, key.line).
				With("remove one of the two lines").At("", key.line)
		}
		seen[name] = key
	}
	return nil
}

func (v *validator) expand(n *node) (expanded, error) {
	if n.kind == kindAlias {
		size, known := v.sizes[n.target]
		if known && size.depth >= 0 {
			return size, nil
		}
		if known {
			return size, v.broken(n, "an alias in the front matter contains itself", "write the value out")
		}
		return v.expand(n.target)
	}
	if size, known := v.sizes[n]; known && size.depth >= 0 {
		return size, nil
	}
	if n.anchor != "" {
		v.sizes[n] = expanded{depth: -1}
	}
	size := expanded{bytes: 16 + len(n.text)}
	for i := range n.items {
		part, err := v.expand(&n.items[i])
		if err != nil {
			return size, err
		}
		size.bytes = min(size.bytes+part.bytes, 2*maxExpanded)
		size.depth = max(size.depth, part.depth+1)
	}
	if n.anchor != "" {
		v.sizes[n] = size
	}
	return size, nil
}
