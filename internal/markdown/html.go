package markdown

import (
	"bytes"
	"html"
	"net/url"
	"strings"
	"sync"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	goldmark "github.com/yuin/goldmark/renderer"
	htmlrenderer "github.com/yuin/goldmark/renderer/html"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

const (
	// maxInline limits inline parsing, quadratic in a paragraph's length, in bytes parsed again. Beyond it marks are shown as written.
	maxInline  = 1 << 26
	maxAddress = 2048 // bytes of a link's address: many links may use one definition
)

// HTML renders any text as HTML that is safe in a page: CommonMark with tables, task lists, strikethrough and bare links. HTML in the text
// is escaped, an image is a link to it. Links have http, https and mailto addresses; relative converts a relative one, "" removes the link,
// nil keeps it. Time and size are linear; a text past the limits of Parse is shown as written.
func HTML(src string, relative func(address string) string) string {
	b := []byte(src)
	if _, err := parse(b, 0); err != nil { // the same blocks, under limits
		return plainHTML(src)
	}
	root := inlineGrammar().Parse(text.NewReader(b), parser.WithContext(&inlineContext{Context: parser.NewContext()}))
	page := goldmark.NewRenderer(goldmark.WithNodeRenderers(
		util.Prioritized(safeRenderer{relative}, 1),
		util.Prioritized(extension.NewTableHTMLRenderer(extension.WithTableCellAlignMethod(extension.TableCellAlignAttribute)), 500),
		util.Prioritized(extension.NewStrikethroughHTMLRenderer(), 500),
		util.Prioritized(extension.NewTaskCheckBoxHTMLRenderer(), 500),
		util.Prioritized(htmlrenderer.NewRenderer(), 1000),
	))
	var out bytes.Buffer
	if err := page.Render(&out, b, root); err != nil {
		return plainHTML(src)
	}
	return out.String()
}

func plainHTML(src string) string { return "<pre>" + html.EscapeString(src) + "</pre>\n" }

// inlineGrammar is goldmark's whole grammar with a limit on every inline parser.
var inlineGrammar = sync.OnceValue(func() parser.Parser {
	inline := append(parser.DefaultInlineParsers(),
		util.Prioritized(extension.NewTaskCheckBoxParser(), 0),
		util.Prioritized(extension.NewStrikethroughParser(), 500),
		util.Prioritized(extension.NewLinkifyParser(), 999),
	)
	for i, p := range inline {
		limited := limitedInline{p.Value.(parser.InlineParser)}
		if c, ok := p.Value.(parser.CloseBlocker); ok {
			inline[i].Value = limitedCloser{limited, c}
		} else {
			inline[i].Value = limited
		}
	}
	return parser.NewParser(
		parser.WithBlockParsers(parser.DefaultBlockParsers()...),
		parser.WithInlineParsers(inline...),
		parser.WithParagraphTransformers(append(parser.DefaultParagraphTransformers(),
			util.Prioritized(extension.NewTableParagraphTransformer(), 200))...),
		parser.WithASTTransformers(util.Prioritized(extension.NewTableASTTransformer(), 0)),
	)
})

type inlineContext struct {
	parser.Context
	spent int
	block ast.Node // the block being parsed
	size  int      // its bytes
}

// limitedInline is an inline parser that finds nothing after the cost exceeds the limit.
type limitedInline struct{ parser.InlineParser }

func (l limitedInline) Parse(block ast.Node, r text.Reader, pc parser.Context) ast.Node {
	c := pc.(*inlineContext)
	if c.block != block {
		c.block, c.size = block, 0
		for i := range block.Lines().Len() {
			seg := block.Lines().At(i)
			c.size += seg.Len()
		}
	}
	if c.spent > maxInline {
		return nil
	}
	c.spent += c.size/16 + 1
	return l.InlineParser.Parse(block, r, pc)
}

type limitedCloser struct {
	limitedInline
	parser.CloseBlocker
}

// safeRenderer renders the nodes that goldmark would omit or trust.
type safeRenderer struct{ relative func(string) string }

func (s safeRenderer) RegisterFuncs(r goldmark.NodeRendererFuncRegisterer) {
	r.Register(ast.KindRawHTML, s.rawHTML)
	r.Register(ast.KindHTMLBlock, s.htmlBlock)
	r.Register(ast.KindLink, s.link)
	r.Register(ast.KindImage, s.image)
	r.Register(ast.KindAutoLink, s.autoLink)
}

func (safeRenderer) rawHTML(w util.BufWriter, src []byte, node ast.Node, entering bool) (ast.WalkStatus, error) {
	if entering {
		_, _ = w.Write(util.EscapeHTML(node.(*ast.RawHTML).Segments.Value(src)))
	}
	return ast.WalkSkipChildren, nil
}

func (safeRenderer) htmlBlock(w util.BufWriter, src []byte, node ast.Node, entering bool) (ast.WalkStatus, error) {
	if !entering {
		return ast.WalkContinue, nil
	}
	n := node.(*ast.HTMLBlock)
	_, _ = w.WriteString("<pre><code>")
	_, _ = w.Write(util.EscapeHTML(n.Lines().Value(src)))
	if n.HasClosure() {
		_, _ = w.Write(util.EscapeHTML(n.ClosureLine.Value(src)))
	}
	_, _ = w.WriteString("</code></pre>\n")
	return ast.WalkContinue, nil
}

func (s safeRenderer) link(w util.BufWriter, _ []byte, node ast.Node, entering bool) (ast.WalkStatus, error) {
	s.anchor(w, node.(*ast.Link).Destination, true, entering)
	return ast.WalkContinue, nil
}

func (s safeRenderer) image(w util.BufWriter, _ []byte, node ast.Node, entering bool) (ast.WalkStatus, error) {
	n := node.(*ast.Image)
	s.anchor(w, n.Destination, true, entering)
	if entering && !n.HasChildren() {
		_, _ = w.WriteString("image")
	}
	return ast.WalkContinue, nil
}

func (s safeRenderer) autoLink(w util.BufWriter, src []byte, node ast.Node, entering bool) (ast.WalkStatus, error) {
	if !entering {
		return ast.WalkContinue, nil
	}
	n := node.(*ast.AutoLink)
	to := n.URL(src)
	if n.AutoLinkType == ast.AutoLinkEmail && !bytes.HasPrefix(bytes.ToLower(to), []byte("mailto:")) {
		to = append([]byte("mailto:"), to...)
	}
	s.anchor(w, to, false, true)
	_, _ = w.Write(util.EscapeHTML(n.Label(src)))
	s.anchor(w, to, false, false)
	return ast.WalkContinue, nil
}

// anchor writes the start or end of a link, or of a span without an allowed address. references: it may contain character references.
func (s safeRenderer) anchor(w util.BufWriter, written []byte, references, entering bool) {
	href := s.address(written, references)
	switch {
	case href == "" && entering:
		_, _ = w.WriteString(`<span class="nolink">`)
	case href == "":
		_, _ = w.WriteString("</span>")
	case entering:
		_, _ = w.WriteString(`<a href="` + html.EscapeString(href) + `"`)
		if strings.Contains(href, ":") {
			_, _ = w.WriteString(` rel="noopener noreferrer"`)
		}
		_ = w.WriteByte('>')
	default:
		_, _ = w.WriteString("</a>")
	}
}

// address returns the allowed address of a link, or "". To browsers a backslash is a slash, and two slashes begin another host.
func (s safeRenderer) address(written []byte, references bool) string {
	if len(written) > maxAddress {
		return ""
	}
	to := string(util.URLEscape(written, references))
	u, err := url.Parse(to)
	if err != nil || strings.ContainsAny(to, "\\\t\r\n") {
		return ""
	}
	switch strings.ToLower(u.Scheme) {
	case "http", "https":
		if u.Host == "" {
			return ""
		}
		return to
	case "mailto":
		return to
	case "":
		if u.Host != "" || strings.HasPrefix(to, "//") {
			return ""
		}
		if s.relative != nil {
			return s.relative(to)
		}
		return to
	}
	return ""
}
