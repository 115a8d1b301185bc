package record

import (
	"bytes"
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"sdd/internal/fault"
	"sdd/internal/frontmatter"
	"sdd/internal/lines"
	"sdd/internal/markdown"
)

// Defaults are the values for keys that a file lacks, and the limits.
type Defaults struct {
	Project string // the store's own
	Limits  Limits
}

// Front returns the front matter of src as a file of its own, if it has the title and thus the identity of the record.
func Front(src []byte) (*Doc, bool) {
	front, err := frontmatter.Parse(src)
	if err != nil || front.String("title") == "" {
		return nil, false
	}
	head := newDoc(src[:front.Body])
	head.front, head.body = front.WithBody(head.Src), &markdown.Doc{Src: head.Src, From: front.Body}
	return head, head.bad < 0
}

// Parse parses the record in file, a path relative to `.sdd`. It never fails: invalid parts are text, valid keys are read on their own, and
// Problems lists the rest. Missing values come from the heading, the name, the folder and d.
func Parse(file string, src []byte, d Defaults) Record { return Open(src).Record(file, d) }

// Record is Parse for a parsed file.
func (doc *Doc) Record(file string, d Defaults) Record {
	r := Record{File: file, Etag: doc.Etag, Writable: true}
	r.Kind, _ = KindOf(file)
	if r.Kind == "" {
		r.Kind = Exploration
	}
	if d.Limits.File > 0 && len(doc.Src) > d.Limits.File {
		r.refuse(0, TooLarge, fmt.Sprintf("the file has %d bytes, at most %d are allowed", len(doc.Src), d.Limits.File))
	}
	if doc.bad >= 0 {
		n := 1 + bytes.Count(doc.Src[:doc.bad], newline)
		r.refuse(n, InvalidUTF8, whyNotText(doc.Src, doc.bad)+"; read with replacement characters")
	}
	if len(doc.open) > 0 {
		p := ConflictAt(doc.open[0].Line)
		r.refuse(p.Line, p.Code, p.Text)
	}
	fm, err := doc.front, doc.frontErr
	value, from := fm.String, fm.Body
	if err == nil {
		r.FrontMatter = fm.Map()
	} else {
		if f := fault.Of(err); len(doc.open) == 0 || f.Line != doc.open[0].Line { // else the markers break it
			r.refuse(f.Line, BrokenYAML, f.Message)
		}
		found := doc.salvage()
		value = func(key string) string { return found[key].text }
		if !fm.Present || len(found) == 0 {
			from = 0 // the block has no end or no keys: it is text
		}
		r.FrontMatter = map[string]any{}
		for key, v := range found {
			if v.value != nil {
				r.FrontMatter[key] = v.value
			}
		}
	}
	given := r.FrontMatter["status"]
	noStatus := value("status") == "" && r.Kind != Exploration && (err != nil || given != nil && given != "")
	r.Revision = max(1, doc.Revision())
	plain := func(key string) string {
		if key == "status" && noStatus {
			return unreadable
		}
		return oneLine(value(key))
	}
	if k := Kind(plain("kind")); r.Kind == Candidate && (k == Idea || k == Fact || k == Decision) {
		r.Of = k
	}
	title := r.sections(doc, from)
	r.identify(plain, title, d)
	return r
}

// refuse adds a problem that makes the file not writable.
func (r *Record) refuse(line int, code, text string) {
	r.Problems = append(r.Problems, Problem{line, code, text})
	r.Writable = false
}

// notText returns the offset of the first byte that cannot be in a text file, -1 when there is none.
func notText(src []byte) int {
	if utf8.Valid(src) {
		return bytes.IndexByte(src, 0)
	}
	for at := 0; ; {
		r, n := utf8.DecodeRune(src[at:])
		if r == 0 || r == utf8.RuneError && n == 1 {
			return at
		}
		at += n
	}
}

func whyNotText(src []byte, at int) string {
	switch {
	case bytes.HasPrefix(src, []byte("\xff\xfe")), bytes.HasPrefix(src, []byte("\xfe\xff")):
		return "the file is UTF-16; save it as UTF-8"
	case src[at] == 0:
		return "the file holds a NUL byte"
	}
	return "the file is not valid UTF-8"
}

// salvaged is a value of front matter that is invalid YAML.
type salvaged struct {
	text  string
	value any
}

