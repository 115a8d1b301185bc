package transfer

import (
	"bytes"
	"cmp"
	"errors"
	"path"
	"slices"
	"strings"

	"sdd/internal/candidate"
	"sdd/internal/discovery"
	"sdd/internal/fault"
	"sdd/internal/frontmatter"
	"sdd/internal/markdown"
	"sdd/internal/pattern"
	"sdd/internal/record"
)

// Programs with a folder of Markdown files are close to this one: their file becomes the record's file. It keeps every byte except
// the keys that the import sets, and the form of a decision: the section Status of adr-tools becomes the key status, and the
// headings Context, Decision and Consequences become those of MADR.
//
// A note of basic-memory becomes an exploration with the whole text. An observation in it that is marked as a decision, a fact or a
// learning becomes a candidate as well, for the user to approve, since agents choose the marks freely.

type markdownFile struct {
	folderFile
	fm  *frontmatter.Doc
	md  *markdown.Doc
	adr discovery.ADR
	is  bool // a decision record of any style
}

// parseMarkdown parses a file; the fault is the reason why it cannot become a record.
func parseMarkdown(f folderFile) (_ markdownFile, err error) {
	defer fault.Caught(&err)
	fault.Check(record.Writable(f.src))
	fm := fault.Must(frontmatter.Parse(f.src))
	md := fault.Must(markdown.Parse(f.src, fm.Body))
	d := markdownFile{folderFile: f, fm: fm, md: md}
	d.adr, d.is = discovery.ParseADR(f.name, f.src)
	return d, nil
}

func (d *markdownFile) section(name string) (markdown.Section, bool) {
	for _, s := range d.md.Sections {
		if strings.EqualFold(strings.TrimSpace(s.Name), name) {
			return s, true
		}
	}
	return markdown.Section{}, false
}

func (d *markdownFile) has(section string) bool { _, ok := d.section(section); return ok }

// style is the only format that the file can have, "" when it has none of them.
func (d *markdownFile) style() string {
	switch {
	case strings.HasPrefix(d.fm.String("id"), "decision-") && d.fm.Has("title"):
		return Backlog
	case d.has("Context and Problem Statement"), d.has("Decision Outcome"):
		return MADR
	case d.has("Status") && d.has("Decision"):
		return ADRTools
	case d.fm.Has("permalink"):
		return BasicMemory
	}
	return ""
}

func (d *markdownFile) template() bool {
	return strings.Contains(strings.ToLower(path.Base(d.name)), "template") ||
		strings.ContainsAny(d.adr.Title, "{}<>") && strings.ContainsAny(d.adr.Title[:1], "{<[")
}

// documents reads the files of a folder; each makes an item of a file.
func documents(folder string, each func(r *reading, d markdownFile) error) reading {
	files, left := markdownFiles(folder)
	out := reading{left: left}
	for _, f := range files {
		d, err := parseMarkdown(f)
		if err == nil {
			err = each(&out, d)
		}
		if err != nil {
			out.leave(f.name, "%s", fault.Of(err).Message)
		}
	}
	return out
}

func readDecisions(format string, ask Ask) reading {
	out := documents(ask.Path, func(r *reading, d markdownFile) error {
		switch style := d.style(); {
		case d.is && d.template():
			return errors.New("it is a template")
		case style == format || format == MADR && style == "" && d.is && d.adr.Status != "":
		case style == "":
			return errors.New("it is no decision record")
		default:
			return errors.New("it is written as " + style + " has it; import it as that")
		}
		i, err := d.decision(format)
		if err == nil {
			r.items = append(r.items, i)
		}
		return err
	})
	out.link()
	return out
}

// ourStatus is our status for the status of another program's record.
func ourStatus(status string) string {
	switch {
	case slices.Contains(record.StatusesOf(record.Decision, ""), status):
		return status
	case status == "deprecated":
		return "superseded"
	}
	return "accepted"
}

// headings are the sections of Nygard's records and of Backlog's decisions, and their headings in MADR.
var headings = []struct{ theirs, ours string }{
	{"## Context", "## Context and Problem Statement"},
	{"## Decision", "## Decision Outcome"},
	{"## Consequences", "### Consequences"},
}

