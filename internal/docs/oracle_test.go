package docs

import (
	"bytes"
	"os"
	"strings"
	"unicode"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	extast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/text"
	"golang.org/x/net/html"
)

// The oracle says what a page holds for an anchor. It shares no code with what it judges: pages are parsed by
// html.Parse, the rules are those of each generator's own templates, and texts are compared by their letters and digits.

type oracle struct {
	doc *html.Node
	ids map[string]*html.Node
}

func newOracle(file string) (*oracle, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	doc, err := html.Parse(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	o := &oracle{doc, map[string]*html.Node{}}
	o.walk(doc, func(n *html.Node) bool {
		id := attribute(n, "id")
		if id == "" && n.Data == "a" {
			id = attribute(n, "name")
		}
		if id != "" && o.ids[id] == nil {
			o.ids[id] = n
		}
		return true
	})
	return o, nil
}

func (o *oracle) walk(n *html.Node, f func(*html.Node) bool) {
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		if f(c) {
			o.walk(c, f)
		}
	}
}

func attribute(n *html.Node, key string) string {
	for _, a := range n.Attr {
		if a.Key == key {
			return a.Val
		}
	}
	return ""
}

func hasClass(n *html.Node, class string) bool {
	for _, c := range strings.Fields(attribute(n, "class")) {
		if c == class {
			return true
		}
	}
	return false
}

// expected is what should be told of an object. kind is "" where the oracle does not know.
type expected struct {
	kind        string
	signature   string // letters
	description string // letters
}

// notShown are the parts of a page that are no text of it.
func notShown(n *html.Node) bool {
	switch n.Data {
	case "script", "style", "button", "nav", "svg", "form", "noscript":
		return n.Type == html.ElementNode
	}
	for _, c := range []string{"headerlink", "viewcode-link", "viewcode-back", "headerLink", "sourceLink", "linenos", "section-number", "toctree-wrapper", "contents", "paramlink", "sidebar"} {
		if hasClass(n, c) {
			return true
		}
	}
	if n.Type == html.ElementNode && n.FirstChild != nil && n.FirstChild == n.LastChild && strings.TrimSpace(n.FirstChild.Data) == "[source]" {
		return true
	}
	return n.Type == html.CommentNode || n.Data == "aside" && n.Type == html.ElementNode
}

func (o *oracle) letters(n *html.Node, leave func(*html.Node) bool) string {
	var b strings.Builder
	var walk func(*html.Node)
	walk = func(n *html.Node) {
		if notShown(n) || leave != nil && leave(n) {
			return
		}
		if n.Type == html.TextNode {
			b.WriteString(n.Data)
		}
		for c := n.FirstChild; c != nil; c = c.NextSibling {
			walk(c)
		}
	}
	walk(n)
	return onlyLetters(b.String())
}

func onlyLetters(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return r
		}
		return -1
	}, s)
}

func nextElement(n *html.Node) *html.Node {
	for n = n.NextSibling; n != nil && n.Type != html.ElementNode; n = n.NextSibling {
	}
	return n
}

// described reports whether n describes another object: Sphinx's desc nodes are dl elements whose class is a domain and
// an object type.
func described(n *html.Node) bool {
	if n.Type != html.ElementNode || n.Data != "dl" {
		return false
	}
	found := false
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		if c.Data == "dt" && (strings.Contains(render(c), "descname") || hasClass(c, "sig")) && strings.Contains(render(c), " id=") {
			found = true
		}
	}
	return found
}

func render(n *html.Node) string {
	var b bytes.Buffer
	_ = html.Render(&b, n)
	return b.String()
}

