package web

import (
	"slices"
	"strings"

	"sdd/internal/decision"
)

// The map of decisions is SVG in the page: a box for each decision with a link, to the right of those it depends on or
// replaces. The list below has the same in words. Classes of the style sheet colour it.

type decisionMap struct {
	Width, Height int
	Boxes         []box
	Lines         []mapLine
	Of            int // decisions with a link
}

// box is a decision with its position.
type box struct {
	X, Y, TextX, TextY int
	Name, Short        string
	Status, Href       string
}

// mapLine is a line from a decision to one that it names.
type mapLine struct {
	X1, Y1, X2, Y2 int
	Kind           string
}

const (
	boxWidth, boxHeight = 210, 40
	boxGapX, boxGapY    = 60, 16
	boxText             = 26 // characters
	mostBoxes           = 60
	mapEdge             = 4
)

// drawn is the map of a graph; of too many decisions it shows the newest.
func drawn(g decision.Graph) decisionMap {
	linked := map[string]bool{}
	for _, e := range g.Edges {
		linked[e.From], linked[e.To] = true, true
	}
	nodes := slices.DeleteFunc(slices.Clone(g.Nodes), func(n decision.Node) bool { return !linked[n.ID] })
	slices.SortStableFunc(nodes, func(a, b decision.Node) int { return strings.Compare(a.Date, b.Date) })
	m := decisionMap{Of: len(nodes)}
	nodes = nodes[max(0, len(nodes)-mostBoxes):]
	clear(linked)
	for _, n := range nodes {
		linked[n.ID] = true
	}
	edges := slices.DeleteFunc(slices.Clone(g.Edges), func(e decision.Edge) bool { return !linked[e.From] || !linked[e.To] })
	column := columnsOf(edges)
	places := map[string]box{}
	next := map[int]int{}
	for _, n := range nodes {
		c := column[n.ID]
		b := box{X: mapEdge + c*(boxWidth+boxGapX), Y: mapEdge + next[c]*(boxHeight+boxGapY), Name: oneLine(n.Title, 120),
			Short: oneLine(n.Title, boxText), Status: n.Status, Href: decisionPage(n)}
		b.TextX, b.TextY = b.X+boxWidth/2, b.Y+boxHeight/2+5
		next[c]++
		places[n.ID] = b
		m.Boxes = append(m.Boxes, b)
		m.Width, m.Height = max(m.Width, b.X+boxWidth+mapEdge), max(m.Height, b.Y+boxHeight+mapEdge)
	}
	for _, e := range edges {
		from, to := places[e.From], places[e.To]
		l := mapLine{from.X, from.Y + boxHeight/2, to.X + boxWidth, to.Y + boxHeight/2, strings.ReplaceAll(e.Type, "_", "")}
		if column[e.From] <= column[e.To] { // the same column, or a link to the right
			l.X1, l.X2 = from.X+boxWidth, to.X
			if column[e.From] == column[e.To] {
				l.X1, l.X2 = from.X+boxWidth, to.X+boxWidth
			}
		}
		m.Lines = append(m.Lines, l)
	}
	return m
}

// columnsOf puts the decisions that one depends on or replaces at least one column before it. It cuts
// circles at their start.
func columnsOf(edges []decision.Edge) map[string]int {
	below := map[string][]string{}
	for _, e := range edges {
		if e.Type != "relates_to" {
			below[e.From] = append(below[e.From], e.To)
		}
	}
	column := map[string]int{}
	open := map[string]bool{}
	var place func(id string) int
	place = func(id string) int {
		if c, ok := column[id]; ok {
			return c
		}
		if open[id] {
			return -1
		}
		open[id] = true
		c := 0
		for _, to := range below[id] {
			c = max(c, place(to)+1)
		}
		column[id] = c
		return c
	}
	for _, e := range edges {
		place(e.From)
		place(e.To)
	}
	return column
}
