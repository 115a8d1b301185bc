package explore

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"sdd/internal/lines"
	"sdd/internal/markdown"
	"sdd/internal/record"
	"sdd/internal/tokens"
)

// Text returns the result as a page for an agent or a person, which quotes the stored text as data.
func (r Result) Text() string { return r.text }

// Brief returns the result for a user at a terminal: the action, the file, and any warnings.
func (r Result) Brief() string {
	did := fmt.Sprintf("%s %s", record.OneLine(r.Title), r.Action)
	if len(r.Changed) > 0 {
		did += ": " + strings.Join(r.Changed, ", ")
	}
	out := fmt.Sprintf("%s (%s, revision %d)\n%s\n", did, r.ID, r.Revision, r.File)
	var odd []string
	for _, w := range r.Warnings {
		odd = append(odd, record.OneLine(w.Text))
	}
	for _, s := range r.Similar {
		if !s.earlier {
			odd = append(odd, fmt.Sprintf("%s is nearly the same title: %s", s.ID, record.OneLine(s.Title)))
		}
	}
	if len(odd) > 0 {
		out += "note: " + strings.Join(odd, "; ") + "\n"
	}
	return out
}

// Within returns r with as many sections as fit into budget tokens, as text and as JSON; Omitted names the longest, left out first.
func (r Result) Within(budget int) Result {
	r.record.Sections = slices.Clone(r.record.Sections)
	fits := func() bool {
		data, err := json.Marshal(r)
		return err == nil && tokens.Within(string(data), budget) && tokens.Within(r.text, budget)
	}
	for len(r.record.Sections) > 0 && !fits() {
		longest := 0
		for i, s := range r.record.Sections {
			if len(s.Text) > len(r.record.Sections[longest].Text) {
				longest = i
			}
		}
		s := r.record.Sections[longest]
		r.record.Sections = slices.Delete(r.record.Sections, longest, longest+1)
		if f := r.Sections.Field(s.Key); f != nil && !slices.ContainsFunc(r.record.Sections,
			func(o record.Section) bool { return o.Key == s.Key }) {
			*f = ""
		}
		r.Omitted = append(r.Omitted, Omitted{record.OneLine(s.Name), len(s.Text)})
		r.text = r.page()
	}
	return r
}

// A page repeats so much of each section: its caller has just sent the text, and the structured content has all of it.
const mostBytes = 500

// opening returns the first lines of a text, and how many bytes come after them.
func opening(text string) (first string, more int) {
	end := 0
	for line := range strings.Lines(text) {
		if end+len(line) > mostBytes {
			break
		}
		end += len(line)
	}
	if end == 0 {
		end = lines.Border(text, mostBytes)
	}
	return strings.TrimRight(text[:end], "\n"), len(strings.TrimSpace(text[end:]))
}

func (r Result) page() string {
	var b, ctx, cut strings.Builder
	for _, s := range r.ordered() {
		if ctx.Len() > 0 {
			ctx.WriteString("\n")
		}
		part, more := opening(s.Text)
		fmt.Fprintf(&ctx, "#### %s\n\n%s\n", s.Name, markdown.Demote(part, 4))
		if more > 0 {
			fmt.Fprintf(&cut, "- %s (%d more bytes)\n", s.Name, more)
		}
	}
	fmt.Fprintf(&b, "## Exploration Context Saved\n\n**Title:** %s\n**Topic Key:** %s\n**Action:** %s\n**ID:** %s\n**File:** %s\n",
		record.OneLine(r.Title), r.TopicKey, r.action(), r.ID, r.File)
	if len(r.Changed) > 0 {
		fmt.Fprintf(&b, "**Changed:** %s\n", strings.Join(r.Changed, ", "))
	}
	b.WriteString("\n### Captured Context\n\n")
	b.WriteString(markdown.Quote(ctx.String(), r.File, 0))
	for _, o := range r.Omitted {
		fmt.Fprintf(&cut, "- %s (%d bytes)\n", o.Name, o.Bytes)
	}
	if cut.Len() > 0 {
		fmt.Fprintf(&b, "\nAll of it is saved. Not repeated here; sdd_get with id %s and sections reads it:\n\n%s", r.ID, cut.String())
	}
	for i, s := range r.nextSteps {
		if i == 0 {
			b.WriteString("\n### Suggested Next Steps\n\n")
		}
		b.WriteString("- " + s + "\n")
	}
	if s := r.Suggestion; s != (Suggestion{}) {
		b.WriteString("\n### Type/Size Suggestion\n\n")
		for _, l := range [...]struct{ what, answer, reason string }{{"type", s.Type, s.TypeReason}, {"size", s.Size, s.SizeReason}} {
			if l.answer != "" {
				fmt.Fprintf(&b, "- **Suggested %s:** %s — because %s\n", l.what, l.answer, l.reason)
			}
		}
	}
	if len(r.Similar) > 0 {
		b.WriteString("\n### Similar Explorations\n\n")
		for _, s := range r.Similar {
			fmt.Fprintf(&b, "- %s (%s): save there if it is the same topic\n", record.OneLine(s.Title), s.ID)
		}
	}
	if len(r.Warnings) > 0 {
		b.WriteString("\n### Warnings\n\n")
		for _, w := range r.Warnings {
			b.WriteString("- " + w.Text + "\n")
		}
	}
	return b.String()
}

func (r Result) action() string {
	switch r.Action {
	case "created":
		return "Created"
	case "unchanged":
		return fmt.Sprintf("Unchanged (revision #%d)", r.Revision)
	}
	return fmt.Sprintf("Updated (revision #%d)", r.Revision)
}

// ordered returns the known sections in their fixed order, then the others in the order of the file.
func (r Result) ordered() (out []record.Section) {
	for _, key := range FieldNames {
		for _, s := range r.record.Sections {
			if s.Key == key && s.Text != "" {
				out = append(out, s)
			}
		}
	}
	for _, s := range r.record.Sections {
		if s.Key == "" {
			s.Name = record.OneLine(s.Name)
			out = append(out, s)
		}
	}
	return out
}