// expect says what should be told of the object at that anchor. display is its title in the inventory.
func (o *oracle) expect(id, role, display string) expected {
	n := o.ids[id]
	if n == nil {
		return expected{}
	}
	switch {
	case n.Data == "dt":
		dd := n
		for dd = nextElement(n); dd != nil && dd.Data == "dt"; dd = nextElement(dd) {
		}
		e := expected{kind: "object", signature: o.letters(n, nil)}
		if dd != nil {
			e.description = o.letters(dd, described)
			if e.description == "" && dd.FirstChild != nil && strings.TrimSpace(render(dd)) != "<dd></dd>" {
				return expected{kind: "object", signature: e.signature} // nothing but members
			}
		}
		if e.description == "" && dd != nil {
			// The prose may follow the list.
			for s := n.Parent.NextSibling; s != nil; s = s.NextSibling {
				if s.Type == html.ElementNode && (described(s) || s.Data == "section" || hasClass(s, "section") || len(s.Data) == 2 && s.Data[0] == 'h' ||
					(s.Data == "span" || s.Data == "div" || s.Data == "a" || s.Data == "p") && strings.Contains(render(s), "id=\"") && o.letters(s, nil) == "") {
					break
				}
				e.description += o.letters(s, nil)
			}
		}
		return e
	case hasClass(n, "doc-heading"):
		code := ""
		o.walk(n, func(c *html.Node) bool {
			if c.Data == "code" && code == "" {
				code = o.letters(c, nil)
			}
			return true
		})
		e := expected{kind: "mkdocstrings", signature: code}
		for s := nextElement(n); s != nil; s = nextElement(s) {
			if hasClass(s, "doc-contents") {
				e.description = o.letters(s, func(c *html.Node) bool { return hasClass(c, "doc-children") })
			}
		}
		return e
	case n.Data == "a" && attribute(n, "name") != "":
		e := expected{kind: "pydoctor"}
		for s := nextElement(n); s != nil; s = nextElement(s) {
			if hasClass(s, "functionHeader") {
				e.signature = o.letters(s, nil)
			}
			if hasClass(s, "functionBody") {
				e.description = o.letters(s, nil)
			}
		}
		return e
	case role == "label" && display != "":
		// A section's label has its title for a display name.
		e := expected{kind: "label", signature: onlyLetters(display)}
		if text, ok := o.sectionText(n, e.signature); ok {
			e.kind, e.description = "section", text
		}
		return e
	}
	return expected{}
}

// sectionText returns what a section says before the first section in it, if the first heading at or after n has that title.
func (o *oracle) sectionText(n *html.Node, title string) (string, bool) {
	isHeading := func(n *html.Node) bool {
		return n.Type == html.ElementNode && len(n.Data) == 2 && n.Data[0] == 'h' && n.Data != "hr"
	}
	isSection := func(n *html.Node) bool {
		return n.Type == html.ElementNode && n.Data == "section" || n.Data == "div" && hasClass(n, "section")
	}
	var head *html.Node
	passed := false
	o.walk(o.doc, func(c *html.Node) bool {
		passed = passed || c == n
		if passed && head == nil && isHeading(c) {
			head = c
		}
		return head == nil
	})
	if head == nil || !isSection(head.Parent) || o.letters(head, nil) != title {
		return "", false
	}
	text := ""
	for c := head.Parent.FirstChild; c != nil && !isSection(c); c = c.NextSibling {
		if c != head {
			text += o.letters(c, func(m *html.Node) bool { return described(m) || isSection(m) })
		}
	}
	return text, text != ""
}

// plainLetters returns the letters that a reader of Markdown sees, and whether it holds HTML.
func plainLetters(source string) (letters string, raw bool) {
	md := goldmark.New(goldmark.WithExtensions(extension.Table, extension.Strikethrough))
	src := []byte(source)
	doc := md.Parser().Parse(text.NewReader(src))
	var b strings.Builder
	_ = ast.Walk(doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.RawHTML, *ast.HTMLBlock:
			raw = true
		case *ast.Text:
			b.Write(unescaped(n.Value(src), n.Parent()))
		case *ast.String:
			b.Write(n.Value)
		case *ast.CodeBlock, *ast.FencedCodeBlock:
			for i := range n.Lines().Len() {
				seg := n.Lines().At(i)
				b.Write(seg.Value(src))
			}
		case *ast.Image:
			return ast.WalkSkipChildren, nil
		case *ast.AutoLink:
			b.Write(n.Label(src))
		case *extast.Table:
		}
		return ast.WalkContinue, nil
	})
	return onlyLetters(b.String()), raw
}

// unescaped is text as it is shown: references and escapes mean their characters, but in code.
func unescaped(value []byte, parent ast.Node) []byte {
	if parent != nil && parent.Kind() == ast.KindCodeSpan {
		return value
	}
	return []byte(html.UnescapeString(strings.ReplaceAll(string(value), `\&`, "&amp;")))
}
