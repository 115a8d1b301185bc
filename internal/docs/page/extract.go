package page

import (
	"cmp"
	"net/url"
	"slices"
	"strings"

	"golang.org/x/net/html/atom"
)

// Entry is a page's description of one object.
type Entry struct {
	Anchor      string   // the matching id, "" for a whole page
	Signature   string   // of the object, or the heading of a section; one line
	Signatures  []string // all signatures that share the description, if several
	Description string   // Markdown
	Members     []string // ids of the objects described inside it
}

// span is the part of a page that describes something.
type span struct {
	anchor    string
	heads     []int32 // the sources of the signatures
	signature string  // instead of heads
	nodes     []int32
	leave     func(n int32) bool
	membersIn []int32 // where to look for members
}

// Entry renders the description at an anchor. fragment is the encoded one of an address; "" means the page itself.
// address is the page's own, for its links. The error is ErrNoAnchor or ErrTooLarge.
func (p *Page) Entry(fragment string, address *url.URL) (Entry, error) {
	var s span
	if fragment == "" {
		s = p.whole()
	} else if n, id := p.anchor(fragment); n != 0 {
		s = p.at(n)
		s.anchor = id
	} else {
		return Entry{}, ErrNoAnchor
	}
	e := Entry{Anchor: s.anchor, Signature: s.signature}
	for _, h := range s.heads {
		if t := p.signature(h); t != "" {
			e.Signatures = append(e.Signatures, t)
		}
	}
	if e.Signature == "" && len(e.Signatures) > 0 {
		e.Signature = e.Signatures[0]
	}
	if len(e.Signatures) < 2 {
		e.Signatures = nil
	}
	if p.bytes(s.nodes, s.leave) > maxText {
		return Entry{}, ErrTooLarge
	}
	r := &renderer{p: p, base: address, leave: s.leave}
	e.Description = r.blocks(s.nodes)
	if r.full() {
		return Entry{}, ErrTooLarge
	}
	e.Members = p.members(s)
	return e, nil
}

// Lead returns the first paragraph of prose of a description, "" when it has none.
func Lead(description string) string {
	fence := ""
	for block := range strings.SplitSeq(description, "\n\n") {
		if fence != "" {
			if strings.HasSuffix(block, "\n"+fence) || block == fence {
				fence = ""
			}
			continue
		}
		if strings.HasPrefix(block, "```") {
			ticks := block[:len(block)-len(strings.TrimLeft(block, "`"))]
			if !strings.HasSuffix(block, "\n"+ticks) {
				fence = ticks
			}
			continue
		}
		if prose(block) {
			return block
		}
	}
	return ""
}

// prose reports whether a block is a paragraph of prose, not a title, note of a version, list or table.
func prose(block string) bool {
	return !blockMark(block) && !(strings.HasPrefix(block, "**") && strings.HasSuffix(block, "**")) &&
		!begins(block, ">", "![", "---", "New in version", "Changed in version", "Deprecated since", "Added in version", "Bases:",
			"**Source code:**", "Removed in version")
}

// members lists the objects that are described within a span.
func (p *Page) members(s span) []string {
	var out []string
	for _, root := range s.membersIn {
		p.find(root, func(n int32) (bool, bool) {
			if p.isObjectList(n) {
				for _, dt := range p.children(n) {
					if id := p.get(dt, "id"); p.nodes[dt].tag == atom.Dt && id != "" {
						out = append(out, id)
					}
				}
				return false, true
			}
			if p.has(n, "doc-object") {
				if h := p.objectHeading(n); h != 0 {
					out = append(out, p.get(h, "id"))
				}
				return false, true
			}
			return false, p.nodes[n].text
		})
	}
	return out
}

