package grep

import (
	"bytes"
	"path"
	"slices"
	"strings"

	"sdd/internal/lines"
	"sdd/internal/markdown"
	"sdd/internal/pattern"
)

// outline is a file split into lines and units.
type outline struct {
	src    []byte
	starts []int // offsets of the lines
	lang   language
	units  []unit      // functions, declarations or sections, sorted and without overlap; nil if indentation decides
	known  []unit      // the units found so far
	of     []int32     // by line: the number of its unit in known, from 1; nil while known is empty
	depths []int32     // by line: its depth and 2, 0 while it is unknown
	ends   map[int]int // of the blocks found so far, by their first lines
	heads  []int       // by line: the last one up to it that is not indented, -1 for none; nil until global needs it
}

// unit is a range of lines from 0, both included.
type unit struct{ start, end int }

func (u unit) lines() int       { return u.end - u.start + 1 }
func (u unit) holds(l int) bool { return u.start <= l && l <= u.end }

const usualLine = 28 // bytes of a line on average

// outlineOf reads the structure of a file.
func outlineOf(p string, src []byte) *outline {
	o := &outline{src: src, lang: languageOf(p), starts: make([]int, 0, len(src)/usualLine+1)}
	for at := 0; at < len(src); at = lines.End(src, at) {
		o.starts = append(o.starts, at)
	}
	if slices.Contains([]string{".md", ".markdown", ".mdx"}, strings.ToLower(path.Ext(p))) {
		o.units = markdownUnits(src, len(o.starts))
	}
	return o
}

// text returns a line without its end.
func (o *outline) text(l int) []byte {
	return bytes.TrimRight(o.src[o.starts[l]:o.end(l)], "\r\n")
}

func (o *outline) end(l int) int {
	if l+1 < len(o.starts) {
		return o.starts[l+1]
	}
	return len(o.src)
}

func (o *outline) lineAt(offset int) int {
	i, found := slices.BinarySearch(o.starts, offset)
	if !found {
		i--
	}
	return max(i, 0)
}

// around returns the unit of line l: a function with its comment, a declaration, a section.
func (o *outline) around(l int) unit {
	if o.of == nil {
		o.of = make([]int32, len(o.starts))
	}
	if i := o.of[l]; i > 0 {
		return o.known[i-1]
	}
	u := o.find(l)
	o.known = append(o.known, u)
	for i := u.start; i <= u.end; i++ {
		if o.of[i] == 0 {
			o.of[i] = int32(len(o.known))
		}
	}
	return u
}

// global reports whether a line is not indented, or is in a block of constants or variables in Go.
func (o *outline) global(l int) bool {
	if o.heads == nil {
		o.heads = make([]int, len(o.starts))
		head := -1
		for i := range o.heads {
			if text := o.text(i); len(text) > 0 && text[0] != ' ' && text[0] != '\t' {
				head = i
			}
			o.heads[i] = head
		}
	}
	h := o.heads[l]
	return h == l || h >= 0 && (string(o.text(h)) == "const (" || string(o.text(h)) == "var (")
}

func (o *outline) find(l int) unit {
	i, _ := slices.BinarySearchFunc(o.units, l, func(u unit, l int) int { return u.end - l })
	if i < len(o.units) && o.units[i].holds(l) {
		return o.units[i]
	}
	if o.units != nil || o.lang.prose {
		u := o.paragraph(l)
		if i > 0 {
			u.start = max(u.start, o.units[i-1].end+1)
		}
		if i < len(o.units) {
			u.end = min(u.end, o.units[i].start-1)
		}
		return u
	}
	return o.indented(l)
}

var (
	testModule = pattern.Late(`\n#\[cfg\(test\)\]\s*\n(?:pub(?:\(\w+\))? )?mod \w+ \{`) // its first bytes make it fast
	testOfRust = pattern.Late(`(?m)^\s*#\[(?:\w+::)*test\b`)
)

// inlineTests returns whether a unit is a test, in Rust, which has tests beside the code.
func (o *outline) inlineTests(p string) func(unit) bool {
	if path.Ext(p) != ".rs" {
		return func(unit) bool { return false }
	}
	module := unit{0, -1}
	if m := testModule().FindIndex(o.src); m != nil {
		module = o.block(o.lineAt(m[1] - 1))
	}
	return func(u unit) bool {
		return module.holds(u.start) || testOfRust().Match(o.src[o.starts[u.start]:o.end(u.end)])
	}
}

const nearby = 10 // lines of a paragraph to each side

// paragraph returns the run of lines around l that are not blank.
func (o *outline) paragraph(l int) unit {
	u := unit{l, l}
	for u.start > 0 && l-u.start < nearby && !o.blank(u.start-1) {
		u.start--
	}
	for u.end+1 < len(o.starts) && u.end-l < nearby && !o.blank(u.end+1) {
		u.end++
	}
	return u
}

func (o *outline) blank(l int) bool { return len(bytes.TrimSpace(o.text(l))) == 0 }

