package review

import (
	"fmt"
	"strings"
)

// Marker is the first line of the comment on a pull request, by which it is found again to be updated.
const Marker = "<!-- sdd review -->"

// Markdown renders the review as one comment: what needs a look first, then what the branch says. It begins with Marker.
func (p PullRequest) Markdown() string {
	c := newComment(maxComment)
	c.add("", Marker+"\n## What this branch says\n\n"+p.summary()+"\n\n")
	p.writeOverlaps(c)
	p.writeDead(c)
	for _, g := range []struct {
		title   string
		changes []Change
	}{
		{"Decides", p.Decides}, {"Asks", p.Asks}, {"Goals, constraints and preferences", p.Aims}, {"Drops", p.Drops}, {"Notes", p.Notes},
	} {
		for i, r := range g.changes {
			block := r.block("####")
			if i == 0 {
				block = "### " + g.title + "\n\n" + block
			}
			c.add(r.Title, block)
		}
	}
	return c.String()
}

// summary counts what there is.
func (p PullRequest) summary() string {
	items := func(all []Change) int {
		n := 0
		for _, c := range all {
			n += max(1, c.statements())
		}
		return n
	}
	var parts []string
	count := func(n int, one, many string) {
		if n == 1 {
			parts = append(parts, "1 "+one)
		} else if n > 1 {
			parts = append(parts, fmt.Sprintf("%d %s", n, many))
		}
	}
	count(items(p.Decides), "decision", "decisions")
	count(items(p.Asks), "question", "questions")
	count(items(p.Aims), "goal or constraint", "goals and constraints")
	count(items(p.Drops), "thing dropped", "things dropped")
	count(items(p.Notes), "note", "notes")
	conflicts, clean := p.overlapsBy()
	count(len(conflicts), "section in conflict with another branch", "sections in conflict with other branches")
	count(len(clean), "section also changed elsewhere", "sections also changed elsewhere")
	count(len(p.Dead), "name of a file that is gone", "names of files that are gone")
	formal := 0
	for _, c := range p.Records {
		if !c.MeaningChanged {
			formal++
		}
	}
	count(formal, "record with no change in meaning", "records with no change in meaning")
	text := "No record differs."
	if len(p.Records) == 1 {
		text = "1 record: "
	} else if len(p.Records) > 1 {
		text = fmt.Sprintf("%d records: ", len(p.Records))
	} else if len(parts) > 0 {
		text = "No record differs; "
	}
	text += strings.Join(parts, ", ")
	if len(parts) > 0 {
		text += "."
	}
	text += fmt.Sprintf(" Compared with %s, at %s.", code(p.Base), code(short(p.Head)))
	if p.Uncommitted > 0 {
		text += fmt.Sprintf(" Not in this: what is not committed (%d).", p.Uncommitted)
	}
	if p.Unread > 0 {
		text += fmt.Sprintf(" Not looked at: older branches (%d).", p.Unread)
	}
	return text
}

// statements counts the items and keys that differ.
func (c Change) statements() int {
	n := len(c.Keys)
	for _, s := range c.Sections {
		n += len(s.Items)
	}
	if c.Status == Removed {
		return 1
	}
	return n
}

func (p PullRequest) writeOverlaps(c *comment) {
	conflicts, clean := p.overlapsBy()
	writeOverlaps(c, "Also changed elsewhere, in conflict", conflicts)
	writeOverlaps(c, "Also changed elsewhere", clean)
}

// overlapsBy takes what ends in a conflict apart from what merges.
func (p PullRequest) overlapsBy() (conflicts, clean []Overlap) {
	for _, o := range p.Overlaps {
		if o.Conflict {
			conflicts = append(conflicts, o)
		} else {
			clean = append(clean, o)
		}
	}
	return conflicts, clean
}

func writeOverlaps(c *comment, title string, all []Overlap) {
	for i, o := range all {
		block := ""
		if i == 0 {
			block = "### " + title + "\n\n"
		}
		block += "- " + o.where() + " also changes "
		if len(o.Items) > 0 {
			block += "the same of "
		}
		if o.Section != "" {
			block += code(o.Section) + " in "
		}
		block += code(o.Title) + " (" + code(o.File) + ")"
		for n, text := range o.Items {
			if n == 3 {
				block += fmt.Sprintf("\n  - and %d more", len(o.Items)-n)
				break
			}
			block += "\n  - " + code(text)
		}
		block += "\n"
		if i == len(all)-1 {
			block += "\n"
		}
		c.add(o.Title, block)
	}
}

// where names the branch or work tree.
func (o Overlap) where() string {
	if o.Worktree == "" {
		return code(o.Branch) + " (last commit " + strings.SplitN(o.Date, "T", 2)[0] + ")"
	}
	where := "The work tree " + code(o.Worktree)
	if o.Branch != "" {
		where += ", on " + code(o.Branch) + ","
	}
	return where
}

func (p PullRequest) writeDead(c *comment) {
	for i, d := range p.Dead {
		block := ""
		if i == 0 {
			block = "### Names files that are gone\n\n"
		}
		block += fmt.Sprintf("- %s line %d names %s, which this branch ", code(d.File), d.Line, code(d.Path))
		if d.Now != "" {
			block += "renames to " + code(d.Now)
		} else {
			block += "deletes"
		}
		block += "\n"
		if i == len(p.Dead)-1 {
			block += "\n"
		}
		c.add(d.Title, block)
	}
}

// prRules are the rules of what a review finds.
var prRules = []Rule{
	{"same-section", Warning, "another branch or work tree changes the same section", "Talk to who works there before both are merged, or merge one into the other: sdd merge does it item by item."},
	{"dead-name", Warning, "a record names a file that this branch deletes or renames", "Correct the record in this branch."},
	{"decides", Notice, "this branch decides something", ""},
	{"asks", Notice, "this branch asks something", ""},
	{"drops", Notice, "this branch drops something", ""},
}

// SARIF renders the review as findings at their lines.
func (p PullRequest) SARIF() []byte {
	var all []Finding
	for _, o := range p.Overlaps {
		who := o.Branch
		if o.Worktree != "" {
			who = "the work tree " + o.Worktree
		}
		verb, severity := " also changes ", Notice
		if o.Conflict {
			verb, severity = " conflicts with ", Warning
		}
		text := who + verb + strings.TrimSpace(o.Section+" of "+o.Title)
		for _, i := range o.Items {
			text += "; " + cut(i, maxInline)
		}
		all = append(all, Finding{File: o.File, Line: o.Line, Rule: "same-section", Severity: severity, Message: text})
	}
	for _, d := range p.Dead {
		text := "names " + d.Path + ", which this branch deletes"
		if d.Now != "" {
			text = "names " + d.Path + ", which this branch renames to " + d.Now
		}
		all = append(all, Finding{File: d.File, Line: d.Line, Rule: "dead-name", Severity: Warning, Message: text})
	}
	for _, g := range []struct {
		rule    string
		changes []Change
	}{{"decides", p.Decides}, {"asks", p.Asks}, {"drops", p.Drops}} {
		for _, c := range g.changes {
			for _, f := range c.findings() {
				f.Rule = g.rule
				all = append(all, f)
			}
		}
	}
	return SARIF(prRules, all, p.base)
}
