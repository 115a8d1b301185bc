package grep

import (
	"bytes"
	"slices"
	"strings"

	"sdd/internal/pattern"
)

// indented finds units by indentation, which all languages have: a block is a line and the deeper lines below it, with
// the line that closes it. Lines that only close or continue a block (`}`, `) {`, `else:`) open none.

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

var goesOn = [][]byte{
	[]byte("end"), []byte("else"), []byte("elif"), []byte("elsif"), []byte("except"), []byte("finally"), []byte("catch"), []byte("rescue"),
	[]byte("ensure"), []byte("fi"), []byte("done"), []byte("esac"), []byte("then"), []byte("do"), []byte("where"),
}

// continues reports whether a line closes or continues a block.
func (o *outline) continues(l int) bool {
	t := bytes.TrimLeft(o.text(l), " \t")
	if len(t) == 0 {
		return true
	}
	if bytes.IndexByte([]byte("})]{"), t[0]) >= 0 || bytes.HasPrefix(t, []byte("*/")) || bytes.HasPrefix(t, []byte("</")) {
		return true
	}
	for _, w := range goesOn {
		if bytes.HasPrefix(t, w) && (len(t) == len(w) || !isIdent(t[len(w)])) {
			return true
		}
	}
	return false
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

// groups reports whether the words before a defined name have a grouper.
func groups(before []byte) bool {
	return slices.ContainsFunc(strings.Fields(string(before)), func(w string) bool { return groupers()[w] })
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

// isAttached reports whether a line is a comment or decorator.
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
