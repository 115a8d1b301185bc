package markdown

import (
	"maps"
	"slices"
	"strings"
)

// ItemKind is the kind of a change to a section or item.
type ItemKind string

const (
	Added    ItemKind = "added"
	Removed  ItemKind = "removed"
	Changed  ItemKind = "changed"  // a task box, lines of code or a table, or another text in its place
	Moved    ItemKind = "moved"    // the same text in another place
	Reworded ItemKind = "reworded" // a similar text, in any place; for a section, another heading
)

// ItemDiff is one change of an item or block: without marker and line breaks, with its task box; of code, tables and HTML a run of lines.
type ItemDiff struct {
	Kind ItemKind `json:"kind"`
	Old  string   `json:"old"`
	New  string   `json:"new"`
	From string   `json:"from,omitempty"` // sections of an item that moved between them; both list it, the old one without New
	To   string   `json:"-"`
	Line int      `json:"line"` // 1-based, in the new text; in the old text for an item that was removed or moved to another section
}

// SectionDiff is what changed in one section. Without Kind and Items, only its form changed. The text before the first section has no name.
type SectionDiff struct {
	Name           string     `json:"name"`
	Was            string     `json:"was,omitempty"` // the old name, if Kind is Reworded
	Kind           ItemKind   `json:"kind"`          // the change of the section itself, "" if there is none
	Line           int        `json:"line"`          // of its heading, in the new text; for a removed section, in the old text
	Items          []ItemDiff `json:"items"`
	MeaningChanged bool       `json:"meaning_changed"` // false: wrapping, list markers, blank lines or line ends only
}

// Diff lists how body b differs from a, by section in the order of b, matched as Merge does, with as few moves as possible.
// Bodies have no front matter.
func Diff(a, b []byte) []SectionDiff {
	if string(a) == string(b) {
		return nil
	}
	from, to := formOf(a), formOf(b)
	d := &differ{}
	for v, text := range []string{from.text, to.text} {
		o, err := outlineOf(text, version(v))
		if err != nil { // past the limits for structure
			items := lineDiffs(from.text, to.text, strings.TrimSpace, 1, 1)
			return []SectionDiff{{Line: 1, Items: items, MeaningChanged: len(items) > 0}}
		}
		d.out[v] = o
	}
	d.match = match(d.out[:]...)
	return d.sections(from, to)
}

type differ struct {
	out   [2]*outline
	match *matcher
}

func (d *differ) sections(from, to form) []SectionDiff {
	old, cur := d.out[inBase].root.kids, d.out[inOurs].root.kids
	moved := movedKids(d.out[inBase].root)
	var all []SectionDiff
	gone := func(after *unit) { // the removed sections directly after this one
		for i := after.index + 1; i < len(old) && old[i].mates[inOurs] == nil; i++ {
			s := SectionDiff{Name: old[i].name, Kind: Removed, Line: old[i].line, MeaningChanged: true}
			for _, u := range d.out[inBase].under(old[i]) {
				if d.lost(u) || u.mates[inOurs] != nil {
					s.Items = append(s.Items, departed(u))
				}
			}
			all = append(all, s)
		}
	}
	for _, u := range cur {
		was := u.mates[inBase]
		s := SectionDiff{Name: u.name, Line: u.line, Items: d.items(was, u)}
		switch {
		case was == nil:
			s.Kind = Added
		case was.content() != u.content():
			s.Kind, s.Was = Reworded, was.name
		case moved[was]:
			s.Kind = Moved
		}
		s.MeaningChanged = s.Kind != "" || len(s.Items) > 0
		if s.MeaningChanged || d.formChanged(was, u, from, to) {
			all = append(all, s)
		}
		if was != nil {
			gone(was)
		}
	}
	return all
}

// departed returns the entry in its old section for a unit that was removed or moved to another section.
func departed(u *unit) ItemDiff {
	item := ItemDiff{Kind: Removed, Old: u.shown(), Line: u.line}
	if mate := u.mates[inOurs]; mate != nil {
		item.Kind, item.To = Moved, mate.section().name
	}
	return item
}

// formChanged reports whether two sections with the same content differ in their bytes.
func (d *differ) formChanged(was, u *unit, from, to form) bool {
	last := u.index == len(u.parent.kids)-1
	beside := was.index == 0 && u.index == 0 || was.index > 0 && u.index > 0 && was.sibling(-1).mates[inOurs] == u.sibling(-1)
	return from.crlf != to.crlf ||
		d.out[inBase].raw(was) != d.out[inOurs].raw(u) ||
		beside && was.gap != u.gap || was.lead() != u.lead() ||
		u.index == 0 && from.bom != to.bom ||
		last && (from.final != to.final || d.out[inBase].tail != d.out[inOurs].tail)
}

// lead returns the blank space before a section's first unit.
func (u *unit) lead() string {
	if len(u.kids) == 0 {
		return ""
	}
	return u.kids[0].gap
}