// salvage reads the keys of invalid YAML, so that a typing mistake does not change the identity of the file: each key at the start of a
// line that is valid with its own lines; for a title, else the text after its colon (`title: Cache: phase two`). The first of two values
// counts, but a status with two values is in conflict.
func (d *Doc) salvage() map[string]salvaged {
	text, fm := d.text, d.front
	if len(d.open) > 0 {
		text = withoutMarkers(text, d.open)
	}
	block := text[fm.Body:] // a block without an end
	if fm.Present {
		block = text[fm.YAML.Start:fm.YAML.End]
	}
	for _, b := range d.open {
		if fm.Present && b.At[0] < fm.Body && b.At[1] > fm.Body { // the other side has its own end of the block
			theirs, _, _ := strings.Cut(b.Theirs, "\n---")
			block = slices.Concat(block, []byte(theirs))
		}
	}
	found := map[string]salvaged{}
	for n := 0; len(block) > 0 && n < 100; n++ {
		l := lines.First(block)
		if !fm.Present && len(bytes.TrimSpace(l)) == 0 {
			break
		}
		size := len(l)
		for size < len(block) && strings.IndexByte(" \t-", block[size]) >= 0 {
			size += len(lines.First(block[size:]))
		}
		key, raw, colon := strings.Cut(string(l), ":")
		whole := string(block[:size])
		block = block[size:]
		if key = strings.Trim(strings.TrimSpace(key), `"'`); !colon {
			continue
		}
		line, err := frontmatter.ParseYAML([]byte(whole))
		if err != nil {
			line, err = frontmatter.ParseYAML(l)
		}
		if raw = strings.TrimSpace(raw); err != nil && key == "title" && raw != "" && strings.IndexByte("[{|>!&", raw[0]) < 0 {
			line, err = frontmatter.ParseYAML([]byte("title: '" + strings.ReplaceAll(strings.Trim(raw, `"'`), "'", "''") + "'"))
		}
		v := salvaged{line.String(key), line.Value(key)}
		if was := found[key]; err != nil || v.value == nil {
			continue
		} else if was.text == "" && was.value == nil {
			found[key] = v
		} else if key == "status" && !strings.EqualFold(was.text, v.text) {
			found[key] = salvaged{text: inConflict}
		}
	}
	return found
}

// sections fills Preamble, from the offset from on, and Sections. It returns the title in the text.
func (r *Record) sections(file *Doc, from int) (title string) {
	doc, err := file.markdown()
	if err != nil {
		switch f := fault.Of(err); {
		case len(file.text)-file.front.Body <= markdown.MaxSource:
			r.refuse(f.Line, TooDeep, f.Message)
		case !slices.ContainsFunc(r.Problems, func(p Problem) bool { return p.Code == TooLarge }):
			r.refuse(0, TooLarge, f.Message)
		}
	}
	r.Preamble, r.PreambleLine = trimmed(doc.Src, markdown.Span{Start: from, End: doc.Preamble().End})
	known := sectionsOf(r.Kind, r.Of)
	r.Sections = make([]Section, 0, len(doc.Sections))
	for _, s := range doc.Sections {
		r.add(doc, s, keyOf(known, markdown.Known{Name: s.Name}))
	}
	nested := len(r.Sections)
	for _, k := range known {
		if k.Under != "" {
			for _, s := range doc.Find(k.Known) {
				r.add(doc, s, k.key)
			}
		}
	}
	for _, s := range parts(doc) {
		r.add(doc, s, "")
	}
	if len(r.Sections) > nested {
		slices.SortStableFunc(r.Sections, func(a, b Section) int { return a.Line - b.Line })
	}
	if len(doc.Sections) > 1 {
		for _, twice := range doc.Duplicates() {
			r.Problems = append(r.Problems, Problem{twice.Lines[1], DuplicateSection,
				fmt.Sprintf("%d sections are named %q (lines %s): saves go to the first", len(twice.Lines), twice.Name, join(twice.Lines))})
		}
	}
	return doc.Title()
}