// anchor finds the element of a fragment: as written, decoded, after a second #, else the only one that differs in case or - for _.
func (p *Page) anchor(fragment string) (int32, string) {
	tries := []string{fragment}
	if d, err := url.PathUnescape(fragment); err == nil {
		tries = append(tries, d)
	}
	for _, t := range tries {
		if i := strings.LastIndexByte(t, '#'); i >= 0 {
			tries = append(tries, t[i+1:])
		}
	}
	for _, t := range tries {
		if n := p.ids[t]; n != 0 {
			return n, t
		}
	}
	like := func(s string) string { return strings.ReplaceAll(strings.ToLower(s), "_", "-") }
	want := like(tries[len(tries)-1])
	found, id := int32(0), ""
	for t, n := range p.ids {
		if like(t) == want {
			if found != 0 {
				return 0, ""
			}
			found, id = n, t
		}
	}
	return found, id
}

// at returns the part of the page that element n names.
func (p *Page) at(n int32) span {
	x := &p.nodes[n]
	if s, ok := p.rustdoc(n); ok {
		return s
	}
	if dt := p.term(n); dt != 0 {
		return p.object(dt)
	}
	if p.has(n, "doc-object") {
		if h := p.objectHeading(n); h != 0 {
			return p.documented(n, h)
		}
	}
	if h := p.up(n, func(m int32) bool { return heading(p.nodes[m].tag) > 0 }); h != 0 {
		return p.headed(h)
	}
	switch x.tag {
	case atom.Section, atom.Article, atom.Main, atom.Body, atom.Html:
		return p.section(n)
	case atom.Div:
		if p.sectionHead(n) != 0 {
			return p.section(n)
		}
		if p.empty(n) {
			return p.follows(n)
		}
		return span{nodes: []int32{n}}
	case atom.Dl:
		if dt := p.firstTerm(n); dt != 0 {
			return p.object(dt)
		}
		return span{nodes: []int32{n}}
	case atom.Table, atom.Figure, atom.Pre, atom.Ul, atom.Ol, atom.Blockquote, atom.P, atom.Li, atom.Dd, atom.Tr, atom.Td, atom.Th,
		atom.Details:
		if p.empty(n) {
			return p.follows(n)
		}
		if p.has(n, "rubric") {
			return p.rubric(n)
		}
		return p.item(n)
	case atom.Hr:
		return p.follows(n)
	}
	if s, ok := p.pydoctor(n); ok {
		return s
	}
	switch o := p.nodes[n].parent; {
	case !p.empty(n) && block(x.tag):
		return p.item(n)
	case !p.empty(n):
		return p.around(n)
	case p.has(o, "doc-object"):
		return p.documented(o, p.objectHeading(o))
	}
	return p.follows(n)
}

// term returns n or the dt around it, 0 for none.
func (p *Page) term(n int32) int32 {
	n = p.up(n, func(m int32) bool { return p.is(m, atom.Dt, atom.Dd, atom.Li, atom.Td, atom.Section, atom.Table) })
	if p.nodes[n].tag != atom.Dt {
		return 0
	}
	return n
}

func (p *Page) firstTerm(dl int32) int32 {
	return p.find(dl, func(c int32) (bool, bool) { return p.nodes[c].tag == atom.Dt, true })
}

// isObjectList reports whether n is a list that describes an object of an API with its own address.
func (p *Page) isObjectList(n int32) bool {
	if p.nodes[n].tag != atom.Dl || p.has(n, "glossary", "field-list", "footnote", "citation") {
		return false
	}
	object, anchor := false, false
	for c := p.nodes[n].first; c != 0; c = p.nodes[c].next {
		if p.nodes[c].tag != atom.Dt {
			continue
		}
		object = object || p.has(c, "sig", "sig-object") || p.classed(c, "descname", "sig-name", "descclassname") != 0
		anchor = anchor || p.idOf(c) != ""
	}
	return object && anchor
}

// idOf returns the id of n, else the first one in it, "" for none.
func (p *Page) idOf(n int32) string {
	if p.get(n, "id") == "" {
		n = p.find(n, func(m int32) (bool, bool) { return p.get(m, "id") != "", false })
	}
	return p.get(n, "id")
}

