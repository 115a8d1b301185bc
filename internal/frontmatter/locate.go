package frontmatter

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

	"sdd/internal/fault"
)

// The YAML library gives each node's start as line and column, where a line also ends at a
// lone CR, U+0085, U+2028 and U+2029 and a column counts runes; it does not give the end.
// A locator finds both in bytes. If the text does not fit the nodes, the block can be read
// but not edited.

// maxDepth is how deep lists and maps may nest, aliases followed.
const maxDepth = 64

type locator struct {
	doc     *Doc
	src     []byte
	end     int   // of the block
	lines   []int // where each YAML line begins
	anchors map[*yaml.Node]*node
	lost    bool // the text does not fit the nodes

	line, column, offset int // the result of the last call of at, which mostly goes on from there
}

func newLocator(d *Doc) *locator {
	l := &locator{doc: d, src: d.Src, end: d.YAML.End, anchors: map[*yaml.Node]*node{}}
	for at := d.YAML.Start; at < l.end; at = lineAfter(l.src[:l.end], at) {
		l.lines = append(l.lines, at)
	}
	return l
}

// at returns the offset of a 1-based line and column.
func (l *locator) at(line, column int) int {
	if line < 1 || line > len(l.lines) {
		if line != len(l.lines)+1 || column != 1 {
			l.lost = true
		}
		return l.end
	}
	if line != l.line || column < l.column {
		l.line, l.column, l.offset = line, 1, l.lines[line-1]
	}
	for l.column < column && l.offset < l.end {
		_, n := utf8.DecodeRune(l.src[l.offset:l.end])
		l.offset += n
		l.column++
	}
	return l.offset
}

// convert copies y with its offsets. parent is the column of the innermost block list or
// map around it, -1 at the top.
func (l *locator) convert(dst *node, y *yaml.Node, parent, depth int) error {
	start := l.at(y.Line, y.Column)
	if depth > maxDepth {
		return fault.New(fault.Broken, "the front matter nests more than %d levels deep", maxDepth).
			With("flatten it; until then nothing is written to this file").At("", l.doc.line(start))
	}
	dst.anchor = y.Anchor
	if y.Style&yaml.TaggedStyle != 0 {
		dst.tag = y.Tag
	}
	if dst.anchor != "" {
		l.anchors[y] = dst
	}
	content, properties := l.skipProperties(start)
	dst.span, dst.content = Span{start, properties}, content

	switch y.Kind {
	case yaml.AliasNode:
		dst.kind, dst.text, dst.target = kindAlias, y.Value, l.anchors[y.Alias]
		dst.span.End = content + 1 + len(y.Value)
		l.expect(dst.target != nil && dst.span.End <= l.end && string(l.src[content:dst.span.End]) == "*"+y.Value)
	case yaml.ScalarNode:
		dst.text = y.Value
		l.scalar(dst, y.Style, parent)
	case yaml.SequenceNode, yaml.MappingNode:
		dst.kind, dst.style = kindList, styleBlock
		if y.Kind == yaml.MappingNode {
			dst.kind = kindTable
		}
		if y.Style&yaml.FlowStyle != 0 {
			dst.style = styleFlow
		} else {
			parent = content - lineStart(l.src, l.doc.YAML.Start, content)
		}
		dst.items = make([]node, len(y.Content))
		end := content
		for i, child := range y.Content {
			if err := l.convert(&dst.items[i], child, parent, depth+1); err != nil {
				return err
			}
			if at := dst.items[i].span; dst.kind == kindTable && i%2 == 1 && at.Start == at.End && l.src[at.Start-1] != ':' {
				// a key without a colon, as in `{a, b}` or `? a`: YAML puts its value further on
				k := dst.items[i-1].span.End
				dst.items[i].span, dst.items[i].content = Span{k, k}, k
			}
			end = max(end, dst.items[i].span.End)
		}
		dst.span.End = end
		if dst.style == styleFlow {
			dst.span.End = l.flowEnd(content, end, dst.kind)
		}
	}
	return nil
}

func (l *locator) expect(ok bool) {
	if !ok {
		l.lost = true
	}
}

// skipProperties skips an anchor and a tag: it returns where the value begins and where
// the last property ends.
func (l *locator) skipProperties(at int) (content, end int) {
	content, end = at, at
	for content < l.end && (l.src[content] == '&' || l.src[content] == '!') {
		end = content + 1
		verbatim := l.src[content] == '!' && end < l.end && l.src[end] == '<'
		for end < l.end && blankAt(l.src, end) == 0 && (verbatim || strings.IndexByte(",[]{}", l.src[end]) < 0) {
			end++
		}
		content = l.skipBlank(end)
	}
	return content, end
}

// skipBlank skips white space, line breaks and comments.
func (l *locator) skipBlank(at int) int {
	for at < l.end {
		switch n := lineBreak(l.src, at); {
		case n > 0:
			at += n
		case l.src[at] == ' ' || l.src[at] == '\t':
			at++
		case l.src[at] == '#' && isBlankBefore(l.src, at):
			at = lineContentEnd(l.src[:l.end], at)
		default:
			return at
		}
	}
	return at
}

