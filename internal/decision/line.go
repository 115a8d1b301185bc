package decision

import "sdd/internal/markdown"

// oneLine is stored text as data on one line.
func oneLine(s string) string { return markdown.Line(s) }