// object is a dt with its description.
func (p *Page) object(dt int32) span {
	list := p.nodes[dt].parent
	// Consecutive terms share the description after them.
	var group []int32
	dd := int32(0)
	for c := p.nodes[list].first; c != 0 && dd == 0; c = p.nodes[c].next {
		switch p.nodes[c].tag {
		case atom.Dt:
			group = append(group, c)
		case atom.Dd:
			if !slices.Contains(group, dt) {
				group = nil
			} else {
				dd = c
			}
		}
	}
	others := slices.DeleteFunc(group, func(g int32) bool { return g == dt })
	s := span{heads: append([]int32{dt}, others...), leave: p.isObjectList}
	if dd != 0 {
		s.membersIn = []int32{dd}
		s.nodes = p.children(dd)
		if !p.empty(dd) {
			return s
		}
	}
	if p.isObjectList(list) {
		s.nodes = p.following(list)
	}
	return s
}

// following returns the siblings after n up to the next description: an object, a heading, a section, a target.
func (p *Page) following(n int32) []int32 {
	var out []int32
	for c := p.nodes[n].next; c != 0; c = p.nodes[c].next {
		if p.begins(c) || p.target(c) {
			break
		}
		out = append(out, c)
	}
	return out
}

func (p *Page) begins(n int32) bool {
	return heading(p.nodes[n].tag) > 0 || p.isSection(n) || p.isObjectList(n) || p.has(n, "doc-object")
}

// target reports whether n is an invisible anchor.
func (p *Page) target(n int32) bool {
	if !p.is(n, atom.Span, atom.A, atom.Div, atom.P) {
		return false
	}
	named := p.get(n, "id") != "" || p.nodes[n].tag == atom.A && p.get(n, "name") != "" ||
		p.find(n, func(m int32) (bool, bool) { return p.get(m, "id") != "" && p.is(m, atom.Span, atom.A), false }) != 0
	return named && p.empty(n)
}

// isSection reports whether n is a section, for which older generators use a div.
func (p *Page) isSection(n int32) bool {
	return p.nodes[n].tag == atom.Section || p.nodes[n].tag == atom.Div && p.has(n, "section") && p.sectionHead(n) != 0
}

// sectionHead returns the heading at the start of a section, 0 for none.
func (p *Page) sectionHead(n int32) int32 {
	for c := p.nodes[n].first; c != 0; c = p.nodes[c].next {
		switch x := &p.nodes[c]; {
		case heading(x.tag) > 0:
			return c
		case x.tag == atom.Header, x.tag == atom.Hgroup:
			if h := p.sectionHead(c); h != 0 {
				return h
			}
		case x.tag == atom.Section, x.tag == atom.Dl, x.tag == atom.P && !p.empty(c):
			return 0
		}
	}
	return 0
}

// section is a section without subsections and objects in it; without text of its own it is its first subsection.
func (p *Page) section(n int32) span {
	s := span{membersIn: []int32{n}}
	for depth := 0; ; depth++ {
		head := p.sectionHead(n)
		if head != 0 && len(s.heads) == 0 {
			s.heads = []int32{head}
		}
		nested := int32(0)
		s.nodes = nil
		for _, c := range p.children(n) {
			if p.isSection(c) {
				nested = c
				break
			}
			if c != head && !(p.nodes[c].tag == atom.Header && p.within(head, c)) {
				s.nodes = append(s.nodes, c)
			}
		}
		s.leave = func(m int32) bool { return p.isObjectList(m) || p.isSection(m) || p.has(m, "doc-object") }
		if nested == 0 || depth > 8 || p.hasContent(s.nodes, s.leave) {
			return s
		}
		n = nested
	}
}

