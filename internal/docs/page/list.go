package page

import (
	"maps"
	"slices"

	"golang.org/x/net/html/atom"
)

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
