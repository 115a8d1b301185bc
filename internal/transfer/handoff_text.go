package transfer

import (
	"strconv"
	"strings"

	"sdd/internal/decision"
	"sdd/internal/frontmatter"
	"sdd/internal/markdown"
	"sdd/internal/record"
)

// One function a target: which section of the record goes where. What the record does not say is left out, not made up.

// openSpec is the proposal of an OpenSpec change: why, what changes, impact.
func (h *handing) openSpec() (string, []byte, error) {
	changes := h.decided()
	if changes == "" {
		changes = h.text["goals"]
	}
	if changes == "" {
		changes = "Not decided yet."
	}
	text, err := document(nil, h.title, []part{
		{"Why", labelled(part{"", h.text["context"]}, part{"Goals", h.text["goals"]})},
		{"What Changes", changes},
		{"Impact", labelled(part{"Constraints", h.text["constraints"]}, part{"Preferences", h.text["preferences"]})},
		{"Open Questions", h.text["unknowns"]},
	})
	return "openspec/changes/" + h.slug + "/proposal.md", text, err
}

// specKit is the input of Spec Kit: what and why for one command, how for the next. What is not known is marked as that tool
// marks it.
func (h *handing) specKit() (string, []byte, error) {
	var open []string
	for _, item := range itemsOf(h.text["unknowns"]) {
		open = append(open, "- [NEEDS CLARIFICATION: "+item+"]")
	}
	text, err := document(nil, h.title, []part{
		{"/speckit.specify", labelled(part{"Goals", h.text["goals"]}, part{"Context", h.text["context"]}, part{"Constraints", h.text["constraints"]},
			part{"Open questions", strings.Join(open, "\n")})},
		{"/speckit.plan", labelled(part{"Decisions", h.decided()}, part{"Preferences", h.text["preferences"]})},
	})
	return "", text, err
}

// hoofy is the charter that Hoofy's first stage asks for.
func (h *handing) hoofy() (string, []byte, error) {
	text, err := document(nil, h.title, []part{
		{"Problem Statement", h.text["context"]},
		{"Proposed Solution", labelled(part{"", h.decided()}, part{"Preferences", h.text["preferences"]}, part{"Constraints", h.text["constraints"]})},
		{"Success Criteria", h.text["goals"]},
		{"Open Questions", h.text["unknowns"]},
	})
	return "", text, err
}

// gentleAI is the proposal of a gentle-ai change. It has a place only where its files are used.
func (h *handing) gentleAI() (string, []byte, error) {
	text, err := document(nil, "Proposal: "+h.title, []part{
		{"Intent", h.text["context"]},
		{"Scope", labelled(part{"In Scope", h.text["goals"]})},
		{"Approach", labelled(part{"", h.decided()}, part{"Preferences", h.text["preferences"]})},
		{"Risks", labelled(part{"Open questions", h.text["unknowns"]})},
		{"Dependencies", labelled(part{"Constraints", h.text["constraints"]})},
		{"Success Criteria", checklist(itemsOf(h.text["goals"]), "- [ ] ")},
	})
	if h.folder("openspec") == "" {
		return "", text, err
	}
	return "openspec/changes/" + h.slug + "/proposal.md", text, err
}

// backlog is a task of Backlog.md: what and why, and the goals as acceptance criteria.
func (h *handing) backlog() (string, []byte, error) {
	parts := []part{
		{"Description", labelled(part{"", h.text["context"]}, part{"Constraints", h.text["constraints"]}, part{"Open questions", h.text["unknowns"]})},
		{"Acceptance Criteria", numbered(itemsOf(h.text["goals"]))},
		{"Implementation Notes", labelled(part{"Decisions", h.decided()}, part{"Preferences", h.text["preferences"]})},
	}
	if h.folder("backlog") == "" {
		text, err := document(nil, h.title, parts)
		return "", text, err
	}
	file, id, err := h.task()
	if err != nil {
		return "", nil, err
	}
	sets := []frontmatter.Set{{Key: "id", Value: id}, {Key: "title", Value: h.title}, {Key: "status", Value: "To Do"}, {Key: "assignee", Value: []any{}}}
	if h.date != "" {
		sets = append(sets, frontmatter.Set{Key: "created_date", Value: h.date})
	}
	sets = append(sets, frontmatter.Set{Key: "labels", Value: []any{}}, frontmatter.Set{Key: "dependencies", Value: []any{}})
	text, err := document(sets, "", parts)
	return file, text, err
}

