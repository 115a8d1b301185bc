package markdown

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/yuin/goldmark/ast"

	"sdd/internal/fault"
	"sdd/internal/lines"
	"sdd/internal/pattern"
)

// Op is what a Change does to its section.
type Op int

const (
	Replace Op = iota // make the text the section's text
	Append            // add the text to the section, unless the section has its lines already: before a deeper heading, else at the end
	Clear             // remove heading and body
)

// Change is a requested change of one section. Blank text does not add an absent section; with Replace it empties a present section.
type Change struct {
	Section Known
	Text    string
	Op      Op
}

// Warning names a place where the stored text differs from the given text (heading_demoted, fence_closed, line_escaped, list_ended,
// newlines_converted), or where the user should check the file (duplicate_section, block_left_open).
type Warning struct{ Code, Section, Text string }

// Updated is the outcome of Update.
type Updated struct {
	Out      []byte
	Doc      *Doc // of Out
	Warnings []Warning
}

// Update makes the changes to the sections of src[from:] and no byte outside them; Out is src itself if nothing changes. A new section goes
// after the nearest present one that precedes it in order, else before the next one, else to the end. Every text reads back as its section,
// if needed changed as little as possible, with a warning; else the fault is Invalid and names the section, or Broken for the file's line.
func Update(src []byte, from int, order []Known, changes []Change) (Updated, error) {
	doc, err := Parse(src, from)
	if err != nil {
		return Updated{}, err
	}
	return doc.Update(order, changes)
}

// Update is the function Update for a parsed file.
func (d *Doc) Update(order []Known, changes []Change) (Updated, error) {
	u := &update{given: d, doc: d, order: order, newline: lines.Newline(d.Src)}
	changes = slices.Clone(changes)
	slices.SortStableFunc(changes, func(a, b Change) int { return cmp.Compare(u.rank(a.Section), u.rank(b.Section)) })
	todo := slices.Clone(changes)
	for late := 0; len(todo) > 0; {
		c := todo[0]
		todo = todo[1:]
		if err := u.change(c); err != nil {
			again := func(o Change) bool { return u.rank(o.Section) == u.rank(c.Section) }
			if late++; c.Op != Clear || late > len(todo) || slices.ContainsFunc(todo, again) {
				return Updated{}, err
			}
			todo = append(todo, c) // the heading in its way may go too
			continue
		}
		late = 0
	}
	u.warnDuplicates(changes)
	if bytes.Equal(u.doc.Src, d.Src) {
		return Updated{Out: d.Src, Doc: d, Warnings: u.warnings}, nil
	}
	return Updated{Out: u.doc.Src, Doc: u.doc, Warnings: u.warnings}, nil
}

type update struct {
	given    *Doc // before any change
	doc      *Doc
	order    []Known
	newline  string
	warnings []Warning
}

// rank returns the place of a section in the record kind; unknown sections come last.
func (u *update) rank(k Known) int {
	i := slices.IndexFunc(u.order, func(o Known) bool { return sameName(o.Name, k.Name) && sameName(o.Under, k.Under) })
	if i < 0 {
		return len(u.order)
	}
	return i
}

// limit returns the deepest level of headings that end the section: its own.
func (k Known) limit() int {
	if k.Under != "" {
		return 3
	}
	return 2
}

// endedBy reports whether one of the headings would end the section.
func (k Known) endedBy(headings []Heading) bool {
	return slices.ContainsFunc(headings, func(h Heading) bool { return h.Level <= k.limit() })
}

func (u *update) warn(code string, k Known, format string, args ...any) {
	u.warnings = append(u.warnings, Warning{Code: code, Section: k.Name, Text: fmt.Sprintf(format, args...)})
}

// warnDuplicates warns of sections that the file has more than once.
func (u *update) warnDuplicates(changes []Change) {
	var done []Known
	for _, c := range changes {
		if len(u.given.Find(c.Section)) < 2 || slices.Contains(done, c.Section) {
			continue
		}
		done = append(done, c.Section)
		u.warn("duplicate_section", c.Section, "the file has several sections %q, and only the first one was changed", c.Section.Name)
	}
}

// warnSwallowed warns if the replaced or removed text looked like several sections, which an unclosed block made one.
func (u *update) warnSwallowed(k Known, old Span) {
	if old.End < len(u.doc.Src) || !headingLike().Match(u.doc.Src[old.Start:old.End]) {
		return
	}
	if what, line := u.open(); what != "" {
		u.warn("block_left_open", k, "the %s opened in line %d was never closed: "+
			"all that stood after it was part of this section and is gone with it", what, line)
	}
}

// headingLike matches a line that would end a section if it were not inside a block.
var headingLike = pattern.Late(`(?m)^ {0,3}##?[ \t]`)

