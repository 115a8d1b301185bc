package frontmatter

import (
	"bufio"
	"bytes"
	"errors"
	"strings"
	"sync"
	"unicode/utf8"

	adrg "github.com/adrg/frontmatter"

	"sdd/internal/fault"
	"sdd/internal/lines"
)

// findBlock accepts only delimiter lines at column 0. adrg/frontmatter also accepts an indented `---`, so it gets only these bytes.

var bom = []byte("\xef\xbb\xbf")

type bounds struct {
	yaml     Span
	body     int
	unclosed bool // the block is opened, has a key, and never ends
}

// findBlock scans for the two delimiter lines, from where the text begins.
func findBlock(src []byte, from int) (b bounds, found bool) {
	if !bytes.HasPrefix(src[from:], dashes) {
		return b, false
	}
	open := lines.End(src, from)
	if !isDelimiter(src[from:open]) {
		return b, false
	}
	for at := open; at < len(src); {
		next := lines.End(src, at)
		if src[at] == '-' && isDelimiter(src[at:next]) {
			return bounds{yaml: Span{open, at}, body: next}, true
		}
		at = next
	}
	at := open
	for at < len(src) {
		line := src[at:lines.End(src, at)]
		if text := bytes.TrimSpace(line); len(text) > 0 && text[0] != '#' {
			// Below a heading, `Status:` and `Note:` begin prose.
			b.unclosed = startsKey(line) && (at == open || line[0] > 'Z')
			break
		}
		at += len(line)
	}
	return b, false
}

var dashes = []byte("---")

func isDelimiter(line []byte) bool {
	return bytes.HasPrefix(line, dashes) && len(bytes.TrimRight(line, " \t\r\n")) == len(dashes)
}

// startsKey reports whether line begins with `word:`, as front matter does and the line below a thematic break hardly ever.
func startsKey(line []byte) bool {
	name, rest, ok := strings.Cut(string(line), ":")
	return ok && isKeyName(name) && (rest == "" || strings.IndexByte(" \t\r\n", rest[0]) >= 0)
}

func isKeyName(s string) bool {
	return s != "" && !strings.ContainsFunc(s, func(r rune) bool { return r >= utf8.RuneSelf || !isKeyByte(byte(r)) })
}

func isKeyByte(c byte) bool {
	return c == '_' || c == '-' || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}

var errBoundary = errors.New("the library and findBlock found different ends of the block")

// yamlBlock is the only format that the library looks for.
var yamlBlock = adrg.NewFormat("---", "---", func(data []byte, v any) error {
	d := v.(*Doc)
	if len(data) != d.YAML.End-d.YAML.Start {
		return errBoundary
	}
	return d.decode()
})

// readers reuses buffered readers, because the library would make one of 4 KiB for every block.
var readers = sync.Pool{New: func() any { return bufio.NewReader(nil) }}

// read decodes the block, whose bytes with both delimiter lines are head.
func (d *Doc) read(head []byte) error {
	if n := d.YAML.End - d.YAML.Start; n > maxBlock {
		return fault.New(fault.Broken, "the front matter has %d bytes, at most %d are read", n, maxBlock).
			With("move text into the body").At("", 1)
	}
	r := readers.Get().(*bufio.Reader)
	defer readers.Put(r)
	r.Reset(bytes.NewReader(head))
	_, err := adrg.MustParse(r, d, yamlBlock)
	if _, broken := errors.AsType[*fault.Error](err); err == nil || broken {
		return err
	}
	return d.decode() // the library found no end or another one
}
