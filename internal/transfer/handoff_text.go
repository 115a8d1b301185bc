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

// One function for each target maps the sections of the record to the sections of the document. A document contains all text of an
// exploration and nothing else; only list items change their form.

// notDecided fills a section that must not be empty.
const notDecided = "Not decided yet."

// openSpec is the proposal of an OpenSpec change: why, what changes, impact.
func (h *handedRecord) openSpec() (string, []byte) {
	return "openspec/changes/" + h.slug + "/proposal.md", document(nil, h.title, []part{
		{"Why", labelled(part{"", h.text["context"]}, part{"Goals", h.text["goals"]})},
		{"What Changes", cmp.Or(h.decided(), h.text["goals"], notDecided)},
		{"Impact", labelled(part{"Constraints", h.text["constraints"]}, part{"Preferences", h.text["preferences"]})},
		{"Open Questions", h.text["unknowns"]},
	})
}

// specKit is the input of Spec Kit: what and why for one command, how for the next. Open questions get that tool's mark.
func (h *handedRecord) specKit() (string, []byte) {
	return "", document(nil, h.title, []part{
		{"/speckit.specify", labelled(part{"Goals", h.text["goals"]}, part{"Context", h.text["context"]},
			part{"Constraints", h.text["constraints"]}, part{"Open questions", points(h.text["unknowns"], unclear)})},
		{"/speckit.plan", labelled(part{"Decisions", h.decided()}, part{"Preferences", h.text["preferences"]})},
	})
}

func (h *handedRecord) hoofy() (string, []byte) {
	return "", document(nil, h.title, []part{
		{"Problem Statement", h.text["context"]},
		{"Proposed Solution", labelled(part{"", h.decided()}, part{"Preferences", h.text["preferences"]},
			part{"Constraints", h.text["constraints"]})},
		{"Success Criteria", h.text["goals"]},
		{"Open Questions", h.text["unknowns"]},
	})
}

// gentleAI is the proposal of a gentle-ai change. It is a file only in a project with an openspec folder.
func (h *handedRecord) gentleAI() (file string, text []byte) {
	if h.hasFolder("openspec") {
		file = "openspec/changes/" + h.slug + "/proposal.md"
	}
	return file, document(nil, "Proposal: "+h.title, []part{
		{"Intent", h.text["context"]},
		{"Scope", labelled(part{"In Scope", h.text["goals"]})},
		{"Approach", labelled(part{"", h.decided()}, part{"Preferences", h.text["preferences"]})},
		{"Risks", labelled(part{"Open questions", h.text["unknowns"]})},
		{"Dependencies", labelled(part{"Constraints", h.text["constraints"]})},
		{"Success Criteria", points(h.text["goals"], task)},
	})
}

// backlog is a task of Backlog.md: what and why, and the goals as acceptance criteria. The tool keeps only single lines as criteria, so
// goals with more text are in the description as well.
func (h *handedRecord) backlog() (string, []byte) {
	lines, whole := criteria(h.text["goals"])
	goals := h.text["goals"]
	if whole {
		goals = ""
	}
	parts := []part{
		{"Description", labelled(part{"", h.text["context"]}, part{"Goals", goals},
			part{"Constraints", h.text["constraints"]}, part{"Open questions", h.text["unknowns"]})},
		{"Acceptance Criteria", lines},
		{"Implementation Notes", labelled(part{"Decisions", h.decided()}, part{"Preferences", h.text["preferences"]})},
	}
	if !h.hasFolder("backlog") {
		return "", document(nil, h.title, parts)
	}
	file, id := h.task()
	sets := []frontmatter.Set{
		{Key: "id", Value: id}, {Key: "title", Value: h.title}, {Key: "status", Value: "To Do"}, {Key: "assignee", Value: []any{}},
	}
	if h.date != "" {
		sets = append(sets, frontmatter.Set{Key: "created_date", Value: h.date})
	}
	sets = append(sets, frontmatter.Set{Key: "labels", Value: []any{}}, frontmatter.Set{Key: "dependencies", Value: []any{}})
	return file, document(sets, "", parts)
}

// adr is an architectural decision record in the form of MADR 4: a decision unchanged, an exploration as a proposal.
func (h *handedRecord) adr() (string, []byte) {
	status, parts := "proposed", h.sections
	if h.kind == record.Decision {
		if len(h.decisions) > 0 {
			status = h.decisions[0].Effective()
		}
	} else {
		options := ""
		for _, d := range h.decisions {
			for _, option := range append([]string{d.Choice()}, d.Alternatives...) {
				options += "- " + record.OneLine(option) + "\n"
			}
		}
		parts = []part{
			{"Context and Problem Statement", labelled(part{"", h.text["context"]}, part{"Goals", h.text["goals"]})},
			{"Decision Drivers", labelled(part{"Constraints", h.text["constraints"]}, part{"Preferences", h.text["preferences"]})},
			{"Considered Options", strings.TrimRight(options, "\n")},
			{"Decision Outcome", cmp.Or(h.decided(), notDecided)},
			{"More Information", labelled(part{"Open questions", h.text["unknowns"]})},
		}
	}
	sets := []frontmatter.Set{{Key: "status", Value: status}}
	if h.date != "" {
		sets = append(sets, frontmatter.Set{Key: "date", Value: h.date})
	}
	return h.adrFile(), document(sets, h.title, parts)
}

