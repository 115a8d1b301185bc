package decision

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"sdd/internal/fault"
	"sdd/internal/frontmatter"
	"sdd/internal/markdown"
	"sdd/internal/record"
	"sdd/internal/secrets"
	"sdd/internal/store"
)

// Names of sections and the labels of lists in them.
const (
	contextSection = "Context and Problem Statement"
	optionsSection = "Considered Options"
	outcomeSection = "Decision Outcome"

	constraintLabel  = "Constraints:"
	assumptionLabel  = "Assumptions:"
	becauseLabel     = "Because:"
	consequenceLabel = "### Consequences"
)

// lead is the sentence that names the chosen option.
func lead(title string) string { return `Chosen option: "` + title + `"` }

func compose(title string, sets []frontmatter.Set, c record.Causes, evidence string) (_ *record.Doc, _ []markdown.Warning, err error) {
	defer fault.Caught(&err)
	src := fault.Must(frontmatter.Apply(nil, record.Keys(record.Decision), sets))
	// The heading is for readers of the file; where it would read as another title there is none.
	heading := []byte("\n# " + title + "\n")
	if record.Parse("decisions/x.md", heading, record.Defaults{}).Title == title {
		src = slices.Concat(src, heading)
	}
	options := c.Alternatives
	if item, changed := markdown.ItemText(title); len(options) > 0 && !changed {
		options = append([]string{item}, options...)
	}
	outcome := lead(title)
	if len(c.Reasons) > 0 {
		outcome += ", because\n\n" + items("- ", c.Reasons)
	}
	texts := []struct{ section, text string }{
		{contextSection, joined(labelledList(constraintLabel, c.Constraints), labelledList(assumptionLabel, c.Assumptions))},
		{optionsSection, items("- ", options)},
		{outcomeSection, joined(outcome, labelledList(consequenceLabel, c.Consequences))},
		{"Evidence", evidence},
	}
	var changes []markdown.Change
	for _, t := range texts {
		if t.text != "" {
			changes = append(changes, markdown.Change{Section: markdown.Known{Name: t.section}, Text: t.text})
		}
	}
	u := fault.Must(record.Edit(src, record.Decision, nil, changes))
	return u.Doc, u.Warnings, readsBack(u.Doc, c)
}

func items(marker string, texts []string) string {
	var b strings.Builder
	for _, t := range texts {
		b.WriteString(markdown.ItemLines(marker, t))
		marker = markdown.NextMarker(marker)
	}
	return b.String()
}

func labelledList(label string, texts []string) string {
	if len(texts) == 0 {
		return ""
	}
	return joined(label, items("- ", texts))
}

// joined puts a blank line between texts.
func joined(texts ...string) string {
	for i := range texts {
		texts[i] = strings.TrimRight(texts[i], "\n")
	}
	return strings.Join(slices.DeleteFunc(texts, func(t string) bool { return t == "" }), "\n\n")
}

// extend adds what c has and the decision in doc has not, and changes no other byte.
func extend(path string, doc *record.Doc, sets []frontmatter.Set, c record.Causes) (*record.Doc, []markdown.Warning, error) {
	was := readDoc(path, doc)
	c = without(c, was)
	r := doc.Record(path, record.Defaults{})
	s := sections{r: &r}
	s.add(contextSection, nothing, constraintPart, constraintLabel, c.Constraints)
	s.add(contextSection, nothing, assumptionPart, assumptionLabel, c.Assumptions)
	options := c.Alternatives
	hasOptions := slices.ContainsFunc(r.Sections, func(sec record.Section) bool { return roleOf(sec.Name) == optionPart })
	if len(options) > 0 && len(was.Alternatives) == 0 && !hasOptions {
		options = append([]string{was.Choice()}, options...)
	}
	s.add(optionsSection, optionPart, optionPart, "", options)
	s.add(outcomeSection, becausePart, becausePart, becauseLabel, c.Reasons)
	s.add(outcomeSection, becausePart, consequencePart, consequenceLabel, c.Consequences)
	u, err := doc.Edit(record.Decision, sets, s.changes)
	if err != nil {
		return nil, nil, err
	}
	return u.Doc, u.Warnings, readsBack(u.Doc, c)
}

