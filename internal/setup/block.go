package setup

import (
	"bytes"
	"slices"
	"strings"

	"sdd/internal/fault"
	"sdd/internal/lines"
	"sdd/internal/setup/jsonc"
)

// When the line before a block had no line end, the block's last line has none either: so its removal restores every byte.

const byteOrderMark = "\ufeff"

// marks are the first and the last line of a kind of block. More text may follow on the first line.
type marks struct {
	first, last string
	again       string // what to run when the user has deleted a block without an end
}

// block is the place of a block in a file, the last line's end included.
type block struct {
	start, end int
	made       string // the rest of the first line
}

// find returns the blocks of a file. The fault, which is Broken, has the line of a block without an end.
func (m marks) find(src []byte) (all []block, err error) {
	open := func() bool { return len(all) > 0 && all[len(all)-1].end == 0 }
	for at := len(src) - len(bytes.TrimPrefix(src, []byte(byteOrderMark))); at < len(src); {
		next := lines.End(src, at)
		line := strings.TrimRight(string(src[at:next]), "\r\n")
		made, starts := strings.CutPrefix(line, m.first)
		if starts && open() {
			break
		}
		if starts {
			all = append(all, block{at, 0, made})
		} else if open() && line == m.last {
			all[len(all)-1].end = next
		}
		at = next
	}
	if !open() {
		return all, nil
	}
	line := lineOf(src, all[len(all)-1].start)
	return nil, fault.New(fault.Broken, "the block of sdd that begins in line %d has no end", line).
		With("delete its lines by hand and run "+m.again).At("", line)
}

// text returns a block; made is the rest of its first line.
func (m marks) text(made string, body []string) string {
	return m.first + made + "\n" + strings.Join(body, "\n") + "\n" + m.last + "\n"
}

// atTop returns a file with the block at the top, below a line with an interpreter, or in place of the existing block.
func (m marks) atTop(src []byte, made string, body []string) ([]byte, error) {
	blocks, err := m.find(src)
	if err != nil {
		return nil, err
	}
	if len(blocks) == 1 {
		b := blocks[0]
		text := m.text(b.made, body)
		now := strings.ReplaceAll(string(src[b.start:b.end]), "\r\n", "\n") // git may have changed its line ends
		if strings.TrimSuffix(now, "\n") == strings.TrimSuffix(text, "\n") {
			return src, nil
		}
		return replaceBlock(src, b, text), nil
	}
	src = withoutTop(src, blocks)
	text, at := m.text(made, body), 0
	if bytes.HasPrefix(src, []byte("#!")) {
		if at = lines.End(src, 0); src[at-1] != '\n' {
			text = "\n" + strings.TrimSuffix(text, "\n")
		}
	}
	return slices.Concat(src[:at], []byte(text), src[at:]), nil
}

// withoutTop returns a file without the blocks of atTop.
func withoutTop(src []byte, blocks []block) []byte {
	for _, b := range slices.Backward(blocks) {
		before := src[:b.start]
		if src[b.end-1] != '\n' {
			before = bytes.TrimSuffix(before, []byte("\n")) // it was added with the block
		}
		src = slices.Concat(before, src[b.end:])
	}
	return src
}

// replaceBlock puts a text in place of a block. The last line has an end only if the block's last line has one.
func replaceBlock(src []byte, b block, text string) []byte {
	if src[b.end-1] != '\n' {
		text = strings.TrimRight(text, "\r\n")
	}
	return slices.Concat(src[:b.start], []byte(text), src[b.end:])
}

func lineOf(src []byte, at int) int { return 1 + bytes.Count(src[:at], []byte("\n")) }

// withBlockBehind returns a file with a block at its end. Every line of block ends in "\n".
func withBlockBehind(src []byte, block string) []byte {
	newline := lines.Newline(src)
	block = strings.ReplaceAll(block, "\n", newline)
	switch {
	case len(bytes.TrimPrefix(src, []byte(byteOrderMark))) == 0:
	case bytes.HasSuffix(src, []byte("\n")):
		block = newline + block
	default:
		block = newline + newline + strings.TrimSuffix(block, newline)
	}
	return slices.Concat(src, []byte(block))
}

// withoutBlockAt returns a file without what withBlockBehind added, now between start and end.
func withoutBlockAt(src []byte, start, end int) []byte {
	before := src[:start]
	gaps := 1
	if src[end-1] != '\n' {
		gaps = 2
	}
	for range gaps {
		cut := bytes.TrimSuffix(bytes.TrimSuffix(before, []byte("\n")), []byte("\r"))
		if gaps == 1 && len(cut) > 0 && cut[len(cut)-1] != '\n' {
			break // the line before the block is not empty
		}
		before = cut
	}
	return slices.Concat(before, src[end:])
}

// blockPlace is the place of a block with that text in a file.
type blockPlace struct {
	marks
	lines string // between the marks
}

func (p blockPlace) get(src []byte) (value any, line int, ok bool, err error) {
	all, err := p.find(src)
	if err != nil || len(all) == 0 {
		return nil, 0, false, err
	}
	return nil, lineOf(src, all[0].start), true, nil
}

// set adds the block after everything else, or updates the existing one in its place.
func (p blockPlace) set(src []byte, _ []jsonc.Member) ([]byte, error) {
	all, err := p.find(src)
	if err != nil {
		return nil, err
	}
	text := p.first + "\n" + p.lines + p.last + "\n"
	if len(all) == 0 {
		return withBlockBehind(src, text), nil
	}
	return replaceBlock(src, all[0], strings.ReplaceAll(text, "\n", lines.Newline(src))), nil
}

// remove removes every block: a merge may have made two of one.
func (p blockPlace) remove(src []byte, _ int) ([]byte, bool, error) {
	all, err := p.find(src)
	for _, b := range slices.Backward(all) {
		src = withoutBlockAt(src, b.start, b.end)
	}
	return src, len(all) > 0, err
}

func (blockPlace) kept([]byte) int { return 0 }
