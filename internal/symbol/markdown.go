package symbol

import (
	"strings"

	"sdd/internal/markdown"
)

// readMarkdown makes a symbol of each heading: it reaches to the next heading of its level or above.
func readMarkdown(f *File, src string) {
	readText(f, src)
	d, err := markdown.Parse([]byte(src), 0)
	if err != nil {
		return
	}
	for i, h := range d.Headings {
		last := f.Lines
		for _, next := range d.Headings[i+1:] {
			if next.Level <= h.Level {
				last = next.Line - 1
				break
			}
		}
		if name := strings.TrimSpace(h.Text); name != "" {
			f.add(name, Heading, h.Line, last, f.between(h.Line, last))
		}
	}
}
