package frontmatter

import (
	"bytes"
	"strings"

	"go.yaml.in/yaml/v3"

	"sdd/internal/fault"
)

// The YAML library gives no ends of nodes: a scanner follows top-level keys and values, and items of an edited list, through the text.
// Where the text does not fit the nodes, the key can be read but not edited.

// maxDepth is how deep lists and maps may nest, aliases followed.
const maxDepth = 64

type converter struct {
	doc     *Doc
	starts  []int // where each YAML line begins
	lines   []int // the line of the file at each of starts
	anchors map[*yaml.Node]*node
}

func newConverter(d *Doc) *converter {
	c := &converter{doc: d, anchors: map[*yaml.Node]*node{}}
	line, counted := 1, 0
	for at := d.YAML.Start; at < d.YAML.End; at = lineAfter(d.Src[:d.YAML.End], at) {
		line, counted = line+bytes.Count(d.Src[counted:at], []byte("\n")), at
		c.starts, c.lines = append(c.starts, at), append(c.lines, line)
	}
	return c
}

// convert copies y, which depth lists and maps contain.
func (c *converter) convert(dst *node, y *yaml.Node, depth int) error {
	if n := len(c.lines); n > 0 {
		dst.line = c.lines[min(max(y.Line, 1), n)-1]
	}
	if depth > maxDepth {
		return fault.New(fault.Broken, "the front matter nests more than %d levels deep", maxDepth).
			With("flatten it; until then nothing is written to this file").At("", dst.line)
	}
	dst.anchor, dst.text = y.Anchor, y.Value
	if y.Style&yaml.TaggedStyle != 0 {
		dst.tag = y.Tag
	}
	if dst.anchor != "" {
		c.anchors[y] = dst
	}
	switch y.Kind {
	case yaml.AliasNode:
		dst.kind, dst.target = kindAlias, c.anchors[y.Alias]
	case yaml.SequenceNode:
		dst.kind, dst.style = kindList, styleBlock
	case yaml.MappingNode:
		dst.kind, dst.style = kindTable, styleBlock
	}
	for _, s := range [...]struct {
		flag  yaml.Style
		style style
	}{{yaml.DoubleQuotedStyle, styleDouble}, {yaml.SingleQuotedStyle, styleSingle}, {yaml.LiteralStyle, styleLiteral},
		{yaml.FoldedStyle, styleFolded}, {yaml.FlowStyle, styleFlow}} {
		if y.Style&s.flag != 0 {
			dst.style = s.style
		}
	}
	dst.items = make([]node, len(y.Content))
	for i, child := range y.Content {
		if err := c.convert(&dst.items[i], child, depth+1); err != nil {
			return err
		}
	}
	return nil
}

// layout fills Keys from the root node, of which top is the library's.
func (c *converter) layout(top *yaml.Node) {
	d := c.doc
	d.Keys = make([]Key, 0, len(d.root.items)/2)
	for i := 0; i+1 < len(d.root.items); i += 2 {
		key := &d.root.items[i]
		k := Key{Name: key.deref().text, Line: key.line, Span: d.YAML}
		if d.root.style == styleBlock {
			k.Span.Start = c.starts[top.Content[i].Line-1]
			if i+2 < len(top.Content) {
				k.Span.End = c.starts[top.Content[i+2].Line-1]
			}
		}
		if d.Keys = append(d.Keys, k); d.root.style == styleBlock {
			d.Keys[i/2].Span.End = d.entryEnd(i / 2)
		}
	}
}

// entryEnd returns the end of the i-th entry with the comments below that are indented deeper; until then it reaches to the next key.
func (d *Doc) entryEnd(i int) int {
	k := d.Keys[i].Span
	e, ok := d.entry(i)
	end := e.at.End
	if !ok {
		end = source(d.Src[:k.End]).lastContent(k.Start)
	}
	return d.commentsBelow(lineAfter(d.Src[:k.End], end), len(d.indent()))
}

// commentsBelow returns the end of the comment lines from at on that are indented deeper than column: they belong to the entry above.
func (d *Doc) commentsBelow(at, column int) int {
	src, end := d.Src[:d.YAML.End], at
	for at < len(src) {
		next := lineAfter(src, at)
		text := bytes.TrimLeft(src[at:next], " \t")
		if indent := next - at - len(text); len(text) > 0 && text[0] == '#' && indent > column {
			end = next
		} else if len(bytes.TrimRight(text, "\r\n")) > 0 {
			break
		}
		at = next
	}
	return end
}

// entry is a top-level key with the places that a change needs.
type entry struct {
	key, value *node
	lines      Span
	colon      int
	at         Span // of the value, with anchor and tag
	content    int  // where the value begins after anchor and tag
}

// entry returns the i-th key, or false if it does not have lines of its own as `key: value`.
func (d *Doc) entry(i int) (e entry, ok bool) {
	e = entry{key: &d.root.items[2*i], value: &d.root.items[2*i+1], lines: d.Keys[i].Span}
	src, indent := source(d.Src[:e.lines.End]), d.indent()
	if d.root.style == styleFlow || !bytes.HasPrefix(src[e.lines.Start:], []byte(indent)) {
		return e, false
	}
	key, _, ok := src.value(e.key, e.lines.Start+len(indent), 0)
	for e.colon = key.End; e.colon < len(src) && (src[e.colon] == ' ' || src[e.colon] == '\t'); {
		e.colon++
	}
	if !ok || e.colon == len(src) || src[e.colon] != ':' {
		return e, false
	}
	e.content = e.colon + 1
	if e.at = (Span{e.content, e.content}); !e.value.isEmpty() {
		e.at, e.content, ok = src.value(e.value, src.skipBlank(e.content), len(indent))
	}
	return e, ok
}

