package history

import (
	"sdd/internal/check"
	"sdd/internal/record"
	"strings"
)

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
	status := string(c.Status)
	if !c.MeaningChanged && c.Status == Changed {
		status = formOnly
	}
	block := heading + " " + code(c.Title) + " · " + status + "\n\n" + code(c.File)
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
			all = append(all, at("key-changed", c.keyLine(k.Key), k.inWords()))
		}
	}
	for _, s := range c.Sections {
		if !s.MeaningChanged {
			continue
		}
		for _, i := range s.Items {
			line, rule, text := i.Line, "item-changed", record.OneLine(i.Old)+" → "+record.OneLine(i.New)
			switch i.Kind {
			case "added":
				rule, text = "item-added", record.OneLine(i.New)
			case "removed":
				rule, text, line = "item-removed", record.OneLine(i.Old), c.sectionLine(s.Name)
			case "moved":
				rule, text = "item-moved", record.OneLine(i.New)
			}
			all = append(all, at(rule, line, s.Name+": "+text))
		}
	}
	return all
}

// keyLine is the line of a key in the newer file, 1 when the key is missing.
func (c Change) keyLine(key string) int {
	if c.new != nil {
		for _, k := range headOf(c.new.src).keys {
			if k.Name == key {
				return k.Line
			}
		}
	}
	return 1
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