func (d *markdownFile) item(kind record.Kind, format, title string) item {
	from := origin{Format: format, Key: d.name, Title: title}
	return item{from: d.name, kind: kind, title: title, other: d.name, scope: record.Project, origin: from}
}

func (d markdownFile) decision(format string) (item, error) {
	title := record.OneLine(d.adr.Title)
	i := d.item(record.Decision, format, title)
	src := d.src
	if format != MADR {
		var section string
		if src, section = d.ourForm(format == ADRTools); section != "" {
			i.origin.keep("status", section)
		}
	}
	sets := []frontmatter.Set{{Key: "title", Value: title}, {Key: "status", Value: ourStatus(d.adr.Status)}}
	day := frontmatter.Date(d.adr.Date)
	if day == "" {
		sets = append(sets, frontmatter.Set{Key: "date"}) // the date is not a day
	} else if !strings.HasPrefix(d.fm.String("date"), d.adr.Date) {
		sets = append(sets, frontmatter.Set{Key: "date", Value: day})
	}
	if day != "" && !d.fm.Has("created") {
		sets = append(sets, frontmatter.Set{Key: "created", Value: day})
	}
	if err := i.override(src, d.fm, sets); err != nil {
		return item{}, err
	}
	related := d.adr.StatusText
	if s, ok := d.section("Links"); ok {
		related += "\n" + d.md.Text(s)
	}
	i.refs = linksIn(related)
	return i, nil
}

// ourForm gives the sections the headings of MADR and, if asked to, removes the section Status when it is the first.
func (d *markdownFile) ourForm(withoutStatus bool) (src []byte, status string) {
	type splice struct {
		span markdown.Span
		text string
	}
	var all []splice // without overlaps
	if s, ok := d.section("Status"); ok && withoutStatus && d.md.Sections[0] == s {
		whole := markdown.Span{Start: s.Heading.Start, End: s.Body.End}
		all = append(all, splice{whole, ""})
		status = string(d.src[whole.Start:whole.End])
	}
	decision := false // the heading of the section Decision changes
	for n, h := range headings {
		s, ok := d.section(strings.TrimPrefix(h.theirs, "## "))
		line := d.src[s.Heading.Start:s.Heading.End]
		if !ok || n < 2 && d.has(strings.TrimLeft(h.ours, "# ")) || string(bytes.TrimRight(line, "\r\n")) != h.theirs ||
			n == 2 && !(decision && d.follows(s)) {
			continue
		}
		all = append(all, splice{s.Heading, h.ours + string(line[len(h.theirs):])})
		decision = n == 1
	}
	slices.SortFunc(all, func(a, b splice) int { return b.span.Start - a.span.Start })
	src = d.src
	for _, s := range all {
		src = slices.Concat(src[:s.span.Start], []byte(s.text), src[s.span.End:])
	}
	return src, status
}

// follows reports whether a section comes directly after Decision and has no headings inside, so that it can become part of it.
func (d *markdownFile) follows(s markdown.Section) bool {
	n := slices.Index(d.md.Sections, s)
	return n > 0 && strings.EqualFold(strings.TrimSpace(d.md.Sections[n-1].Name), "Decision") &&
		!slices.ContainsFunc(d.md.Headings, func(h markdown.Heading) bool { return h.Span.Start >= s.Body.Start && h.Span.Start < s.Body.End })
}

// override sets keys of a file, and keeps their old values in the origin.
func (i *item) override(src []byte, fm *frontmatter.Doc, sets []frontmatter.Set) error {
	was := map[string]any{}
	var changed []frontmatter.Set
	for _, s := range sets {
		if v, ok := s.Value.(string); s.Value == nil && !fm.Has(s.Key) || ok && fm.String(s.Key) == v {
			continue
		}
		if fm.Has(s.Key) {
			was[s.Key] = fm.Value(s.Key)
		}
		changed = append(changed, s)
	}
	if len(was) > 0 {
		i.origin.keep("was", was)
	}
	var err error
	i.src, err = frontmatter.Apply(src, keyOrder(i.kind), changed)
	return err
}

// link is a reference to another record, by the number or name of its file.
type link struct {
	verb   string // supersedes, superseded or relates
	number string
	file   string
}

var (
	linkForm   = pattern.Late(`\[([^\]]*)\]\(([^)\s]+)\)`)
	numberForm = pattern.Late(`(?i)\b(?:adr[-_ ]?)?0*([0-9]{1,6})\b`)
	nameNumber = pattern.Late(`^(?i:adr|decision)?[-_ ]?0*([0-9]{1,6})\b`)
)

