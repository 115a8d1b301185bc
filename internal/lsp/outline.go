package lsp

import (
	"sdd/internal/frontmatter"
	"sdd/internal/markdown"
)

// outline parses the headings of a record; doc is nil when its Markdown is nested too deep.
func (d *document) outline() (body int, doc *markdown.Doc) {
	fm, _ := frontmatter.Parse(d.src)
	doc, _ = markdown.Parse(d.src, fm.Body)
	return fm.Body, doc
}

// headings lists the headings of a record with the end of each one's text: the next heading of its level or a lower number.
func (d *document) headings(visit func(h markdown.Heading, end int)) {
	_, doc := d.outline()
	if doc == nil {
		return
	}
	for i, h := range doc.Headings {
		end := len(d.src)
		for _, next := range doc.Headings[i+1:] {
			if next.Level <= h.Level {
				end = next.Span.Start
				break
			}
		}
		visit(h, end)
	}
}

type documentSymbol struct {
	Name     string            `json:"name"`
	Kind     int               `json:"kind"`
	Range    span              `json:"range"`
	Chosen   span              `json:"selectionRange"`
	Children []*documentSymbol `json:"children,omitempty"`

	level int
}

// symbolKindString is the symbol kind that editors show for parts of texts.
const symbolKindString = 15

func (j job) symbols(p place, _ params) []*documentSymbol {
	root := &documentSymbol{}
	way := []*documentSymbol{root}
	p.headings(func(h markdown.Heading, end int) {
		s := &documentSymbol{
			Name: h.Text, Kind: symbolKindString, Range: p.span(h.Span.Start, end), Chosen: p.whole(h.Line - 1), level: h.Level,
		}
		if s.Name == "" {
			s.Name = "(empty)" // clients refuse an empty name
		}
		for len(way) > 1 && way[len(way)-1].level >= h.Level {
			way = way[:len(way)-1]
		}
		parent := way[len(way)-1]
		parent.Children = append(parent.Children, s)
		way = append(way, s)
	})
	return root.Children
}

type fold struct {
	Start int    `json:"startLine"`
	End   int    `json:"endLine"`
	Kind  string `json:"kind,omitempty"`
}

func (j job) folds(p place, _ params) []fold {
	var all []fold
	add := func(start, end int, kind string) {
		first, last := p.position(start).Line, p.position(end).Line
		for last > first && len(p.line(last)) == 0 {
			last--
		}
		if last > first {
			all = append(all, fold{first, last, kind})
		}
	}
	if body, _ := p.outline(); body > 0 {
		add(0, body-1, "region")
	}
	p.headings(func(h markdown.Heading, end int) { add(h.Span.Start, max(end-1, 0), "") })
	return all
}
