package grep

import (
	"path"
	"strings"

	"sdd/internal/markdown"
)

func isMarkdown(p string) bool {
	switch strings.ToLower(path.Ext(p)) {
	case ".md", ".markdown", ".mdx":
		return true
	}
	return false
}

// markdownUnits are the parts of a document between two headings.
func markdownUnits(src []byte, lines int) []unit {
	d, err := markdown.Parse(src, 0)
	if err != nil || lines == 0 {
		return nil
	}
	var units []unit
	start := 0
	for _, h := range d.Headings {
		if at := h.Line - 1; at > start {
			units = append(units, unit{start, at - 1})
			start = at
		}
	}
	return append(units, unit{start, lines - 1})
}
