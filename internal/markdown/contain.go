package markdown

import (
	"bytes"
	"cmp"
	"fmt"
	"strings"

	"github.com/yuin/goldmark/ast"

	"sdd/internal/fault"
	"sdd/internal/lines"
	"sdd/internal/pattern"
)

// contain parses the text with a heading after it: none in it may end the section, and every block must close. It repairs the rest.

// maxRounds limits the exact repairs; then every line that could matter is escaped. Most texts need one; an escaped comment, say, more.
const maxRounds = 16

// containment is the state of contain for one text.
type containment struct {
	section string
	limit   int // the deepest level of headings that end the section
	newline string
	written bool // the text is in the file already: close open blocks, but change no byte
	text    []byte

	demoted, closed, escaped []string // the changes, for the warnings
}

// edit replaces text[at.Start:at.End].
type edit struct {
	at  Span
	put string
}

// contain changes text so that it stays inside its section k, with a warning for each change.
func contain(text string, k Known, newline string, written bool) (string, []Warning, error) {
	c := &containment{section: k.Name, limit: k.limit(), newline: newline, written: written, text: []byte(text)}
	for round := range maxRounds + 1 {
		if round == maxRounds {
			c.escapeAll()
		}
		edits, err := c.repairs()
		if err != nil {
			return "", nil, err
		}
		if len(edits) == 0 {
			return string(c.text), c.warnings(), nil
		}
		c.apply(edits)
	}
	return "", nil, fault.New(fault.Invalid, "the text for section %q cannot be kept inside it", k.Name).
		With("indent its headings, fences and HTML blocks by four spaces")
}

// repairs parses the text with a heading after it, and returns the edits that the text needs.
func (c *containment) repairs() ([]edit, error) {
	probe := bytes.Join([][]byte{c.text, []byte("## ")}, []byte(c.newline+c.newline))
	next := len(probe) - len("## ")
	d := &Doc{Src: probe}
	root, err := d.blocks()
	if err != nil {
		f := fault.Of(err)
		return nil, fault.New(fault.Invalid, "line %d: %s", f.Line, f.Message).For(c.section).With(f.Hint)
	}
	d.index(root)
	var edits []edit
	reached := false
	for _, h := range d.Headings {
		switch {
		case h.Span.Start == next:
			reached = true
		case h.Level <= c.limit:
			edits = append(edits, c.demote(probe, h)...)
		}
	}
	if !reached {
		edits = append(edits, c.close(probe, root.LastChild())...)
	}
	return edits, nil
}

