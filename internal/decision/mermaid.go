package decision

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"sdd/internal/record"
)

// arrows are the lines of edges: dotted to a replaced decision, thick to one that it depends on.
var arrows = map[string]string{supersedesLink: "-.->", dependsOnLink: "==>"}

// Mermaid renders the graph as a flowchart. The text of a title cannot become syntax: all but letters, digits and a few
// marks are written as numbers.
func (g Graph) Mermaid() string {
	var b strings.Builder
	b.WriteString("flowchart TD\n")
	names := map[string]string{}
	for i, n := range g.Nodes {
		name := fmt.Sprintf("n%d", i+1)
		names[n.ID] = name
		label := label(n.Title)
		open, end := `(["`, `"])`
		if n.Type == "decision" {
			open, end = `["`, `"]`
			if n.Date != "" {
				label += "<br/>" + mermaidText(n.Date)
			}
			if n.Status != "" && n.Status != accepted {
				label += "<br/>" + mermaidText(n.Status)
			}
		}
		fmt.Fprintf(&b, "  %s%s%s%s\n", name, open, label, end)
	}
	for _, e := range g.Edges {
		from, to := names[e.From], names[e.To]
		if from == "" || to == "" {
			continue
		}
		arrow := cmp.Or(arrows[e.Type], "-->")
		fmt.Fprintf(&b, "  %s %s|%s| %s\n", from, arrow, strings.ReplaceAll(e.Type, "_", " "), to)
	}
	return b.String()
}

const (
	mostLine  = 36 // characters of a label's line
	mostLines = 5
)

// label breaks a title into lines. A longer word is cut.
func label(title string) string {
	var lines []string
	for word := range strings.FieldsSeq(record.Inline(title)) {
		for part := range slices.Chunk([]rune(word), mostLine) {
			last := len(lines) - 1
			if last < 0 || utf8.RuneCountInString(lines[last])+1+len(part) > mostLine {
				lines = append(lines, string(part))
			} else {
				lines[last] += " " + string(part)
			}
		}
	}
	if len(lines) > mostLines {
		lines = append(lines[:mostLines], "…")
	}
	for i, l := range lines {
		lines[i] = mermaidText(l)
	}
	return cmp.Or(strings.Join(lines, "<br/>"), "…")
}

// mermaidText writes all but letters, digits and a few marks as numbers.
func mermaidText(s string) string {
	var b strings.Builder
	for _, r := range s {
		if unicode.IsLetter(r) || unicode.IsMark(r) || unicode.IsDigit(r) || strings.ContainsRune(" .,-…", r) {
			b.WriteRune(r)
		} else {
			fmt.Fprintf(&b, "#%d;", r)
		}
	}
	return b.String()
}
