package web

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Charts are SVG in the page without inline styles: classes of the style sheet colour them. Each has a title and a
// description for screen readers, above a table with the same numbers.

// chart is a drawing and the numbers in it.
type chart struct {
	ID, Kind    string // Kind: bar, columns, rows, lines, none
	Title, Desc string
	Shapes      []shape
	Width       int
	Height      int
	Rows        []chartRow
	Folded      bool // the table is long: it opens on demand
	Heads       []string
	Grid        []gridRow // a table with Heads above it, below or instead of Rows
}

// gridRow is a row of numbers with its name.
type gridRow struct {
	Name  string
	Cells []cell
}

// cell is a number with the list behind it. Warmth is 0 to 5: its share of the row.
type cell struct {
	Href, Value string
	Warmth      int
}

// shape is a bar from X, Y, or a line.
type shape struct {
	Points              string // of a line, as SVG has it
	X, Y, Width, Height float64
	Class               string
}

type chartRow struct {
	Label, Class, Href string
	Value, Share       string
}

// unlinked is for numbers without a list behind them.
func unlinked(string) string { return "" }

// counted draws numbers by name: those of known in that order, then the others.
func counted(kind, id, title string, n map[string]int, known []string, href func(string) string) chart {
	c := chart{ID: id, Kind: kind, Title: title}
	names, all, most, some := slices.Clone(known), 0, 0, 0
	for _, name := range slices.Sorted(maps.Keys(n)) {
		if !slices.Contains(names, name) && name != "" {
			names = append(names, name)
		}
	}
	for _, name := range names {
		all, most = all+n[name], max(most, n[name])
		if n[name] > 0 {
			some++
		}
	}
	for _, name := range names {
		c.Rows = append(c.Rows, chartRow{name, className("c-"+id, name), href(name), fmt.Sprint(n[name]), percent(ratio(n[name], all))})
	}
	c.Desc = describe(title, c.Rows)
	switch kind {
	case "bar": // one bar, divided among the values
		c.Width, c.Height = 320, 14
		const gap = 2
		room, x := float64(c.Width-gap*max(0, some-1)), 0.0
		for i, name := range names {
			if width := room * ratio(n[name], all); n[name] > 0 {
				c.Shapes = append(c.Shapes, shape{X: x, Width: width, Height: float64(c.Height), Class: c.Rows[i].Class})
				x += width + gap
			}
		}
	case "columns": // a vertical bar for each value
		c.Width, c.Height = 320, 96
		step := float64(c.Width) / float64(len(names))
		for i, name := range names {
			height := max(1, float64(c.Height)*ratio(n[name], most))
			c.Shapes = append(c.Shapes, shape{X: step*float64(i) + step*0.14, Y: float64(c.Height) - height, Width: step * 0.72, Height: height,
				Class: c.Rows[i].Class})
		}
	case "rows": // a horizontal bar for each value, in its row of the table
		c.Width, c.Height = 160, 8
		for i, name := range names {
			c.Rows[i].Class = "c-plain"
			c.Shapes = append(c.Shapes, shape{Width: max(2, float64(c.Width)*ratio(n[name], most)), Height: float64(c.Height), Class: "c-plain"})
		}
	}
	return c
}

func ratio(a, b int) float64 {
	if b == 0 {
		return 0
	}
	return float64(a) / float64(b)
}

// describe describes a chart in words.
func describe(what string, rows []chartRow) string {
	var parts []string
	for _, r := range rows {
		parts = append(parts, r.Label+" "+r.Value)
	}
	return what + ": " + strings.Join(parts, ", ")
}

// lines is a line for each row of values from 0 to 1, with the names of the columns from left to right.
func lines(id, title string, names, columns []string, value func(row, column int) float64) chart {
	c := chart{ID: id, Kind: "lines", Title: title, Width: 320, Height: 96, Folded: true, Heads: append([]string{"Month"}, names...)}
	for row, name := range names {
		points := "M"
		for n := range columns {
			points += fmt.Sprintf(" %.1f,%.1f", float64(n*c.Width)/float64(len(columns)-1), 2+float64(c.Height-4)*(1-value(row, n)))
		}
		class := fmt.Sprintf("c-line-%d", row)
		c.Shapes = append(c.Shapes, shape{Points: points, Class: class})
		c.Rows = append(c.Rows, chartRow{Label: name, Class: class, Value: percent(value(row, len(columns)-1))})
	}
	for n := len(columns) - 1; n >= 0; n-- {
		r := gridRow{Name: columns[n]}
		for row := range names {
			r.Cells = append(r.Cells, cell{Value: percent(value(row, n))})
		}
		c.Grid = append(c.Grid, r)
	}
	c.Desc = describe("from "+columns[0]+" to now", c.Rows)
	return c
}
