package page

import (
	"strings"

	"golang.org/x/net/html/atom"
)

// line returns the visible text of n as one line, with folded white space.
func (p *Page) line(n int32) string {
	var b strings.Builder
	p.writeText(&b, n)
	return strings.Join(strings.Fields(strings.ReplaceAll(b.String(), "\u00a0", " ")), " ")
}

// verbatim returns the text of n with its white space.
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
