package record

import (
	"bytes"
	"cmp"
	"slices"
	"strings"

	"sdd/internal/fault"
	"sdd/internal/frontmatter"
	"sdd/internal/markdown"
)

// The content of an idea or fact is the text before the first section of its file. Any content must stay there unchanged.

// ContentKey returns a hash of the content, in full length. Equal contents have equal keys.
func ContentKey(content string) string {
	return HexID("", content, func(string) bool { return true })
}

// Content checks the argument arg, a content of at most `most` bytes, and returns it trimmed, with LF line ends. Faults: Invalid.
func Content(arg, s string, most int) (string, error) {
	if err := CheckText(arg, s); err != nil {
		return "", err
	}
	s = strings.ReplaceAll(strings.ReplaceAll(s, "\r\n", "\n"), "\r", "\n")
	if s = strings.TrimSpace(s); s == "" {
		return "", fault.New(fault.Invalid, "%s is required", arg).For(arg).With("say it in a sentence or two")
	}
	if len(s) > most {
		return "", fault.New(fault.Invalid, "%s has %d bytes, at most %d are allowed", arg, len(s), most).For(arg).
			With("keep the essence and name the file that holds the rest; limits.section in .sdd/config.yaml sets the limit")
	}
	return s, nil
}

// Compose returns a new file of kind k: the keys, then content. The warnings list the changes that keep content before
// the first section. Content that cannot stay there is an Invalid fault.
func Compose(k Kind, sets []frontmatter.Set, content string) ([]byte, []markdown.Warning, error) {
	text, warnings, err := Contained(k, content)
	if err != nil {
		return nil, nil, err
	}
	head, err := frontmatter.Apply(nil, Keys(k), sets)
	if err != nil {
		return nil, nil, err
	}
	out := slices.Concat(head, []byte("\n"), []byte(text), []byte("\n"))
	return out, warnings, readsBack(k, out, text, nil)
}

// WithContent replaces the text before the first section of src, a file of kind k, as Compose would store it.
func WithContent(k Kind, src []byte, content string) ([]byte, []markdown.Warning, error) {
	doc := Open(src)
	if err := doc.Writable(); err != nil {
		return nil, nil, err
	}
	text, warnings, err := Contained(k, content)
	if err != nil {
		return nil, nil, err
	}
	fm := doc.front
	span := doc.body.Preamble()
	span.Start = max(span.Start, fm.Body)
	old := src[span.Start:span.End]
	newline := cmp.Or(fm.Newline, "\n")
	if newline != "\n" {
		text = strings.ReplaceAll(text, "\n", newline)
	}
	lead, tail := blankAround(old)
	if len(lead) == len(old) { // the file had no content
		lead, tail = []byte(newline), []byte(newline)
		if !fm.Present {
			lead = nil
		}
	}
	if span.End < len(src) && !bytes.Contains(tail, []byte(newline+newline)) {
		tail = []byte(newline + newline)
	}
	out := slices.Concat(src[:span.Start], lead, []byte(text), tail, src[span.End:])
	return out, warnings, readsBack(k, out, text, src)
}

// Contained returns content changed so that all of it stays before the first section, and the changes.
func Contained(k Kind, content string) (string, []markdown.Warning, error) {
	inside := Sections(k)[0]
	u, err := Edit(nil, k, nil, []markdown.Change{{Section: inside, Text: content}})
	if err != nil {
		f := *fault.Of(err)
		f.Arg = "content"
		return "", nil, &f
	}
	r := u.Doc.Record(Folder(k)+"/x.md", Defaults{})
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

// readsBack checks that out has the content text and the sections of before.
func readsBack(k Kind, out []byte, text string, before []byte) error {
	path := Folder(k) + "/x.md"
	now, was := Parse(path, out, Defaults{}), Parse(path, before, Defaults{})
	same := func(a, b Section) bool { return a.Name == b.Name && a.Text == b.Text }
	if now.Writable && now.Preamble == text && slices.EqualFunc(now.Sections, was.Sections, same) {
		return nil
	}
	return fault.New(fault.Invalid, "the content would not read back as it is given").For("content").
		With("put a word before what it begins with, and indent headings, fences and HTML blocks by four spaces")
}
