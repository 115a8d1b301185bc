package review

import (
	"fmt"
	"strings"
)

// Markdown renders the changes for a comment: a heading and a fence a record. What records say is fenced off.
func (c Changes) Markdown() string {
	p := newComment(maxComment)
	if len(c.Records) == 0 {
		p.add("", "No record differs.\n")
	}
	for _, r := range c.Records {
		p.add(r.ID, r.block("###"))
	}
	return p.String()
}

// block renders a record: heading, file, and what differs.
func (c Change) block(heading string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s · %s\n\n%s", heading, code(c.Title), c.statusMarkdown(), code(c.File))
	if c.OldFile != "" {
		b.WriteString(", before " + code(c.OldFile))
	}
	b.WriteString("\n\n")
	if rows := c.Rows(); len(rows) > 0 {
		b.WriteString(fence(rows) + "\n")
	}
	return b.String()
}

func (c Change) statusMarkdown() string {
	if !c.MeaningChanged && c.Status == Changed {
		return formOnly
	}
	return string(c.Status)
}

// changeRules are the rules of what a comparison tells.
var changeRules = []Rule{
	{"record-added", Notice, "a record was added", ""},
	{"record-removed", Notice, "a record was removed", ""},
	{"record-renamed", Notice, "the file of a record was renamed", ""},
	{"key-changed", Notice, "a front-matter key has another value", ""},
	{"item-added", Notice, "an item was added", ""},
	{"item-removed", Notice, "an item was removed", ""},
	{"item-changed", Notice, "an item says something else", ""},
	{"item-moved", Notice, "an item was moved", ""},
}

// SARIF renders the changes of meaning as notes at their lines.
func (c Changes) SARIF() []byte {
	var all []Finding
	for _, r := range c.Records {
		all = append(all, r.findings()...)
	}
	return SARIF(changeRules, all, c.base)
}

func (c Change) findings() []Finding {
	at := func(rule string, line int, text string) Finding {
		return Finding{Rule: rule, Severity: Notice, Message: cut(text, maxRow), File: c.File, Line: line}
	}
	switch c.Status {
	case Added:
		return []Finding{at("record-added", 1, "record added: "+c.Title)}
	case Removed:
		return []Finding{at("record-removed", 0, "record removed: "+c.Title)}
	}
	var all []Finding
	if c.Status == Renamed {
		all = append(all, at("record-renamed", 1, "renamed from "+c.OldFile))
	}
	for _, k := range c.Keys {
		if !isBookkeeping(k.Key) {
			all = append(all, at("key-changed", c.keyLine(k.Key), fmt.Sprintf("%s: %s → %s", k.Key, value(k.Old), value(k.New))))
		}
	}
	for _, s := range c.Sections {
		if !s.MeaningChanged {
			continue
		}
		for _, i := range s.Items {
			line, rule, text := i.Line, "item-changed", oneLine(i.Old)+" → "+oneLine(i.New)
			switch i.Kind {
			case "added":
				rule, text = "item-added", oneLine(i.New)
			case "removed":
				rule, text, line = "item-removed", oneLine(i.Old), c.sectionLine(s.Name)
			case "moved":
				rule, text = "item-moved", oneLine(i.New)
			}
			all = append(all, at(rule, line, s.Name+": "+text))
		}
	}
	return all
}

// keyLine is the line of a key in the newer file, 1 when it is not there.
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

// sectionLine is the line of a section's heading in the newer file, 1 when it is not there.
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