// bytes returns the size of the nodes' source text.
func (p *Page) bytes(nodes []int32, leave func(int32) bool) (sum int) {
	for _, n := range nodes {
		add := func(m int32) (bool, bool) {
			x := &p.nodes[m]
			sum += int(x.end - x.off)
			return false, !x.text && (p.dropped(m) || leave != nil && leave(m))
		}
		if _, left := add(n); !left {
			p.find(n, add)
		}
	}
	return sum
}

// hasContent reports whether any of the nodes shows text or a picture.
func (p *Page) hasContent(nodes []int32, leave func(int32) bool) bool {
	return slices.ContainsFunc(nodes, func(n int32) bool { return (p.nodes[n].text || !p.dropped(n)) && p.shows(n, leave) })
}

// headed is the part of the page below a heading.
func (p *Page) headed(h int32) span {
	if o := p.up(h, func(n int32) bool { return p.has(n, "doc-object") }); o != 0 && p.objectHeading(o) == h {
		return p.documented(o, h)
	}
	parent := p.nodes[h].parent
	if p.is(parent, atom.Header, atom.Hgroup) {
		parent = p.nodes[parent].parent
	}
	if p.isSection(parent) && p.sectionHead(parent) == h {
		return p.section(parent)
	}
	// Without sections: up to the next heading; if that part is empty, the part below the next, lower heading.
	s := span{heads: []int32{h}, leave: func(n int32) bool { return p.isObjectList(n) || p.has(n, "doc-object") }}
	for at := h; ; {
		next := int32(0)
		for c := p.nodes[at].next; c != 0; c = p.nodes[c].next {
			if p.begins(c) {
				next = c
				break
			}
			s.nodes = append(s.nodes, c)
		}
		if next == 0 || p.hasContent(s.nodes, s.leave) || heading(p.nodes[next].tag) <= heading(p.nodes[at].tag) {
			return s
		}
		at, s.nodes = next, nil
	}
}

// objectHeading returns the heading of an object of mkdocstrings.
func (p *Page) objectHeading(o int32) int32 {
	return p.find(o, func(n int32) (bool, bool) {
		return (heading(p.nodes[n].tag) > 0 || p.has(n, "doc-heading")) && p.get(n, "id") != "", p.has(n, "doc-contents", "doc-object")
	})
}

// documented is an object of mkdocstrings: its heading or separate signature, and its docstring.
func (p *Page) documented(o, h int32) span {
	s := span{membersIn: []int32{o}}
	sig := p.find(o, func(n int32) (bool, bool) {
		return p.has(n, "doc-signature"), p.has(n, "doc-children") || n != o && p.has(n, "doc-object")
	})
	if sig == 0 && h != 0 {
		s.heads = []int32{h}
		sig = p.find(h, func(n int32) (bool, bool) {
			return p.nodes[n].tag == atom.Code && !p.has(n, "doc-symbol"), p.dropped(n)
		})
	}
	if sig != 0 {
		s.heads, s.signature = nil, p.line(sig)
	}
	for _, c := range p.children(o) {
		if h == 0 || !p.within(h, c) {
			s.nodes = append(s.nodes, c)
		}
	}
	s.leave = func(n int32) bool {
		return p.has(n, "doc-children", "doc-object", "doc-signature") ||
			p.nodes[n].tag == atom.Details && p.has(n, "quote", "mkdocstrings-source")
	}
	return s
}

// item is the block at or around an anchor.
func (p *Page) item(n int32) span { return span{nodes: []int32{n}, leave: p.isObjectList} }

// rubric is the part below a title that is not a heading element.
func (p *Page) rubric(n int32) span {
	s := span{heads: []int32{n}, leave: p.isObjectList}
	for _, c := range p.following(n) {
		if p.has(c, "rubric") {
			break
		}
		s.nodes = append(s.nodes, c)
	}
	return s
}