// given are the causes that the file has, as a caller gives them.
func (d *Decision) given() record.Causes {
	return record.Causes{
		Reasons: d.Because, Alternatives: d.Alternatives, Consequences: d.Consequences, Constraints: d.Constraints, Assumptions: d.Assumptions,
	}
}

// without are the causes of c that the decision lacks.
func without(c record.Causes, d *Decision) (out record.Causes) {
	have := d.given()
	have.Alternatives = append(slices.Clip(have.Alternatives), d.Title, d.Choice())
	for i, l := range c.Lists() {
		*out.Lists()[i].Texts = news(*have.Lists()[i].Texts, *l.Texts)
	}
	return out
}

func news(have, given []string) []string { return union(slices.Clip(have), given...)[len(have):] }

// sections are those of a file that is being extended.
type sections struct {
	r       *record.Record
	changes []markdown.Change
}

// find returns the first section that match accepts, nil when there is none.
func (s *sections) find(match func(record.Section) bool) *record.Section {
	if i := slices.IndexFunc(s.r.Sections, match); i >= 0 {
		return &s.r.Sections[i]
	}
	return nil
}

// own returns the level-2 section for a part that has another name than ours, nil when there is none.
func (s *sections) own(p part) *record.Section {
	return s.find(func(sec record.Section) bool {
		return sec.Key == "" && (p != nothing && roleOf(sec.Name) == p || p == nothing && strings.EqualFold(sec.Name, "context"))
	})
}

// add puts texts after the items of a part: in a section for that part alone, else in the known section for a role, else in one with
// another name for it, else in a new one.
func (s *sections) add(known string, role, p part, label string, texts []string) {
	if len(texts) == 0 {
		return
	}
	if own := s.own(p); p != role && own != nil {
		known, role, label = own.Name, p, ""
	}
	named := s.find(func(sec record.Section) bool { return strings.EqualFold(sec.Name, known) })
	sec := cmp.Or(named, s.own(role), &record.Section{Name: known})
	at := slices.IndexFunc(s.changes, func(c markdown.Change) bool { return c.Section.Name == sec.Name })
	if at < 0 {
		at = len(s.changes)
		s.changes = append(s.changes, markdown.Change{Section: markdown.Known{Name: sec.Name}, Text: sec.Text})
	}
	change := &s.changes[at]
	change.Text = strings.TrimRight(into(change.Text, role, p, label, s.r.Title, texts), "\r\n")
}

// into returns the text of a section with texts after the last item of that part; else below the part's label; else at the end,
// below a new label.
func into(now string, role, p part, label, title string, texts []string) string {
	if strings.TrimSpace(now) == "" {
		if p == becausePart {
			return lead(title) + ", because\n\n" + items("- ", texts)
		}
		return joined(label, items("- ", texts))
	}
	blocks, err := markdown.Blocks(now)
	if err != nil {
		return now
	}
	parts := partsOf(role, blocks)
	last, under := -1, -1
	for i, b := range blocks {
		_, _, isLead := record.ChosenOption(b.Text)
		switch {
		case parts[i] != p:
		case b.Kind == markdown.Item:
			last = i
		case b.Kind == markdown.Title || p == becausePart && b.Kind == markdown.Paragraph && isLead || p != role && labelled(b.Text) == p:
			under = i
		}
	}
	switch {
	case last >= 0:
		at, newline := blocks[last].Span.End, ""
		if !strings.HasSuffix(now[:at], "\n") {
			newline = "\n"
		}
		return now[:at] + newline + items(markdown.NextMarker(blocks[last].Marker), texts) + now[at:]
	case under >= 0:
		at := blocks[under].Span.End
		before := strings.TrimRight(now[:at], "\r\n")
		if p == becausePart && blocks[under].Text == lead(title) { // the sentence that compose writes without reasons
			before += ", because"
		}
		after := strings.TrimLeft(now[at:], "\r\n")
		return joined(before, items("- ", texts), after)
	}
	return joined(now, label, items("- ", texts))
}

