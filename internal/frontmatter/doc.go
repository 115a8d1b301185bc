// Package frontmatter reads the YAML block at the head of a record, changes one key without touching any other byte, and merges three
// versions of the block. It is the only importer of YAML.
//
// Front matter lies between two lines `---` at column 0; spaces and tabs may follow the dashes. The first is the very first line of the
// file, after an optional byte order mark. A line `...`, TOML between `+++` and a JSON object are not front matter.
package frontmatter

import (
	"bytes"

	"sdd/internal/fault"
	"sdd/internal/lines"
)

// maxBlock is the largest block, in bytes, that Parse reads. A larger block is Broken.
const maxBlock = 256 << 10

// Span is a half-open range of byte offsets.
type Span struct{ Start, End int }

// Key is one top-level key of the block.
type Key struct {
	Name string
	Line int  // 1-based, in the file
	Span Span // its whole lines and those of its value, with line ends and indented comments below
}

// Doc is a file whose front matter has been read. Offsets are absolute in Src.
type Doc struct {
	Src     []byte
	BOM     bool
	Present bool   // there is a block, even if it is empty or broken
	YAML    Span   // the text between the two delimiter lines
	Body    int    // where the body starts: after the closing line, else after the byte order mark
	Newline string // the end of the opening line; without a block, that of most lines of the file
	Keys    []Key  // in the order of the file; empty if the block is broken

	root node
}

// Parse reads the front matter of src, which must not change afterwards. The fault is Broken, with the line: YAML that is no mapping,
// duplicate keys, nesting or aliases beyond reason, a block that is never closed. Even then Present and Body are right if both delimiter
// lines are there, and Keys is empty. A file that only begins with a thematic break has no front matter and no error.
func Parse(src []byte) (*Doc, error) {
	d := &Doc{Src: src, BOM: bytes.HasPrefix(src, bom)}
	if d.BOM {
		d.Body = len(bom)
	}
	b, found := findBlock(src, d.Body)
	if !found {
		d.Newline = lines.Newline(src)
		if b.unclosed {
			return d, fault.New(fault.Broken, "the front matter that begins here is never closed").
				With("add a line --- below its last key").At("", 1)
		}
		return d, nil
	}
	start := d.Body
	d.Present, d.YAML, d.Body = true, b.yaml, b.body
	d.Newline = lines.Newline(src[start:d.YAML.Start])
	return d, d.read(src[start:d.Body])
}

// WithBody is Parse for a file with the front matter of d, which must be present, and another body.
func (d *Doc) WithBody(src []byte) *Doc {
	other := *d
	other.Src = src
	return &other
}

// ParseYAML reads src as a YAML file without delimiter lines, such as config.yaml, like a record's block; errors are those of Parse.
func ParseYAML(src []byte) (*Doc, error) {
	d := &Doc{Src: src, Present: true, BOM: bytes.HasPrefix(src, bom), Newline: lines.Newline(src),
		YAML: Span{0, len(src)}, Body: len(src)}
	if d.BOM {
		d.YAML.Start = len(bom)
	}
	return d, d.decode()
}

// line returns the 1-based line of the file that holds offset.
func (d *Doc) line(offset int) int {
	return 1 + bytes.Count(d.Src[:min(offset, len(d.Src))], []byte("\n"))
}
