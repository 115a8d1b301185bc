package merge

import (
	"bytes"
	"slices"

	"sdd/internal/record"
)

var newline = []byte("\n")

// marked is a text with conflict markers, taken apart.
type marked struct {
	common [][]byte // the text around the blocks: one more than there are blocks
	blocks []record.Block
}

// split takes the unresolved conflicts of src apart. A block inside a code fence documents conflicts and is text.
func split(src []byte) marked { return cut(src, record.Unresolved(src)) }

// splitUnmerged is split for a file that git has in conflict: there a block inside a fence is text only when a merged version has it.
func splitUnmerged(src []byte, v Versions) marked {
	open := record.Unresolved(src)
	return cut(src, slices.DeleteFunc(record.Blocks(src), func(b record.Block) bool {
		text := src[b.At[0]:b.At[1]]
		return !slices.ContainsFunc(open, func(o record.Block) bool { return o.Line == b.Line }) &&
			(bytes.Contains(v.Base, text) || bytes.Contains(v.Ours, text) || bytes.Contains(v.Theirs, text))
	}))
}

// cut splits src at blocks.
func cut(src []byte, blocks []record.Block) marked {
	m := marked{blocks: blocks}
	from := 0
	for _, b := range blocks {
		m.common = append(m.common, src[from:b.At[0]])
		from = b.At[1]
	}
	m.common = append(m.common, src[from:])
	return m
}

// labels returns the labels of the first block, and the length of its markers.
func (m marked) labels() Labels {
	b := m.blocks[0]
	return Labels{Ours: b.Labels.Ours, Base: b.Labels.Base, Theirs: b.Labels.Theirs, MarkerSize: b.Size}
}

// sides returns the versions between the markers, each with the text around them. Base is right only when all blocks have one.
func (m marked) sides() Versions {
	return Versions{
		Base:   m.with(func(b record.Block) string { return b.Base }),
		Ours:   m.with(func(b record.Block) string { return b.Ours }),
		Theirs: m.with(func(b record.Block) string { return b.Theirs }),
	}
}

func (m marked) with(part func(record.Block) string) []byte {
	var out []byte
	for i, text := range m.common {
		out = append(out, text...)
		if i < len(m.blocks) {
			out = append(out, part(m.blocks[i])...)
		}
	}
	return out
}

// complete reports whether every block shows its base.
func (m marked) complete() bool {
	return !slices.ContainsFunc(m.blocks, func(b record.Block) bool { return !b.HasBase })
}