// readsBack checks that a file has what was added.
func readsBack(doc *record.Doc, c record.Causes) error {
	have := readDoc("decisions/x.md", doc).given()
	for i, l := range c.Lists() {
		for _, item := range *l.Texts {
			if !slices.Contains(*have.Lists()[i].Texts, item) {
				return fault.New(fault.Invalid, "%s would not read back from the file: %q", l.Name, record.Brief(item)).For(l.Name).
					With("say it in a plain sentence, and close what is open in the section it goes to")
			}
		}
	}
	return nil
}

// prepared checks the texts of a list and returns them in the form of list items.
func prepared(arg string, texts []string, most int) (out []string, warnings []string, err error) {
	for _, t := range texts {
		if err := record.CheckText(arg, t); err != nil {
			return nil, nil, err
		}
		if arg == "reasons" {
			t = strings.TrimPrefix(strings.TrimPrefix(t, "because "), "Because ")
		}
		if strings.TrimSpace(t) == "" {
			continue
		}
		if len(t) > most {
			return nil, nil, fault.New(fault.Invalid, "an entry of %s has %d bytes, at most %d are allowed", arg, len(t), most).For(arg).
				With("give the essence, and name the file that holds the rest; limits.section in .sdd/config.yaml sets the limit")
		}
		item, changed := markdown.ItemText(t)
		if changed {
			warnings = append(warnings, fmt.Sprintf("%s: %q would be no list item and got a backslash", arg, record.Brief(item)))
		}
		out = append(out, item)
	}
	return union(nil, out...), warnings, nil
}

// SectionEdit is a new text for a section of a decision.
type SectionEdit struct {
	ID      string
	Section string // its argument name
	Content string `json:"content"` // blank removes the section
	IfMatch string // the etag of the section as it was read, of the file where the section is missing

	Tool, Session string
}

// EditSection replaces one section and no other byte. Faults: Invalid (the argument, the length, a secret), NotFound, Conflict (the
// section has changed since it was read), Broken, Unwritable.
func (d *Decisions) EditSection(ctx context.Context, in SectionEdit) (now record.Record, err error) {
	defer secrets.Blame(&err, in)
	defer fault.Caught(&err)
	known, ok := record.SectionNamed(record.Decision, in.Section)
	if !ok || known.Under != "" {
		return now, fault.New(fault.Invalid, "a decision has no section %q", record.Brief(in.Section)).For("section")
	}
	cfg := fault.Must(d.st.Config())
	if len(in.Content) > cfg.Limits.Section {
		return now, fault.New(fault.Invalid, "%s would have %d bytes, at most %d are allowed", in.Section, len(in.Content), cfg.Limits.Section).
			For("content").With("shorten the text")
	}
	by := store.Edit{Record: in.ID, Op: "decide", Tool: in.Tool, Session: in.Session}
	fault.Must(d.cache.Change(ctx, by, "", func(before *record.Doc, found *Decision) (*record.Doc, error) {
		now = before.Record(found.path, record.Defaults{})
		etag := now.Etag // where the section is missing
		if i := slices.IndexFunc(now.Sections, func(s record.Section) bool { return s.Key == in.Section }); i >= 0 {
			etag = now.Sections[i].Etag
		}
		if etag != in.IfMatch {
			return nil, fault.New(fault.Conflict, "%s of %s has changed since it was read", in.Section, in.ID).For("if_match").
				With("look at it again")
		}
		change := markdown.Change{Section: known, Text: in.Content}
		if strings.TrimSpace(in.Content) == "" {
			change.Op = markdown.Clear
		}
		u, err := before.Edit(record.Decision, nil, []markdown.Change{change})
		if err != nil {
			return nil, err
		}
		now = u.Doc.Record(found.path, record.Defaults{})
		return u.Doc, nil
	}))
	return now, nil
}
