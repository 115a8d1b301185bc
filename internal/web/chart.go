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

// counted returns the names to show, the known ones first in their order, and the sum.
func counted(n map[string]int, known []string) (names []string, sum int) {
	names = slices.Clone(known)
	for _, k := range slices.Sorted(maps.Keys(n)) {
		if !slices.Contains(names, k) && k != "" {
			names = append(names, k)
		}
	}
	for _, k := range names {
		sum += n[k]
	}
	return names, sum
}

func countRows(n map[string]int, names []string, sum int, href func(string) string, class func(i int, name string) string) []chartRow {
	var rows []chartRow
	for i, name := range names {
		rows = append(rows, chartRow{Label: name, Class: class(i, name), Href: href(name), Value: fmt.Sprint(n[name]),
			Share: percent(ratio(n[name], sum))})
	}
	return rows
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

func classOf(kind string) func(int, string) string {
	return func(_ int, name string) string { return className("c-"+kind, name) }
}

// stacked is one bar that is divided among the values.
func stacked(id, title string, n map[string]int, known []string, href func(string) string) chart {
	names, sum := counted(n, known)
	c := chart{ID: id, Kind: "bar", Title: title, Width: 320, Height: 14, Rows: countRows(n, names, sum, href, classOf(id))}
	c.Desc = describe(title, c.Rows)
	const gap = 2
	var some int
	for _, name := range names {
		if n[name] > 0 {
			some++
		}
	}
	room, x := float64(c.Width-gap*max(0, some-1)), 0.0
	for i, name := range names {
		if n[name] == 0 {
			continue
		}
		width := room * ratio(n[name], sum)
		c.Shapes = append(c.Shapes, shape{X: x, Width: width, Height: float64(c.Height), Class: c.Rows[i].Class})
		x += width + gap
	}
	return c
}

// columns is a vertical bar for each value.
func columns(id, title string, n map[string]int, known []string, href func(string) string) chart {
	names, sum := counted(n, known)
	c := chart{ID: id, Kind: "columns", Title: title, Width: 320, Height: 96, Rows: countRows(n, names, sum, href, classOf(id))}
	c.Desc = describe(title, c.Rows)
	most := 0
	for _, name := range names {
		most = max(most, n[name])
	}
	step := float64(c.Width) / float64(len(names))
	for i, name := range names {
		height := max(1, float64(c.Height)*ratio(n[name], most))
		c.Shapes = append(c.Shapes, shape{X: step*float64(i) + step*0.14, Y: float64(c.Height) - height, Width: step * 0.72, Height: height,
			Class: c.Rows[i].Class})
	}
	return c
}

// bars is a horizontal bar for each value, in its row of the table.
func bars(id, title string, n map[string]int, names []string, href func(string) string) chart {
	sum := 0
	for _, v := range n {
		sum += v
	}
	c := chart{ID: id, Kind: "rows", Title: title, Width: 160, Height: 8,
		Rows: countRows(n, names, sum, href, func(int, string) string { return "c-plain" })}
	c.Desc = describe(title, c.Rows)
	for i, name := range names {
		c.Shapes = append(c.Shapes, shape{Width: max(2, float64(c.Width)*ratio(n[name], n[names[0]])), Height: float64(c.Height),
			Class: c.Rows[i].Class})
	}
	return c
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
