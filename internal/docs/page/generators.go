package page

import (
	"strings"

	"golang.org/x/net/html/atom"
)

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
	if !ok || !p.isRustdoc() {
		return span{}, false
	}
	switch kind {
	case "method", "tymethod", "variant", "structfield", "associatedtype", "associatedconstant", "impl":
	default:
		return span{}, false
	}
	head := n
	if code := p.classed(n, "code-header"); code != 0 {
		head = code
	}
	s := span{heads: []int32{head}}
	box := p.up(n, func(m int32) bool { return p.nodes[m].tag == atom.Summary })
	if box == 0 {
		box = n
	}
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
		s.signature = strings.Join(strings.Fields(strings.ReplaceAll(p.verbatim(decl), "\u00a0", " ")), " ")
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
