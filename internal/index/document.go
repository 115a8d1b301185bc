package index

import (
	"bytes"
	"path"
	"slices"
	"strings"

	"golang.org/x/text/unicode/norm"

	"sdd/internal/analysis"
	"sdd/internal/fault"
	"sdd/internal/pattern"
	"sdd/internal/record"
	"sdd/internal/sealed"
	"sdd/internal/store"
)

// document is a record on its way into the index.
type document struct {
	Entry
	stat    store.Stat
	outline []heading
	src     []byte // the searchable bytes beside the title; nil when the file could not be read
}

// heading is where a section of a record starts.
type heading struct {
	line int
	name string
}

// Weight of a word by its place.
const (
	titleWeight   = 4
	headingWeight = 2
	bodyWeight    = 1
)

// parse reads a record. It never fails: a file that it cannot parse is searchable by its bytes and has a Problem.
func parse(file string, src []byte, stat store.Stat, d record.Defaults) *document {
	return documentOf(parseRecord(file, src, d), src, stat)
}

// documentOf returns the document of a parsed record.
func documentOf(r record.Record, src []byte, stat store.Stat) *document {
	doc := &document{stat: stat, src: src, Entry: Entry{
		Kind: r.Kind, ID: r.ID, TopicKey: r.TopicKey, Title: r.Title, Slug: r.Slug, Path: r.File,
		Project: r.Project, Scope: r.Scope, Status: r.Status, Color: r.Color,
		Etag: r.Etag, Created: r.Created, Revision: r.Revision, Size: int64(len(src)),
		Problems: r.Problems[:min(len(r.Problems), maxProblems)], Ties: tiesOf(r.FrontMatter), Anchors: anchorsOf(r.FrontMatter, src),
	}}
	if in, _ := record.Repository(r.File); in != "" {
		for i, a := range doc.Anchors {
			doc.Anchors[i] = a.Within(in)
		}
	}
	if r.Session != "" {
		doc.Sessions = []string{r.Session}
	}
	line := 0
	for _, s := range r.Sections {
		if s.Line > line && len(doc.outline) < maxOutline {
			doc.outline = append(doc.outline, heading{s.Line, s.Name})
			line = s.Line
		}
	}
	doc.Entry = doc.Entry.complete()
	return doc
}

const (
	maxProblems = 3
	maxOutline  = 4096
)

// unreadable returns a document for a file that cannot be read; it knows only the name.
func unreadable(file string, stat store.Stat, code string, cause error, d record.Defaults) *document {
	doc := parse(file, nil, stat, d)
	doc.src, doc.Etag, doc.Size = nil, "", stat.Size
	doc.Problems = []record.Problem{{Line: 1, Code: code, Text: fault.Of(cause).Message}}
	doc.Entry = doc.Entry.complete()
	return doc
}

// complete fills the fields that derive from the others.
func (e Entry) complete() Entry {
	e.File = path.Join(store.Folder, sealed.OnDisk(e.Path))
	e.Broken = ""
	if len(e.Problems) > 0 {
		e.Broken = e.Problems[0].Text
	}
	return e
}

// dateMillis returns the time of a created key in milliseconds; noDate when it is not a time.
func dateMillis(s string) int64 {
	if t, ok := record.Time(s); ok {
		return t.UnixMilli()
	}
	return noDate
}

// nameKind is the ways in which Lookup finds a record by a name, the strongest first: the bits of the weights of its nameTerms.
type nameKind uint16

const (
	byID nameKind = 1 << iota
	byPath
	byTopicKey
	bySlug
	byTitle
	byFileName
	byShortID // not a bit of a weight
)

// name is one name of a record, with the ways in which it names the record.
type name struct {
	key string
	by  nameKind
}

// names returns the names of a record, as nameKey writes them, each once. Paths are missing: contents finds them.
func (e *Entry) names() []name {
	var names []name
	add := func(s string, by nameKind) {
		if s == "" {
			return
		}
		key := nameKey(s)
		for i := range names {
			if names[i].key == key {
				names[i].by |= by
				return
			}
		}
		names = append(names, name{key, by})
	}
	add(record.Slug(e.Title), byTitle)
	add(e.Slug, bySlug)
	add(e.ID, byID)
	add(e.TopicKey, byTopicKey)
	add(fileName(e.Path), byFileName)
	return names
}

// nameKey returns the form in which names are compared: NFC and lower case, as in slugs.
func nameKey(name string) string {
	if !analysis.IsASCII(name) {
		name = norm.NFC.String(name)
	}
	name = strings.ToLower(name)
	if !analysis.IsASCII(name) {
		name = norm.NFC.String(strings.ReplaceAll(strings.ReplaceAll(name, "ς", "σ"), "i\u0307", "i"))
	}
	if len(name) > maxName {
		name = name[:maxName]
	}
	return name
}

