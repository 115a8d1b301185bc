package frontmatter

import (
	"sdd/internal/fault"
)

// maxExpanded limits the bytes of a block with its aliases replaced by their values.
const maxExpanded = 4 << 20

// validate refuses what JSON cannot represent or needs too much memory: lists as keys, duplicate keys, aliases that multiply.
func validate(root *node) error {
	aliases := false
	for _, n := range root.all() {
		aliases = aliases || n.kind == kindAlias
		if err := n.uniqueKeys(); err != nil {
			return err
		}
	}
	if !aliases {
		return nil
	}
	room, open := maxExpanded, map[*node]bool{} // open are the anchored nodes around the visited one
	var expand func(n *node, depth int) error
	expand = func(n *node, depth int) error {
		if n.kind == kindAlias {
			if open[n.target] {
				return broken(n, "an alias in the front matter contains itself", "write the value out")
			}
			return expand(n.target, depth)
		}
		if room -= 16 + len(n.text); room < 0 || depth > maxDepth {
			return broken(root, "the aliases in the front matter multiply beyond reason", "write the values out")
		}
		open[n] = true
		defer delete(open, n)
		for i := range n.items {
			if err := expand(&n.items[i], depth+1); err != nil {
				return err
			}
		}
		return nil
	}
	return expand(root, 0)
}

func broken(n *node, message, hint string) error {
	return fault.New(fault.Broken, "%s", message).With(hint+"; until then nothing is written to this file").At("", n.line)
}

func (n *node) uniqueKeys() error {
	seen := make(map[string]*node, len(n.items)/2)
	for key := range n.pairs() {
		if key.deref().kind != kindScalar {
			return broken(key, "a list or map stands as a key in the front matter", "use plain text as the key")
		}
		name := key.deref().text
		if first := seen[name]; first != nil {
			return fault.New(fault.Broken, "the key %q stands twice, on lines %d and %d", name, first.line, key.line).
				With("remove one of the two lines").At("", key.line)
		}
		seen[name] = key
	}
	return nil
}
