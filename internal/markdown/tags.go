package markdown

import (
	"bytes"
	"slices"
	"strings"

	"sdd/internal/pattern"
)

var (
	htmlComment = pattern.Late(`(?s)<!--.*?-->`)
	htmlHeading = pattern.Late(`(?im)^[ \t]*<h([1-6])(?:\s[^<>]*)?>(\s*)([^\n]+?)(\s*)</h[1-6]>`)
	htmlTag     = pattern.Late(`(?is)</?(?:a|abbr|article|aside|b|blockquote|br|center|code|dd|details|dl|dt|div|em|figcaption|figure` +
		`|font|footer|h[1-6]|header|hr|i|iframe|img|kbd|li|nav|ol|p|picture|pre|samp|section|small|source|span|strong|sub|summary|sup|table` +
		`|tbody|td|tfoot|th|thead|tr|tt|u|ul|video)(?:\s[^<>]*)?/?>`)
	wordEnd = pattern.Late(`(?i)([^\s>])(<(?:sup|br|/t[dh])\b)`) // tags that part words
	// tagLines are lines up to an empty one that begin with a tag, the indentation of which is none of Markdown.
	tagLines   = pattern.Late(`(?mi)^[ \t]*</?(?:table|tbody|thead|tr|t[dh]|div|p|ul|ol|dl|dd|details|center|section)\b.*\n(?:[ \t]*\S.*\n)*`)
	blankStart = pattern.Late(`(?m)^[ \t]+`)
	blockTag   = pattern.Late(`(?i)^</(?:article|center|div|figure|h[1-6]|header|p|section|summary|table|tr)>|^<[bh]r\b`)
)

// WithoutTags removes HTML comments and tags outside of fences, line by line; headings are Markdown's, or with paragraphs blocks end one.
func WithoutTags(src []byte, paragraphs bool) []byte {
	if !bytes.Contains(src, []byte("<")) {
		return src
	}
	newlines := func(m []byte) []byte { return bytes.Repeat([]byte("\n"), bytes.Count(m, []byte("\n"))) }
	var out, text []byte
	end := func() {
		text = bytes.ReplaceAll(htmlComment().ReplaceAllFunc(text, newlines), []byte("&nbsp;"), []byte(" "))
		if !paragraphs {
			text = htmlHeading().ReplaceAllFunc(text, func(m []byte) []byte {
				h := htmlHeading().FindSubmatchIndex(m)
				name := m[h[6]:h[7]]
				if len(htmlTag().ReplaceAll(name, nil)) == 0 { // a picture
					return m
				}
				return slices.Concat(newlines(m[:h[6]]), bytes.Repeat([]byte("#"), int(m[h[2]]-'0')), []byte(" "), name, newlines(m[h[7]:]))
			})
		}
		text = tagLines().ReplaceAllFunc(text, func(m []byte) []byte { return blankStart().ReplaceAll(m, nil) })
		text = wordEnd().ReplaceAll(text, []byte("$1 $2"))
		out = append(out, htmlTag().ReplaceAllFunc(text, func(m []byte) []byte {
			if paragraphs && blockTag().Match(m) {
				return []byte("\n\n")
			}
			return newlines(m)
		})...)
		text = text[:0]
	}
	fence := ""
	for line := range bytes.Lines(src) {
		start := strings.TrimLeft(string(line[:min(len(line), 8)]), " ")
		run := FenceMark(bytes.TrimLeft(line, " "))
		switch {
		case fence == "" && start != "" && run > 0:
			end()
			fence = start[:3]
			out = append(out, line...)
		case fence != "":
			out = append(out, line...)
			if strings.HasPrefix(start, fence) {
				fence = ""
			}
		default:
			text = append(text, line...)
		}
	}
	end()
	return out
}
