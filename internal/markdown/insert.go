package markdown

import (
	"bytes"
	"strings"

	"github.com/yuin/goldmark/ast"

	"sdd/internal/fault"
)

// insert adds an absent section with text from contained.
func (u *update) insert(k Known, stored string) error {
	if k.Under != "" && len(u.doc.Find(Known{Name: k.Under})) == 0 {
		if err := u.insert(Known{Name: k.Under}, ""); err != nil {
			return err
		}
	}
	place := u.place(k)
	ok, err := u.insertAt(k, stored, place)
	if ok || err != nil {
		return err
	}
	// An unclosed block contains all text after it: the nearest place for a heading is before the section that contains the block.
	open, line := u.open()
	if before := u.lastHeading(k, place); before != nil {
		if ok, err = u.insertAt(k, stored, before.Span.Start); err != nil {
			return err
		}
		if ok {
			u.warn("block_left_open", k, "the %s opened in line %d is never closed, so the section stands before %q", open, line, before.Text)
			return nil
		}
	}
	if open == "" {
		return uncontained(k)
	}
	return fault.New(fault.Broken, "the %s opened in line %d is never closed, so a section %q after it would be part of it",
		open, line, k.Name).At("", line).With("close it in the file, then save again")
}

// lastHeading returns the last heading before at that ends a section of k's level; a section before it changes no preamble and no parent.
func (u *update) lastHeading(k Known, at int) *Heading {
	for i := len(u.doc.Headings) - 1; i >= 0; i-- {
		h := &u.doc.Headings[i]
		if h.Span.Start >= at || h.Level > k.limit() {
			continue
		}
		inParent := k.Under != "" && h.Level == k.limit()
		inSections := k.Under == "" && len(u.doc.Sections) > 0 && h.Span.Start >= u.doc.Sections[0].Heading.Start
		if inParent || inSections {
			return h
		}
		return nil
	}
	return nil
}

func (u *update) place(k Known) int {
	rank := u.rank(k)
	sibling := func(i int) (Section, bool) {
		found := u.doc.Find(u.order[i])
		if len(found) == 0 || !sameName(u.order[i].Under, k.Under) {
			return Section{}, false
		}
		return found[0], true
	}
	for i := rank - 1; i >= 0; i-- {
		if s, ok := sibling(i); ok {
			return s.Body.End
		}
	}
	for i := rank + 1; i < len(u.order); i++ {
		if s, ok := sibling(i); ok {
			return s.Heading.Start
		}
	}
	if k.Under != "" {
		return u.doc.Find(Known{Name: k.Under})[0].Body.End
	}
	return len(u.doc.Src)
}

// insertAt inserts heading and text at the start of a line, with a blank line before and after.
func (u *update) insertAt(k Known, stored string, at int) (bool, error) {
	nl := u.newline
	lead := u.blankBefore(at)
	text := lead + strings.Repeat("#", k.limit()) + " " + k.Name
	if stored != "" {
		text += nl + nl + stored
	}
	trail := nl
	if at < len(u.doc.Src) {
		trail += nl
	}
	return u.splice(k, Span{at, at}, text, u.endings(at, trail), func(inside []Heading) bool {
		return len(inside) > 0 && inside[0].Span.Start == at+len(lead) && sameName(inside[0].Text, k.Name) && !k.endedBy(inside[1:])
	})
}

// blankBefore returns the line ends to add so that a blank line precedes the offset.
func (u *update) blankBefore(at int) string {
	before := bytes.TrimPrefix(u.doc.Src[:at], bom)
	switch {
	case len(before) == 0:
		return ""
	case before[len(before)-1] != '\n':
		return u.newline + u.newline
	case len(bytes.TrimLeft(before, blank)) == 0:
		return "" // nothing but blank lines
	}
	last := bytes.TrimRight(before[:len(before)-1], " \t\r")
	if bytes.HasSuffix(last, []byte("\n")) {
		return ""
	}
	return u.newline
}

// open finds the block that is unclosed at the end of the given file, and its first line.
func (u *update) open() (what string, line int) {
	probe := append(bytes.Clone(u.given.Src), "\n\n## "...)
	d := &Doc{Src: probe, From: u.given.From}
	root, err := d.blocks()
	if err != nil {
		return "", 0
	}
	last := root.LastChild()
	switch last.(type) {
	case *ast.FencedCodeBlock:
		what = "code fence"
	case *ast.HTMLBlock:
		what = "HTML block"
	default:
		return "", 0
	}
	return what, 1 + bytes.Count(probe[:d.From+last.Pos()], []byte("\n"))
}
