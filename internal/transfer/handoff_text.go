package transfer

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"sdd/internal/decision"
	"sdd/internal/frontmatter"
	"sdd/internal/markdown"
	"sdd/internal/pattern"
	"sdd/internal/record"
)

// One function a target: which section of the record goes where. What the record does not say is left out, not made up; all
// that an exploration says is in each document, and only items of lists take another form.

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
	text, err := document(nil, h.title, []part{
		{"/speckit.specify", labelled(part{"Goals", h.text["goals"]}, part{"Context", h.text["context"]}, part{"Constraints", h.text["constraints"]},
			part{"Open questions", points(h.text["unknowns"], unclear)})},
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
		{"Success Criteria", points(h.text["goals"], task)},
	})
	if h.folder("openspec") == "" {
		return "", text, err
	}
	return "openspec/changes/" + h.slug + "/proposal.md", text, err
}

// backlog is a task of Backlog.md: what and why, and the goals as acceptance criteria. Those are lines, and that tool drops all
// else among them: goals that say more stand in the description too.
func (h *handing) backlog() (string, []byte, error) {
	lines, whole := criteria(h.text["goals"])
	goals := h.text["goals"]
	if whole {
		goals = ""
	}
	parts := []part{
		{"Description", labelled(part{"", h.text["context"]}, part{"Goals", goals}, part{"Constraints", h.text["constraints"]}, part{"Open questions", h.text["unknowns"]})},
		{"Acceptance Criteria", lines},
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
			{"Considered Options", listed(options)},
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
		{"Goals", points(h.text["goals"], task)},
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

// listed are texts as a list, each on one line.
func listed(texts []string) string {
	var b strings.Builder
	for _, t := range texts {
		b.WriteString("- " + record.OneLine(t) + "\n")
	}
	return strings.TrimRight(b.String(), "\n")
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
			out = append(out, "### "+p.heading+"\n\n"+below(text, 3))
		}
	}
	return strings.Join(out, "\n\n")
}

// below moves the headings of a text down so that all are deeper than that level.
func below(text string, level int) string {
	d, err := markdown.Parse([]byte(text), 0)
	if err != nil || len(d.Headings) == 0 {
		return text
	}
	least := slices.MinFunc(d.Headings, func(a, b markdown.Heading) int { return a.Level - b.Level })
	return markdown.Demote(text, level+1-least.Level)
}

// point is an item of a list, or a paragraph where a text has nothing else.
type point struct {
	box  string // of a task, "" for none
	says string // its first paragraph
	rest string // what stands below that in it, from the line end on
}

// done reports whether somebody ticked it.
func (p point) done() bool { return strings.EqualFold(p.box, "[x]") }

// line is what it says, on one line.
func (p point) line() string { return record.OneLine(p.says) }

// task is a point as a task.
func task(p point) string { return cmp.Or(p.box, "[ ]") + " " + p.says + p.rest }

// unclear is a point as Spec Kit marks what is not known; one that is done is.
func unclear(p point) string {
	if p.done() {
		return task(p)
	}
	return strings.TrimLeft(p.box+" [NEEDS CLARIFICATION: "+p.line()+"]"+p.rest, " ")
}

var taskBox = pattern.Late(`^\[[ xX]\][ \t]+`)

// pointOf reads a block as a point; false for one that is none, or an item that does not begin with a paragraph.
func pointOf(b markdown.Block) (point, bool) {
	switch b.Kind {
	case markdown.Paragraph:
		return point{says: strings.TrimSpace(b.Text)}, true
	case markdown.Item:
	default:
		return point{}, false
	}
	box := taskBox().FindString(b.Text)
	text := b.Text[len(box):]
	inside, err := markdown.Blocks(text)
	if err != nil || len(inside) == 0 || inside[0].Kind != markdown.Paragraph || inside[0].Span.Start > 0 {
		return point{}, false
	}
	says := strings.TrimRight(text[:inside[0].Span.End], " \t\r\n")
	return point{strings.TrimSpace(box), says, text[len(says):]}, true
}

// onlyParagraphs reports whether a text has no list and nothing else either.
func onlyParagraphs(blocks []markdown.Block) bool {
	return !slices.ContainsFunc(blocks, func(b markdown.Block) bool { return b.Kind != markdown.Paragraph })
}

// points gives the items of a text another form. All else that stands there stays, in its place.
func points(text string, form func(point) string) string {
	blocks, err := markdown.Blocks(text)
	if err != nil {
		return text
	}
	prose := onlyParagraphs(blocks)
	var out strings.Builder
	at, listed := 0, false
	add := func(text string, item bool) {
		switch {
		case out.Len() == 0:
		case item && listed:
			out.WriteString("\n")
		case listed && text[0] <= ' ': // it would become part of the item
			out.WriteString("\n\n<!-- -->\n\n")
		default:
			out.WriteString("\n\n")
		}
		out.WriteString(text)
		listed = item
	}
	keep := func(text string) {
		if text = strings.TrimRight(text, " \t\r\n"); strings.TrimSpace(text) != "" {
			add(strings.TrimLeft(text, "\r\n"), false)
		}
	}
	for _, b := range blocks {
		keep(text[at:b.Span.Start])
		at = b.Span.End
		switch p, ok := pointOf(b); {
		case ok && (prose || b.Kind == markdown.Item):
			add(strings.TrimRight(markdown.ItemLines("- ", form(p)), "\n"), true)
		case b.Kind == markdown.Item && strings.TrimSpace(b.Text) != "":
			add(strings.TrimRight(markdown.ItemLines("- ", b.Text), "\n"), true)
		case b.Kind != markdown.Item:
			keep(text[b.Span.Start:b.Span.End])
		}
	}
	keep(text[at:])
	return out.String()
}

// criteria are acceptance criteria as Backlog.md keeps them, a line each; whole says that the text holds nothing else.
func criteria(text string) (lines string, whole bool) {
	blocks, err := markdown.Blocks(text)
	if err != nil {
		return "", false
	}
	whole = true
	prose := onlyParagraphs(blocks)
	var b strings.Builder
	n := 0
	for _, block := range blocks {
		p, ok := pointOf(block)
		ok = ok && (prose || block.Kind == markdown.Item)
		whole = whole && ok && strings.TrimSpace(p.rest) == ""
		if ok {
			n++
			b.WriteString("- " + cmp.Or(p.box, "[ ]") + " #" + strconv.Itoa(n) + " " + p.line() + "\n")
		}
	}
	if n == 0 {
		return "", whole
	}
	return "<!-- AC:BEGIN -->\n" + b.String() + "<!-- AC:END -->", whole
}
