package frontmatter

import (
	"bufio"
	"bytes"
	"errors"
	"sync"

	adrg "github.com/adrg/frontmatter"

	"sdd/internal/fault"
)

// Two readers look for the block's end. Ours takes only delimiter lines at column 0 and
// skips a byte order mark. adrg/frontmatter, which drives the decoding, also takes an
// indented `---`, as one in a block scalar. It is handed the bytes that our scan found, so
// that it never sees a body, and where it stops earlier than the scan, the scan decides.

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
	open := nextLine(src, from)
	if !isDelimiter(src[from:open]) {
		return b, false
	}
	for at := open; at < len(src); {
		next := nextLine(src, at)
		if src[at] == '-' && isDelimiter(src[at:next]) {
			return bounds{yaml: Span{open, at}, body: next}, true
		}
		at = next
	}
	b.unclosed = open < len(src) && startsKey(src[open:nextLine(src, open)])
	return b, false
}

var dashes = []byte("---")

func isDelimiter(line []byte) bool {
	return bytes.HasPrefix(line, dashes) && len(bytes.TrimRight(line, " \t\r\n")) == len(dashes)
}

// nextLine returns the offset after the line feed that ends the line at from.
func nextLine(src []byte, from int) int {
	if i := bytes.IndexByte(src[from:], '\n'); i >= 0 {
		return from + i + 1
	}
	return len(src)
}

// startsKey reports whether line reads `word:`, as the first line of front matter does and
// the line below a thematic break hardly ever.
func startsKey(line []byte) bool {
	n := 0
	for n < len(line) && isKeyByte(line[n]) {
		n++
	}
	if n == 0 || n == len(line) || line[n] != ':' {
		return false
	}
	return n+1 == len(line) || bytes.IndexByte([]byte(" \t\r\n"), line[n+1]) >= 0
}

func isKeyByte(c byte) bool {
	return c == '_' || c == '-' || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}

// errBoundary says that the library ended the block elsewhere than the scan did.
var errBoundary = errors.New("the boundary differs")

// yamlBlock is the one format that the library may look for.
var yamlBlock = adrg.NewFormat("---", "---", func(data []byte, v any) error {
	d := v.(*Doc)
	if len(data) != d.YAML.End-d.YAML.Start {
		return errBoundary
	}
	return d.decode()
})

// feed is what the library reads from. It wraps its input in a buffered reader of this
// size unless it is given one, which is then worth keeping.
type feed struct {
	buf *bufio.Reader
	src bytes.Reader
}

var feeds = sync.Pool{New: func() any { return &feed{buf: bufio.NewReader(nil)} }}

// read decodes the block, whose bytes with both delimiter lines are head.
func (d *Doc) read(head []byte) error {
	if n := d.YAML.End - d.YAML.Start; n > MaxBlock {
		return fault.New(fault.Broken, "the front matter has %d bytes, at most %d are read", n, MaxBlock).
			With("move text into the body").At("", 1)
	}
	f := feeds.Get().(*feed)
	defer feeds.Put(f)
	f.src.Reset(head)
	f.buf.Reset(&f.src)
	_, err := adrg.MustParse(f.buf, d, yamlBlock)
	f.src.Reset(nil)
	var broken *fault.Error
	if err == nil || errors.As(err, &broken) {
		return err
	}
	return d.decode() // the library found no end or another one
}
