package history

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"sdd/internal/check"
	"sdd/internal/frontmatter"
	"sdd/internal/markdown"
	"sdd/internal/record"
)

// Row is a line of a difference for people to read.
type Row struct {
	Mark byte // one of the marks
	Text string
}

const (
	MarkSection = '@'
	MarkAdded   = '+'
	MarkRemoved = '-'
	MarkMoved   = '!'
	MarkRemark  = ' '
)

// Replaced are the rows of lines that others replace.
func Replaced(was, is string) (rows []Row) {
	for _, side := range []Row{{MarkRemoved, was}, {MarkAdded, is}} {
		for l := range strings.Lines(side.Text) {
			rows = append(rows, Row{side.Mark, strings.TrimRight(l, "\r\n")})
		}
	}
	return rows
}

const (
	beforeSections = "before the first section"
	frontMatter    = "front matter"
	formOnly       = "no change in meaning"
)

// Summary describes in a few words what happened to the record.
func (c Change) Summary() string {
	switch {
	case c.Status == Renamed && c.MeaningChanged:
		return "renamed from " + c.OldFile + ", changed"
	case c.Status == Renamed:
		return "renamed from " + c.OldFile
	}
	return c.inShort()
}

// inShort is the status in words.
func (c Change) inShort() string {
	if !c.MeaningChanged && c.Status == Changed {
		return formOnly
	}
	return string(c.Status)
}

// naming lists the keys that identify a record.
var naming = []string{"id", "title", "project", "scope"}

// Rows lists the differences. It includes the keys that the tool itself writes only when nothing else differs.
func (c Change) Rows() []Row {
	var rows []Row
	for _, p := range c.Problems {
		rows = append(rows, Row{MarkRemark, p})
	}
	keys := c.Keys
	if c.MeaningChanged || len(c.Sections) > 0 || c.Status != Changed {
		whole := c.Status == Added || c.Status == Removed
		keys = slices.DeleteFunc(slices.Clone(keys), func(k KeyChange) bool {
			return !k.hasMeaning() || whole && slices.Contains(naming, k.Key)
		})
	}
	for i, k := range keys {
		if i == 0 {
			rows = append(rows, Row{MarkSection, frontMatter})
		}
		if places := k.affirmed(); places != "" {
			rows = append(rows, Row{MarkRemark, places})
			continue
		}
		if k.Old != nil {
			rows = append(rows, Row{MarkRemoved, k.Key + ": " + value(k.Old)})
		}
		if k.New != nil {
			rows = append(rows, Row{MarkAdded, k.Key + ": " + value(k.New)})
		}
	}
	for _, s := range c.Sections {
		rows = append(rows, sectionRows(s)...)
	}
	return rows
}

func sectionRows(s SectionChange) []Row {
	head := cmp.Or(s.Name, beforeSections)
	switch {
	case s.Was != "":
		head += " (was " + s.Was + ")"
	case s.Kind != markdown.Changed:
		head += " (" + string(s.Kind) + ")"
	}
	rows := []Row{{MarkSection, head}}
	if !s.MeaningChanged {
		return append(rows, Row{MarkRemark, formOnly})
	}
	for _, i := range s.Items {
		rows = append(rows, itemRows(i)...)
	}
	return rows
}

func itemRows(i ItemChange) []Row {
	switch i.Kind {
	case "added":
		return rowsOf(MarkAdded, record.Outcome(i.New))
	case "removed":
		return rowsOf(MarkRemoved, i.Old)
	case "moved":
		from := "moved: "
		if i.From != "" {
			from = "moved from " + i.From + ": "
		}
		return rowsOf(MarkMoved, from+i.New)
	}
	return append(rowsOf(MarkRemoved, i.Old), rowsOf(MarkAdded, i.New)...)
}

func rowsOf(mark byte, text string) []Row {
	var rows []Row
	for l := range strings.SplitSeq(text, "\n") {
		rows = append(rows, Row{mark, l})
	}
	return rows
}

// value renders the value of a key: text as it is, anything else as JSON.
func value(v any) string {
	if s, ok := v.(string); ok {
		return record.OneLine(s)
	}
	b, err := json.Marshal(v)
	if err != nil {
		return fmt.Sprint(v)
	}
	return string(b)
}

// Markdown renders the changes as a comment, with a heading and a code fence for each record.
func (c Changes) Markdown() string {
	p := newComment()
	if len(c.Records) == 0 {
		p.add("", "No record differs.\n")
	}
	for _, r := range c.Records {
		p.add(r.ID, r.block("###"))
	}
	return p.String()
}

// block renders a record: heading, file and differences.
func (c Change) block(heading string) string {
	block := heading + " " + code(c.Title) + " · " + c.inShort() + "\n\n" + code(c.File)
	if c.OldFile != "" {
		block += ", before " + code(c.OldFile)
	}
	block += "\n\n"
	if rows := c.Rows(); len(rows) > 0 {
		block += fence(rows) + "\n"
	}
	return block
}

// changeRules are the rules in the SARIF of a comparison.
var changeRules = []check.Rule{
	{ID: "record-added", Summary: "a record was added"},
	{ID: "record-removed", Summary: "a record was removed"},
	{ID: "record-renamed", Summary: "the file of a record was renamed"},
	{ID: "key-changed", Summary: "a front-matter key has another value"},
	{ID: "item-added", Summary: "an item was added"},
	{ID: "item-removed", Summary: "an item was removed"},
	{ID: "item-changed", Summary: "an item says something else"},
	{ID: "item-moved", Summary: "an item was moved"},
}

// SARIF renders the changes of meaning as notes at their lines.
func (c Changes) SARIF() []byte {
	var all []check.Finding
	for _, r := range c.Records {
		all = append(all, r.findings()...)
	}
	return check.SARIF(changeRules, all, c.base)
}

func (c Change) findings() []check.Finding {
	at := func(rule string, line int, text string) check.Finding {
		return check.Finding{Rule: rule, Severity: check.Notice, Message: cut(text, maxRow), File: c.File, Line: line}
	}
	switch c.Status {
	case Added:
		return []check.Finding{at("record-added", 1, "record added: "+c.Title)}
	case Removed:
		return []check.Finding{at("record-removed", 0, "record removed: "+c.Title)}
	}
	var all []check.Finding
	if c.Status == Renamed {
		all = append(all, at("record-renamed", 1, "renamed from "+c.OldFile))
	}
	for _, k := range c.Keys {
		if k.hasMeaning() {
			all = append(all, at("key-changed", c.new.keyLine(k.Key), k.inWords()))
		}
	}
	for _, s := range c.Sections {
		if !s.MeaningChanged {
			continue
		}
		for _, i := range s.Items {
			line, rule, text := i.Line, "item-"+string(i.Kind), record.OneLine(i.New)
			switch i.Kind {
			case "added", "moved":
			case "removed":
				text, line = record.OneLine(i.Old), c.sectionLine(s.Name)
			default:
				rule, text = "item-changed", record.OneLine(i.Old)+" → "+text
			}
			all = append(all, at(rule, line, s.Name+": "+text))
		}
	}
	return all
}

// keyLine is the line of a key in the file, 1 when the key or file is missing.
func (v *version) keyLine(key string) int {
	if v == nil {
		return 1
	}
	doc, _ := frontmatter.Parse(v.src)
	return max(1, doc.Line(key))
}

// sectionLine is the line of a section's heading in the newer file, 1 when the section is missing.
func (c Change) sectionLine(name string) int {
	if c.new != nil {
		for _, s := range c.new.rec.Sections {
			if strings.EqualFold(s.Name, name) {
				return s.Line
			}
		}
	}
	return 1
}
