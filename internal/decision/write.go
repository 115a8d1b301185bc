package decision

import (
	"fmt"
	"slices"
	"strings"

	"sdd/internal/fault"
	"sdd/internal/frontmatter"
	"sdd/internal/markdown"
	"sdd/internal/record"
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

// compose makes the file of a new decision.
func compose(title string, sets []frontmatter.Set, c record.Causes) ([]byte, []markdown.Warning, error) {
	src, err := frontmatter.Apply(nil, record.Keys(record.Decision), sets)
	if err != nil {
		return nil, nil, err
	}
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
	}
	var changes []markdown.Change
	for _, t := range texts {
		if t.text != "" {
			changes = append(changes, markdown.Change{Section: markdown.Known{Name: t.section}, Text: t.text})
		}
	}
	u, err := record.Edit(src, record.Decision, nil, changes)
	if err != nil {
		return nil, nil, err
	}
	return u.Out, u.Warnings, readsBack(u.Out, c)
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
	return label + "\n\n" + items("- ", texts)
}

// joined puts a blank line between texts.
func joined(texts ...string) string {
	var out []string
	for _, t := range texts {
		if t = strings.TrimRight(t, "\n"); t != "" {
			out = append(out, t)
		}
	}
	return strings.Join(out, "\n\n")
}

// extend adds what c has and the decision in src has not, and changes no other byte.
func extend(path string, src []byte, sets []frontmatter.Set, c record.Causes) ([]byte, []markdown.Warning, error) {
	was := read(path, src)
	c = without(c, was)
	r := record.Parse(path, src, record.Defaults{})
	s := sections{r: &r, text: map[string]string{}}
	s.add(contextSection, nothing, constraintPart, constraintLabel, c.Constraints)
	s.add(contextSection, nothing, assumptionPart, assumptionLabel, c.Assumptions)
	options := c.Alternatives
	if len(options) > 0 && len(was.Alternatives) == 0 && !s.has(optionPart) {
		options = append([]string{was.Choice()}, options...)
	}
	s.add(optionsSection, optionPart, optionPart, "", options)
	s.add(outcomeSection, becausePart, becausePart, becauseLabel, c.Reasons)
	s.add(outcomeSection, becausePart, consequencePart, consequenceLabel, c.Consequences)
	u, err := record.Edit(src, record.Decision, sets, s.changes)
	if err != nil {
		return nil, nil, err
	}
	return u.Out, u.Warnings, readsBack(u.Out, c)
}

// given are the causes that the file has, as a caller gives them.
func (d *Decision) given() record.Causes {
	return record.Causes{Reasons: d.Because, Alternatives: d.Alternatives, Consequences: d.Consequences, Constraints: d.Constraints, Assumptions: d.Assumptions}
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
	text    map[string]string // by name, after the change
	changes []markdown.Change
}

// named returns the section of a file for a role: the known one, else one with another name for it.
func (s *sections) named(known string, role part) (name, text string) {
	for _, sec := range s.r.Sections {
		if strings.EqualFold(sec.Name, known) {
			return sec.Name, sec.Text
		}
	}
	for _, sec := range s.r.Sections {
		same := role != nothing && roleOf(sec.Name) == role || role == nothing && strings.EqualFold(sec.Name, "context")
		if sec.Key == "" && same {
			return sec.Name, sec.Text
		}
	}
	return known, ""
}

// has reports whether the file has a section for that part.
func (s *sections) has(p part) bool {
	return slices.ContainsFunc(s.r.Sections, func(sec record.Section) bool { return roleOf(sec.Name) == p })
}

// add puts texts after the items of a part, in the section for a role.
func (s *sections) add(known string, role, p part, label string, texts []string) {
	if len(texts) == 0 {
		return
	}
	if p != role && s.own(p) != "" { // such as a section for consequences alone
		known, role, label = s.own(p), p, ""
	}
	name, now := s.named(known, role)
	if t, ok := s.text[name]; ok {
		now = t
	}
	title := s.r.Title
	s.text[name] = strings.TrimRight(into(now, role, p, label, title, texts), "\r\n")
	for i := range s.changes {
		if s.changes[i].Section.Name == name {
			s.changes[i].Text = s.text[name]
			return
		}
	}
	s.changes = append(s.changes, markdown.Change{Section: markdown.Known{Name: name}, Text: s.text[name]})
}

// own is the level-2 section that is all of one part, "" for none.
func (s *sections) own(p part) string {
	for _, sec := range s.r.Sections {
		if sec.Key == "" && roleOf(sec.Name) == p {
			return sec.Name
		}
	}
	return ""
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
		switch {
		case parts[i] != p:
		case b.Kind == markdown.Item:
			last = i
		case b.Kind == markdown.Title || p == becausePart && isLead(b) || p != role && labelled(b.Text) == p:
			under = i
		}
	}
	at, end := 0, ""
	switch {
	case last >= 0:
		at = blocks[last].Span.End
		end = items(markdown.NextMarker(blocks[last].Marker), texts)
		if !strings.HasSuffix(now[:at], "\n") {
			end = "\n" + end
		}
		return now[:at] + end + now[at:]
	case under >= 0:
		at = blocks[under].Span.End
		before := strings.TrimRight(now[:at], "\r\n")
		if p == becausePart && blocks[under].Text == lead(title) { // the sentence that compose writes without reasons
			before += ", because"
		}
		after := strings.TrimLeft(now[at:], "\r\n")
		return joined(before, items("- ", texts), after)
	}
	return joined(now, label, items("- ", texts))
}

func isLead(b markdown.Block) bool {
	_, _, ok := chosen(b.Text)
	return b.Kind == markdown.Paragraph && ok
}

// readsBack checks that a file has what was added.
func readsBack(src []byte, c record.Causes) error {
	have := read("decisions/x.md", src).given()
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