const maxName = 512

// fileName returns the last part of a path without its extension.
func fileName(p string) string { return strings.TrimSuffix(path.Base(p), ".md") }

// Front-matter keys whose values are not searchable: filters, dates and numbers.
var silentKeys = pattern.Words(`title project scope revision created session_id id color status confidence level kind
		valid_from valid_until ttl refreshed date validated validated_at applied_to archived_at resurrected_at refresh_on on_expire days
		imported`)

// zone is the place of a line in a record.
type zone uint8

const (
	silent zone = iota // front matter that is not searchable
	front              // searchable front matter
	title              // the title, in front matter or as heading
	headed             // a heading
	body
)

// eachLine yields each line without its end, numbered from 1, of front matter without the key, until yield returns false.
func eachLine(src []byte, outline []heading, yield func(n int, line []byte, z zone) bool) {
	src = bytes.TrimPrefix(src, []byte("\ufeff"))
	n, key := 0, silent
	inFront := bytes.HasPrefix(src, []byte("---")) && frontEnd(src) > 0
	var fence byte
	for len(src) > 0 {
		line, rest, _ := bytes.Cut(src, []byte("\n"))
		src = rest
		n++
		line = bytes.TrimSuffix(line, []byte("\r"))
		for len(outline) > 0 && outline[0].line < n {
			outline = outline[1:]
		}
		z := body
		switch {
		case inFront:
			z = silent
			if n > 1 && isFence(line) {
				inFront = false
				break
			}
			if name, value, ok := bytes.Cut(line, []byte(":")); ok && len(name) > 0 && name[0] != ' ' && name[0] != '\t' && name[0] != '-' &&
				name[0] != '#' {
				line = value
				key = front
				switch k := string(bytes.Trim(name, `"' `)); {
				case k == "title":
					key = title
				case silentKeys()[k]:
					key = silent
				}
			}
			if n > 1 {
				z = key
			}
		case len(outline) > 0 && outline[0].line == n:
			z = headed
			fence = 0
		default:
			t := bytes.TrimLeft(line, " ")
			if len(line)-len(t) > 3 {
				break
			}
			if len(t) >= 3 && (t[0] == '`' || t[0] == '~') && t[1] == t[0] && t[2] == t[0] {
				switch fence {
				case 0:
					fence = t[0]
				case t[0]:
					fence = 0
				}
			} else if fence == 0 {
				z = headingZone(t)
			}
		}
		if !yield(n, line, z) {
			return
		}
	}
}

// headingZone returns the zone of a line that may be a heading with number signs (`##`).
func headingZone(line []byte) zone {
	level := 0
	for level < len(line) && line[level] == '#' {
		level++
	}
	switch {
	case level == 0 || level > 6 || level < len(line) && line[level] != ' ' && line[level] != '\t':
		return body
	case level == 1:
		return title
	}
	return headed
}

func isFence(line []byte) bool { return string(bytes.TrimRight(line, " \t\r")) == "---" }

// frontEnd returns the end of the line that closes the front matter at the start of src, 0 without such a line.
func frontEnd(src []byte) int {
	at := 0
	for n := 0; at < len(src); n++ {
		line, _, _ := bytes.Cut(src[at:], []byte("\n"))
		at += len(line) + 1
		switch {
		case n == 0 && !isFence(line):
			return 0
		case n > 0 && isFence(line):
			return min(at, len(src))
		}
	}
	return 0
}

// words calls add for each token with its weight. Words of the file name count when the title does not have them.
func (d *document) words(add func(tok []byte, kind analysis.TokenKind, weight int)) {
	each := func(b []byte, weight int) {
		analysis.Tokens(b, func(t analysis.Token) bool {
			add(b[t.Start:t.End], t.Kind, weight)
			return true
		})
	}
	each([]byte(d.Title), titleWeight)
	if name := fileName(d.Path); (d.Kind == record.Exploration || d.Kind == record.Decision) && name != d.Slug {
		each([]byte(name), bodyWeight)
	}
	eachLine(d.src, d.outline, func(_ int, line []byte, z zone) bool {
		switch z {
		case headed:
			each(line, headingWeight)
		case front, body, title:
			if z == title && slices.Equal(bytes.TrimSpace(bytes.Trim(line, `#"' `)), []byte(d.Title)) {
				break // the title has the word: it counts already
			}
			each(line, bodyWeight)
		}
		return true
	})
}
