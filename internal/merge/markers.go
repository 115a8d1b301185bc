package merge

import (
	"bytes"
	"slices"

	"sdd/internal/record"
)

const defaultSize = 7 // of a conflict marker, in characters

var newline = []byte("\n")

// marked is a text with conflict markers, taken apart.
type marked struct {
	common [][]byte // the text around the blocks: one more than there are blocks
	blocks []block
}

// block is one conflict. The texts are whole lines.
type block struct {
	line               int // of its opening marker
	size               int
	ours, base, theirs []byte
	hasBase            bool
	labels             Labels
	at                 [2]int // its bytes
	marks              []int  // where its marker lines begin
}

// split takes the unresolved conflicts of src apart. A block inside a code fence documents conflicts and is text.
func split(src []byte) marked {
	return cut(src, func(all []block, i int) bool { return unresolved(src, all, i) })
}

// splitUnmerged is split for a file that git has in conflict: there a block inside a fence is text only when a merged
// version has it.
func splitUnmerged(src []byte, v Versions) marked {
	return cut(src, func(all []block, i int) bool {
		text := src[all[i].at[0]:all[i].at[1]]
		return unresolved(src, all, i) || !bytes.Contains(v.Base, text) && !bytes.Contains(v.Ours, text) && !bytes.Contains(v.Theirs, text)
	})
}

// cut splits src at the blocks for which counts is true.
func cut(src []byte, counts func(all []block, i int) bool) marked {
	all := blocksOf(src)
	var m marked
	from := 0
	for i, b := range all {
		if !counts(all, i) {
			continue
		}
		m.common = append(m.common, src[from:b.at[0]])
		m.blocks = append(m.blocks, b)
		from = b.at[1]
	}
	m.common = append(m.common, src[from:])
	return m
}

// blocksOf reads `<<<<<<<`, perhaps `|||||||`, `=======` and `>>>>>>>` at the start of lines, of one length.
func blocksOf(src []byte) []block {
	if !bytes.Contains(src, []byte("<<<<<<<")) {
		return nil
	}
	var all []block
	var b block
	const (
		outside = iota
		inOurs
		inBase
		inTheirs
	)
	where, text := outside, 0
	for at, n := 0, 1; at < len(src); n++ {
		line := firstLine(src[at:])
		end := at + len(line)
		c, length := marker(line)
		label := bytes.TrimSpace(line[length:])
		switch {
		case c == '<' && (where == outside || where == inOurs && length == b.size):
			b = block{line: n, size: length, at: [2]int{at}, labels: Labels{Ours: string(label), MarkerSize: length}}
			where = inOurs
		case where == outside || c == 0 || length != b.size:
			at = end
			continue
		case c == '|' && where == inOurs:
			b.ours, b.hasBase, b.labels.Base = src[text:at], true, string(label)
			where = inBase
		case c == '=' && where == inOurs:
			b.ours = src[text:at]
			where = inTheirs
		case c == '=' && where == inBase:
			b.base = src[text:at]
			where = inTheirs
		case c == '>' && where == inTheirs:
			b.theirs, b.labels.Theirs, b.at[1] = src[text:at], string(label), end
			where = outside
		default:
			at = end
			continue
		}
		if b.marks = append(b.marks, at); where == outside {
			all = append(all, b)
		}
		at, text = end, end
	}
	return all
}

// mostBlocks is how many blocks are checked one by one; of more, each counts as unresolved when any is.
const mostBlocks = 100

// unresolved reports whether record finds a conflict in src with the markers of all blocks but the i-th blanked.
func unresolved(src []byte, all []block, i int) bool {
	if len(all) > 1 && len(all) <= mostBlocks {
		src = bytes.Clone(src)
		for j, b := range all {
			if j == i {
				continue
			}
			for _, at := range b.marks {
				for k := range bytes.TrimRight(firstLine(src[at:]), "\r\n") {
					src[at+k] = ' '
				}
			}
		}
	}
	return record.ConflictMarkers(src) > 0
}

// marker returns the character and length of the marker in a line, 0 when it has none. The line starts with seven or
// more of the character; a label may follow after a space, but not after `=`.
func marker(line []byte) (c byte, length int) {
	if len(line) < defaultSize || bytes.IndexByte([]byte("<|=>"), line[0]) < 0 {
		return 0, 0
	}
	c = line[0]
	length = len(line) - len(bytes.TrimLeft(line, string(c)))
	rest := bytes.TrimRight(line[length:], "\r\n")
	if length < defaultSize || len(rest) > 0 && rest[0] != ' ' || c == '=' && len(bytes.TrimSpace(rest)) > 0 {
		return 0, 0
	}
	return c, length
}

// sides returns the versions between the markers, each with the text around them. Base is right only when all blocks
// have one.
func (m marked) sides() Versions {
	return Versions{
		Base:   m.with(func(b block) []byte { return b.base }),
		Ours:   m.with(func(b block) []byte { return b.ours }),
		Theirs: m.with(func(b block) []byte { return b.theirs }),
	}
}

func (m marked) with(part func(block) []byte) []byte {
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
	return !slices.ContainsFunc(m.blocks, func(b block) bool { return !b.hasBase })
}

// firstLine returns the first line of src with its end.
func firstLine(src []byte) []byte {
	if i := bytes.IndexByte(src, '\n'); i >= 0 {
		return src[:i+1]
	}
	return src
}

func lineEnd(line []byte) string {
	if bytes.HasSuffix(line, []byte("\r\n")) {
		return "\r\n"
	}
	return "\n"
}