func (u *update) change(c Change) error {
	found := u.doc.Find(c.Section)
	text := plain(c.Text)
	switch {
	case c.Op == Clear && len(found) > 0:
		return u.clear(c.Section, found[0])
	case c.Op == Clear, c.Op == Append && text == "", len(found) == 0 && text == "":
		return nil
	case len(found) == 0:
		stored, err := u.contained(c, text)
		if err != nil {
			return err
		}
		return u.insert(c.Section, stored)
	}
	body := u.ownBody(c.Section, found[0], text)
	old := u.doc.Src[body.Start:body.End]
	old = old[textStart(old):textEnd(old)]
	if c.Op == Append && len(old) > 0 {
		if hasLines(string(old), text) {
			return nil
		}
		body.End = u.beforeDeeper(body, text)
		if old = u.doc.Src[body.Start:body.End]; len(bytes.TrimSpace(old)) > 0 {
			return u.appendTo(c, body, string(old[textStart(old):textEnd(old)]), text)
		}
		old = nil
	}
	return u.replace(c, body, string(old), text)
}

// ownBody returns what text replaces of a section: a known level-3 section inside stays, unless the text has its heading too.
func (u *update) ownBody(k Known, s Section, text string) Span {
	isParent := func(o Known) bool { return o.Under != "" && sameName(o.Under, k.Name) }
	if k.Under != "" || !slices.ContainsFunc(u.order, isParent) {
		return s.Body
	}
	given, err := parse([]byte(text), 0)
	if err != nil {
		return s.Body // contained refuses the text
	}
	isChild := func(h Heading) bool {
		return h.Level == 3 && slices.ContainsFunc(u.order, func(o Known) bool { return isParent(o) && sameName(o.Name, h.Text) })
	}
	if slices.ContainsFunc(given.Headings, isChild) {
		return s.Body
	}
	for _, h := range u.doc.Headings {
		if h.Span.Start >= s.Body.Start && h.Span.Start < s.Body.End && isChild(h) {
			return Span{s.Body.Start, h.Span.Start}
		}
	}
	return s.Body
}

// contained gives plain text the file's line ends and keeps it inside its section.
func (u *update) contained(c Change, text string) (string, error) {
	stored, warnings, err := contain(withNewlines(text, u.newline), c.Section, u.newline, false)
	if err != nil {
		return "", err
	}
	if withNewlines(text, u.newline) != c.Text[textStart([]byte(c.Text)):textEnd([]byte(c.Text))] {
		u.warn("newlines_converted", c.Section, "line ends are stored as the file has them, %q", u.newline)
	}
	u.warnings = append(u.warnings, warnings...)
	return stored, nil
}

func (u *update) replace(c Change, body Span, old, text string) error {
	if text == plain(old) {
		return nil
	}
	stored, err := u.contained(c, text)
	if err != nil || plain(stored) == plain(old) {
		return err
	}
	u.warnSwallowed(c.Section, body)
	return u.write(c.Section, body, stored)
}

// beforeDeeper returns where text without headings belongs: before the first heading, below which it would mean something else.
func (u *update) beforeDeeper(body Span, text string) int {
	given, err := parse([]byte(text), 0)
	if err != nil || len(given.Headings) > 0 {
		return body.End
	}
	for _, h := range u.doc.Headings {
		if h.Span.Start >= body.Start && h.Span.Start < body.End {
			return h.Span.Start
		}
	}
	return body.End
}

func (u *update) appendTo(c Change, body Span, old, text string) error {
	stored, err := u.contained(c, text)
	if err != nil || hasLines(old, plain(stored)) {
		return err
	}
	// A block that a user left open at the section's end would contain the new text.
	kept, warnings, err := contain(old, c.Section, u.newline, true)
	if err != nil {
		return err
	}
	between := u.newline + u.newline
	if sameList(kept, stored) {
		between = u.newline
	}
	// Indented text continues the list before it, so it may parse differently there than alone.
	joined, more, err := contain(kept+between+stored, c.Section, u.newline, false)
	if err != nil {
		return err
	}
	u.warnings = append(append(u.warnings, warnings...), more...)
	return u.write(c.Section, body, joined)
}

// hasLines reports whether old contains the lines of plain text, one after the other.
func hasLines(old, text string) bool {
	return strings.Contains("\n"+plain(old)+"\n", "\n"+text+"\n")
}

// sameList reports whether a ends in a list that the list at the start of b continues.
func sameList(a, b string) bool {
	last := listMarker(a, ast.Node.LastChild)
	return last != 0 && last == listMarker(b, ast.Node.FirstChild)
}

// listMarker returns the marker of the list that choose takes from the text's blocks, 0 if it takes another block.
func listMarker(text string, choose func(ast.Node) ast.Node) byte {
	root, err := (&Doc{Src: []byte(text)}).blocks()
	if err != nil {
		return 0
	}
	if list, ok := choose(root).(*ast.List); ok {
		return list.Marker
	}
	return 0
}

