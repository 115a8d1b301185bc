package explore

import (
	"fmt"
	"strings"

	"sdd/internal/markdown"
)

// Text is the result as the page an agent or a person reads. The stored text stands in it as
// data: fenced, its headings demoted, its file named.
func (r Result) Text() string { return r.text }

func (r Result) page() string {
	var b strings.Builder
	fmt.Fprintf(&b, "## Exploration Context Saved\n\n**Title:** %s\n**Topic Key:** %s\n**Action:** %s\n**ID:** %s\n**File:** %s\n",
		oneLine(r.Title), r.TopicKey, r.action(), r.ID, r.File)
	b.WriteString("\n### Captured Context\n\n")
	var ctx strings.Builder
	for _, s := range r.ordered() {
		if ctx.Len() > 0 {
			ctx.WriteString("\n")
		}
		fmt.Fprintf(&ctx, "#### %s\n\n%s\n", s.Name, markdown.Demote(s.Text, 4))
	}
	b.WriteString(markdown.Quote(ctx.String(), r.File, 0))
	b.WriteString("\n### Suggested Next Steps\n\n")
	for _, s := range r.nextSteps {
		b.WriteString("- " + s + "\n")
	}
	fmt.Fprintf(&b, "\n### Type/Size Suggestion\n\n- **Suggested type:** %s — because %s\n- **Suggested size:** %s — because %s\n",
		r.Suggestion.Type, r.Suggestion.TypeReason, r.Suggestion.Size, r.Suggestion.SizeReason)
	if len(r.Similar) > 0 {
		b.WriteString("\n### Similar Explorations\n\n")
		for _, s := range r.Similar {
			fmt.Fprintf(&b, "- %s (%s): save there if it is the same topic\n", oneLine(s.Title), s.ID)
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

type namedText struct{ Name, Text string }

// ordered returns the known sections in their fixed order, then the others as they stand in the file.
func (r Result) ordered() []namedText {
	var out []namedText
	for _, key := range FieldNames {
		for _, s := range r.record.Sections {
			if s.Key == key && s.Text != "" {
				out = append(out, namedText{s.Name, s.Text})
			}
		}
	}
	for _, s := range r.record.Sections {
		if s.Key == "" {
			out = append(out, namedText{oneLine(s.Name), s.Text})
		}
	}
	return out
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }
