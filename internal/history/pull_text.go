package history

import (
	"fmt"
	"strings"

	"sdd/internal/check"
	"sdd/internal/fault"
	"sdd/internal/record"
)

// marker is the first line of the comment on a pull request; workflows find the comment by it to update it.
const marker = "<!-- sdd review -->"

// Markdown renders the review as one comment: first the code under records and overlaps, then the changes. It begins with marker.
func (p PullRequest) Markdown() string {
	c := newComment()
	c.add("", marker+"\n## What this branch says\n\n"+p.summary()+"\n\n"+p.raises())
	c.addProblems(p.Records)
	c.addOrders(p.Orders)
	c.addCode(p.Code)
	conflicts, clean := p.overlapsBy()
	c.addOverlaps("Also changed elsewhere, in conflict", conflicts)
	c.addOverlaps("Also changed elsewhere", clean)
	for _, g := range []struct {
		title   string
		changes []Change
	}{
		{"Decides", p.Decides}, {"Asks", p.Asks}, {"Goals, constraints and preferences", p.Aims}, {"Drops", p.Drops}, {"Notes", p.Notes},
	} {
		var entries []entry
		for _, r := range g.changes {
			entries = append(entries, entry{r.Title, r.block("####")})
		}
		c.addAll(g.title, entries)
	}
	return c.String()
}

// addProblems lists the records whose file has a defect: broken front matter, a merge conflict, a section twice.
func (c *comment) addProblems(all []Change) {
	var entries []entry
	for _, r := range all {
		for _, p := range r.Problems {
			entries = append(entries, entry{r.Title, "- " + code(r.File) + ": " + code(p) + "\n"})
		}
	}
	c.addList("Defects", entries)
}

// summary counts the parts of the review.
func (p PullRequest) summary() string {
	items := func(all []Change) (n int) {
		for _, c := range all {
			n += max(1, c.statements())
		}
		return n
	}
	unchanged := 0
	for _, c := range p.Records {
		if !c.MeaningChanged {
			unchanged++
		}
	}
	conflicts, clean := p.overlapsBy()
	var parts []string
	statements := 0
	for i, c := range []struct {
		n         int
		one, many string
	}{
		{items(p.Decides), "decision", "decisions"},
		{items(p.Asks), "question", "questions"},
		{items(p.Aims), "goal or constraint", "goals and constraints"},
		{items(p.Drops), "thing dropped", "things dropped"},
		{items(p.Notes), "note", "notes"},
		{len(conflicts), "conflict with another branch", "conflicts with other branches"},
		{len(clean), "section also changed elsewhere", "sections also changed elsewhere"},
		{unchanged, "record with no change in meaning", "records with no change in meaning"},
	} {
		if c.n > 0 {
			parts = append(parts, fault.Count(c.n, c.one, c.many))
		}
		if i < 5 { // the parts of the review
			statements += c.n
		}
	}
	text := "No record differs."
	if len(p.Records) > 0 {
		text = fault.Count(len(p.Records), "record: ", "records: ")
		if statements > 0 {
			text = fault.Count(statements, "change", "changes") + " in " + text
		}
	} else if p.Code.Records > 0 {
		text = "" // the branch changes what records say, though not their text
	} else if len(parts) > 0 {
		text = "No record differs; "
	}
	if len(parts) > 0 {
		text += strings.Join(parts, ", ") + "."
	}
	text = strings.TrimSpace(p.Code.summary() + text)
	text += fmt.Sprintf(" Compared with %s; this branch is at %s.", code(p.Base), code(short(p.Head)))
	if p.Uncommitted > 0 {
		text += fmt.Sprintf(" Not in this: what is not committed (%d).", p.Uncommitted)
	}
	if len(p.Others) > 0 {
		text += " Not in this: records that differ in the stores of " + code(strings.Join(p.Others, ", ")) + ", see --dir."
	}
	if p.Unread > 0 {
		text += fmt.Sprintf(" Not looked at: older branches (%d).", p.Unread)
	}
	return text
}