func (l *locator) scalar(dst *node, s yaml.Style, parent int) {
	at, end := dst.content, 0
	is := func(c byte) bool { return at < l.end && l.src[at] == c }
	switch {
	case s&yaml.DoubleQuotedStyle != 0:
		l.expect(is('"'))
		dst.style, end = styleDouble, l.quotedEnd(at, '"')
	case s&yaml.SingleQuotedStyle != 0:
		l.expect(is('\''))
		dst.style, end = styleSingle, l.quotedEnd(at, '\'')
	case s&yaml.LiteralStyle != 0:
		l.expect(is('|'))
		dst.style, end = styleLiteral, l.blockEnd(at, parent)
	case s&yaml.FoldedStyle != 0:
		l.expect(is('>'))
		dst.style, end = styleFolded, l.blockEnd(at, parent)
	case dst.text == "":
		dst.content, end = dst.span.End, dst.span.End
	default:
		end = l.plainEnd(at, dst.text)
	}
	dst.span.End = end
}

func (l *locator) quotedEnd(at int, quote byte) int {
	for at++; at < l.end; at++ {
		switch c := l.src[at]; {
		case c == '\\' && quote == '"':
			at++
		case c == quote && quote == '\'' && at+1 < l.end && l.src[at+1] == quote:
			at++
		case c == quote:
			return at + 1
		}
	}
	l.lost = true
	return l.end
}

// plainEnd follows text, the folded value, through the source: only white space differs.
func (l *locator) plainEnd(at int, text string) int {
	end := at
	for i := 0; i < len(text); {
		if n := blankAt([]byte(text[i:min(i+3, len(text))]), 0); n > 0 {
			i += n
			continue
		}
		for at < l.end {
			n := blankAt(l.src[:l.end], at)
			if n == 0 {
				break
			}
			at += n
		}
		if at >= l.end || l.src[at] != text[i] {
			l.lost = true
			return end
		}
		i, at = i+1, at+1
		end = at
	}
	return end
}

// blockEnd returns the end of a `|` or `>` value: of its last line that is not blank, or
// with the indicator `+` of its last line.
func (l *locator) blockEnd(at, parent int) int {
	src := l.src[:l.end]
	end := lineContentEnd(src, at)
	keep, indent := false, 0
	for _, c := range src[at+1 : end] {
		if c == '+' {
			keep = true
		} else if '1' <= c && c <= '9' {
			indent = max(parent, 0) + int(c-'0')
		} else if c != '-' {
			break
		}
	}
	blanks := end
	for line := lineAfter(src, at); line < l.end; line = lineAfter(src, line) {
		stop := lineContentEnd(src, line)
		n := stop - line - len(bytes.TrimLeft(src[line:stop], " "))
		if line+n == stop {
			blanks = stop
			continue
		}
		if indent == 0 && n > parent {
			indent = n
		}
		if n < indent || indent == 0 {
			break
		}
		end, blanks = stop, stop
	}
	if keep {
		return blanks
	}
	return end
}

// flowEnd returns the end of a list or map in brackets, whose last item ends at from.
func (l *locator) flowEnd(open, from int, k kind) int {
	bracket, closing := byte('['), byte(']')
	if k == kindTable {
		bracket, closing = '{', '}'
	}
	if open < l.end && l.src[open] != bracket { // the one pair in `[a: b]` has no brackets
		l.expect(k == kindTable)
		return from
	}
	at := l.skipBlank(max(from, open+1))
	for at < l.end && strings.IndexByte(",:?", l.src[at]) >= 0 {
		at = l.skipBlank(at + 1)
	}
	if at < l.end && l.src[at] == closing {
		return at + 1
	}
	l.lost = true
	return from
}

// layout fills Keys once root is known.
func (d *Doc) layout() {
	d.Keys = make([]Key, 0, len(d.root.items)/2)
	line, counted := 1, 0
	column := 0
	for i := 0; i+1 < len(d.root.items); i += 2 {
		key, value := &d.root.items[i], &d.root.items[i+1]
		k := Key{Name: key.deref().text}
		start := key.span.Start
		if start >= counted {
			line += bytes.Count(d.Src[counted:start], []byte("\n"))
			counted = start
		}
		k.Line = line
		if d.root.style == styleFlow {
			k.Span = Span{start, max(value.span.End, key.span.End)}
		} else {
			k.Span.Start = lineStart(d.Src, d.YAML.Start, start)
			if i == 0 {
				column = start - k.Span.Start
			}
			k.Span.End = d.commentsBelow(lineAfter(d.Src[:d.YAML.End], max(value.span.End, key.span.End)), column)
		}
		d.Keys = append(d.Keys, k)
	}
}

// commentsBelow returns the end of the comment lines from at on that are indented deeper
// than column: they belong to the entry above.
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