// items lists the changes between two sections; was is nil for a new one.
func (d *differ) items(was, u *unit) []ItemDiff {
	gone := map[*unit][]ItemDiff{} // by the unit of the new text before them
	if was != nil {
		last := u
		for _, x := range d.out[inBase].under(was) {
			if mate := x.mates[inOurs]; mate != nil && mate.section() == u {
				last = mate
			} else if x.weak[inOurs] != nil && !d.lost(x) {
				last = x.weak[inOurs]
			} else {
				gone[last] = append(gone[last], departed(x))
			}
		}
	}
	items := gone[u]
	moved := map[*unit]bool{}
	for _, x := range d.out[inOurs].under(u) {
		if x.index == 0 && x.parent.mates[inBase] != nil {
			maps.Copy(moved, movedKids(x.parent.mates[inBase]))
		}
		items = append(items, d.item(x, moved)...)
		items = append(items, gone[x]...)
	}
	return items
}

// lost reports whether the new text has neither u nor, in its place, a unit with some of its words.
func (d *differ) lost(u *unit) bool {
	return u.mates[inOurs] == nil && (u.weak[inOurs] == nil || !d.replaces(u, u.weak[inOurs]))
}

// replaces reports whether y, in the place of x, counts as x changed. An item must share some words.
func (d *differ) replaces(x, y *unit) bool {
	return x.kind != itemUnit || d.match.similar(x, y) >= similarWeak
}

func (d *differ) item(u *unit, moved map[*unit]bool) []ItemDiff {
	was := u.mates[inBase]
	item := ItemDiff{New: u.shown(), Line: u.line}
	if was == nil {
		if was = u.weak[inBase]; was == nil || !d.replaces(was, u) {
			item.Kind = Added
			return []ItemDiff{item}
		}
		if u.byLines() {
			return lineDiffs(was.own, u.own, u.lineKey, was.line, u.line)
		}
		item.Kind, item.Old = Changed, was.shown()
		return []ItemDiff{item}
	}
	item.Old = was.shown()
	if was.section().mates[inOurs] != u.section() {
		item.From = was.section().name
	}
	switch {
	case was.content() != u.content() && u.byLines():
		return lineDiffs(was.own, u.own, u.lineKey, was.line, u.line)
	case was.content() != u.content():
		item.Kind = Reworded
	case was.box() != u.box():
		item.Kind = Changed
	case moved[was] || item.From != "" || !sameParent(was, u):
		item.Kind = Moved
	default:
		return nil
	}
	return []ItemDiff{item}
}

// sameParent reports whether the parents of two mates are mates or in each other's place. A new or removed heading moves nothing.
func sameParent(was, u *unit) bool {
	p, q := was.parent, u.parent
	for p.kind == headingUnit && p.mates[inOurs] == nil {
		p = p.parent
	}
	for q.kind == headingUnit && q.mates[inBase] == nil {
		q = q.parent
	}
	return p.mates[inOurs] == q || p.weak[inOurs] == q
}

// movedKids returns the smallest set of kids whose moves explain the new order of the kids that stayed under u.
func movedKids(u *unit) map[*unit]bool {
	var kept []*unit
	var places []int
	for _, k := range u.kids {
		if mate := k.mates[inOurs]; mate != nil && mate.parent == u.mates[inOurs] {
			kept = append(kept, k)
			places = append(places, mate.index)
		}
	}
	if slices.IsSorted(places) {
		return nil
	}
	moved := map[*unit]bool{}
	for i, keep := range ascending(places).keep {
		moved[kept[i]] = !keep
	}
	return moved
}

// byLines reports whether Diff lists changes in u line by line.
func (u *unit) byLines() bool {
	return u.kind == fenceUnit || u.kind == codeUnit || u.kind == htmlUnit || u.kind == tableUnit
}

// lineKey returns the form in which Diff compares a line of u.
func (u *unit) lineKey(line string) string {
	if u.kind == tableUnit {
		return tableRow(line)
	}
	return strings.TrimRight(line, "\r\n")
}

// shown returns u's text for display.
func (u *unit) shown() string {
	switch {
	case u.byLines():
		return strings.TrimRight(u.own, "\r\n")
	case u.kind == headingUnit:
		return strings.Trim(strings.Trim(u.content(), "#"), blank)
	case u.box() != "":
		return strings.TrimRight(u.box()+" "+u.content(), " ")
	}
	return strings.TrimRight(u.content(), "\n")
}

// lineDiffs lists the runs of lines that differ. The lines' numbers start at those given.
func lineDiffs(old, cur string, key func(string) string, oldLine, line int) []ItemDiff {
	ids := map[string]int32{}
	a, b := linesOf(old), linesOf(cur)
	var items []ItemDiff
	i, j := 0, 0
	differ := func(iEnd, jEnd int) {
		item := ItemDiff{Old: shownLines(a[i:iEnd]), New: shownLines(b[j:jEnd]), Kind: Changed, Line: line + j}
		switch {
		case i == iEnd && j == jEnd:
			return
		case i == iEnd:
			item.Kind = Added
		case j == jEnd:
			item.Kind, item.Line = Removed, oldLine+i
		}
		items = append(items, item)
	}
	for at, to := range align(numbered(ids, a, key), numbered(ids, b, key)) {
		if to >= 0 {
			differ(at, to)
			i, j = at+1, to+1
		}
	}
	differ(len(a), len(b))
	return items
}

func shownLines(lines []string) string {
	return strings.TrimSuffix(lineEnds().ReplaceAllString(strings.Join(lines, ""), "$1"), "\n")
}