// issue is the body of an issue; its title is the record's.
func (h *handedRecord) issue() (string, []byte) {
	return "", document(nil, "", []part{
		{"Goals", points(h.text["goals"], task)},
		{"Context", h.text["context"]},
		{"Constraints", h.text["constraints"]},
		{"Preferences", h.text["preferences"]},
		{"Decisions", h.decided()},
		{"Open questions", h.text["unknowns"]},
	})
}

// decided is the exploration's section of decisions, and its recorded decisions with their reasons.
func (h *handedRecord) decided() string {
	lines := ""
	for _, d := range h.decisions {
		lines += markdown.ItemLines("- ", decisionLine(d))
	}
	lines = strings.TrimRight(lines, "\n")
	if h.text["decisions"] == "" {
		return lines
	}
	return labelled(part{"", h.text["decisions"]}, part{"Recorded", lines})
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

// labelled joins texts, each below its label if it has one.
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

// below demotes the headings of a text so that all are deeper than that level.
func below(text string, level int) string {
	d, err := markdown.Parse([]byte(text), 0)
	if err != nil || len(d.Headings) == 0 {
		return text
	}
	least := slices.MinFunc(d.Headings, func(a, b markdown.Heading) int { return a.Level - b.Level })
	return markdown.Demote(text, level+1-least.Level)
}

// point is an item of a list, or a paragraph of a text without lists.
type point struct {
	box  string // the checkbox, "" for none
	text string // the first paragraph
	rest string // the text after it, from the line end on
}

func task(p point) string { return cmp.Or(p.box, "[ ]") + " " + p.text + p.rest }

// unclear is a point with Spec Kit's mark for an open question, unless it is ticked.
func unclear(p point) string {
	if strings.EqualFold(p.box, "[x]") {
		return task(p)
	}
	return strings.TrimLeft(p.box+" [NEEDS CLARIFICATION: "+record.OneLine(p.text)+"]"+p.rest, " ")
}

var taskBox = pattern.Late(`^\[[ xX]\][ \t]+`)

func onlyParagraphs(blocks []markdown.Block) bool {
	return !slices.ContainsFunc(blocks, func(b markdown.Block) bool { return b.Kind != markdown.Paragraph })
}

// pointOf reads a block as a point: a paragraph of a text that consists of them, else an item that begins with a paragraph.
func pointOf(b markdown.Block, prose bool) (point, bool) {
	switch {
	case prose:
		return point{text: strings.TrimSpace(b.Text)}, true
	case b.Kind != markdown.Item:
		return point{}, false
	}
	box := taskBox().FindString(b.Text)
	text := b.Text[len(box):]
	inside, err := markdown.Blocks(text)
	if err != nil || len(inside) == 0 || inside[0].Kind != markdown.Paragraph || inside[0].Span.Start > 0 {
		return point{}, false
	}
	first := strings.TrimRight(text[:inside[0].Span.End], " \t\r\n")
	return point{strings.TrimSpace(box), first, text[len(first):]}, true
}

// points changes the form of the points in a text, and keeps the rest of the text.
func points(text string, form func(point) string) string {
	blocks, err := markdown.Blocks(text)
	if err != nil {
		return text
	}
	prose := onlyParagraphs(blocks)
	var out strings.Builder
	at := 0
	for _, b := range blocks {
		if p, ok := pointOf(b, prose); ok {
			out.WriteString(text[at:b.Span.Start] + markdown.ItemLines(cmp.Or(b.Marker, "- "), form(p)))
			at = min(b.Span.End, len(text))
		}
	}
	return strings.TrimRight(out.String()+text[at:], "\n")
}

// criteria are acceptance criteria in the form of Backlog.md, one on each line; whole is false when they lack some of the text.
func criteria(text string) (lines string, whole bool) {
	blocks, err := markdown.Blocks(text)
	whole = err == nil
	prose := onlyParagraphs(blocks)
	n := 0
	for _, block := range blocks {
		p, ok := pointOf(block, prose)
		whole = whole && ok && strings.TrimSpace(p.rest) == ""
		if ok {
			n++
			lines += "- " + cmp.Or(p.box, "[ ]") + " #" + strconv.Itoa(n) + " " + record.OneLine(p.text) + "\n"
		}
	}
	if n > 0 {
		lines = "<!-- AC:BEGIN -->\n" + lines + "<!-- AC:END -->"
	}
	return lines, whole
}
