package page

import (
	"maps"
	"slices"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// get returns an attribute of n, "" when it has none.
func (p *Page) get(n int32, key string) string {
	x := &p.nodes[n]
	k := attrKey(key)
	for _, a := range p.attrs[x.attr : x.attr+uint32(x.attrs)] {
		if a.key == k {
			return a.value
		}
	}
	return ""
}

func (p *Page) has(n int32, classes ...string) bool {
	for c := range strings.FieldsSeq(p.get(n, "class")) {
		if slices.Contains(classes, c) {
			return true
		}
	}
	return false
}

func (p *Page) is(n int32, tags ...atom.Atom) bool { return slices.Contains(tags, p.nodes[n].tag) }

// within reports whether n is root or inside it.
func (p *Page) within(n, root int32) bool {
	for ; n != 0; n = p.nodes[n].parent {
		if n == root {
			return true
		}
	}
	return root == 0
}

// find returns the first node below root for which ok is true, 0 for none. If ok returns leave, it skips the node's children.
func (p *Page) find(root int32, ok func(n int32) (found, leave bool)) int32 {
	for n := p.nodes[root].first; n != 0; {
		found, leave := ok(n)
		if found {
			return n
		}
		if !leave && p.nodes[n].first != 0 {
			n = p.nodes[n].first
			continue
		}
		for n != root && p.nodes[n].next == 0 {
			n = p.nodes[n].parent
		}
		if n == root {
			return 0
		}
		n = p.nodes[n].next
	}
	return 0
}

func (p *Page) tagged(root int32, tag atom.Atom) int32 {
	return p.find(root, func(n int32) (bool, bool) { return p.nodes[n].tag == tag, false })
}

func (p *Page) classed(root int32, classes ...string) int32 {
	return p.find(root, func(n int32) (bool, bool) { return p.has(n, classes...), false })
}

// up returns n or the nearest element around it for which ok is true, 0 for none.
func (p *Page) up(n int32, ok func(n int32) bool) int32 {
	for ; n != 0; n = p.nodes[n].parent {
		if ok(n) {
			return n
		}
	}
	return 0
}

// after returns the next node outside n, 0 at the end.
func (p *Page) after(n int32) int32 {
	for ; n != 0; n = p.nodes[n].parent {
		if next := p.nodes[n].next; next != 0 {
			return next
		}
	}
	return 0
}

// content returns the decoded text of a node, with \n as its line ends.
func (p *Page) content(n int32) string {
	s := p.src[p.nodes[n].off:p.nodes[n].end]
	return strings.ReplaceAll(strings.ReplaceAll(html.UnescapeString(s), "\r\n", "\n"), "\r", "\n")
}

// blank reports whether n is a text of white space only.
func (p *Page) blank(n int32) bool {
	return p.nodes[n].text && strings.TrimSpace(p.content(n)) == ""
}

// empty reports whether n has no visible text and no picture.
func (p *Page) empty(n int32) bool { return !p.shows(n, nil) }

// shows reports whether n has visible text or a picture outside the parts for which leave is true.
func (p *Page) shows(n int32, leave func(int32) bool) bool {
	visible := func(m int32) (found, skip bool) {
		switch x := &p.nodes[m]; {
		case x.text:
			return !p.blank(m), true
		case m != n && p.dropped(m), leave != nil && leave(m):
			return false, true
		default:
			return x.tag == atom.Img, false
		}
	}
	found, skip := visible(n)
	return found || !skip && p.find(n, visible) != 0
}

// dropped reports whether n is not content: scripts, navigation, links to itself.
func (p *Page) dropped(n int32) bool {
	switch p.nodes[n].tag {
	case atom.Script, atom.Style, atom.Nav, atom.Aside, atom.Noscript, atom.Template, atom.Button, atom.Iframe, atom.Object, atom.Svg,
		atom.Input, atom.Select, atom.Textarea, atom.Form, atom.Head, atom.Title, atom.Audio, atom.Video, atom.Canvas, atom.Footer:
		return true
	case atom.A:
		return p.has(n, "headerlink", "headerLink", "paramlink", "viewcode-link", "viewcode-back", "sourceLink", "srclink", "anchor",
			"anchorjs-link", "test-arrow", "doc-anchor", "toc-backref-link", "src", "reference-to-top") || p.classed(n, "viewcode-link") != 0
	}
	return p.has(n, "sidebar", "toctree-wrapper", "contents", "headerlink", "viewcode-link", "linenos", "linenodiv", "lineno",
		"gp-lineno", "doc-labels", "doc-symbol", "section-number", "copybtn", "sphinxsidebar", "related", "navigation", "hideme",
		"rightside", "out-of-band", "tooltip", "doc-src-link", "localtoc", "md-source-file", "sphinx-codeautolink-toc", "modal",
		"breadcrumbs", "searchbox")
}

// line returns the visible text of n as one line, with folded white space.
func (p *Page) line(n int32) string { return oneLine(p.verbatim(n)) }

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

func (p *Page) verbatim(n int32) string {
	var b strings.Builder
	p.writeText(&b, n)
	return b.String()
}

func (p *Page) writeText(b *strings.Builder, n int32) {
	for c := p.nodes[n].first; c != 0; c = p.nodes[c].next {
		x := &p.nodes[c]
		switch {
		case x.text:
			b.WriteString(p.content(c))
		case p.dropped(c):
		case x.tag == atom.Br:
			b.WriteByte('\n')
		case x.tag == atom.Img:
			b.WriteString(p.get(c, "alt"))
		default:
			apart := block(x.tag) && x.tag != atom.Dd && x.tag != atom.Dl && x.tag != atom.Dt // those occur in long signatures
			if apart && b.Len() > 0 {
				b.WriteByte(' ')
			}
			p.writeText(b, c)
			if apart {
				b.WriteByte(' ')
			}
		}
	}
}

// signature returns the text of a dt or heading as one line, without the link to the source.
func (p *Page) signature(n int32) string {
	s := p.line(n)
	for _, tail := range []string{"[source]", "[docs]", "(source)", "¶", "\uf0c1", "§"} {
		s = strings.TrimSpace(strings.TrimSuffix(s, tail))
	}
	return s
}

// Link is a link of a page, its address as written.
type Link struct{ Href, Text string }

// Links returns the links in the element of that id, or of the whole page if id is "", in order.
func (p *Page) Links(id string) []Link {
	root := p.ids[id]
	if id != "" && root == 0 {
		return nil
	}
	var out []Link
	p.find(root, func(n int32) (bool, bool) {
		if href := p.get(n, "href"); p.nodes[n].tag == atom.A && href != "" {
			out = append(out, Link{href, p.line(n)})
		}
		return false, false
	})
	return out
}

// Anchors returns the ids of a page, sorted.
func (p *Page) Anchors() []string { return slices.Sorted(maps.Keys(p.ids)) }