// statements counts the items and keys that differ; a decision or a removed record is one.
func (c Change) statements() int {
	if c.Status == Removed || c.Type == string(record.Decision) {
		return 1
	}
	n := 0
	if c.Status != Added {
		n = len(c.Keys)
	}
	for _, s := range c.Sections {
		n += len(s.Items)
	}
	return n
}

// overlapsBy separates the overlaps that conflict from those that merge.
func (p PullRequest) overlapsBy() (conflicts, clean []Overlap) {
	for _, o := range p.Overlaps {
		if o.Conflict || o.Rival != "" {
			conflicts = append(conflicts, o)
		} else {
			clean = append(clean, o)
		}
	}
	return conflicts, clean
}

func (c *comment) addOverlaps(title string, all []Overlap) {
	var entries []entry
	for _, o := range all {
		if o.Rival != "" {
			entries = append(entries, entry{o.Title, fmt.Sprintf(
				"- %s has %s, which supersedes %s as %s (%s) does: link the two, or let one supersede the other\n",
				o.where(), code(o.Rival), code(o.Items[0]), code(o.Title), code(o.File))})
			continue
		}
		block := "- " + o.where() + " also changes "
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
		entries = append(entries, entry{o.Title, block + "\n"})
	}
	c.addList(title, entries)
}

// where names the branch or work tree.
func (o Overlap) where() string {
	if o.Worktree == "" && o.Date == "" {
		return "The base " + code(o.Branch)
	}
	if o.Worktree == "" {
		day, _, _ := strings.Cut(o.Date, "T")
		return code(o.Branch) + " (last commit " + day + ")"
	}
	where := "The work tree " + code(o.Worktree)
	if o.Branch != "" {
		where += ", on " + code(o.Branch) + ","
	}
	return where
}

// prRules are the rules in the SARIF of a review.
var prRules = []check.Rule{
	{ID: "same-section", Summary: "another branch or work tree changes the same section",
		Help: "Talk to the authors before both are merged, or merge one into the other: sdd merge does it item by item."},
	{ID: "code-changed", Summary: "this branch changes code that a record is about",
		Help: "Say with sdd affirm that the record still holds, or edit or supersede it in this branch."},
	{ID: "code-gone", Summary: "a record is about code that this branch removes",
		Help: "Edit, supersede or archive the record in this branch."},
	{ID: "reads-as-instruction", Summary: "a text of this branch reads as an instruction to an agent",
		Help: "Look who wrote it; say it as a statement, or take it out."},
	{ID: "unreadable", Summary: "a record of this branch has a defect", Help: "sdd check names the lines to mend."},
	{ID: "decides", Summary: "this branch decides something"},
	{ID: "asks", Summary: "this branch asks something"},
	{ID: "drops", Summary: "this branch drops something"},
}

// SARIF renders the review as findings at their lines.
func (p PullRequest) SARIF() []byte {
	var all []check.Finding
	for _, c := range p.Records {
		for _, problem := range c.Problems {
			all = append(all, check.Finding{File: c.File, Line: 1, Rule: "unreadable", Severity: check.Error, Message: cut(problem, maxRow)})
		}
	}
	for _, o := range p.Orders {
		all = append(all, check.Finding{File: o.File, Line: o.Line, Rule: "reads-as-instruction", Severity: check.Warning,
			Message: "this reads as an instruction to an agent: " + cut(o.Words, maxInline)})
	}
	for _, o := range p.Overlaps {
		who := o.Branch
		if o.Worktree != "" {
			who = "the work tree " + o.Worktree
		}
		verb, severity := " also changes ", check.Notice
		if o.Rival != "" {
			verb, severity = " has "+o.Rival+", which supersedes the same decision as ", check.Warning
		} else if o.Conflict {
			verb, severity = " conflicts with ", check.Warning
		}
		text := who + verb + strings.TrimPrefix(o.Section+" of "+o.Title, " of ")
		for _, i := range o.Items {
			text += "; " + cut(i, maxInline)
		}
		all = append(all, check.Finding{File: o.File, Line: o.Line, Rule: "same-section", Severity: severity, Message: text})
	}
	all = append(all, p.Code.findings(p.base)...)
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
	return check.SARIF(prRules, all, p.base)
}