func (r *Record) add(doc *markdown.Doc, s markdown.Section, key string) {
	text := doc.Text(s)
	lead, _ := blankAround(doc.Src[s.Body.Start:s.Body.End])
	if text == "" {
		lead = nil
	}
	r.Sections = append(r.Sections, Section{
		Name: s.Name, Key: key, Text: text, Etag: Etag([]byte(text)), Line: s.Line,
		TextLine: s.Line + bytes.Count(doc.Src[s.Heading.Start:s.Heading.End], newline) + bytes.Count(lead, newline),
	})
}

var newline = []byte("\n")

// parts returns the text under level-1 headings after the first section: it is in no section, but readers and search must find it.
func parts(doc *markdown.Doc) []markdown.Section {
	var found []markdown.Section
	for i, h := range doc.Headings {
		if h.Level != 1 || len(doc.Sections) == 0 || h.Line < doc.Sections[0].Line {
			continue
		}
		end := len(doc.Src)
		for _, next := range doc.Headings[i+1:] {
			if next.Level <= 2 {
				end = next.Span.Start
				break
			}
		}
		s := markdown.Section{Name: h.Text, Heading: h.Span, Body: markdown.Span{Start: h.Span.End, End: end}, Line: h.Line}
		if doc.Text(s) != "" {
			found = append(found, s)
		}
	}
	return found
}

// trimmed returns the text of a span without blank lines at its start and end, and its line.
func trimmed(src []byte, span markdown.Span) (text string, line int) {
	b := src[span.Start:span.End]
	if span.Start == 0 { // elsewhere it is an ordinary character
		b = bytes.TrimPrefix(b, []byte("\xef\xbb\xbf"))
	}
	lead, tail := blankAround(b)
	if len(lead) == len(b) {
		return "", 0
	}
	return string(b[len(lead) : len(b)-len(tail)]), 1 + bytes.Count(src[:span.Start], newline) + bytes.Count(lead, newline)
}

// identify sets title, project, scope, id and the other identifying fields. value reads a key; heading is the title in the text.
func (r *Record) identify(value func(key string) string, heading string, d Defaults) {
	stem := strings.TrimSuffix(path.Base(r.File), ".md")
	kind := cmp.Or(r.Of, r.Kind)
	r.Title = cmp.Or(value("title"), oneLine(heading))
	if r.Title == "" && r.Kind != Exploration && r.Kind != Decision {
		r.Title = firstLine(r.Preamble)
	}
	r.Title = cmp.Or(r.Title, oneLine(stem))
	r.Slug = Slug(r.Title)
	r.Title = cmp.Or(r.Title, r.Slug) // of a file with a blank name
	repository, _ := Repository(r.File)
	r.Project = cmp.Or(value("project"), repository, d.Project)
	r.Scope = ScopesOf(kind)[0]
	if scope, _, _ := strings.Cut(r.File, "/"); scope == Personal || scope == Private {
		r.Scope = scope
	}
	if s := strings.ToLower(value("scope")); slices.Contains(ScopesOf(kind), s) && r.Scope != Private {
		r.Scope = s
	}
	r.Status, r.Color, r.Session, r.Created = statusOf(r.Kind, value("status")), value("color"), value("session_id"), value("created")
	switch kind {
	case Exploration:
		r.TopicKey = topicKey(r.Slug)
		r.ID = ExplorationID(r.Slug, r.Project, r.Scope, d.Project)
	case Decision:
		r.ID = DecisionID(r.Slug, r.Scope)
	default:
		r.ID = cmp.Or(value("id"), fileID(stem))
		if r.ID == "" {
			r.ID = HexID(cmp.Or(IDPrefix(kind), string(kind)), r.Preamble, nil)
		}
	}
	if repository != "" {
		r.qualify(repository)
	}
}

// firstLine returns the first line of text that is not empty, without marks of lists and quotes, at most 100 characters.
func firstLine(text string) string {
	l, _, _ := strings.Cut(strings.TrimLeft(text, "\r\n"), "\n")
	return fault.Cut(oneLine(strings.TrimLeft(l, "-*+>#| \t")), 100)
}

func oneLine(s string) string {
	if !strings.ContainsAny(s, "\n\r\t") && !strings.Contains(s, "  ") && !strings.HasPrefix(s, " ") && !strings.HasSuffix(s, " ") {
		return s
	}
	return strings.Join(strings.Fields(s), " ")
}

func join(lines []int) string {
	return strings.ReplaceAll(strings.Trim(fmt.Sprint(lines), "[]"), " ", ", ")
}