// write puts stored text into an existing body, between its blank lines.
func (u *update) write(k Known, body Span, stored string) error {
	old := u.doc.Src[body.Start:body.End]
	lead, trail := old[:textStart(old)], old[textEnd(old):]
	if len(lead) == len(old) { // no text yet
		lead, trail = []byte(u.newline), nil
		if !bytes.HasSuffix(u.doc.Src[:body.Start], []byte("\n")) {
			lead = []byte(u.newline + u.newline)
		} else if body.End == len(u.doc.Src) {
			trail = []byte(u.newline)
		}
		if body.End < len(u.doc.Src) {
			trail = []byte(u.newline + u.newline)
		}
	}
	if stored == "" {
		lead, trail = nil, nil
		if body.End < len(u.doc.Src) {
			trail = []byte(u.newline)
		}
	}
	ok, err := u.splice(k, body, string(lead)+stored, u.endings(body.End, string(trail)),
		func(inside []Heading) bool { return !k.endedBy(inside) })
	if err == nil && !ok {
		err = uncontained(k)
	}
	return err
}

// endings returns the separators to try before the heading at next: asked, a blank line, a comment after a list that would contain it.
func (u *update) endings(next int, asked string) []string {
	if next == len(u.doc.Src) {
		return []string{asked}
	}
	line := u.newline + u.newline
	return []string{asked, line, line + listEnd + line}
}

// listEnd ends a list and is not visible in the rendered page.
const listEnd = "<!-- -->"

func uncontained(k Known) error {
	return fault.New(fault.Invalid, "the text for section %q would change what follows it", k.Name).
		With("end it with a paragraph of plain text")
}

// clear removes a section, and leaves a blank line if needed. The section before does not grow.
func (u *update) clear(k Known, s Section) error {
	at := Span{s.Heading.Start, s.Body.End}
	u.warnSwallowed(k, at)
	ok, err := u.splice(k, at, "", []string{"", u.newline}, func(inside []Heading) bool { return len(inside) == 0 })
	if err == nil && !ok {
		next := slices.IndexFunc(u.doc.Headings, func(h Heading) bool { return h.Span.Start == at.End })
		err = fault.New(fault.Broken, "without section %q the heading %q would become part of what stands before",
			k.Name, u.doc.Headings[next].Text).With("take the spaces away from before that heading, then clear the section again")
	}
	return err
}

// splice replaces a span by text and the first ending with which no heading outside changes and wanted accepts those inside.
func (u *update) splice(k Known, at Span, text string, endings []string, wanted func(inside []Heading) bool) (bool, error) {
	for i, ending := range endings {
		if i > 0 && ending == endings[0] {
			continue
		}
		n := len(text) + len(ending)
		doc, err := Parse(slices.Concat(u.doc.Src[:at.Start], []byte(text+ending), u.doc.Src[at.End:]), u.given.From)
		if err != nil {
			f := fault.Of(err)
			return false, fault.New(fault.Invalid, "%s", f.Message).For(k.Name).With(f.Hint)
		}
		inside, same := outside(u.doc, doc, at, n)
		if !same || !wanted(inside) {
			continue
		}
		if strings.Contains(ending, listEnd) {
			u.warn("list_ended", k, "the indented heading in line %d would have become part of the list before it: "+
				"the comment %s stands between them now", 1+bytes.Count(u.doc.Src[:at.End], []byte("\n")), listEnd)
		}
		u.doc = doc
		return true, nil
	}
	return false, nil
}

// outside compares the headings before and after a span that n bytes replaced; inside are the headings in these bytes.
func outside(old, now *Doc, at Span, n int) (inside []Heading, same bool) {
	shift := n - (at.End - at.Start)
	was, is := old.Headings, now.Headings
	equal := func(a, b Heading, shift int) bool {
		// The change may have added a line end to the file's last line.
		aLines := bytes.TrimRight(old.Src[a.Span.Start:a.Span.End], "\r\n")
		bLines := bytes.TrimRight(now.Src[b.Span.Start:b.Span.End], "\r\n")
		return a.Level == b.Level && a.Span.Start+shift == b.Span.Start && bytes.Equal(aLines, bLines)
	}
	for len(was) > 0 && was[0].Span.Start < at.Start {
		if len(is) == 0 || !equal(was[0], is[0], 0) {
			return nil, false
		}
		was, is = was[1:], is[1:]
	}
	for len(was) > 0 && was[len(was)-1].Span.Start >= at.End {
		if len(is) == 0 || !equal(was[len(was)-1], is[len(is)-1], shift) {
			return nil, false
		}
		was, is = was[:len(was)-1], is[:len(is)-1]
	}
	for _, h := range is {
		if h.Span.Start < at.Start || h.Span.End > at.Start+n {
			return nil, false
		}
	}
	return is, true
}