// around is the block around an inline element.
func (p *Page) around(n int32) span {
	b := p.up(p.nodes[n].parent, func(m int32) bool { return block(p.nodes[m].tag) })
	s := span{leave: p.isObjectList}
	if p.nodes[n].tag != atom.P {
		s.heads = []int32{n}
	}
	// An anchor in the first paragraph of an item names the whole item.
	if outer := p.nodes[b].parent; p.nodes[b].tag == atom.P && p.is(outer, atom.Li, atom.Dd) && p.leads(b) {
		b = outer
	}
	switch p.nodes[b].tag {
	case atom.Dd, atom.Li, atom.Td:
		s.nodes = p.children(b)
	case atom.P, atom.Pre, atom.Th, atom.Caption, atom.Summary, atom.Figcaption:
		s.nodes = []int32{b}
	default: // text in a box without a block: its line
		for p.nodes[n].parent != b {
			n = p.nodes[n].parent
		}
		for c := n; c != 0 && !block(p.nodes[c].tag); c = p.nodes[c].next {
			s.nodes = append(s.nodes, c)
		}
	}
	return s
}

// leads reports whether nothing visible precedes n in its parent.
func (p *Page) leads(n int32) bool {
	for c := p.nodes[p.nodes[n].parent].first; c != 0 && c != n; c = p.nodes[c].next {
		if !p.empty(c) {
			return false
		}
	}
	return true
}

// follows is the part after an empty anchor; it skips further empty anchors.
func (p *Page) follows(n int32) span {
	next := p.after(n)
	for next != 0 && (p.blank(next) || p.dropped(next) || p.nodes[next].tag == atom.Hr || p.target(next)) {
		next = p.after(next)
	}
	if next == 0 {
		return span{}
	}
	if p.within(next, p.nodes[n].parent) && !block(p.nodes[next].tag) {
		return p.around(n).withoutHeads() // in the middle of a line
	}
	switch x := &p.nodes[next]; {
	case heading(x.tag) > 0:
		return p.headed(next)
	case x.tag == atom.Section, x.tag == atom.Div && p.sectionHead(next) != 0:
		return p.section(next)
	case x.tag == atom.Dl:
		if dt := p.firstTerm(next); dt != 0 && p.isObjectList(next) {
			return p.object(dt)
		}
		return p.item(next)
	case x.tag == atom.Header:
		if h := p.sectionHead(next); h != 0 {
			return p.headed(h)
		}
	case !block(x.tag):
		return p.around(next).withoutHeads()
	}
	if strings.HasPrefix(p.get(n, "id"), "module-") {
		// A module without a section.
		return span{nodes: append([]int32{next}, p.following(next)...), leave: p.isObjectList}
	}
	return p.item(next)
}

func (s span) withoutHeads() span { s.heads = nil; return s }

// whole is the page: its first section, else its marked main part.
func (p *Page) whole() span {
	if s, ok := p.pydoctorPage(); ok {
		return s
	}
	if s, ok := p.rustdocPage(); ok {
		return s
	}
	h1 := p.find(0, func(n int32) (bool, bool) {
		box := p.nodes[n].parent
		t := p.nodes[box].tag
		return p.nodes[n].tag == atom.H1 && (t == atom.Section || t == atom.Div && p.has(box, "section")), false
	})
	if h1 != 0 {
		return p.headed(h1)
	}
	main := p.main()
	s := span{nodes: p.children(main), leave: p.isObjectList, membersIn: []int32{main}}
	if h := p.find(main, func(n int32) (bool, bool) { return p.nodes[n].tag == atom.H1, p.dropped(n) }); h != 0 {
		s.heads = []int32{h}
		leave := s.leave
		s.leave = func(n int32) bool { return n == h || leave(n) }
	}
	return s
}

// main is the page's marked main part, else its body.
func (p *Page) main() int32 {
	main := p.find(0, func(n int32) (bool, bool) { return p.get(n, "role") == "main", false })
	for _, tag := range []atom.Atom{atom.Main, atom.Article, atom.Body} {
		if main == 0 {
			main = p.tagged(0, tag)
		}
	}
	return main
}

