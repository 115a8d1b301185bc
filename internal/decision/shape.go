package decision

import (
	"strings"
	"sync"

	"sdd/internal/anchor"
	"sdd/internal/markdown"
	"sdd/internal/record"
	"sdd/internal/store"
)

// The shape of a decision's file is MADR 4. "Context and Problem Statement" has lists below the labels "Constraints:" and "Assumptions:",
// "Considered Options" a list with the chosen one first, "Decision Outcome" the sentence `Chosen option: "TITLE", because` with a list of
// reasons, and "### Consequences" a list. A single reason is a list too, so that two branches merge item by item. Other forms are read
// as well: a reason in the sentence, reasons below "Reasons:" or "Because:", MADR 2 and 3, the four sections of Nygard's records.

// part is the role of a list's items.
type part int

const (
	nothing part = iota
	becausePart
	driverPart
	optionPart
	consequencePart
	constraintPart
	assumptionPart
)

// roleOf is the part that the heading of a level-2 section names.
func roleOf(name string) part {
	switch n := strings.ToLower(strings.TrimSpace(name)); {
	case n == "decision outcome", n == "decision", n == "outcome":
		return becausePart
	case strings.HasSuffix(n, "drivers"):
		return driverPart
	case strings.HasPrefix(n, "considered "), n == "options", n == "alternatives", n == "options considered":
		return optionPart
	}
	return labelled(name)
}

var labels = map[string]part{
	"because": becausePart, "reasons": becausePart, "reason": becausePart, "rationale": becausePart, "justification": becausePart,
	"constraints": constraintPart, "constraint": constraintPart, "assumptions": assumptionPart, "assumption": assumptionPart,
	"alternatives": optionPart, "considered options": optionPart, "decision drivers": driverPart,
}

// labelled is the part that a label or heading names.
func labelled(text string) part {
	n := strings.ToLower(strings.Trim(text, "*_:：. "))
	if strings.HasSuffix(n, "consequences") || n == "consequence" {
		return consequencePart
	}
	return labels[n]
}

const mostLabel = 60 // bytes of a paragraph that may be a label

// partsOf returns the part of the items at each block of a section. Below the heading "Decision Outcome" they are reasons,
// unless a label or heading names another part.
func partsOf(role part, blocks []markdown.Block) []part {
	parts := make([]part, len(blocks))
	now := role
	for i, b := range blocks {
		switch b.Kind {
		case markdown.Title:
			now = labelled(b.Text)
		case markdown.Paragraph:
			text := strings.TrimSpace(b.Text)
			colon := strings.HasSuffix(strings.Trim(text, "*_"), ":") || strings.HasSuffix(text, "：")
			bold := strings.HasPrefix(text, "**") && strings.HasSuffix(text, "**")
			_, _, lead := record.ChosenOption(text)
			switch {
			case lead:
				now = becausePart
			case len(text) <= mostLabel && (colon || bold):
				now = labelled(text)
			}
		}
		parts[i] = now
	}
	return parts
}

func read(path string, src []byte) *Decision { return readDoc(path, record.Open(src)) }

func readDoc(path string, doc *record.Doc) *Decision {
	r := doc.Record(path, record.Defaults{})
	d := &Decision{
		ID: r.ID, Title: r.Title, Status: r.Status, Created: r.Created, Scope: r.Scope,
		Date: text(r.FrontMatter["date"]), Source: text(r.FrontMatter["source"]),
		Supersedes: list(r.FrontMatter["supersedes"]), DependsOn: list(r.FrontMatter["depends_on"]), RelatesTo: list(r.FrontMatter["relates_to"]),
		File: store.Folder + "/" + path, Etag: r.Etag, path: path,
	}
	d.body = d.sections(&r)
	d.terms = sync.OnceValue(d.newTerms)
	return d
}

// sections fills d from the sections, and returns all their text.
func (d *Decision) sections(r *record.Record) string {
	var all strings.Builder
	var options []string
	lists := [...]*[]string{
		becausePart: &d.Because, driverPart: &d.Drivers, optionPart: &options, consequencePart: &d.Consequences,
		constraintPart: &d.Constraints, assumptionPart: &d.Assumptions,
	}
	for _, s := range r.Sections {
		if s.Key == "consequences" {
			continue // the section around it contains it
		}
		all.WriteString(s.Text)
		all.WriteByte('\n')
		blocks, err := markdown.Blocks(s.Text)
		if err != nil {
			continue // the record has a problem for it
		}
		role := roleOf(s.Name)
		parts := partsOf(role, blocks)
		for i, b := range blocks {
			if b.Kind == markdown.Paragraph && role == becausePart && parts[i] == becausePart {
				if option, rest, ok := record.ChosenOption(b.Text); ok {
					d.Chosen = option
					d.Because = union(d.Because, record.InSentence(rest))
				} else {
					d.Because = union(d.Because, record.InSentence(b.Text))
				}
			}
			if b.Kind != markdown.Item {
				continue
			}
			if l := lists[parts[i]]; l != nil {
				*l = append(*l, b.Text)
			}
		}
	}
	for _, o := range options {
		if k := itemKey(o); k != itemKey(d.Title) && k != itemKey(d.Chosen) {
			d.Alternatives = append(d.Alternatives, o)
		}
	}
	if d.Chosen == d.Title {
		d.Chosen = ""
	}
	return all.String()
}

// text is a scalar of the front matter.
func text(v any) string {
	s, _ := v.(string)
	return strings.TrimSpace(s)
}

// list is a list of the front matter, each text once; one text is a list of one.
func list(v any) []string { return record.Union(nil, anchor.Strings(v)...) }

// union is items and those of more that are new.
func union(items []string, more ...string) []string {
	have := map[string]bool{}
	for _, i := range items {
		have[itemKey(i)] = true
	}
	for _, m := range more {
		if k := itemKey(m); m != "" && !have[k] {
			have[k] = true
			items = append(items, m)
		}
	}
	return items
}
