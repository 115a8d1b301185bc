package grep

import (
	"bytes"
	"slices"
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
}

// unit is a range of lines from 0, both included.
type unit struct{ start, end int }

func (u unit) lines() int       { return u.end - u.start + 1 }
func (u unit) holds(l int) bool { return u.start <= l && l <= u.end }

const usualLine = 28 // bytes of a line on average

// outlineOf reads the structure of a file.
func outlineOf(p string, src []byte) *outline {
	o := &outline{src: src, lang: languageOf(p), starts: make([]int, 0, len(src)/usualLine+1)}
	for at := 0; at < len(src); at = lineEnd(src, at) {
		o.starts = append(o.starts, at)
	}
	if isMarkdown(p) {
		o.units = markdownUnits(src, len(o.starts))
	}
	return o
}

// text returns a line without its end.
func (o *outline) text(l int) []byte {
	return bytes.TrimRight(o.src[o.starts[l]:o.end(l)], "\r\n")
}

// end is the offset after line l.
func (o *outline) end(l int) int {
	if l+1 < len(o.starts) {
		return o.starts[l+1]
	}
	return len(o.src)
}

// lineAt returns the line that contains an offset.
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