// linksIn reads the references to other records in a status or a list of links, one on each line.
func linksIn(related string) (out []link) {
	for line := range strings.Lines(related) {
		lower := discovery.InLower(line)
		verb := "relates"
		switch {
		case strings.Contains(lower, "superseded by"), strings.Contains(lower, "superseded with"), strings.Contains(lower, "replaced by"):
			verb = "superseded"
		case strings.Contains(lower, "supersedes"), strings.Contains(lower, "replaces"):
			verb = "supersedes"
		}
		if m := linkForm().FindStringSubmatch(line); m != nil {
			if !strings.Contains(m[2], "://") {
				out = append(out, link{verb: verb, file: path.Base(strings.TrimPrefix(m[2], "./"))})
			}
		} else if verb != "relates" {
			if n := numberForm().FindStringSubmatch(lower[strings.IndexAny(lower, "sr"):]); n != nil {
				out = append(out, link{verb: verb, number: n[1]})
			}
		}
	}
	return out
}

// link links decisions to those that they name, when these are in the folder as well.
func (r *reading) link() {
	byFile, byNumber := map[string]int{}, map[string]int{}
	for n, i := range r.items {
		byFile[path.Base(i.from)] = n
		if m := nameNumber().FindStringSubmatch(path.Base(i.from)); m != nil {
			byNumber[m[1]] = n
		}
	}
	for n := range r.items {
		i := &r.items[n]
		for _, l := range i.refs {
			at, ok := byFile[l.file]
			if l.file == "" {
				at, ok = byNumber[l.number]
			}
			if !ok {
				r.leave(i.from, "what it says of %s is no link: that file is not in the folder", cmp.Or(l.file, "number "+l.number))
				continue
			}
			switch to := &r.items[at]; {
			case at == n:
			case l.verb == "superseded":
				to.relate("supersedes", *i)
			case l.verb == "supersedes":
				i.relate("supersedes", *to)
			case !slices.Contains(to.links["relates_to"], i.decisionID()): // else the other record has the link
				i.relate("relates_to", *to)
			}
		}
	}
}

func (i item) decisionID() string { return record.DecisionID(record.Slug(i.title), i.scope) }

// noteForm matches an observation of a note: "[category] text".
var noteForm = pattern.Late(`(?s)^\[([^\[\]()]+)\]\s+(.+)$`)

func readNotes(_ string, ask Ask) reading {
	return documents(ask.Path, func(r *reading, d markdownFile) (err error) {
		defer fault.Caught(&err)
		title := record.OneLine(cmp.Or(d.fm.String("title"), strings.TrimSuffix(path.Base(d.name), path.Ext(d.name))))
		i := d.item(record.Exploration, BasicMemory, title)
		if len(bytes.TrimSpace(d.src[d.fm.Body:])) == 0 {
			return errors.New("it is empty")
		}
		sets := []frontmatter.Set{{Key: "title", Value: title}}
		for _, key := range []string{"project", "scope", "revision", "session_id"} { // they have another meaning here
			sets = append(sets, frontmatter.Set{Key: key})
		}
		fault.Check(i.override(d.src, d.fm, sets))
		blocks := fault.Must(markdown.Blocks(string(d.src[d.fm.Body:])))
		source := "basic-memory, " + cmp.Or(record.OneLine(d.fm.String("permalink")), d.name)
		for _, b := range blocks {
			m := noteForm().FindStringSubmatch(b.Text)
			if b.Kind != markdown.Item || m == nil {
				continue
			}
			c := candidate.Candidate{Content: strings.TrimSpace(m[2]), Confidence: 0.5, Source: source, Signal: BasicMemory}
			switch strings.ToLower(strings.TrimSpace(m[1])) {
			case "decision":
				c.Kind = string(record.Decision)
			case "fact":
				c.Kind, c.Level = string(record.Fact), 1
			case "learning", "lesson", "insight", "gotcha", "discovery":
				c.Kind, c.Color = string(record.Idea), record.Learning
			default:
				continue // only the record contains it
			}
			i.also = append(i.also, c)
		}
		r.items = append(r.items, i)
		return nil
	})
}