// source is text up to the end of an entry.
type source []byte

// value returns the places of n and of its content after anchor and tag; false if n is not at start. Literals are deeper than column.
func (s source) value(n *node, start, column int) (at Span, content int, ok bool) {
	content, end := s.skipProperties(start)
	is := func(chars string) bool { return content < len(s) && strings.IndexByte(chars, s[content]) >= 0 }
	switch {
	case n.kind == kindAlias:
		end = content + 1 + len(n.text)
		ok = bytes.HasPrefix(s[min(content, len(s)):], []byte("*"+n.text))
	case n.style == styleDouble, n.style == styleSingle:
		if ok = is(`"'`); ok {
			end, ok = s.quotedEnd(content)
		}
	case n.style == styleLiteral, n.style == styleFolded:
		if ok = is("|>"); ok {
			end = s.literalEnd(content, column)
		}
	case n.style == styleFlow:
		if ok = is("[{"); ok {
			end, ok = s.flowEnd(content)
		}
	case n.style == styleBlock:
		end, ok = s.lastContent(content), true
	case n.text == "":
		content, ok = end, true
	default:
		end, ok = s.plainEnd(content, n.text)
	}
	return Span{start, end}, content, ok
}

// skipProperties skips an anchor and a tag: it returns where the value begins and where the last property ends.
func (s source) skipProperties(at int) (content, end int) {
	content, end = at, at
	for content < len(s) && (s[content] == '&' || s[content] == '!') {
		end = content + 1
		verbatim := s[content] == '!' && end < len(s) && s[end] == '<'
		for end < len(s) && blankAt(s, end) == 0 && (verbatim || strings.IndexByte(",[]{}", s[end]) < 0) {
			end++
		}
		content = s.skipBlank(end)
	}
	return content, end
}

// skipBlank skips white space, line breaks and comments.
func (s source) skipBlank(at int) int {
	for at < len(s) {
		if n := blankAt(s, at); n > 0 {
			at += n
		} else if s[at] == '#' && isBlankBefore(s, at) {
			at = lineContentEnd(s, at)
		} else {
			break
		}
	}
	return at
}

func (s source) quotedEnd(at int) (end int, ok bool) {
	quote := s[at]
	for at++; at < len(s); at++ {
		switch c := s[at]; {
		case c == '\\' && quote == '"':
			at++
		case c == quote && quote == '\'' && at+1 < len(s) && s[at+1] == quote:
			at++
		case c == quote:
			return at + 1, true
		}
	}
	return len(s), false
}

// plainEnd follows text, the folded value, through the source: only white space differs.
func (s source) plainEnd(at int, text string) (end int, ok bool) {
	end = at
	for i := 0; i < len(text); {
		if n := blankAt([]byte(text[i:min(i+3, len(text))]), 0); n > 0 {
			i += n
			continue
		}
		for at < len(s) && blankAt(s, at) > 0 {
			at += blankAt(s, at)
		}
		if at >= len(s) || s[at] != text[i] {
			return end, false
		}
		i, at = i+1, at+1
		end = at
	}
	return end, true
}

// literalEnd returns the end of a `|` or `>` value: of its last line that is not blank, or with the indicator `+` of its last line.
func (s source) literalEnd(at, column int) int {
	end := lineContentEnd(s, at)
	header, _, _ := bytes.Cut(s[at:end], []byte("#"))
	for line := lineAfter(s, at); line < len(s); line = lineAfter(s, line) {
		stop := lineContentEnd(s, line)
		n := stop - line - len(bytes.TrimLeft(s[line:stop], " "))
		if isBlank := line+n == stop; !isBlank && n <= column {
			break
		} else if !isBlank || bytes.IndexByte(header, '+') >= 0 {
			end = stop
		}
	}
	return end
}

// flowEnd returns the end of a list or map in brackets.
func (s source) flowEnd(at int) (end int, ok bool) {
	depth, starts := 0, true // the start of a value
	for at = s.skipBlank(at); at < len(s); at = s.skipBlank(at) {
		c := s[at]
		if starts && (c == '"' || c == '\'') {
			if at, ok = s.quotedEnd(at); !ok {
				return at, false
			}
			starts = false
			continue
		}
		at++
		switch starts = strings.IndexByte("[{,:?", c) >= 0; c {
		case '[', '{':
			depth++
		case ']', '}':
			if depth--; depth == 0 {
				return at, true
			}
		}
	}
	return at, false
}

// lastContent returns the end of the last line from at on that is neither blank nor a comment.
func (s source) lastContent(at int) int {
	end := at
	for ; at < len(s); at = lineAfter(s, at) {
		stop := lineContentEnd(s, at)
		if text := bytes.TrimLeft(s[at:stop], " \t"); len(text) > 0 && text[0] != '#' && !bytes.HasPrefix(s[at:], []byte("...")) {
			end = at + len(bytes.TrimRight(s[at:stop], " \t"))
		}
	}
	return end
}
