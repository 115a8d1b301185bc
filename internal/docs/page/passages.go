package page

import (
	"strings"

	"golang.org/x/net/html/atom"
)

// Passage is a part of a page with its own address: a section without its subsections, or an object without its members.
type Passage struct {
	Anchor string // "" before the first one
	Title  string
	Text   string
}

// Passages splits the page's main part at its addresses, in the order of the page. It leaves out navigation.
func (p *Page) Passages() []Passage {
	c := cutter{p: p}
	c.open("", p.Title())
	c.walk(p.main(), 0)
	out := make([]Passage, 0, len(c.parts))
	for _, part := range c.parts {
		if text := part.text.String(); strings.TrimSpace(text) != "" {
			out = append(out, Passage{part.anchor, part.title, text})
		}
	}
	return out
}

const maxTitle = 300 // bytes of a passage's title

type cutter struct {
	p     *Page
	parts []*part
}

type part struct {
	anchor, title string
	text          strings.Builder
}

func (c *cutter) open(anchor, title string) int {
	if len(title) > maxTitle {
		title = strings.ToValidUTF8(title[:maxTitle], "")
	}
	c.parts = append(c.parts, &part{anchor: anchor, title: title})
	return len(c.parts) - 1
}

// walk adds the content of n to a part, and begins further parts in it.
func (c *cutter) walk(n int32, at int) {
	p := c.p
	head := int32(-1) // of n
	for m := p.nodes[n].first; m != 0; m = p.nodes[m].next {
		x := &p.nodes[m]
		if x.text {
			c.parts[at].text.WriteString(p.content(m))
			continue
		}
		if p.dropped(m) {
			continue
		}
		if block(x.tag) || x.tag == atom.Br {
			c.parts[at].text.WriteByte('\n')
		}
		id := p.get(m, "id")
		switch {
		case x.tag == atom.Section || x.tag == atom.Div && p.has(m, "section"):
			head := p.sectionHead(m)
			if id == "" && head != 0 {
				id = p.get(head, "id")
			}
			if head != 0 && id != "" && id != c.parts[at].anchor {
				c.walk(m, c.open(id, p.signature(head)))
				continue
			}
		case heading(x.tag) > 0 && id != "" && id != c.parts[at].anchor:
			if head < 0 {
				head = p.sectionHead(n)
			}
			if head == m && (p.nodes[n].tag == atom.Section || p.has(n, "section")) {
				break // its heading began the section
			}
			at = c.open(id, p.signature(m)) // to the next heading, or the end of its box
			continue
		case x.tag == atom.Details && p.has(m, "rustdoc-toggle"):
			if box := p.tagged(m, atom.Section); box != 0 && p.get(box, "id") != "" && strings.Contains(p.get(box, "id"), ".") {
				c.walk(m, c.open(p.get(box, "id"), p.line(box)))
				continue
			}
		case x.tag == atom.Dl && p.isObjectList(m):
			c.objects(m, at)
			continue
		case p.has(m, "doc-object"):
			if h := p.objectHeading(m); h != 0 {
				c.walk(m, c.open(p.get(h, "id"), p.line(h)))
				continue
			}
		case p.has(m, "basefunction", "baseattribute", "basemethod", "baseproperty", "baseclassmethod", "basestaticmethod", "baseclassvariable",
			"baseinstancevariable"):
			if a := p.find(m, func(o int32) (bool, bool) { return p.nodes[o].tag == atom.A && p.get(o, "name") != "", false }); a != 0 {
				c.walk(m, c.open(p.get(a, "name"), p.get(a, "name")))
				continue
			}
		}
		c.walk(m, at)
		if block(x.tag) {
			c.parts[at].text.WriteByte('\n')
		}
	}
}

// objects adds the objects of a list, each with its description.
func (c *cutter) objects(list int32, at int) {
	p := c.p
	current, described := at, true
	for m := p.nodes[list].first; m != 0; m = p.nodes[m].next {
		switch p.nodes[m].tag {
		case atom.Dt:
			if id := p.idOf(m); described && id != "" { // consecutive terms share a description
				current, described = c.open(id, p.signature(m)), false
			}
			c.walk(m, current)
			c.parts[current].text.WriteByte('\n')
		case atom.Dd:
			described = true
			c.walk(m, current)
		}
	}
}
