package record

import (
	"bytes"
	"slices"
	"strings"

	"sdd/internal/fault"
	"sdd/internal/frontmatter"
	"sdd/internal/markdown"
)

// The content of an idea or a fact, and of a candidate for one, is the text before the first section.

// Compose makes the file of a new record of kind k with that content; the keys stand in the order of the kind. What had
// to be changed for the content to stay before the first section is in the warnings.
func Compose(k Kind, sets []frontmatter.Set, content string) ([]byte, []markdown.Warning, error) {
	text, warnings, err := asContent(k, content)
	if err != nil {
		return nil, nil, err
	}
	head, err := frontmatter.Apply(nil, KeysOf(k, ofSets(sets)), sets)
	if err != nil {
		return nil, nil, err
	}
	out := slices.Concat(head, []byte("\n"), []byte(text), []byte("\n"))
	return out, warnings, holds(k, out, text, nil)
}

// ofSets is the kind that the keys say a candidate will have.
func ofSets(sets []frontmatter.Set) Kind {
	for _, s := range sets {
		if of, ok := s.Value.(string); ok && s.Key == "kind" {
			return Kind(of)
		}
	}
	return ""
}

// WithContent replaces the text before the first section of src, a record of kind k, and touches no other byte.
func WithContent(src []byte, k Kind, content string) ([]byte, []markdown.Warning, error) {
	if err := Writable(src); err != nil {
		return nil, nil, err
	}
	text, warnings, err := asContent(k, content)
	if err != nil {
		return nil, nil, err
	}
	fm, err := frontmatter.Parse(src)
	if err != nil {
		return nil, nil, err
	}
	md, err := markdown.Parse(src, fm.Body)
	if err != nil {
		return nil, nil, err
	}
	span := md.Preamble()
	span.Start = max(span.Start, fm.Body)
	old := src[span.Start:span.End]
	newline := fm.Newline
	if newline == "" {
		newline = "\n"
	}
	if newline != "\n" {
		text = strings.ReplaceAll(text, "\n", newline)
	}
	lead, tail := blankAround(old)
	if len(lead) == len(old) { // there was no content
		lead, tail = []byte(newline), []byte(newline)
		if !fm.Present {
			lead = nil
		}
	}
	if span.End < len(src) && !bytes.Contains(tail, []byte(newline+newline)) {
		tail = []byte(newline + newline)
	}
	out := slices.Concat(src[:span.Start], lead, []byte(text), tail, src[span.End:])
	return out, warnings, holds(k, out, text, src)
}

// asContent returns content so that all of it stands before the first section of a file, and what was changed for that.
func asContent(k Kind, content string) (string, []markdown.Warning, error) {
	u, err := Edit(nil, k, nil, []markdown.Change{{Section: layouts[k].sections[0].Known, Text: content}})
	if err != nil {
		f := *fault.Of(err)
		f.Arg = "content"
		return "", nil, &f
	}
	r := Parse(Folder(k)+"/x.md", u.Out, Defaults{})
	if len(r.Sections) != 1 {
		return "", nil, fault.New(fault.Invalid, "the content cannot be kept in one piece").For("content").
			With("indent its headings, fences and HTML blocks by four spaces")
	}
	return r.Sections[0].Text, u.Warnings, nil
}

// blankAround returns the blank lines at the start of b and the white space at its end.
func blankAround(b []byte) (lead, tail []byte) {
	rest := bytes.TrimLeft(b, " \t\r\n")
	if len(rest) == 0 {
		return b, nil
	}
	start := bytes.LastIndexByte(b[:len(b)-len(rest)], '\n') + 1
	return b[:start], b[len(bytes.TrimRight(b, " \t\r\n")):]
}

// holds checks that out reads back as meant: its content is text, and it has the sections of before.
func holds(k Kind, out []byte, text string, before []byte) error {
	now, was := Parse(Folder(k)+"/x.md", out, Defaults{}), Parse(Folder(k)+"/x.md", before, Defaults{})
	same := func(a, b Section) bool { return a.Name == b.Name && a.Text == b.Text }
	if now.Writable && now.Preamble == text && slices.EqualFunc(now.Sections, was.Sections, same) {
		return nil
	}
	return fault.New(fault.Invalid, "the content would not read back as it is given").For("content").
		With("put a word before what it begins with, and indent headings, fences and HTML blocks by four spaces")
}