// Title returns the page's title, "" when it has none.
func (p *Page) Title() string {
	if n := p.tagged(0, atom.Title); n != 0 {
		return p.line(n)
	}
	return ""
}

// pydoctor marks a function or attribute by anchors in a div, before its header and its docstring.
func (p *Page) pydoctor(n int32) (span, bool) {
	box := p.up(n, func(m int32) bool { return p.nodes[m].tag == atom.Div })
	if box == 0 {
		return span{}, false
	}
	header, body := int32(0), int32(0)
	for _, c := range p.children(box) {
		switch {
		case p.has(c, "functionHeader", "attributeHeader"):
			header = c
		case p.has(c, "functionBody", "docstring"):
			body = c
		}
	}
	if header == 0 {
		return span{}, false
	}
	s := span{signature: strings.TrimSuffix(p.signature(header), ":")}
	if body != 0 {
		s.nodes = p.children(body)
	}
	return s, true
}

// pydoctorPage is the page of a class or module.
func (p *Page) pydoctorPage() (span, bool) {
	doc := p.classed(0, "moduleDocstring")
	if doc == 0 {
		return span{}, false
	}
	s := span{nodes: p.children(doc)}
	if extras := p.classed(0, "extrasDocstring"); extras != 0 {
		if code := p.tagged(extras, atom.Code); code != 0 && p.classed(code, "py-keyword") != 0 {
			s.signature = strings.TrimSuffix(p.signature(code), ":")
		}
	}
	if s.signature == "" {
		if head := p.classed(0, "page-header"); head != 0 {
			if h1 := p.tagged(head, atom.H1); h1 != 0 {
				s.heads = []int32{h1}
			}
		}
	}
	return s, true
}

func (p *Page) isRustdoc() bool { return p.has(p.tagged(0, atom.Body), "rustdoc") }

// rustdoc marks a method, variant or field by an element before its docblock.
func (p *Page) rustdoc(n int32) (span, bool) {
	kind, _, ok := strings.Cut(p.get(n, "id"), ".")
	kinds := []string{"method", "tymethod", "variant", "structfield", "associatedtype", "associatedconstant", "impl"}
	if !ok || !slices.Contains(kinds, kind) || !p.isRustdoc() {
		return span{}, false
	}
	s := span{heads: []int32{cmp.Or(p.classed(n, "code-header"), n)}}
	box := cmp.Or(p.up(n, func(m int32) bool { return p.nodes[m].tag == atom.Summary }), n)
	for c := p.nodes[box].next; c != 0; c = p.nodes[c].next {
		if p.nodes[c].text && p.blank(c) {
			continue
		}
		if p.has(c, "docblock", "item-info", "stab") {
			s.nodes = append(s.nodes, c)
			continue
		}
		if doc := p.classed(c, "docblock"); p.nodes[c].tag == atom.Details && doc != 0 && len(s.nodes) == 0 {
			s.nodes = append(s.nodes, doc)
		}
		break
	}
	return s, true
}

// rustdocPage is the page of an item.
func (p *Page) rustdocPage() (span, bool) {
	main := p.ids["main-content"]
	if main == 0 || !p.isRustdoc() || p.classed(main, "main-heading", "fqn") == 0 {
		return span{}, false
	}
	s := span{}
	decl := p.classed(main, "item-decl")
	if decl != 0 {
		s.signature = p.line(decl)
	} else if h1 := p.tagged(main, atom.H1); h1 != 0 {
		s.heads = []int32{h1}
	}
	doc := p.find(main, func(n int32) (bool, bool) {
		if p.has(n, "item-decl") {
			return false, true
		}
		return p.has(n, "docblock"), heading(p.nodes[n].tag) == 2 || p.has(n, "method-toggle", "implementors-toggle", "impl-items")
	})
	if doc != 0 {
		s.nodes = p.children(doc)
	}
	return s, true
}