// demote keeps a heading from ending the section: with more hashes, as an ATX heading, or with its underline escaped if it is long.
func (c *containment) demote(src []byte, h Heading) []edit {
	lines := src[h.Span.Start:h.Span.End]
	first := h.Span.Start + len(lines) - len(bytes.TrimLeft(lines, " "))
	hashes := strings.Repeat("#", c.limit+1)
	ends := bytes.Count(bytes.TrimRight(lines, blank), []byte("\n"))
	if ends == 0 {
		c.demoted = append(c.demoted, h.Text)
		return []edit{{Span{first, first}, hashes[h.Level:]}}
	}
	underline := h.Span.Start + bytes.LastIndexByte(bytes.TrimRight(lines, blank), '\n') + 1
	if ends > 1 {
		at := underline + len(src[underline:]) - len(bytes.TrimLeft(src[underline:], " "))
		return []edit{c.escape(src, at)}
	}
	c.demoted = append(c.demoted, h.Text)
	edits := []edit{{Span{first, first}, hashes + " "}}
	title := bytes.TrimRight(src[first:underline], blank)
	open := bytes.TrimRight(title, "#")
	if len(open) < len(title) && (len(open) == 0 || strings.IndexByte(blank, open[len(open)-1]) >= 0) {
		// Without the backslash, the parser would drop closing hashes from the heading.
		edits = append(edits, edit{Span{first + len(open), first + len(open)}, `\`})
	}
	// Remove the underline and the line end before it.
	return append(edits, edit{Span{
		h.Span.Start + len(bytes.TrimRight(src[h.Span.Start:underline], "\r\n")),
		h.Span.Start + len(bytes.TrimRight(lines, blank)),
	}, ""})
}

// close ends a block that is open at the end of the text.
func (c *containment) close(src []byte, open ast.Node) []edit {
	pos := open.Pos()
	end := ""
	switch open := open.(type) {
	case *ast.FencedCodeBlock:
		end = string(src[pos : pos+runLength(src[pos:])])
	case *ast.HTMLBlock:
		if !c.written {
			return []edit{c.escape(src, pos)}
		}
		end = htmlEnd(open.HTMLBlockType, src[pos:])
	default:
		return nil
	}
	c.closed = append(c.closed, end)
	return []edit{{Span{len(c.text), len(c.text)}, c.newline + end}}
}

// runLength returns how many times b begins with its first byte.
func runLength(b []byte) int { return len(b) - len(bytes.TrimLeft(b, string(b[:1]))) }

var htmlEnds = map[ast.HTMLBlockType]string{ast.HTMLBlockType2: "-->", ast.HTMLBlockType3: "?>", ast.HTMLBlockType5: "]]>"}

// htmlEnd returns the text that closes an HTML block of a type.
func htmlEnd(t ast.HTMLBlockType, opening []byte) string {
	if t == ast.HTMLBlockType1 {
		tag := opening[1:]
		return "</" + string(tag[:len(tag)-len(bytes.TrimLeft(tag, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"))]) + ">"
	}
	return cmp.Or(htmlEnds[t], ">")
}

// escape puts a backslash before the character at pos.
func (c *containment) escape(src []byte, pos int) edit {
	line := src[bytes.LastIndexByte(src[:pos], '\n')+1 : lines.End(src, pos)]
	c.escaped = append(c.escaped, string(bytes.Trim(line, blank)))
	return edit{Span{pos, pos}, `\`}
}

// apply makes edits, which are sorted and do not overlap.
func (c *containment) apply(edits []edit) {
	var out bytes.Buffer
	at := 0
	for _, e := range edits {
		out.Write(c.text[at:e.at.Start])
		out.WriteString(e.put)
		at = e.at.End
	}
	out.Write(c.text[at:])
	c.text = out.Bytes()
}

// structural matches the start of a line that can be or open a block that repairs changes.
var structural = pattern.Late("(?m)^ {0,3}(#{1,3}(?:[ \t\r]|$)|=+[ \t\r]*$|-+[ \t\r]*$|<|```|~~~)")

// escapeAll escapes every line that could end the section.
func (c *containment) escapeAll() {
	var edits []edit
	for _, m := range structural().FindAllSubmatchIndex(c.text, -1) {
		edits = append(edits, c.escape(c.text, m[2]))
	}
	c.apply(edits)
}

func (c *containment) warnings() []Warning {
	var out []Warning
	warn := func(code, text string, what []string) {
		if len(what) > 0 {
			out = append(out, Warning{Code: code, Section: c.section, Text: text + ": " + listed(what)})
		}
	}
	warn("heading_demoted", fmt.Sprintf("headings that would have ended the section are of level %d now", c.limit+1), c.demoted)
	warn("fence_closed", "a block was left open and is closed now", c.closed)
	warn("line_escaped", "lines that would have changed what follows begin with a backslash now", c.escaped)
	return out
}

// listed quotes the first few of some texts.
func listed(texts []string) string {
	const shown, long = 3, 40
	var b strings.Builder
	for i, t := range texts {
		if i == shown {
			fmt.Fprintf(&b, " and %d more", len(texts)-shown)
			break
		}
		if i > 0 {
			b.WriteString(", ")
		}
		if r := []rune(t); len(r) > long {
			t = string(r[:long]) + "…"
		}
		fmt.Fprintf(&b, "%q", t)
	}
	return b.String()
}