// adr is an architectural decision record in the form of MADR 4: a decision as it stands, an exploration as a proposal.
func (h *handing) adr() (string, []byte, error) {
	status, parts := "proposed", h.sections
	if h.kind == record.Decision {
		if len(h.decisions) > 0 {
			status = h.decisions[0].Effective()
		}
	} else {
		var options []string
		for _, d := range h.decisions {
			options = append(options, append([]string{d.Choice()}, d.Alternatives...)...)
		}
		outcome := h.decided()
		if outcome == "" {
			outcome = "Not decided yet."
		}
		parts = []part{
			{"Context and Problem Statement", labelled(part{"", h.text["context"]}, part{"Goals", h.text["goals"]})},
			{"Decision Drivers", labelled(part{"Constraints", h.text["constraints"]}, part{"Preferences", h.text["preferences"]})},
			{"Considered Options", checklist(options, "- ")},
			{"Decision Outcome", outcome},
			{"More Information", labelled(part{"Open questions", h.text["unknowns"]})},
		}
	}
	sets := []frontmatter.Set{{Key: "status", Value: status}}
	if h.date != "" {
		sets = append(sets, frontmatter.Set{Key: "date", Value: h.date})
	}
	text, err := document(sets, h.title, parts)
	if err != nil {
		return "", nil, err
	}
	file, err := h.adrFile()
	return file, text, err
}

// issue is the body of an issue; its title is the record's.
func (h *handing) issue() (string, []byte, error) {
	text, err := document(nil, "", []part{
		{"Goals", checklist(itemsOf(h.text["goals"]), "- [ ] ")},
		{"Context", h.text["context"]},
		{"Constraints", h.text["constraints"]},
		{"Preferences", h.text["preferences"]},
		{"Decisions", h.decided()},
		{"Open questions", h.text["unknowns"]},
	})
	return "", text, err
}

// decided is what was decided: the exploration's section, and the decisions that were recorded of it, with their reasons.
func (h *handing) decided() string {
	var lines strings.Builder
	for _, d := range h.decisions {
		lines.WriteString(markdown.ItemLines("- ", decisionLine(d)))
	}
	if h.text["decisions"] == "" {
		return strings.TrimRight(lines.String(), "\n")
	}
	return labelled(part{"", h.text["decisions"]}, part{"Recorded", strings.TrimRight(lines.String(), "\n")})
}

func decisionLine(d decision.Decision) string {
	line := record.OneLine(d.Title)
	for _, l := range []struct {
		word  string
		texts []string
	}{{"because", d.Because}, {"instead of", d.Alternatives}, {"so", d.Consequences}} {
		if len(l.texts) > 0 {
			var texts []string
			for _, t := range l.texts {
				texts = append(texts, strings.TrimRight(record.OneLine(t), "."))
			}
			line += "; " + l.word + ": " + strings.Join(texts, "; ")
		}
	}
	return line + " (`" + d.File + "`)"
}

// labelled puts texts below each other, those that have a label under it.
func labelled(parts ...part) string {
	var out []string
	for _, p := range parts {
		switch text := strings.Trim(p.text, "\r\n"); {
		case strings.TrimSpace(text) == "":
		case p.heading == "":
			out = append(out, text)
		default:
			out = append(out, "### "+p.heading+"\n\n"+text)
		}
	}
	return strings.Join(out, "\n\n")
}

// itemsOf are the points of a text, each on one line: the items of its lists, and its paragraphs.
func itemsOf(text string) (items []string) {
	blocks, err := markdown.Blocks(text)
	if err != nil {
		return nil
	}
	for _, b := range blocks {
		if t := record.OneLine(b.Text); t != "" && (b.Kind == markdown.Item || b.Kind == markdown.Paragraph) {
			items = append(items, t)
		}
	}
	return items
}

func checklist(items []string, marker string) string {
	var b strings.Builder
	for _, i := range items {
		b.WriteString(marker + record.OneLine(i) + "\n")
	}
	return strings.TrimRight(b.String(), "\n")
}

// numbered are acceptance criteria as Backlog.md keeps them.
func numbered(items []string) string {
	if len(items) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString("<!-- AC:BEGIN -->\n")
	for n, i := range items {
		b.WriteString("- [ ] #" + strconv.Itoa(n+1) + " " + i + "\n")
	}
	b.WriteString("<!-- AC:END -->")
	return b.String()
}
