package setup

import (
	"bytes"
	"strings"
)

// A block that is put behind all else of a file is parted from it by one empty line. Where the file's last line
// had no end, the block's has none either: so that is known when the block is taken out, and every file gets its bytes back.

// newlineOf returns the line end of a file.
func newlineOf(src []byte) string {
	if n := bytes.IndexByte(src, '\n'); n > 0 && src[n-1] == '\r' {
		return "\r\n"
	}
	return "\n"
}

// withBlockBehind returns a file with a block at its end. The lines of block end in "\n", the last one too.
func withBlockBehind(src []byte, block string) []byte {
	newline := newlineOf(src)
	block = strings.ReplaceAll(block, "\n", newline)
	switch {
	case len(bytes.TrimPrefix(src, []byte(byteOrderMark))) == 0:
	case bytes.HasSuffix(src, []byte("\n")):
		block = newline + block
	default:
		block = newline + newline + strings.TrimSuffix(block, newline)
	}
	return concat(src, []byte(block), nil)
}

// withoutBlockAt returns a file without what withBlockBehind put between start and end, wherever it stands now.
func withoutBlockAt(src []byte, start, end int) []byte {
	before := src[:start]
	gaps := 1
	if src[end-1] != '\n' {
		gaps = 2
	}
	for range gaps {
		cut := bytes.TrimSuffix(bytes.TrimSuffix(before, []byte("\n")), []byte("\r"))
		if gaps == 1 && len(cut) > 0 && cut[len(cut)-1] != '\n' {
			break // the line before it is not empty
		}
		before = cut
	}
	return concat(before, nil, src[end:])
}
