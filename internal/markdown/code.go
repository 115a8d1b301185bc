package markdown

import (
	"bytes"
	"strings"

	"github.com/yuin/goldmark/ast"

	"sdd/internal/lines"
)

// Code returns the spans of whole lines in src[from:] without links: code blocks and HTML comments. It fails where Parse does.
func Code(src []byte, from int) (spans []Span, err error) {
	root, err := (&Doc{Src: src, From: from}).blocks()
	if err != nil {
		return nil, err
	}
	_ = ast.Walk(root, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		comment := false
		if html, ok := n.(*ast.HTMLBlock); ok {
			comment = html.HTMLBlockType == ast.HTMLBlockType2
		}
		if !entering || n.Kind() != ast.KindCodeBlock && n.Kind() != ast.KindFencedCodeBlock && !comment {
			return ast.WalkContinue, nil
		}
		start := from + n.Pos()
		end := start
		if lines := n.Lines(); lines.Len() > 0 {
			end = from + lines.At(lines.Len()-1).Stop - 1
		}
		start = bytes.LastIndexByte(src[:start], '\n') + 1
		end = lines.End(src, end)
		next := strings.TrimLeft(string(src[end:lines.End(src, end)]), " \t>")
		switch html, _ := n.(*ast.HTMLBlock); {
		case comment && html.HasClosure():
			end = lines.End(src, from+html.ClosureLine.Start)
		case n.Kind() == ast.KindFencedCodeBlock && (strings.HasPrefix(next, "```") || strings.HasPrefix(next, "~~~")):
			end = lines.End(src, end)
		}
		spans = append(spans, Span{start, end})
		return ast.WalkSkipChildren, nil
	})
	return spans, nil
}