// markdownUnits are the parts of a document between two headings.
func markdownUnits(src []byte, lines int) []unit {
	d, err := markdown.Parse(src, 0)
	if err != nil || lines == 0 {
		return nil
	}
	var units []unit
	start := 0
	for _, h := range d.Headings {
		if at := h.Line - 1; at > start {
			units = append(units, unit{start, at - 1})
			start = at
		}
	}
	return append(units, unit{start, lines - 1})
}

// indented finds units by indentation: a block is a line and the deeper ones below it. Lines that close or continue one open none.

const (
	smallBlock  = 30 // lines of a block that is a unit without a definition
	attached    = 15 // lines of comments and decorators above a definition
	indentation = 4  // columns of a tab
)

// depth returns the column of the first character of a line; -1 for a blank line. Long tables ask for it thousands of times a line.
func (o *outline) depth(l int) int {
	if o.depths == nil {
		o.depths = make([]int32, len(o.starts))
	}
	if o.depths[l] == 0 {
		o.depths[l] = int32(o.column(l)) + 2
	}
	return int(o.depths[l]) - 2
}

func (o *outline) column(l int) int {
	n := 0
	for _, c := range o.src[o.starts[l]:o.end(l)] {
		switch c {
		case ' ':
			n++
		case '\t':
			n += indentation
		case '\r', '\n':
			return -1
		default:
			return n
		}
	}
	return -1
}

var goesOn = pattern.Words("end else elif elsif except finally catch rescue ensure fi done esac then do where")

// continues reports whether a line closes or continues a block.
func (o *outline) continues(l int) bool {
	t := bytes.TrimLeft(o.text(l), " \t")
	if len(t) == 0 || bytes.IndexByte([]byte("})]{"), t[0]) >= 0 || bytes.HasPrefix(t, []byte("*/")) || bytes.HasPrefix(t, []byte("</")) {
		return true
	}
	end := 0
	for end < len(t) && isIdent(t[end]) {
		end++
	}
	return goesOn()[string(t[:end])]
}

// indented finds the unit of line l: the innermost definition around it, else the largest small block.
func (o *outline) indented(l int) unit {
	at := l
	for at < len(o.starts) && o.depth(at) < 0 {
		at++
	}
	if at == len(o.starts) {
		return unit{l, l}
	}
	// A comment belongs to the definition below it.
	for at+1 < len(o.starts) && at-l < attached && o.isAttached(at) && o.depth(at+1) == o.depth(at) {
		at++
	}
	var best unit
	found := false
	depth := o.depth(at) + 1
	for h := at; h >= 0; h-- {
		d := o.depth(h)
		if d < 0 || d >= depth || o.continues(h) && h != at {
			continue
		}
		depth = d
		b := o.block(h)
		if b.holds(at) && b.lines() > 1 {
			if r := o.lang.readLine(o.text(h)); r.role == definition {
				if b.lines() > maxLines && groups(o.text(h)[:r.from]) {
					break
				}
				b.start = o.withAttached(b.start)
				return b
			}
			if b.lines() <= smallBlock {
				best, found = b, true
			}
		}
		if d == 0 {
			break
		}
	}
	if !found {
		best = o.paragraph(at)
	}
	best.start = o.withAttached(best.start)
	if !best.holds(l) {
		best.start = min(best.start, l)
	}
	return best
}

// groupers define a name for what contains functions. A long one is no unit: its functions are.
var groupers = pattern.Words(`class struct interface trait impl enum module mod namespace package object protocol extension record union
	defmodule mixin actor contract library service`)

func groups(before []byte) bool {
	words := strings.FieldsFunc(string(before), func(r rune) bool { return r == ' ' || r == '\t' || r == '<' }) // impl<'a> Parser<'a>
	return slices.ContainsFunc(words, func(w string) bool { return groupers()[w] })
}

// block returns the line h with the deeper lines below it and the line that closes the block.
func (o *outline) block(h int) unit {
	if end, ok := o.ends[h]; ok {
		return unit{h, end}
	}
	d, end := o.depth(h), h
	for l := h + 1; l < len(o.starts); l++ {
		n := o.depth(l)
		if n < 0 {
			continue
		}
		if n < d || n == d && !o.continues(l) {
			break
		}
		end = l
	}
	if o.ends == nil {
		o.ends = map[int]int{}
	}
	o.ends[h] = end
	return unit{h, end}
}

func (o *outline) isAttached(l int) bool {
	t := bytes.TrimLeft(o.text(l), " \t")
	return len(t) > 0 && (t[0] == '@' || bytes.HasPrefix(t, []byte("#[")) || o.lang.readLine(t).role == comment)
}

// withAttached moves the start of a block up over the comments and decorators right above it.
func (o *outline) withAttached(start int) int {
	d := o.depth(start)
	for l := start - 1; l >= 0 && start-l <= attached && o.depth(l) == d && o.isAttached(l); l-- {
		start = l
	}
	return start
}
